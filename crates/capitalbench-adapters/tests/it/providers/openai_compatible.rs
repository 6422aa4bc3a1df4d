//! Everybody who speaks like `OpenAI`'s chat completions.

use capitalbench_adapters::provider::{
    Family, Host, Provider, RemoteModel, Stop, Tokens, Wire as _,
};
use capitalbench_core::asking::call_settings::{CallSettings, ReasoningSetting};
use capitalbench_core::asking::cost::Cost;
use serde_json::{Value, json};

use super::{
    INPUT, KEY, PATIENCE, ReplyCase, ask, check, error_cases, headers, http, key, ok, question,
    reply_cases, request, schema, settings,
};

/// Errors, each with its name, status and headers, body, and what is made of it.
const ERRORS: &str = r#"
400 (Groq)
  400 Bad Request
  {"error":{"message":"Failed","type":"x","param":null,"code":"json_validate_failed"}}
  the reply was not of the asked form, HTTP 400: Failed

401 (llama.cpp)
  401 Unauthorized
  {"error":{"message":"Invalid API Key $KEY","type":"x","param":null,"code":401}}
  key refused with HTTP 401: Invalid API Key …

402 (DeepSeek)
  402 Payment Required
  {"error":{"message":"Insufficient Balance","type":"x","param":null,"code":null}}
  allowance used up, HTTP 402: Insufficient Balance

403
  403 Forbidden
  {"error":{"message":"Flagged","type":"x","param":null,"code":403}}
  key refused with HTTP 403: Flagged

404 (Mistral)
  404 Not Found
  {"object":"error","message":"Flat","type":"x","param":"model","code":"unknown_model"}
  no such model, HTTP 404: Flat

404 (Ollama)
  404 Not Found
  {"error":"model 'x' not found"}
  no such model, HTTP 404: model 'x' not found

408
  408 Request Timeout
  {"error":{"message":"Slow down","type":"x","param":null,"code":"rate_limit_exceeded"}}
  server failed with HTTP 408: Slow down

413
  413 Payload Too Large
  {"object":"error","message":"Flat","type":"x","param":"model","code":"unknown_model"}
  request refused with HTTP 413: Flat

422 (Mistral)
  422 Unprocessable Entity
  {"detail":[{"loc":["body"],"msg":"wrong","type":"x"}]}
  request refused with HTTP 422: [{"loc":["body"],"msg":"wrong","type":"x"}]

429
  429 Too Many Requests
  {"error":{"message":"Slow down","type":"x","param":null,"code":"rate_limit_exceeded"}}
  rate limit

429 with seconds
  429 Too Many Requests | Retry-After: 2
  {"error":{"message":"Slow down","type":"x","param":null,"code":"rate_limit_exceeded"}}
  rate limit; wait 2 s

498 (Groq)
  498 Capacity
  {"object":"error","message":"Flat","type":"x","param":"model","code":"unknown_model"}
  overloaded with HTTP 498: Flat

500
  500 Internal Server Error
  {"object":"error","message":"Flat","type":"x","param":"model","code":"unknown_model"}
  server failed with HTTP 500: Flat

503 (llama.cpp)
  503 Service Unavailable
  {"error":{"message":"Loading model","type":"x","param":null,"code":503}}
  overloaded with HTTP 503: Loading model

529
  529 Overloaded | Content-Type: text/plain
  (empty)
  overloaded with HTTP 529:
"#;

pub(crate) fn make(url: &str) -> Box<dyn Provider> {
    provider(url, "m-1", Host::Other)
}

fn router(url: &str) -> Box<dyn Provider> {
    provider(url, "anthropic/claude-opus-5", Host::OpenRouter)
}

fn provider(url: &str, model: &str, host: Host) -> Box<dyn Provider> {
    let routing = match host {
        Host::OpenRouter => vec!["anthropic".to_owned()],
        _ => Vec::new(),
    };
    let settings = settings(Family::Compatible, model).with_calls(CallSettings {
        routing,
        ..CallSettings::default()
    });
    let url = format!("{url}/v1");
    Box::new(RemoteModel::new(host, http(), &url, key(), settings).expect("a provider"))
}

fn answer(finish: &str, content: &Value) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m-1",
        "choices": [{"index": 0, "finish_reason": finish, "logprobs": null,
                     "message": {"role": "assistant", "content": content}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 130,
                  "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36,
                  "completion_tokens_details": {"reasoning_tokens": 20}}
    })
}

pub(crate) fn complete(text: &str) -> Value {
    answer("stop", &json!(text))
}

fn fault(code: &Value, message: &str) -> Value {
    json!({"error": {"message": message, "type": "x", "param": null, "code": code}})
}

