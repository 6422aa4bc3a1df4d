//! `MiniMax` answers with a status of success and its own number in `base_resp`.

use serde_json::Value;

use super::ServerError;

/// The numbers of `MiniMax`'s page of error codes, the status that fits, and the code others use.
const NUMBERS: [(i64, u16, &str); 16] = [
    (1000, 500, "unknown_error"),
    (1001, 504, "timeout"),
    (1002, 429, "rate_limit_exceeded"),
    (1004, 401, "invalid_api_key"),
    (1008, 402, "insufficient_balance"),
    (1013, 500, "internal_error"),
    (1024, 500, "internal_error"),
    (1026, 400, "content_filter"),
    (1027, 400, "content_filter"),
    (1033, 500, "internal_error"),
    // Tokens of a minute, and connections at once.
    (1039, 429, "rate_limit_exceeded"),
    (1041, 429, "rate_limit_exceeded"),
    (2013, 400, "invalid_request"),
    (2045, 429, "rate_limit_exceeded"),
    (2049, 401, "invalid_api_key"),
    // The plan's allowance of several hours.
    (2056, 402, "insufficient_quota"),
];

/// The error of a body whose number is not zero.
pub(super) fn error(body: &Value) -> Option<ServerError> {
    let base = body.get("base_resp")?;
    let number = base["status_code"].as_i64().filter(|number| *number != 0)?;
    let said = base["status_msg"].as_str().unwrap_or_default();
    let known = NUMBERS.iter().find(|(known, ..)| *known == number);
    Some(ServerError {
        message: format!("{said} ({number})"),
        code: known.map(|(_, status, _)| *status),
        words: known
            .map(|(.., word)| (*word).to_owned())
            .into_iter()
            .collect(),
        ..ServerError::default()
    })
}
