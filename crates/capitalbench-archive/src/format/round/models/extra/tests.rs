use serde_json::json;

use super::*;

fn body(extra: &Value) -> Option<String> {
    let extra = extra.as_object().expect("an object");
    check_body(extra).err().map(|fault| fault.to_string())
}

#[test]
fn what_is_asked_of_whom_cannot_be_changed() {
    for name in [
        "model",
        "messages",
        "input",
        "contents",
        "stream",
        "tools",
        "toolConfig",
        "plugins",
        "models",
        "systemInstruction",
        "web_search_options",
        "Model",
    ] {
        let found = body(&json!({name: 1})).unwrap_or_default();
        let expected = format!("extra_body: may not hold {name}, which the program alone sets");
        assert_eq!(found, expected);
    }
}

#[test]
fn what_has_its_own_field_is_written_there() {
    for (extra, field) in [
        (json!({"temperature": 1}), "temperature"),
        (
            json!({"generationConfig": {"maxOutputTokens": 9}}),
            "max_output_tokens",
        ),
        (json!({"options": {"num_predict": 9}}), "max_output_tokens"),
        (json!({"text": {"format": {}}}), "schema_mode"),
        (json!({"response_format": {}}), "schema_mode"),
    ] {
        let found = body(&extra).unwrap_or_default();
        assert!(
            found.ends_with(&format!("write it as the field {field}")),
            "{found}"
        );
    }
}

#[test]
fn a_router_is_told_its_hosts_by_routing_alone() {
    for provider in [
        json!({"only": ["x"]}),
        json!({"allow_fallbacks": true}),
        json!({"quantizations": ["fp8"], "sort": "price"}),
        json!("x"),
    ] {
        let found = body(&json!({"provider": provider})).unwrap_or_default();
        assert!(
            found.contains("write the hosts as the field routing"),
            "{found}"
        );
    }
    assert_eq!(body(&json!({"provider": {"quantizations": ["fp8"]}})), None);
}

#[test]
fn other_fields_may_be_added() {
    let extra = json!({"top_p": 1, "seed": 7, "service_tier": "flex", "thinking": {"type": "x"},
                       "generationConfig": {"topP": 1}, "text": {"verbosity": "low"},
                       "chat_template_kwargs": {"enable_thinking": false}});
    assert_eq!(body(&extra), None);
}

fn header(name: &str, value: &str) -> String {
    let extra = BTreeMap::from([(name.to_owned(), value.to_owned())]);
    check_headers(&extra)
        .err()
        .map_or_else(String::new, |fault| fault.to_string())
}

#[test]
fn a_header_never_carries_a_secret() {
    for name in [
        "Authorization",
        "proxy-authorization",
        "x-api-key",
        "api-key",
        "X-Goog-Api-Key",
        "Cookie",
        "x-auth-token",
        "client-secret",
        "Ocp-Apim-Subscription-Key",
    ] {
        let found = header(name, "v");
        assert!(
            found.contains("name the variable of the key in api_key_env"),
            "{found}"
        );
    }
    for value in [
        "${KEY}",
        "sk-hidden",
        "Bearer hidden",
        "AIzahidden",
        "gsk_hidden",
    ] {
        let found = header("X-Title", value);
        assert!(found.contains("looks like a key or a variable"), "{found}");
        assert!(!found.contains("hidden"), "{found}");
    }
}

#[test]
fn a_header_is_a_header() {
    for (name, value, expected) in [
        ("", "v", "is not a name that a header can have"),
        ("a b", "v", "is not a name that a header can have"),
        ("a\r\nb", "v", "is not a name that a header can have"),
        ("Host", "v", "is set by the program alone"),
        ("Content-Length", "1", "is set by the program alone"),
        ("X-Title", "", "at most 500 visible ASCII characters"),
        ("X-Title", "a\nb", "at most 500 visible ASCII characters"),
    ] {
        let found = header(name, value);
        assert!(found.contains(expected), "{name:?} {found}");
    }
    assert_eq!(header("HTTP-Referer", "https://league.example"), "");
    assert_eq!(header("anthropic-beta", "context-1m-2025-08-07"), "");
}
