//! What the models file may add to a request: never a secret, and nothing that makes it another
//! question, another model or another record than the one that is written down.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::disk::error::Fault;

/// Fields that decide what is asked, of whom and with what; no configuration may change them.
const OURS: [&str; 30] = [
    "model",
    "models",
    "messages",
    "input",
    "contents",
    "prompt",
    "instructions",
    "system",
    "system_instruction",
    "previous_response_id",
    "conversation",
    "cached_content",
    "stream",
    "background",
    "n",
    "candidate_count",
    "tools",
    "tool_choice",
    "tool_config",
    "functions",
    "function_call",
    "web_search_options",
    "search_parameters",
    "enable_search",
    "mcp_servers",
    "container",
    "plugins",
    "fallbacks",
    "route",
    "preset",
];
/// Fields that a setting of the models file writes, so that the record tells the truth about them.
const SETTINGS: [(&str, &str); 12] = [
    ("temperature", "temperature"),
    ("response_format", "schema_mode"),
    ("response_schema", "schema_mode"),
    ("response_json_schema", "schema_mode"),
    ("response_mime_type", "schema_mode"),
    ("format", "schema_mode"),
    ("max_tokens", "max_output_tokens"),
    ("max_completion_tokens", "max_output_tokens"),
    ("max_output_tokens", "max_output_tokens"),
    ("num_predict", "max_output_tokens"),
    ("only", "routing"),
    ("order", "routing"),
];
/// Objects of a request whose fields the lists above judge too.
const LOOKED_INTO: [&str; 4] = ["generation_config", "options", "text", "output_config"];
/// The object that tells a router whom to ask; only these fields of it may be added.
const ROUTER: (&str, [&str; 2]) = ("provider", ["quantizations", "max_price"]);

/// Refuses fields that the program alone may set.
pub(super) fn check_body(extra: &Map<String, Value>) -> Result<(), Fault> {
    for (name, value) in extra {
        let field = plain(name);
        if OURS.contains(&field.as_str()) {
            let text = format!("may not hold {name}, which the program alone sets");
            return Err(Fault::field("extra_body", text));
        }
        if let Some((_, own)) = SETTINGS.iter().find(|(known, _)| *known == field) {
            let text = format!("may not hold {name}; write it as the field {own}");
            return Err(Fault::field("extra_body", text));
        }
        let inner = value.as_object();
        if LOOKED_INTO.contains(&field.as_str())
            && let Some(inner) = inner
        {
            check_body(inner)?;
        }
        if field == ROUTER.0 {
            let added = inner.is_some_and(|inner| {
                inner
                    .keys()
                    .all(|name| ROUTER.1.contains(&plain(name).as_str()))
            });
            if !added {
                let text = format!(
                    "may add only {} to provider; write the hosts as the field routing",
                    ROUTER.1.join(" and ")
                );
                return Err(Fault::field("extra_body", text));
            }
        }
    }
    Ok(())
}

/// A name in the form of the lists: Google writes `maxOutputTokens`, others `max_output_tokens`.
fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !plain.is_empty() && !plain.ends_with('_') {
            plain.push('_');
        }
        plain.push(match letter {
            '-' => '_',
            letter => letter.to_ascii_lowercase(),
        });
    }
    plain
}

/// Headers that carry keys, and parts of the names of such headers.
const SECRET_NAMES: [&str; 10] = [
    "authorization",
    "api-key",
    "apikey",
    "api_key",
    "cookie",
    "token",
    "secret",
    "password",
    "credential",
    "subscription-key",
];
/// Headers that belong to the connection or that the program sets itself.
const OUR_HEADERS: [&str; 11] = [
    "host",
    "connection",
    "content-length",
    "content-type",
    "content-encoding",
    "transfer-encoding",
    "accept",
    "accept-encoding",
    "user-agent",
    "anthropic-version",
    "expect",
];
/// How keys of well-known services begin.
const KEY_FORMS: [&str; 14] = [
    "sk-", "sk_", "xai-", "gsk_", "hf_", "AIza", "csk-", "fw_", "tgp_", "pplx-", "AKIA", "eyJ",
    "Bearer ", "Basic ",
];
const LONGEST_VALUE: usize = 500;

/// Refuses headers that would carry a secret or disturb the request; no message repeats a value.
pub(super) fn check_headers(extra: &BTreeMap<String, String>) -> Result<(), Fault> {
    let wrong = |name: &str, problem: &str| {
        Err(Fault::field("extra_headers", format!("{name}: {problem}")))
    };
    for (name, value) in extra {
        let lower = name.to_ascii_lowercase();
        let in_token =
            |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
        if name.is_empty() || !name.chars().all(in_token) {
            return wrong(&format!("{name:?}"), "is not a name that a header can have");
        }
        if SECRET_NAMES.iter().any(|part| lower.contains(part)) {
            return wrong(
                name,
                "carries a key; name the variable of the key in api_key_env instead",
            );
        }
        if OUR_HEADERS.contains(&lower.as_str()) {
            return wrong(name, "is set by the program alone");
        }
        let looks_secret =
            value.contains("${") || KEY_FORMS.iter().any(|form| value.trim().starts_with(form));
        if looks_secret {
            return wrong(
                name,
                "has a value that looks like a key or a variable; this file is kept with the round, \
                 so name the variable of the key in api_key_env instead",
            );
        }
        let is_plain = |letter: char| letter == ' ' || letter.is_ascii_graphic();
        if value.trim().is_empty() || value.len() > LONGEST_VALUE || !value.chars().all(is_plain) {
            return wrong(
                name,
                "must have a value of at most 500 visible ASCII characters",
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
