use serde_json::json;

use super::*;

fn digest(row: &Value) -> Digest {
    row_digest(row.as_object().unwrap())
}

#[test]
fn the_digested_text_is_that_of_the_migration() {
    let row = json!({
        "title": "é\\", "rank": 3, "score": 1.5, "is_cash": false, "missing": null,
        "deadline_utc": "2026-03-01T12:00:00.5Z", "part": "x", "published": true,
    });
    let text = "deadline_utc=1772366400500000\nis_cash=false\nrank=3\n\
                    score=3ff8000000000000\ntitle=3:é\\\n";
    assert_eq!(digest(&row), Digest::of(text.as_bytes()));
}

#[test]
fn values_do_not_run_into_each_other() {
    let one = json!({"a": "x\nb=1:y"});
    let two = json!({"a": "x", "b": "y"});
    assert_ne!(digest(&one), digest(&two));
    assert_eq!(digest(&json!({"a": -0.0})), digest(&json!({"a": 0.0})));
    assert_ne!(digest(&json!({"a": 1.0})), digest(&json!({"a": 1})));
}
