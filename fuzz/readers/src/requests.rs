//! Requests of readers.

use serde_json::Value;

use crate::is_in_proportion;
use crate::samples::API;

/// What stands behind `/api/v1`, with its query.
pub fn api_request(bytes: &[u8]) {
    let target = String::from_utf8_lossy(bytes);
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let (status, body) = API.reply(path, query);
    assert!(matches!(status, 200 | 400 | 404), "{status}");
    let value: Value = serde_json::from_slice(&body).expect("an answer in JSON");
    if status == 200 {
        let rows = value.get("rows").and_then(Value::as_array);
        assert!(rows.is_none_or(|rows| rows.len() <= 1000));
    } else {
        assert!(value.get("error").is_some_and(Value::is_string));
        is_in_proportion(&String::from_utf8_lossy(&body), bytes);
    }
}
