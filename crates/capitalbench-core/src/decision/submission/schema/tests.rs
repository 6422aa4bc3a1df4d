use super::*;
use crate::asking::prompt::prompt_text;
use crate::round::manifest::Track;

fn ids() -> Vec<OptionId> {
    ["CASH", "SP500"]
        .map(|id| OptionId::parse(id).unwrap())
        .to_vec()
}

/// The object a prompt shows as the form of the reply.
fn template(format: SubmissionFormat) -> Value {
    let text = prompt_text(format, Track::Weekly, &Constraints::default());
    let (start, end) = (text.find("\n{").unwrap(), text.find("\n}").unwrap());
    serde_json::from_str(&text[start..end + 2]).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn the_schema_asks_for_what_the_prompt_shows() {
    for format in [SubmissionFormat::SinglePick, SubmissionFormat::Portfolio] {
        let schema = schema(format, &Constraints::default(), &ids());
        let template = template(format);
        assert_eq!(keys(&schema["properties"]), keys(&template));
        assert_eq!(schema["required"], json!(keys(&template)));
        assert_eq!(schema["additionalProperties"], json!(false));
        let dialect = "https://json-schema.org/draft/2020-12/schema";
        assert_eq!(schema["$schema"], json!(dialect));
        assert_eq!(
            schema["properties"]["mode"]["enum"],
            json!(["closed_capability"])
        );
    }
    let portfolio = schema(SubmissionFormat::Portfolio, &Constraints::default(), &ids());
    let holding = &portfolio["properties"]["portfolio"]["items"];
    let shown = &template(SubmissionFormat::Portfolio)["portfolio"][0];
    assert_eq!(keys(&holding["properties"]), keys(shown));
}

#[test]
fn limits_and_options_stand_in_the_schema() {
    let limits = Constraints {
        min_holdings: 2,
        max_holdings: 4,
        increment_pct: 10,
        min_allocation_pct: 20,
        ..Constraints::default()
    };
    let portfolio = schema(SubmissionFormat::Portfolio, &limits, &ids());
    let holdings = &portfolio["properties"]["portfolio"];
    assert_eq!(
        (&holdings["minItems"], &holdings["maxItems"]),
        (&json!(2), &json!(4))
    );
    let holding = &holdings["items"]["properties"];
    assert_eq!(holding["option_id"]["enum"], json!(["CASH", "SP500"]));
    assert_eq!(holding["allocation_pct"]["multipleOf"], json!(10));
    assert_eq!(holding["allocation_pct"]["minimum"], json!(20));
    let single = schema(SubmissionFormat::SinglePick, &limits, &ids());
    let picked = &single["properties"]["selected_option_id"];
    assert_eq!(picked["enum"], json!(["CASH", "SP500"]));
    assert!(single["properties"].get("portfolio").is_none());
}
