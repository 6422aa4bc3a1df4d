//! Members of a stored object, each read or refused by its name.

use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::time::Stamp;
use serde_json::Value;

use crate::disk::error::Fault;

/// Refuses what is not an object, and members that this program never writes: whoever skipped one
/// might skip what it was meant to forbid.
pub(crate) fn only(object: &Value, names: &[&str]) -> Result<(), Fault> {
    let members = object.as_object();
    let members = members.ok_or_else(|| Fault::new("is not an object"))?;
    match members.keys().find(|key| !names.contains(&key.as_str())) {
        Some(key) => {
            let text = "unknown member; remove it, or read the file with the version that wrote it";
            Err(Fault::field(key.clone(), text))
        }
        None => Ok(()),
    }
}

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
