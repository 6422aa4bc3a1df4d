//! Members of a stored object, each read or refused by its name.

use capitalbench_core::ids::Digest;
use capitalbench_core::time::Stamp;
use serde_json::Value;

use crate::error::Fault;

/// Refuses another version of a format.
pub(crate) fn version(object: &Value, expected: u64) -> Result<(), Fault> {
    match object.get("format_version").and_then(Value::as_u64) {
        Some(found) if found == expected => Ok(()),
        _ => Err(Fault::field(
            "format_version",
            format!("must be {expected}"),
        )),
    }
}

pub(crate) fn text<'a>(object: &'a Value, name: &str) -> Result<&'a str, Fault> {
    let found = object.get(name).and_then(Value::as_str);
    found.ok_or_else(|| Fault::field(name, "must be a text"))
}

pub(crate) fn list<'a>(object: &'a Value, name: &str) -> Result<&'a [Value], Fault> {
    let found = object.get(name).and_then(Value::as_array);
    let found = found.ok_or_else(|| Fault::field(name, "must be a list"))?;
    Ok(found)
}

pub(crate) fn digest(object: &Value, name: &str) -> Result<Digest, Fault> {
    let found = Digest::parse(text(object, name)?);
    found.ok_or_else(|| Fault::field(name, "must be a digest"))
}

pub(crate) fn stamp(object: &Value, name: &str) -> Result<Stamp, Fault> {
    let found = Stamp::parse(text(object, name)?);
    found.ok_or_else(|| Fault::field(name, "must be an instant"))
}
