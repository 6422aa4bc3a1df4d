use std::time::Duration;

use capitalbench_core::asking::call_settings::{
    CallSettings, OmitWord, ReasoningSetting, TemperatureSetting,
};
use serde_json::json;

use super::*;
use crate::provider::{Anthropic, Family, Host, OpenAi};

fn question(schema: &Value) -> Question<'_> {
    Question {
        input: "Choose.",
        schema: Some(schema),
        max_output_tokens: 3000,
        time_limit: Duration::from_mins(2),
    }
}

fn settings(family: Family, model: &str, calls: Value) -> Settings {
    let calls = serde_json::from_value(calls).expect("settings");
    Settings::new(family, model).with_calls(calls)
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"pick": {"type": "string"}}})
}

#[test]
fn what_was_asked_is_told_whole() {
    let schema = schema();
    let calls = json!({"extra_body": {"seed": 7}, "extra_headers": {"X-Title": "League"},
                       "routing": ["anthropic"]});
    let settings = settings(Family::Compatible, "anthropic/claude-opus-5", calls);
    let asked = asked(&Host::OpenRouter, &settings, &question(&schema));
    let sent = body(&Host::OpenRouter, &settings, &question(&schema)).to_string();
    assert!(sent.contains("\"seed\":7"), "{sent}");
    let expected = Asked {
        api_model_name: "anthropic/claude-opus-5".to_owned(),
        schema_mode: "full".to_owned(),
        temperature: None,
        reasoning: Some("effort low".to_owned()),
        max_output_tokens: 3000,
        time_limit_seconds: 120.0,
        service_tier: None,
        routing: vec!["anthropic".to_owned()],
        extra_fields: vec!["seed".to_owned(), "header X-Title".to_owned()],
        body_sha256: Digest::of(sent.as_bytes()).to_hex(),
    };
    assert_eq!(asked, expected);
}

#[test]
fn the_same_question_gives_the_same_bytes() {
    let schema = schema();
    let calls = json!({"extra_body": {"b": 1, "a": {"d": 2, "c": 3}}});
    let settings = settings(Family::OpenAi, "gpt-5.5", calls);
    let once = body(&OpenAi, &settings, &question(&schema)).to_string();
    let again = body(&OpenAi, &settings.clone(), &question(&schema)).to_string();
    assert_eq!(once, again);
    // The time that is left does not change what is asked.
    let mut late = question(&schema);
    late.time_limit = Duration::from_secs(3);
    assert_eq!(body(&OpenAi, &settings, &late).to_string(), once);
}

#[test]
fn added_fields_join_objects_and_replace_the_rest() {
    let schema = schema();
    let calls = json!({"extra_body": {"text": {"verbosity": "low"}, "service_tier": "flex"}});
    let settings = settings(Family::OpenAi, "gpt-5.5", calls);
    let body = body(&OpenAi, &settings, &question(&schema));
    assert_eq!(body["text"]["verbosity"], "low");
    assert_eq!(body["text"]["format"]["type"], "json_schema");
    let asked = asked(&OpenAi, &settings, &question(&schema));
    assert_eq!(asked.service_tier.as_deref(), Some("flex"));
}

#[test]
fn the_record_says_whether_a_model_thinks() {
    let schema = schema();
    let told = |model: &str, calls: Value| {
        let settings = settings(Family::Anthropic, model, calls);
        asked(&Anthropic, &settings, &question(&schema)).reasoning
    };
    let effort = json!({"reasoning": {"effort": "max"}});
    for (model, calls, words) in [
        (
            "claude-opus-4-8",
            json!({}),
            Some("effort low, thinking off"),
        ),
        (
            "claude-opus-4-8",
            effort.clone(),
            Some("effort max, thinking adaptive"),
        ),
        ("claude-opus-4-8", json!({"reasoning": "off"}), Some("off")),
        ("claude-opus-4-8", json!({"reasoning": "omit"}), Some("off")),
        ("claude-opus-4-8", json!({"reasoning": "on"}), Some("on")),
        ("claude-opus-5", effort, Some("effort max")),
        ("claude-mythos-5", json!({}), None),
        (
            "claude-sonnet-5-5",
            json!({"reasoning": "omit", "extra_body": {"thinking": {"type": "between_tools"}}}),
            Some("as extra_body says: thinking"),
        ),
        (
            "claude-sonnet-5-5",
            json!({"extra_body": {"thinking": {"type": "between_tools"}}}),
            Some("effort low; as extra_body says: thinking"),
        ),
    ] {
        assert_eq!(told(model, calls).as_deref(), words, "{model}");
    }
}

#[test]
fn the_form_is_asked_for_as_the_models_file_says() {
    let schema = schema();
    for (mode, format) in [
        (json!({}), json!("json_schema")),
        (json!({"schema_mode": "json"}), json!("json_object")),
        (json!({"schema_mode": "none"}), Value::Null),
    ] {
        let settings = settings(Family::OpenAi, "gpt-5.5", mode);
        let body = body(&OpenAi, &settings, &question(&schema));
        assert_eq!(body["text"]["format"]["type"], format);
        let asked = asked(&OpenAi, &settings, &question(&schema));
        assert_eq!(asked.schema_mode, settings.schema_mode().as_str());
    }
}

#[test]
fn a_temperature_is_left_out_on_request() {
    let schema = schema();
    let calls = CallSettings {
        temperature: Some(TemperatureSetting::Omit(OmitWord::Omit)),
        reasoning: Some(ReasoningSetting::Omit),
        ..CallSettings::default()
    };
    let settings = Settings::new(Family::OpenAi, "gpt-4.1").with_calls(calls);
    let body = body(&OpenAi, &settings, &question(&schema));
    assert!(body.get("temperature").is_none() && body.get("reasoning").is_none());
    let asked = asked(&OpenAi, &settings, &question(&schema));
    assert_eq!((asked.temperature, asked.reasoning), (None, None));
}
