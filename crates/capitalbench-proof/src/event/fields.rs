//! The members of a leaf, to and from an event.

use serde_json::{Map, Value, json};

use super::{Event, EventError, Fact, Files, Instant, Place, Sealed, VERSION};
use crate::merkle::Hash;

/// The leaf as a value; members that are not there are left out.
pub(super) fn write(event: &Event) -> Value {
    let mut members = match members_of(&event.fact) {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    members.retain(|_, value| !value.is_null());
    members.insert("at".to_owned(), event.at.as_str().into());
    members.insert("event".to_owned(), event.fact.name().into());
    members.insert("round".to_owned(), event.round.clone().into());
    members.insert("version".to_owned(), VERSION.into());
    Value::Object(members)
}

fn members_of(fact: &Fact) -> Value {
    match fact {
        Fact::Freeze {
            inputs,
            deadline,
            roster,
        } => json!({
            "inputs": files(inputs),
            "deadline": deadline.as_ref().map(Instant::as_str),
            "roster": roster,
        }),
        Fact::Methodology { label, program } => json!({"label": label, "program": program}),
        Fact::Slots {
            run,
            kind,
            calls,
            models,
            replicates,
            max_retries,
            plan,
        } => json!({
            "run": run,
            "kind": kind,
            "calls": calls,
            "models": models,
            "replicates": replicates,
            "max_retries": max_retries,
            "plan_sha256": plan.to_hex(),
        }),
        Fact::AttemptBegin {
            place,
            attempt,
            input,
            record,
        } => json!({
            "run": place.run,
            "model": place.model,
            "replicate": place.replicate,
            "attempt": attempt,
            "input_sha256": input.to_hex(),
            "sealed_record": record.0.to_hex(),
        }),
        Fact::AttemptEnd {
            place,
            attempt,
            status,
            reason,
            answer,
            record,
        } => json!({
            "run": place.run,
            "model": place.model,
            "replicate": place.replicate,
            "attempt": attempt,
            "status": status,
            "reason": reason,
            "sealed_answer": answer.map(|answer| answer.0.to_hex()),
            "sealed_record": record.0.to_hex(),
        }),
        decided => later_members_of(decided),
    }
}

fn later_members_of(fact: &Fact) -> Value {
    match fact {
        Fact::Accepted {
            run,
            submissions,
            supersedes,
            record,
        } => json!({
            "run": run,
            "submissions": submissions,
            "supersedes": supersedes,
            "sealed_record": record.0.to_hex(),
        }),
        Fact::Pick {
            run,
            file,
            submission,
        } => json!({"run": run, "file": file, "sealed_submission": submission.0.to_hex()}),
        Fact::EntryPrices {
            session,
            files: own,
        }
        | Fact::ExitPrices {
            session,
            files: own,
        } => json!({"session": session, "files": files(own)}),
        Fact::Score { run, results } => json!({"run": run, "results": files(results)}),
        Fact::Correction {
            run,
            number,
            reason,
            replaced,
            results,
        } => json!({
            "run": run,
            "number": number,
            "reason": reason,
            "replaced": files(replaced),
            "results": files(results),
        }),
        Fact::Inventory {
            number,
            bodies,
            gone,
        } => {
            let member =
                |(path, sealed): (&String, &Sealed)| (path.clone(), Value::from(sealed.0.to_hex()));
            let bodies = bodies.iter().map(member).collect();
            json!({"number": number, "bodies": Value::Object(bodies), "gone": gone})
        }
        Fact::Claim {
            statement,
            files: own,
        } => json!({"statement": statement, "files": files(own)}),
        _ => Value::Null,
    }
}

fn files(files: &Files) -> Value {
    let member = |(path, digest): (&String, &Hash)| (path.clone(), digest.to_hex().into());
    Value::Object(files.iter().map(member).collect())
}

/// The event of a value; every member must be known.
pub(super) fn read(value: Value) -> Result<Event, EventError> {
    let Value::Object(members) = value else {
        return Err(wrong("leaf", "is not an object"));
    };
    let mut members = Members(members);
    if members.number("version")? != VERSION {
        return Err(wrong("version", "is not 1"));
    }
    let name = members.text("event")?;
    let round = members.text("round")?;
    let at = members.instant("at")?.ok_or(missing("at"))?;
    let fact = match name.as_str() {
        "round.freeze" | "methodology" | "roster.slots" => members.before(&name)?,
        "attempt.begin" | "attempt.end" => members.attempt(&name)?,
        _ => members.after(&name)?,
    };
    match members.0.keys().next() {
        Some(unknown) => Err(wrong(unknown, "is not a member of this event")),
        None => Ok(Event { round, at, fact }),
    }
}

fn wrong(member: &str, problem: &'static str) -> EventError {
    EventError::Member {
        member: member.to_owned(),
        problem,
    }
}

fn missing(member: &str) -> EventError {
    wrong(member, "is missing")
}

/// Members that were not read yet.
struct Members(Map<String, Value>);

impl Members {
    fn before(&mut self, name: &str) -> Result<Fact, EventError> {
        Ok(match name {
            "round.freeze" => Fact::Freeze {
                inputs: self.files("inputs")?,
                deadline: self.instant("deadline")?,
                roster: self.texts("roster")?,
            },
            "methodology" => Fact::Methodology {
                label: self.text("label")?,
                program: self.text("program")?,
            },
            _ => Fact::Slots {
                run: self.text("run")?,
                kind: self.text("kind")?,
                calls: self.text("calls")?,
                models: self.texts("models")?,
                replicates: self.small("replicates")?,
                max_retries: self.small("max_retries")?,
                plan: self.digest("plan_sha256")?.ok_or(missing("plan_sha256"))?,
            },
        })
    }

    fn attempt(&mut self, name: &str) -> Result<Fact, EventError> {
        let place = Place {
            run: self.text("run")?,
            model: self.text("model")?,
            replicate: self.small("replicate")?,
        };
        let attempt = self.small("attempt")?;
        let record = self.sealed("sealed_record")?;
        let record = record.ok_or(missing("sealed_record"))?;
        if name == "attempt.begin" {
            let input = self.digest("input_sha256")?;
            return Ok(Fact::AttemptBegin {
                place,
                attempt,
                input: input.ok_or(missing("input_sha256"))?,
                record,
            });
        }
        Ok(Fact::AttemptEnd {
            place,
            attempt,
            status: self.text("status")?,
            reason: self.optional_text("reason")?,
            answer: self.sealed("sealed_answer")?,
            record,
        })
    }

    fn after(&mut self, name: &str) -> Result<Fact, EventError> {
        Ok(match name {
            "run.accepted" => Fact::Accepted {
                run: self.text("run")?,
                submissions: self.number("submissions")?,
                supersedes: self.optional_text("supersedes")?,
                record: self
                    .sealed("sealed_record")?
                    .ok_or(missing("sealed_record"))?,
            },
            "pick.accepted" => {
                let submission = self.sealed("sealed_submission")?;
                Fact::Pick {
                    run: self.text("run")?,
                    file: self.text("file")?,
                    submission: submission.ok_or(missing("sealed_submission"))?,
                }
            }
            "prices.entry" => Fact::EntryPrices {
                session: self.text("session")?,
                files: self.files("files")?,
            },
            "prices.exit" => Fact::ExitPrices {
                session: self.text("session")?,
                files: self.files("files")?,
            },
            "score" => Fact::Score {
                run: self.text("run")?,
                results: self.files("results")?,
            },
            "correction" => Fact::Correction {
                run: self.optional_text("run")?,
                number: self.number("number")?,
                reason: self.text("reason")?,
                replaced: self.files("replaced")?,
                results: self.files("results")?,
            },
            "round.files" => {
                let bodies = self.files("bodies")?.into_iter();
                Fact::Inventory {
                    number: self.number("number")?,
                    bodies: bodies.map(|(path, hash)| (path, Sealed(hash))).collect(),
                    gone: self.texts("gone")?,
                }
            }
            "claim" => Fact::Claim {
                statement: self.text("statement")?,
                files: self.files("files")?,
            },
            _ => return Err(wrong("event", "is of a kind that is not known here")),
        })
    }

    fn optional_text(&mut self, name: &str) -> Result<Option<String>, EventError> {
        match self.0.remove(name) {
            None => Ok(None),
            Some(Value::String(text)) if !text.is_empty() => Ok(Some(text)),
            Some(_) => Err(wrong(name, "is not a text, or an empty one")),
        }
    }

    fn text(&mut self, name: &str) -> Result<String, EventError> {
        self.optional_text(name)?.ok_or(missing(name))
    }

    fn texts(&mut self, name: &str) -> Result<Vec<String>, EventError> {
        let Some(Value::Array(items)) = self.0.remove(name) else {
            return Err(wrong(name, "is missing or not a list"));
        };
        let text = |item: Value| match item {
            Value::String(text) => Ok(text),
            _ => Err(wrong(name, "has an item that is not a text")),
        };
        items.into_iter().map(text).collect()
    }

    fn number(&mut self, name: &str) -> Result<u64, EventError> {
        let value = self.0.remove(name).ok_or(missing(name))?;
        let number = value.as_u64();
        number.ok_or(wrong(name, "is not a whole number from 0 on"))
    }

    fn small(&mut self, name: &str) -> Result<u32, EventError> {
        let number = self.number(name)?;
        number.try_into().map_err(|_| wrong(name, "is too large"))
    }

    fn instant(&mut self, name: &str) -> Result<Option<Instant>, EventError> {
        let parse = |text: String| {
            let problem = "is not an instant such as 2026-09-14T20:00:00Z";
            Instant::parse(&text).ok_or(wrong(name, problem))
        };
        self.optional_text(name)?.map(parse).transpose()
    }

    fn digest(&mut self, name: &str) -> Result<Option<Hash>, EventError> {
        let parse = |text: String| Hash::parse_hex(&text).ok_or(wrong(name, NO_DIGEST));
        self.optional_text(name)?.map(parse).transpose()
    }

    fn sealed(&mut self, name: &str) -> Result<Option<Sealed>, EventError> {
        Ok(self.digest(name)?.map(Sealed))
    }

    fn files(&mut self, name: &str) -> Result<Files, EventError> {
        let Some(Value::Object(members)) = self.0.remove(name) else {
            return Err(wrong(name, "is missing or not an object"));
        };
        let file = |(path, digest): (String, Value)| {
            let digest = digest.as_str().and_then(Hash::parse_hex);
            Ok((path, digest.ok_or(wrong(name, NO_DIGEST))?))
        };
        members.into_iter().map(file).collect()
    }
}

const NO_DIGEST: &str = "is not 64 lower-case hexadecimal digits";
