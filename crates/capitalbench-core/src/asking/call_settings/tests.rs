use serde_json::json;

use super::*;

#[test]
fn settings_are_stored_as_the_models_file_writes_them() {
    let settings = CallSettings {
        schema_mode: Some(SchemaMode::Json),
        temperature: Some(TemperatureSetting::Omit(OmitWord::Omit)),
        reasoning: Some(ReasoningSetting::Effort("low".to_owned())),
        time_limit: Some(90.0),
        ..CallSettings::default()
    };
    let stored = json!(settings);
    let expected = json!({"schema_mode": "json", "temperature": "omit",
                          "reasoning": {"effort": "low"}, "time_limit": 90.0});
    assert_eq!(stored, expected);
    assert_eq!(
        serde_json::from_value::<CallSettings>(stored).ok(),
        Some(settings)
    );
    assert_eq!(json!(CallSettings::default()), json!({}));
}

#[test]
fn an_unknown_stored_word_or_field_stops() {
    for wrong in [
        json!({"schema_mode": "loose"}),
        json!({"temperature": "warm"}),
        json!({"reasoning": "maybe"}),
        json!({"reasoning": {"depth": 3}}),
        json!({"colour": "red"}),
    ] {
        let read = serde_json::from_value::<CallSettings>(wrong.clone());
        assert!(read.is_err(), "{wrong}");
    }
}

#[test]
fn reasoning_is_told_in_words() {
    for (setting, words) in [
        (ReasoningSetting::Off, "off"),
        (ReasoningSetting::On, "on"),
        (ReasoningSetting::Effort("max".to_owned()), "effort max"),
        (ReasoningSetting::Budget(1024), "budget 1024"),
    ] {
        assert_eq!(setting.to_string(), words);
    }
}
