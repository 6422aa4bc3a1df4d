use super::*;

fn full() -> Value {
    let ids: Vec<String> = (0..51).map(|index| format!("O{index}")).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "T",
        "type": "object",
        "properties": {
            "minimum": {"type": "integer", "minimum": 5, "maximum": 100, "multipleOf": 5},
            "ids": {"type": "array", "minItems": 1, "maxItems": 3,
                    "items": {"type": "string", "enum": ids}},
            "risks": {"type": "array", "minItems": 2, "maxItems": 5, "description": "Why.",
                      "items": {"type": "string", "minLength": 1, "pattern": "^a"}},
        },
        "required": ["minimum", "ids", "risks"],
        "additionalProperties": false,
    })
}

fn fields(reduced: &Value) -> [&Value; 3] {
    assert_eq!(reduced["required"], json!(["minimum", "ids", "risks"]));
    assert_eq!(reduced["additionalProperties"], false);
    assert!(reduced.get("$schema").is_none() && reduced.get("title").is_none());
    ["minimum", "ids", "risks"].map(|name| &reduced["properties"][name])
}

#[test]
fn openai_drops_lengths_only() {
    let reduced = openai(&full());
    let [number, ids, risks] = fields(&reduced);
    assert_eq!(number, &full()["properties"]["minimum"]);
    assert_eq!(ids, &full()["properties"]["ids"]);
    assert_eq!(
        risks["items"],
        json!({"type": "string", "pattern": "^a", "description": "Rule: minLength 1."})
    );
}

#[test]
fn anthropic_moves_numeric_limits_into_descriptions() {
    let reduced = anthropic(&full());
    let [number, ids, risks] = fields(&reduced);
    let rule = "Rule: minimum 5, maximum 100, multipleOf 5.";
    assert_eq!(number, &json!({"type": "integer", "description": rule}));
    assert_eq!(ids["minItems"], 1);
    assert_eq!(ids["description"], "Rule: maxItems 3.");
    assert_eq!(risks["description"], "Why. Rule: minItems 2, maxItems 5.");
}

#[test]
fn google_keeps_bounds_and_long_enumerations() {
    let reduced = google(&full());
    let [number, ids, _] = fields(&reduced);
    assert_eq!(number["minimum"], 5);
    assert_eq!(number["description"], "Rule: multipleOf 5.");
    assert_eq!(ids["items"]["enum"].as_array().map(Vec::len), Some(51));
}

#[test]
fn other_providers_get_the_common_subset_of_the_schema() {
    let reduced = compatible(&full());
    let [_, ids, risks] = fields(&reduced);
    assert_eq!(ids["description"], "Rule: minItems 1, maxItems 3.");
    assert!(risks["items"].get("pattern").is_none());
}

#[test]
fn the_order_of_the_fields_is_kept() {
    let names = ["portfolio", "reasons", "confidence", "a"];
    let schema = json!({
        "type": "object",
        "properties": {
            "portfolio": {"type": "array", "items": {
                "type": "object",
                "properties": {"option_id": {"type": "string"},
                               "allocation_pct": {"type": "integer", "minimum": 5}},
                "required": ["option_id", "allocation_pct"]}},
            "reasons": {"type": "string", "minLength": 1},
            "confidence": {"type": "number", "maximum": 1},
            "a": {"type": "string"},
        },
        "required": names,
    });
    for dialect in [openai, anthropic, google, compatible] {
        let reduced = dialect(&schema);
        assert_eq!(reduced["required"], json!(names));
        let text = reduced.to_string();
        let places = names.map(|name| text.find(&format!("\"{name}\":")));
        assert!(places.is_sorted(), "{text}");
        let inner = &reduced["properties"]["portfolio"]["items"];
        assert_eq!(inner["required"], json!(["option_id", "allocation_pct"]));
        let inner = inner.to_string();
        assert!(
            inner.find("option_id") < inner.find("allocation_pct"),
            "{inner}"
        );
    }
}
