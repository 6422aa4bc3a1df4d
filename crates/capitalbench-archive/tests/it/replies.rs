//! Every raw submission of the archive, read again as the reply it was: the same object and the
//! same verdict, written as JSON or as YAML.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use capitalbench_archive::disk::layout::run;
use capitalbench_core::decision::submission::reply::{Ending, ReplyFault, Step, read_reply};
use capitalbench_core::decision::submission::{
    PayloadForm, RUN_FIELDS, RoundRules, duplicates, validate,
};
use serde_json::{Map, Value};

use crate::golden::rounds;

/// What the ladder said about the texts that hold no object.
#[derive(Debug, Default)]
struct Seen {
    answers: usize,
    valid: usize,
    empty: usize,
    unusable: usize,
}

#[test]
fn every_reply_gets_its_stored_verdict_again() {
    let Some(rounds) = rounds() else { return };
    let mut seen = Seen::default();
    for round in &rounds {
        for run_id in round.folder.run_ids().unwrap() {
            let folder = round.folder.run(&run_id).unwrap();
            let rules = RoundRules {
                manifest: &round.manifest,
                universe: &round.universe,
                slate: round.slate.as_ref(),
                run: folder.record().unwrap().run.rules,
            };
            let stored: BTreeSet<String> = folder
                .submission_names(run::PARSED)
                .unwrap()
                .into_iter()
                .collect();
            let mut taken = Vec::new();
            for name in folder.submission_names(run::RAW).unwrap() {
                let place = format!("{}/{run_id}/{name}", round.folder.name());
                let payload = folder.payload(run::RAW, &name).unwrap();
                let valid = verdict(&payload, &rules, &mut seen, &place)
                    .is_some_and(|valid| is_first(&mut taken, valid, &rules));
                assert_eq!(valid, stored.contains(&name), "{place}");
                seen.valid += usize::from(valid);
            }
        }
    }
    assert!(
        seen.answers >= 470 && seen.valid >= 457 && seen.empty >= 14 && seen.unusable >= 8,
        "{seen:?}"
    );
}

type Valid = capitalbench_core::decision::submission::Submission;

/// The submission that the reply of a raw file becomes.
fn verdict(raw: &Value, rules: &RoundRules<'_>, seen: &mut Seen, place: &str) -> Option<Valid> {
    let object = raw.as_object().expect("a raw file is an object");
    if let Some(text) = object.get("raw_text") {
        // Nobody recorded how these ended, so nothing may be added to them.
        match read_reply(text.as_str().expect("a text"), Ending::Unsure) {
            Err(ReplyFault::Empty) => seen.empty += 1,
            Err(_) => seen.unusable += 1,
            Ok((_, step)) => panic!("{place}: {step:?} finds an object where there is none"),
        }
        return None;
    }
    seen.answers += 1;
    let (mut said, added) = parts(object);
    for (text, expected) in [
        (Value::Object(said.clone()).to_string(), Step::Strict),
        (as_yaml(&said), Step::Yaml),
    ] {
        let (found, step) = read_reply(&text, Ending::Unsure)
            .unwrap_or_else(|fault| panic!("{place}: {expected:?}: {fault}"));
        assert_eq!(step, expected, "{place}");
        assert_eq!(found.as_object(), Some(&said), "{place}: {step:?}");
    }
    said.extend(added);
    validate(&Value::Object(said), PayloadForm::Raw, rules).ok()
}

/// What the model said, and what the runner added.
fn parts(object: &Map<String, Value>) -> (Map<String, Value>, Map<String, Value>) {
    let members = object
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()));
    members.partition(|(name, _)| !RUN_FIELDS.contains(&name.as_str()))
}

/// One line per member; the values are JSON, which is YAML.
fn as_yaml(object: &Map<String, Value>) -> String {
    object
        .iter()
        .fold(String::new(), |mut text, (name, value)| {
            writeln!(text, "{name}: {value}").expect("a text takes everything");
            text
        })
}

/// Whether a submission is not the second of its model and replicate.
fn is_first(taken: &mut Vec<Valid>, valid: Valid, rules: &RoundRules<'_>) -> bool {
    taken.push(valid);
    let keys: Vec<_> = taken
        .iter()
        .map(|one| (&one.model_id, one.replicate()))
        .collect();
    let second = duplicates(rules.run.kind, &keys)
        .iter()
        .any(|(index, _)| *index + 1 == keys.len());
    if second {
        taken.pop();
    }
    !second
}
