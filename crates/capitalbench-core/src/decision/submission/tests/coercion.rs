use super::*;

/// What old and our labels say to the same value.
fn check(path: &str, value: &Value, old: &str, ours: &str) {
    let mut payload = portfolio_payload();
    set(&mut payload, path, value.clone());
    for (label, expected) in [(OLD, old), (OURS, ours)] {
        let expected = match expected {
            "ok" => "ok".to_owned(),
            problem => format!("{path}: {problem}"),
        };
        assert_eq!(verdict(&payload, label), expected, "{label} {value}");
    }
}

const WHOLE: &str = "must be a whole number";
const REAL: &str = "must be a finite number";
const FLAG: &str = "must be true or false";

#[test]
fn whole_numbers_may_be_text_or_real_only_under_the_old_labels() {
    let percent = "portfolio.0.allocation_pct";
    check(percent, &json!(40), "ok", "ok");
    check(percent, &json!(40.0), "ok", WHOLE);
    check(percent, &json!("40"), "ok", WHOLE);
    check(percent, &json!(" 40 "), "ok", WHOLE);
    for bad in [
        json!(40.5),
        json!("40.5"),
        json!("forty"),
        json!(true),
        json!({}),
    ] {
        check(percent, &bad, WHOLE, WHOLE);
    }
    check("replicate_index", &json!("1"), "ok", WHOLE);
    check("replicate_count", &json!(1.0), "ok", WHOLE);
    check(percent, &json!(1e300), WHOLE, WHOLE);
    let wide = "340282366920938463463374607431768211456";
    check(percent, &json!(wide), WHOLE, WHOLE);
}

#[test]
fn reals_may_be_text_only_under_the_old_labels_and_integers_everywhere() {
    check("confidence", &json!(1), "ok", "ok");
    check("confidence", &json!("0.5"), "ok", REAL);
    check("cost_usd", &json!("1e-3"), "ok", REAL);
    for bad in [
        json!("half"),
        json!("inf"),
        json!("nan"),
        json!(true),
        json!([0.5]),
    ] {
        check("confidence", &bad, REAL, REAL);
    }
}

#[test]
fn flags_may_be_text_or_one_only_under_the_old_labels() {
    check("is_official_score", &json!(true), "ok", "ok");
    check("is_official_score", &json!("true"), "ok", FLAG);
    check("is_official_score", &json!("True"), "ok", FLAG);
    check("is_official_score", &json!(1), "ok", FLAG);
    check("is_official_score", &json!(0), "must be true", FLAG);
    check("is_official_score", &json!("false"), "must be true", FLAG);
    for bad in [json!(2), json!("si"), json!([])] {
        check("is_official_score", &bad, FLAG, FLAG);
    }
}

#[test]
fn numbers_are_never_text() {
    for value in [json!(5), json!(0.5), json!(true), json!({})] {
        check("rationale_summary", &value, "must be text", "must be text");
    }
}

#[test]
fn coerced_and_plain_payloads_give_the_same_submission() {
    let mut payload = portfolio_payload();
    set(&mut payload, "portfolio.0.allocation_pct", json!("40"));
    set(&mut payload, "portfolio.1.allocation_pct", json!(60.0));
    set(&mut payload, "confidence", json!("0.6"));
    set(&mut payload, "is_official_score", json!(1));
    assert_eq!(judged(&payload, OLD), judged(&portfolio_payload(), OLD));
}
