//! Where the fields of a YAML document stand, for messages that name line and field.

use serde_saphyr::granit_parser::{Event, Parser};

/// A field and the line of its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPlace {
    /// Its name with those of the mappings around it, such as `prices.source` or `models.0.mode`.
    pub path: String,
    /// Counted from 1.
    pub line: u64,
}

/// A mapping or a list that is being read.
enum Inside {
    /// The field whose value comes next; none where its name does.
    Mapping(Option<String>),
    List(usize),
}

/// Every field of a document in the order of the text, up to the first place that is not YAML.
pub fn fields_of(text: &str) -> Vec<FieldPlace> {
    let (mut found, mut around) = (Vec::new(), Vec::new());
    for next in Parser::new_from_str(text) {
        let Ok((event, span)) = next else { break };
        match event {
            Event::MappingStart(..) => around.push(Inside::Mapping(None)),
            Event::SequenceStart(..) => around.push(Inside::List(0)),
            Event::MappingEnd | Event::SequenceEnd => {
                around.pop();
                value_ended(&mut around);
            }
            Event::Scalar(name, ..) => match around.last_mut() {
                Some(Inside::Mapping(field @ None)) => {
                    *field = Some(name.into_owned());
                    found.push(FieldPlace {
                        path: path(&around),
                        line: u64::try_from(span.start.line()).unwrap_or(u64::MAX),
                    });
                }
                _ => value_ended(&mut around),
            },
            Event::Alias(_) => value_ended(&mut around),
            _ => {}
        }
    }
    found
}

fn value_ended(around: &mut [Inside]) {
    match around.last_mut() {
        Some(Inside::Mapping(field)) => *field = None,
        Some(Inside::List(place)) => *place += 1,
        None => {}
    }
}

fn path(around: &[Inside]) -> String {
    let names = around.iter().map(|one| match one {
        Inside::Mapping(field) => field.clone().unwrap_or_default(),
        Inside::List(place) => place.to_string(),
    });
    names.collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests;