fn replies() -> Vec<ReplyCase> {
    let chunks = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                        {"type": "text", "text": "{\"a\":\"x"}, {"type": "text", "text": "y\"}"}]);
    let mut called = complete("");
    called["choices"][0]["message"]["tool_calls"] = json!([{"id": "1"}]);
    let mut refused = complete("");
    refused["choices"][0]["message"]["refusal"] = json!("No.");
    let mut broken_choice = complete("{");
    broken_choice["choices"][0]["error"] = json!({"code": 502, "message": "Upstream failed"});
    vec![
        ("success", complete("{\"a\":1}"), "Complete: {\"a\":1}"),
        (
            "chunks (Mistral)",
            answer("stop", &chunks),
            "Complete: {\"a\":\"xy\"}",
        ),
        (
            "end of sequence (Together)",
            answer("eos", &json!("{}")),
            "Complete: {}",
        ),
        ("refusal", refused, "Refusal: "),
        (
            "truncation",
            answer("length", &json!("{\"a\":1}")),
            "Length: {\"a\":1}",
        ),
        (
            "truncation (Mistral)",
            answer("model_length", &json!("{")),
            "Length: {",
        ),
        (
            "content filter",
            answer("content_filter", &json!("")),
            "Filter: ",
        ),
        ("empty text (DeepSeek)", complete(""), "Complete: "),
        ("tool call anyway", called, "Tool: "),
        (
            "200 with an error (OpenRouter)",
            fault(&json!(502), "Upstream failed"),
            "server failed with HTTP 502: Upstream failed",
        ),
        (
            "200 with a limit (OpenRouter)",
            fault(&json!(429), "Slow down"),
            "rate limit",
        ),
        (
            "200 with an error in the choice",
            broken_choice,
            "server failed with HTTP 502: Upstream failed",
        ),
    ]
}

/// Replies that did not end as they should, and words that nobody knows.
fn broken_off() -> Vec<ReplyCase> {
    vec![
        (
            "out of resources (DeepSeek)",
            answer("insufficient_system_resource", &json!("{")),
            "Failed: {",
        ),
        (
            "broken (Mistral)",
            answer("error", &json!("{}")),
            "Failed: {}",
        ),
        (
            "aborted (vLLM)",
            answer("abort", &json!("{}")),
            "Failed: {}",
        ),
        ("a new reason", answer("bored", &json!("{}")), "Unknown: {}"),
        (
            "filtered (Zhipu)",
            answer("sensitive", &json!("")),
            "Filter: ",
        ),
    ]
}

#[tokio::test]
async fn each_answer_is_read_as_its_documented_result() {
    for make in [make, router] {
        check(make, reply_cases(replies())).await;
        check(make, reply_cases(broken_off())).await;
        check(make, error_cases(ERRORS)).await;
    }
}

/// Every way in which a host shows that a tool had a part in an answer, and what only looks so.
#[tokio::test]
async fn a_tool_of_any_kind_is_noticed() {
    let source = json!([{"type": "url_citation", "url_citation": {"url": "https://example.org"}}]);
    let places = [
        ("/choices/0/message", "annotations", source),
        (
            "/choices/0/message",
            "content",
            json!([{"type": "text", "text": "{}"}, {"type": "reference", "reference_ids": [1]}]),
        ),
        ("/choices/0/message", "citations", json!([{"start": 0}])),
        (
            "/choices/0/message",
            "executed_tools",
            json!([{"type": "search"}]),
        ),
        ("/choices/0/message", "function_call", json!({"name": "x"})),
        ("/choices/0/message", "tool_plan", json!("I will search.")),
        ("", "citations", json!(["https://example.org"])),
        ("", "search_results", json!([{"title": "x"}])),
        ("", "web_search", json!([{"title": "x"}])),
        (
            "/usage",
            "server_tool_use",
            json!({"web_search_requests": 1}),
        ),
        (
            "/usage",
            "server_tool_use_details",
            json!({"web_search_requests": 1}),
        ),
        ("/usage", "num_sources_used", json!(2)),
        ("/usage", "num_server_side_tools_used", json!(1)),
        ("/usage", "num_search_queries", json!(1)),
    ];
    for (place, name, value) in places {
        let mut body = complete("{}");
        body.pointer_mut(place).expect("a place")[name] = value;
        let found = ask(router, ok(&body), PATIENCE).await.unwrap();
        assert_eq!(found.stop, Stop::Tool, "{place} {name}");
    }
    let mut idle = complete("{}");
    idle["citations"] = json!([]);
    idle["choices"][0]["message"]["annotations"] = json!([]);
    idle["choices"][0]["message"]["refusal"] = json!("");
    idle["choices"][0]["message"]["tool_calls"] = Value::Null;
    idle["usage"]["server_tool_use_details"] = json!({"web_search_requests": 0});
    idle["usage"]["num_sources_used"] = json!(0);
    let found = ask(router, ok(&idle), PATIENCE).await.unwrap();
    assert_eq!(found.stop, Stop::Complete);
}

