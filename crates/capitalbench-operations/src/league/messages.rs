//! Messages of a league: put into an outbox first, then sent to a webhook, a command, or both.
//!
//! The outbox lies in the state folder of the rounds. A message is written there before it is sent
//! and moved to the sent ones afterwards, so a process that is killed loses none; it may send one
//! twice, with the same id.

use std::path::{Path, PathBuf};
use std::time::Duration;

use capitalbench_adapters::webhook::Webhook;
use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::{file_ops, state_folder};
use capitalbench_core::league::message::{Message, Subject};
use capitalbench_core::league::settings::{LeagueCalls, MessageSettings};

use super::folder::LeagueFolder;
use crate::error::Error;
use crate::operator::program::Program;
use crate::operator::{Operator, wait};

/// The version of the form.
const FORMAT: &str = "capitalbench-message-v1";
const WAITING: &str = "waiting";
const SENT: &str = "sent";
/// How long a command may take, and how much it may print.
const TIME_LIMIT: Duration = Duration::from_mins(1);
const MOST_BYTES: usize = 64 << 10;
/// Most messages of one delivery; the rest waits for the next one.
const MOST: usize = 100;

/// Puts messages that nobody has got yet into the outbox; does nothing where nobody is told.
pub fn post(operator: &Operator, league: &LeagueFolder, subjects: &[Subject]) -> Result<(), Error> {
    let settings = &league.league.messages;
    if (settings.webhook_variable.is_none() && settings.command.is_none()) || subjects.is_empty() {
        return Ok(());
    }
    let outbox = Outbox::of(operator, league);
    outbox.create()?;
    for subject in subjects {
        let message = Message {
            format: FORMAT,
            id: subject.id(),
            kind: subject.kind.as_str(),
            league: league.league.name.clone(),
            rehearsal: league.league.calls == LeagueCalls::Rehearsed,
            round: subject.round.clone(),
            model: subject.model.clone(),
            at_utc: subject.at.to_string(),
            text: subject.text.clone(),
        };
        let is_known = [WAITING, SENT]
            .iter()
            .any(|place| outbox.file(place, &message.id).exists());
        if !is_known {
            let text = serde_json::to_string(&message)
                .map_err(|error| Error::new(format!("message {}: {error}", message.id)))?;
            file_ops::replace(&outbox.file(WAITING, &message.id), text.as_bytes())?;
        }
    }
    Ok(())
}

/// Sends what waits in the outbox, and returns why some of it still waits.
pub fn deliver(operator: &Operator, league: &LeagueFolder) -> Result<Vec<Error>, Error> {
    let outbox = Outbox::of(operator, league);
    let mut problems = Vec::new();
    for id in outbox.waiting()?.into_iter().take(MOST) {
        let file = outbox.file(WAITING, &id);
        let body = file_ops::read(&file).map_err(FileError::from)?;
        match send(operator, &league.league.messages, &body) {
            Ok(()) => {
                file_ops::replace(&outbox.file(SENT, &id), &body)?;
                file_ops::remove(&file)?;
            }
            Err(error) => {
                // A channel that does not answer now will not answer the next message either.
                let text = format!("the message {id} was not sent: {error}");
                problems.push(Error {
                    message: text,
                    ..error
                });
                break;
            }
        }
    }
    Ok(problems)
}

fn send(operator: &Operator, settings: &MessageSettings, body: &[u8]) -> Result<(), Error> {
    if let Some(variable) = &settings.webhook_variable {
        let configuration = &operator.configuration;
        let text = configuration.get(variable).ok_or_else(|| {
            Error::new(format!("{variable} is not set"))
                .hint(format!("write {variable}=https://… into .env"))
        })?;
        let hook = Webhook::new(&text)
            .ok_or_else(|| Error::new(format!("{variable} is not an address of a web server")))?;
        let http = configuration.http(configuration.reach())?;
        wait(hook.send(&http, body.to_vec()))?
            .map_err(|error| Error::new(format!("the webhook in {variable}: {error}")))?;
    }
    if let Some(command) = &settings.command {
        let program = Program {
            setting: "messages.command",
            command,
            variables: &[],
            input: body,
            time_limit: TIME_LIMIT,
            most_bytes: MOST_BYTES,
        };
        program.output(&operator.configuration)?;
    }
    Ok(())
}

/// The folders of messages.
struct Outbox(PathBuf);

impl Outbox {
    fn of(operator: &Operator, league: &LeagueFolder) -> Self {
        let state = operator.configuration.state_folder(&league.rounds());
        Self(state.join("messages"))
    }

    fn create(&self) -> Result<(), Error> {
        if let Some(state) = self.0.parent() {
            state_folder::create(state)?;
        }
        for place in [WAITING, SENT] {
            file_ops::create_folder(&self.0.join(place))?;
        }
        Ok(())
    }

    fn file(&self, place: &str, id: &str) -> PathBuf {
        self.0.join(place).join(format!("{id}.json"))
    }

    /// Ids of messages that wait, in order; none where there is no outbox.
    fn waiting(&self) -> Result<Vec<String>, Error> {
        let folder = self.0.join(WAITING);
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let entries = std::fs::read_dir(&folder)
            .map_err(|error| Error::new(format!("{}: {error}", folder.display())))?;
        let mut ids: Vec<String> = entries
            .filter_map(|entry| id_of(&entry.ok()?.path()))
            .collect();
        ids.sort_unstable();
        Ok(ids)
    }
}

fn id_of(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    Some(name.strip_suffix(".json")?.to_owned())
}
