use capitalbench_core::asking::call_settings::{
    OmitWord, ReasoningSetting, SchemaMode, TemperatureSetting,
};

use super::*;

const MODEL: &str = "models:\n- model_id: a\n  provider: openai\n  api_model_name: gpt-5.5\n";

fn read(more: &str) -> Result<ModelSettings, String> {
    let text = format!("{MODEL}{more}");
    let mut all = parse_settings(text.as_bytes()).map_err(|fault| fault.to_string())?;
    Ok(all.remove(0))
}

fn settings(more: &str) -> CallSettings {
    read(more).expect("a good file").settings
}

#[test]
fn every_setting_is_read() {
    let model = read(
        "  display_name: GPT 5.5
  schema_mode: json
  temperature: 0.5
  reasoning: {effort: low}
  max_output_tokens: 6000
  time_limit: 3m
  extra_body: {seed: 7}
  extra_headers: {X-Title: League}
  served_models: [gpt-5.5-sol]
  routing: [openai]
  retired_on: 2026-12-01
  continues: b
",
    )
    .expect("a good file");
    assert_eq!(model.display_name.as_deref(), Some("GPT 5.5"));
    assert_eq!(model.continues.as_ref().map(ModelId::as_str), Some("b"));
    assert_eq!(model.max_output_tokens, 6000);
    assert_eq!(model.time_limit, Duration::from_mins(3));
    let retired = model.contestant.retired_at.expect("an instant");
    assert_eq!(retired.at().to_string(), "2026-12-01T00:00:00Z");
    let settings = model.settings;
    assert_eq!(settings.schema_mode, Some(SchemaMode::Json));
    assert_eq!(settings.temperature, Some(TemperatureSetting::Value(0.5)));
    assert_eq!(
        settings.reasoning,
        Some(ReasoningSetting::Effort("low".to_owned()))
    );
    assert_eq!(settings.time_limit, Some(180.0));
    assert_eq!(settings.extra_body["seed"], 7);
    assert_eq!(settings.extra_headers["X-Title"], "League");
    assert_eq!(settings.served_models, ["gpt-5.5-sol"]);
    assert_eq!(settings.routing, ["openai"]);
}

#[test]
fn a_key_in_place_of_its_variable_is_refused_and_not_repeated() {
    let key = "sk-proj-0123456789abcdef";
    let told = read(&format!("  api_key_env: {key}\n")).expect_err("a key");
    assert!(told.contains("must name an environment variable"), "{told}");
    assert!(!told.contains(key), "{told}");
    let model = read("  api_key_env: MY_KEY_2\n").expect("a variable");
    assert_eq!(model.key_variable.as_deref(), Some("MY_KEY_2"));
}

#[test]
fn a_file_without_settings_leaves_all_to_the_table() {
    let model = read("").expect("a good file");
    assert!(model.settings.is_empty());
    assert_eq!(model.max_output_tokens, 3000);
    assert_eq!(model.time_limit, Duration::from_mins(2));
}

#[test]
fn the_words_of_a_setting_are_read() {
    let omit = TemperatureSetting::Omit(OmitWord::Omit);
    assert_eq!(settings("  temperature: omit\n").temperature, Some(omit));
    let zero = settings("  temperature: 0\n").temperature;
    assert_eq!(zero, Some(TemperatureSetting::Value(0.0)));
    for (text, expected) in [
        ("omit", ReasoningSetting::Omit),
        ("off", ReasoningSetting::Off),
        ("on", ReasoningSetting::On),
        ("false", ReasoningSetting::Off),
        ("high", ReasoningSetting::Effort("high".to_owned())),
        ("none", ReasoningSetting::Effort("none".to_owned())),
        ("{effort: max}", ReasoningSetting::Effort("max".to_owned())),
        ("{budget: 1024}", ReasoningSetting::Budget(1024)),
    ] {
        let found = settings(&format!("  reasoning: {text}\n")).reasoning;
        assert_eq!(found, Some(expected), "{text}");
    }
    for (text, seconds) in [("90", 90.0), ("90s", 90.0), ("2.5", 2.5), ("1.5m", 90.0)] {
        let found = settings(&format!("  time_limit: {text}\n")).time_limit;
        assert_eq!(found, Some(seconds), "{text}");
    }
}