#[tokio::test]
async fn what_a_router_says_it_billed_is_kept() {
    let billed = |usage: Value| async move {
        let mut body = complete("{}");
        body["provider"] = json!("Anthropic");
        body["service_tier"] = json!("standard");
        for (name, value) in usage.as_object().expect("an object") {
            body["usage"][name] = value.clone();
        }
        ask(router, ok(&body), PATIENCE).await.unwrap()
    };
    let own = billed(json!({"cost": 0.0125, "is_byok": false,
        "cost_details": {"upstream_inference_cost": 0.0125}}))
    .await;
    assert_eq!(own.billed, Cost::from_usd(0.0125));
    assert_eq!(own.answered_by.as_deref(), Some("Anthropic"));
    assert_eq!(own.service_tier.as_deref(), Some("standard"));
    let with_key = billed(json!({"cost": 0.0005, "is_byok": true,
        "cost_details": {"upstream_inference_cost": 0.01}}))
    .await;
    assert_eq!(with_key.billed, Cost::from_usd(0.0105));
    // No sum of money, and a server that names no host, whose unit nobody knows.
    assert_eq!(billed(json!({"cost": -1.0})).await.billed, None);
    let mut elsewhere = complete("{}");
    elsewhere["usage"]["cost"] = json!(3);
    let found = ask(make, ok(&elsewhere), PATIENCE).await.unwrap();
    assert_eq!(found.billed, None);
}

#[tokio::test]
async fn counts_may_be_written_with_a_decimal_point_and_in_other_places() {
    let mut body = complete("{}");
    body["usage"] = json!({"prompt_tokens": 100.0, "completion_tokens": 30.0,
        "prompt_tokens_details": {"cache_write_tokens": 8.0}, "cached_tokens": 16,
        "completion_tokens_details": {"reasoning_tokens": 20.0}});
    body["model"] = json!("");
    let found = ask(make, ok(&body), PATIENCE).await.unwrap();
    let expected = Tokens {
        input: Some(100),
        cached: Some(16),
        cache_written: Some(8),
        output: Some(30),
        reasoning: Some(20),
    };
    assert_eq!(found.tokens, expected);
    assert_eq!(found.served_model, None, "an empty name names nobody");
}

#[tokio::test]
async fn cached_input_is_found_where_the_host_puts_it() {
    let expected = Tokens {
        input: Some(100),
        cached: Some(64),
        cache_written: None,
        output: Some(30),
        reasoning: Some(20),
    };
    let found = ask(make, ok(&complete("{}")), PATIENCE).await.unwrap();
    assert_eq!(found.tokens, expected);
    assert_eq!(found.request_id.as_deref(), Some("chatcmpl-1"));
    let mut uncounted = complete("{}");
    uncounted.as_object_mut().unwrap().remove("usage");
    let found = ask(make, ok(&uncounted), PATIENCE).await.unwrap();
    assert_eq!(found.tokens, Tokens::default());
}

