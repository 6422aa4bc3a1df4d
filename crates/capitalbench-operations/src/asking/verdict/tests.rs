use super::*;

fn reply(stop: Stop, text: &str, served: Option<&str>) -> Reply {
    Reply {
        text: text.to_owned(),
        served_model: served.map(str::to_owned),
        request_id: None,
        stop,
        tokens: Tokens::default(),
        billed: None,
        service_tier: None,
        answered_by: None,
    }
}

fn verdict(stop: Stop, text: &str, served: Option<&str>) -> String {
    let also = ["gpt-5.6-sol".to_owned()];
    match object_in(&reply(stop, text, served), "gpt-5", &also) {
        Ok((_, found)) => found.as_str().to_owned(),
        Err((reason, _)) => format!("no: {}", reason.as_str()),
    }
}

#[test]
fn a_stop_decides_before_the_text_is_read() {
    let whole = "{\"a\": 1}";
    for (stop, text, expected) in [
        (Stop::Complete, whole, "strict"),
        (Stop::Complete, "{\"a\": 1", "closing_brace"),
        (Stop::Complete, "<think>{}</think>{\"a\": 1}", "after_think"),
        (Stop::Complete, "", "no: empty"),
        (Stop::Complete, "I can't.", "no: refusal"),
        (Stop::Complete, "{\"a\": ", "no: malformed"),
        // A server that gives no reason: what is whole counts, and nothing is guessed.
        (Stop::Other, whole, "strict"),
        (Stop::Other, "{\"a\": 1", "no: malformed"),
        (Stop::Other, "I can't.", "no: malformed"),
        (Stop::Length, whole, "no: truncated"),
        (Stop::Refusal, whole, "no: refusal"),
        (Stop::Filter, whole, "no: filter"),
        (Stop::Tool, whole, "no: tool"),
        (Stop::Failed, whole, "no: malformed"),
        (Stop::Unknown, whole, "no: unreadable"),
    ] {
        assert_eq!(
            verdict(stop, text, Some("gpt-5")),
            expected,
            "{stop:?} {text}"
        );
    }
}

#[test]
fn another_model_is_refused_unless_it_is_listed_and_a_tool_comes_first() {
    let whole = "{\"a\": 1}";
    for (served, expected) in [
        (None, "strict"),
        (Some("gpt-5"), "strict"),
        (Some("gpt-5-2025-08-07"), "strict"),
        (Some("gpt-5.6-sol"), "strict"),
        (Some("gpt-5-mini"), "no: other_model"),
        (Some("gpt-5-mini-2025-08-07"), "no: other_model"),
        (Some("gpt-5.1"), "no: other_model"),
    ] {
        assert_eq!(
            verdict(Stop::Complete, whole, served),
            expected,
            "{served:?}"
        );
    }
    let cut = verdict(Stop::Length, whole, Some("gpt-5-mini"));
    assert_eq!(cut, "no: other_model", "asking again would not help");
    assert_eq!(verdict(Stop::Tool, whole, Some("gpt-5-mini")), "no: tool");
}

#[test]
fn a_refused_name_is_told_with_the_line_that_accepts_it() {
    let told = |served| {
        let reply = reply(Stop::Complete, "{}", Some(served));
        object_in(&reply, "gpt-5.6", &[]).unwrap_err().1
    };
    assert_eq!(
        told("gpt-5.6-sol"),
        "served as gpt-5.6-sol, not accepted; gpt-5.6 was asked; if both are the same model, write \
         served_models: [gpt-5.6-sol] into the models file of the next round"
    );
    assert!(!told("\u{1b}[2Jnice").contains('\u{1b}'));
}
