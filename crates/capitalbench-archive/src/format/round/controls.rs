//! Configured controls as manifests and league files write them:
//! `{name: 60/40, hold: {SP500: 60, BONDS: 40}}` or `{name: Target 2050, symbol: VFIFX}`.

use std::fmt;

use capitalbench_core::decision::control::own::{Held, OwnControl, require_distinct};
use capitalbench_core::values::ids::OptionId;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::disk::error::Fault;
use crate::format::text::scalar::yaml_text;

/// One control as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredControl {
    name: String,
    hold: Option<Parts>,
    symbol: Option<String>,
}

/// Options and percentages in the order of the file, which is the order in which returns are added.
pub(crate) struct Parts(pub(crate) Vec<(OptionId, u32)>);

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Parts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("options with whole percentages, such as {SP500: 60, BONDS: 40}")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parts, A::Error> {
                let mut parts = Vec::new();
                while let Some(part) = map.next_entry()? {
                    parts.push(part);
                }
                Ok(Parts(parts))
            }
        }
        source.deserialize_map(InOrder)
    }
}

/// The controls that a list settles; a fault names its field.
pub(crate) fn own_controls(
    field: &str,
    stored: Vec<StoredControl>,
) -> Result<Vec<OwnControl>, Fault> {
    let mut controls = Vec::with_capacity(stored.len());
    for (place, own) in stored.into_iter().enumerate() {
        let wrong = |text: String| Fault::field(format!("{field}.{place}"), text);
        let held = match (own.hold, own.symbol) {
            (Some(parts), None) => Held::Portfolio(parts.0),
            (None, Some(symbol)) => Held::Symbol(symbol),
            _ => {
                let name = own.name;
                let text = format!(
                    "{name} needs one of `hold: {{SP500: 60, BONDS: 40}}` and `symbol: AOR`"
                );
                return Err(wrong(text));
            }
        };
        controls.push(OwnControl::new(&own.name, held).map_err(wrong)?);
    }
    require_distinct(&controls).map_err(|text| Fault::field(field, text))?;
    Ok(controls)
}

/// The lines of a list of controls; nothing where there is none.
pub(crate) fn lines(controls: &[OwnControl]) -> Vec<String> {
    let mut lines = Vec::new();
    if !controls.is_empty() {
        lines.push("controls:".to_owned());
    }
    for control in controls {
        lines.push(format!("- name: {}", yaml_text(control.name())));
        match control.held() {
            Held::Symbol(symbol) => lines.push(format!("  symbol: {}", yaml_text(symbol))),
            Held::Portfolio(parts) => {
                lines.push("  hold:".to_owned());
                let parts = parts.iter();
                lines.extend(
                    parts.map(|(id, percent)| format!("    {}: {percent}", yaml_text(id.as_str()))),
                );
            }
        }
    }
    lines
}
