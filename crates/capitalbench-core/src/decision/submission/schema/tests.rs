use super::*;
use crate::asking::prompt::prompt_text;
use crate::round::manifest::Track;

fn ids() -> Vec<OptionId> {
    ["CASH", "SP500"]
        .map(|id| OptionId::parse(id).unwrap())
        .to_vec()
}

/// The object a prompt shows as the form of the reply.
fn template(order: ReplyOrder, format: SubmissionFormat) -> Value {
    let text = prompt_text(order, format, Track::Weekly, &Constraints::default());
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

const ORDERS: [ReplyOrder; 2] = [
    ReplyOrder::ConfidenceBeforeReasons,
    ReplyOrder::DecisionFirst,
];
const FORMATS: [SubmissionFormat; 2] = [SubmissionFormat::SinglePick, SubmissionFormat::Portfolio];

/// The schema of v1.2.
fn newest(format: SubmissionFormat, limits: &Constraints) -> Value {
    schema(ReplyOrder::DecisionFirst, format, limits, &ids())
}

#[test]
fn the_schema_asks_for_what_the_prompt_shows() {
    for (order, format) in ORDERS.into_iter().flat_map(|o| FORMATS.map(|f| (o, f))) {
        let schema = schema(order, format, &Constraints::default(), &ids());
        let template = template(order, format);
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
    let portfolio = newest(SubmissionFormat::Portfolio, &Constraints::default());
    let holding = &portfolio["properties"]["portfolio"]["items"];
    let shown = &template(ReplyOrder::DecisionFirst, SubmissionFormat::Portfolio)["portfolio"][0];
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
    let portfolio = newest(SubmissionFormat::Portfolio, &limits);
    let holdings = &portfolio["properties"]["portfolio"];
    assert_eq!(
        (&holdings["minItems"], &holdings["maxItems"]),
        (&json!(2), &json!(4))
    );
    let holding = &holdings["items"]["properties"];
    assert_eq!(holding["option_id"]["enum"], json!(["CASH", "SP500"]));
    assert_eq!(holding["allocation_pct"]["multipleOf"], json!(10));
    assert_eq!(holding["allocation_pct"]["minimum"], json!(20));
    let single = newest(SubmissionFormat::SinglePick, &limits);
    let picked = &single["properties"]["selected_option_id"];
    assert_eq!(picked["enum"], json!(["CASH", "SP500"]));
    assert!(single["properties"].get("portfolio").is_none());
}

#[test]
fn the_decision_comes_before_its_reasons_and_the_confidence_last() {
    let fields = |format| {
        let schema = newest(format, &Constraints::default());
        let names = keys(&schema["properties"]);
        names
            .into_iter()
            .skip(4)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        fields(SubmissionFormat::Portfolio),
        [
            "portfolio",
            "portfolio_rationale",
            "rationale_summary",
            "key_risks",
            "confidence"
        ]
    );
    assert_eq!(
        fields(SubmissionFormat::SinglePick),
        [
            "selected_option_id",
            "rationale_summary",
            "key_risks",
            "confidence"
        ]
    );
    let portfolio = newest(SubmissionFormat::Portfolio, &Constraints::default());
    let holding = &portfolio["properties"]["portfolio"]["items"]["properties"];
    assert_eq!(keys(holding), ["option_id", "allocation_pct", "rationale"]);
}