#[test]
fn the_older_names_still_work() {
    let old = read(
        "  temperature: 0
  reasoning_effort: low
  max_completion_tokens: 6000
  max_wall_clock_seconds: 180
  metadata: {served_models: [x], routing: [y], local: true}
  retired_at_utc: '2026-12-01T00:00:00Z'
  retirement_reason: replaced
",
    )
    .expect("a good file");
    let new = read(
        "  temperature: 0
  reasoning: low
  max_output_tokens: 6000
  time_limit: 180
  served_models: [x]
  routing: [y]
  retired_on: 2026-12-01
",
    )
    .expect("a good file");
    assert_eq!(old.settings, new.settings);
    assert_eq!(old.contestant, new.contestant);
    let budget = settings("  reasoning_effort: '1024'\n").reasoning;
    assert_eq!(budget, Some(ReasoningSetting::Budget(1024)));
}

/// Lines of a model, and what is said about them.
const MISTAKES: &[(&str, &str)] = &[
    (
        "  temprature: 0\n",
        "models.0: unknown field `temprature`; did you mean `temperature`?",
    ),
    (
        "  reasoning_efort: low\n",
        "models.0: unknown field `reasoning_efort`; did you mean `reasoning_effort`?",
    ),
    (
        "  schema_mode: loose\n",
        "unknown variant `loose`, expected one of",
    ),
    (
        "  temperature: warm\n",
        "models.0.temperature: must be a number from 0 to 2, or omit",
    ),
    (
        "  temperature: 3\n",
        "models.0.temperature: must be a number from 0 to 2, or omit",
    ),
    (
        "  reasoning: {depth: 3}\n",
        "models.0.reasoning: must be omit, off, on, a word such as low",
    ),
    (
        "  reasoning: {effort: low, budget: 3}\n",
        "models.0.reasoning: must be omit, off, on",
    ),
    (
        "  reasoning: very low\n",
        "models.0.reasoning: must be one word in the provider's own term",
    ),
    (
        "  time_limit: 3h\n",
        "models.0.time_limit: must be above 0 and at most an hour",
    ),
    ("  time_limit: 0\n", "models.0.time_limit: must be above 0"),
    (
        "  max_output_tokens: 0\n",
        "models.0.max_output_tokens: must be above 0",
    ),
    (
        "  served_models: []\n",
        "models.0.served_models: must be a list of names",
    ),
    (
        "  metadata: {routing: openai}\n",
        "models.0.metadata.routing: must be a list of names",
    ),
    (
        "  retired_on: soon\n",
        "models.0.retired_on: must be a day such as 2026-12-01",
    ),
    (
        "  display_name: ' '\n",
        "models.0.display_name: must be one line of at most 80 characters",
    ),
    (
        "  continues: a\n",
        "models.0.continues: a cannot continue its own record",
    ),
    (
        "  extra_headers: {Authorization: x}\n",
        "models.0.extra_headers: Authorization: carries a key",
    ),
    (
        "  extra_body: {tools: []}\n",
        "models.0.extra_body: may not hold tools",
    ),
];

#[test]
fn each_mistake_is_named_with_its_field() {
    for (more, expected) in MISTAKES {
        let found = read(more).expect_err("a mistake");
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn a_setting_under_both_its_names_is_refused() {
    for (new, old) in [
        ("reasoning: low", "reasoning_effort: low"),
        ("max_output_tokens: 9", "max_completion_tokens: 9"),
        ("time_limit: 9", "max_wall_clock_seconds: 9"),
        ("served_models: [x]", "metadata: {served_models: [x]}"),
        ("routing: [x]", "metadata: {routing: [x]}"),
        (
            "retired_on: 2026-12-01",
            "retired_at_utc: '2026-12-01T00:00:00Z'\n  retirement_reason: replaced",
        ),
    ] {
        let found = read(&format!("  {new}\n  {old}\n")).expect_err("a mistake");
        let field = new.split(':').next().unwrap_or_default();
        let expected = format!("models.0.{field}: is given twice, also under its older name");
        assert!(found.starts_with(&expected), "{found}");
    }
}

#[test]
fn records_do_not_continue_each_other() {
    let text = "models:
- {model_id: a, provider: p, api_model_name: a, continues: b}
- {model_id: b, provider: p, api_model_name: b, continues: c}
- {model_id: c, provider: p, api_model_name: c, continues: a}
";
    let found = parse_settings(text.as_bytes()).expect_err("a circle");
    assert_eq!(
        found.to_string(),
        "models.0.continues: a would continue its own record by way of other models"
    );
}