#[tokio::test]
async fn the_request_matches_the_documentation() {
    let (first, sent, body) = request(router, ok(&complete("{}"))).await;
    assert_eq!(first, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(sent, headers(&format!("authorization: Bearer {KEY}"), &[]));
    let wire_schema = json!({
        "type": "object",
        "properties": {
            "pick": {"type": "string", "enum": ["SPY", "CASH"]},
            "confidence": {"type": "number", "description": "Rule: minimum 0, maximum 1."},
            "key_risks": {"type": "array", "description": "Rule: minItems 2, maxItems 5.",
                          "items": {"type": "string", "description": "Rule: minLength 1."}},
        },
        "required": ["pick", "confidence", "key_risks"],
        "additionalProperties": false,
    });
    let expected = json!({
        "model": "anthropic/claude-opus-5",
        "messages": [{"role": "user", "content": INPUT}],
        "max_tokens": 6000,
        "reasoning": {"effort": "low", "exclude": true},
        "response_format": {"type": "json_schema", "json_schema": {
            "name": "capitalbench_submission", "strict": true, "schema": wire_schema}},
        "provider": {"only": ["anthropic"], "allow_fallbacks": false, "require_parameters": true,
                     "data_collection": "deny"},
        "plugins": [{"id": "web", "enabled": false}, {"id": "response-healing", "enabled": false},
                    {"id": "context-compression", "enabled": false}],
        "stream": false,
    });
    assert_eq!(body, expected);
}

/// What a host is sent for a model, with these settings.
fn body(host: Host, model: &str, reasoning: Option<ReasoningSetting>) -> Value {
    let schema = schema();
    let calls = CallSettings {
        reasoning,
        ..CallSettings::default()
    };
    let settings = settings(host.family(), model).with_calls(calls);
    host.request_body(&settings, &question(&schema))
}

#[test]
fn each_host_gets_the_fields_it_expects() {
    let expected = json!({
        "model": "deepseek-v4-pro", "messages": [{"role": "user", "content": INPUT}],
        "max_tokens": 6000, "thinking": {"type": "disabled"}, "temperature": 0.0,
        "response_format": {"type": "json_object"}, "stream": false,
    });
    assert_eq!(body(Host::DeepSeek, "deepseek-v4-pro", None), expected);
    let groq = body(Host::Groq, "openai/gpt-oss-120b", None);
    assert_eq!(groq["max_completion_tokens"], 6000);
    assert_eq!(groq["reasoning_effort"], "low");
    assert_eq!(body(Host::Mistral, "m", None)["safe_prompt"], false);
    let behaviour = &body(Host::Fireworks, "m", None)["context_length_exceeded_behavior"];
    assert_eq!(behaviour, "error");
    for host in [Host::DeepSeek, Host::Groq, Host::Vllm, Host::LlamaCpp] {
        let body = body(host, "m", None);
        for field in [
            "tools",
            "tool_choice",
            "web_search_options",
            "functions",
            "plugins",
        ] {
            assert!(body.get(field).is_none(), "{host:?} {field}");
        }
    }
}

#[test]
fn the_newer_services_are_asked_as_they_document_it() {
    let format = |body: &Value| body["response_format"]["type"].clone();
    let moonshot = body(Host::Moonshot, "kimi-k2.6", None);
    assert_eq!(moonshot["max_completion_tokens"], 6000);
    assert_eq!(moonshot["thinking"], json!({"type": "disabled"}));
    assert!(moonshot.get("temperature").is_none());
    assert_eq!(format(&moonshot), "json_object");
    let qwen = body(Host::Qwen, "qwen-plus", None);
    assert_eq!(
        (&qwen["enable_thinking"], format(&qwen)),
        (&json!(false), json!("json_object"))
    );
    assert_eq!(
        format(&body(Host::Qwen, "qwen3.8-max", None)),
        "json_schema"
    );
    let zhipu = body(Host::Zhipu, "glm-5.2", None);
    assert_eq!(zhipu["thinking"], json!({"type": "disabled"}));
    assert_eq!(format(&zhipu), "json_object");
    let minimax = body(Host::MiniMax, "MiniMax-M2.7", None);
    assert_eq!(minimax["reasoning_split"], true);
    assert!(minimax.get("temperature").is_none() && minimax.get("response_format").is_none());
    let cohere = body(Host::Cohere, "command-a-reasoning-08-2025", None);
    assert_eq!(
        (&cohere["reasoning_effort"], format(&cohere)),
        (&json!("none"), json!("json_schema"))
    );
    let cerebras = body(Host::Cerebras, "gpt-oss-120b", None);
    assert_eq!(cerebras["max_completion_tokens"], 6000);
    assert_eq!(cerebras["reasoning_effort"], "low");
    // Behind Bedrock's names anything may stand, so nothing is sent that could be refused.
    let bedrock = body(Host::Bedrock, "us.openai.gpt-6-sol", None);
    assert!(bedrock.get("temperature").is_none() && bedrock.get("reasoning_effort").is_none());
    let vertex = body(Host::Vertex, "google/gemini-3.1-pro-preview", None);
    assert_eq!(vertex["reasoning_effort"], "low");
}

#[test]
fn reasoning_is_written_as_each_host_reads_it() {
    let high = || ReasoningSetting::Effort("high".to_owned());
    let (off, on) = (ReasoningSetting::Off, ReasoningSetting::On);
    let budget = ReasoningSetting::Budget(512);
    for (host, setting, field, value) in [
        (Host::Mistral, high(), "reasoning_effort", json!("high")),
        (
            Host::Together,
            off.clone(),
            "reasoning",
            json!({"enabled": false}),
        ),
        (Host::Together, high(), "reasoning_effort", json!("high")),
        (
            Host::Fireworks,
            off.clone(),
            "reasoning_effort",
            json!("none"),
        ),
        (Host::Qwen, budget.clone(), "thinking_budget", json!(512)),
        (
            Host::Vllm,
            off.clone(),
            "chat_template_kwargs",
            json!({"enable_thinking": false}),
        ),
        (
            Host::OpenRouter,
            budget,
            "reasoning",
            json!({"max_tokens": 512, "exclude": true}),
        ),
        (
            Host::OpenRouter,
            on.clone(),
            "reasoning",
            json!({"enabled": true, "exclude": true}),
        ),
        (
            Host::OpenRouter,
            off,
            "reasoning",
            json!({"enabled": false, "exclude": true}),
        ),
        (Host::MiniMax, on, "thinking", json!({"type": "adaptive"})),
    ] {
        let sent = body(host, "m", Some(setting.clone()));
        assert_eq!(sent[field], value, "{host:?} {setting:?}");
    }
}
