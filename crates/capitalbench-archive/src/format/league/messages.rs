//! `messages` of `league.yaml` says who hears of what a league did, because it runs without anybody
//! watching.

use capitalbench_core::league::settings::MessageSettings;
use serde::Deserialize;

use super::words::line;
use crate::disk::error::Fault;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Messages {
    webhook: Option<String>,
    command: Option<String>,
}

pub(super) fn messages(given: Option<Messages>) -> Result<MessageSettings, Fault> {
    let Some(given) = given else {
        return Ok(MessageSettings::default());
    };
    let command = given.command.as_deref();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_variable = |name: &String| {
        !name.is_empty()
            && name.chars().all(is_letter)
            && !name.starts_with(|c: char| c.is_ascii_digit())
    };
    if !given.webhook.as_ref().is_none_or(is_variable) {
        // The text may be the secret address, so the message does not repeat it.
        let problem = "must name an environment variable, such as LEAGUE_WEBHOOK; the address \
                       itself is a secret and belongs into .env";
        return Err(Fault::field("messages.webhook", problem));
    }
    Ok(MessageSettings {
        webhook_variable: given.webhook,
        command: command
            .map(|text| line("messages.command", text))
            .transpose()?,
    })
}
