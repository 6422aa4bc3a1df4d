//! Error answers as the services document or send them, and what is made of each.

use serde_json::json;

use crate::provider::RawAnswer;
use crate::provider::answer::Answer;

/// Name, status, headers (`name: value`, separated by `; `), body, failure.
type Case = (&'static str, u16, &'static str, &'static str, &'static str);

const NOON: &str = "date: Sun, 15 Nov 2026 12:00:00 GMT";

fn failure(status: u16, headers: &str, body: &str) -> String {
    let headers = headers.split("; ").filter(|line| !line.is_empty());
    let headers = headers.map(|line| {
        let (name, value) = line.split_once(": ").expect("a header");
        (name.to_owned(), value.to_owned())
    });
    let answer = RawAnswer {
        status,
        headers: headers.collect(),
        body: body.as_bytes().to_vec(),
    };
    let read = Answer::new(&answer, None).json();
    read.expect_err("a failure").to_string()
}

fn check(cases: &[Case]) {
    for (name, status, headers, body, expected) in cases {
        assert_eq!(failure(*status, headers, body), *expected, "{name}");
    }
}

/// Prose about money decides nothing: codes, waits and headers do.
const LIMITS: &[Case] = &[
    (
        "Gemini, per minute",
        429,
        "",
        r#"{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"m","quotaId":"GenerateContentInputTokensPerModelPerMinute-FreeTier","quotaValue":"250000"}]},{"@type":"type.googleapis.com/google.rpc.Help","links":[]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}"#,
        "rate limit; wait 34 s",
    ),
    (
        "Gemini, per day, although it names a delay",
        429,
        "",
        r#"{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"retryDelay":"34s"}]}}"#,
        "allowance used up, HTTP 429: You exceeded your current quota, please check your plan and billing details.",
    ),
    (
        "Groq, per minute",
        429,
        "retry-after: 7",
        r#"{"error":{"message":"Rate limit reached on tokens per minute (TPM). Need more tokens? Upgrade today at https://console.groq.com/settings/billing","type":"tokens","code":"rate_limit_exceeded"}}"#,
        "rate limit; wait 7 s",
    ),
    (
        "Groq, the day's tokens: hours",
        429,
        "retry-after: 20000",
        r#"{"error":{"message":"Tokens per day.","type":"tokens","code":"rate_limit_exceeded"}}"#,
        "allowance used up, HTTP 429: Tokens per day.",
    ),
    (
        "OpenAI, no quota",
        429,
        "",
        r#"{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#,
        "allowance used up, HTTP 429: You exceeded your current quota.",
    ),
    (
        "OpenAI, a limit whose text mentions credit and spending",
        429,
        "retry-after-ms: 2500",
        r#"{"error":{"message":"Buy credit to raise your spend limit.","type":"tokens","code":"rate_limit_exceeded"}}"#,
        "rate limit; wait 2 s",
    ),
    (
        "Anthropic, the monthly cap: no wait, and no use in trying",
        429,
        "x-should-retry: false",
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"Monthly limit."}}"#,
        "allowance used up, HTTP 429: Monthly limit.",
    ),
    (
        "Anthropic, per minute",
        429,
        "x-should-retry: true; retry-after: 12",
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit."}}"#,
        "rate limit; wait 12 s",
    ),
    (
        "Moonshot, balance",
        429,
        "",
        r#"{"error":{"message":"Recharge.","type":"exceeded_current_quota_error"}}"#,
        "allowance used up, HTTP 429: Recharge.",
    ),
    (
        "Moonshot, busy",
        429,
        "",
        r#"{"error":{"message":"Busy.","type":"engine_overloaded_error"}}"#,
        "overloaded with HTTP 429: Busy.",
    ),
    (
        "Zhipu, arrears",
        429,
        "",
        r#"{"error":{"code":"1113","message":"Arrears."}}"#,
        "allowance used up, HTTP 429: Arrears.",
    ),
    (
        "the same number beside another service's word",
        429,
        "",
        r#"{"error":{"code":"1113","type":"rate_limited","message":"Slow."}}"#,
        "rate limit",
    ),
    (
        "Mistral, per minute",
        429,
        "x-ratelimit-remaining-req-minute: 0",
        r#"{"object":"error","message":"Rate limit exceeded","type":"rate_limited","param":null,"code":"1300"}"#,
        "rate limit; wait 60 s",
    ),
    (
        "Mistral, the month's tokens",
        429,
        "x-ratelimit-remaining-tokens-month: 0",
        r#"{"object":"error","message":"Rate limit exceeded","type":"rate_limited","param":null,"code":"1300"}"#,
        "allowance used up, HTTP 429: Rate limit exceeded",
    ),
    (
        "Azure",
        429,
        "retry-after: 20",
        r#"{"error":{"code":"429","message":"Please retry after 20 seconds."}}"#,
        "rate limit; wait 20 s",
    ),
    (
        "Amazon",
        429,
        "x-amzn-errortype: ThrottlingException:http://internal.amazon.com/",
        r#"{"message":"Too many requests."}"#,
        "rate limit",
    ),
    (
        "DeepSeek, balance",
        402,
        "",
        r#"{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}"#,
        "allowance used up, HTTP 402: Insufficient Balance",
    ),
    (
        "OpenRouter, credit reserved by calls under way",
        402,
        "retry-after: 3",
        r#"{"error":{"code":402,"message":"In-flight budget.","metadata":{"limit_source":"openrouter_in_flight_budget"}}}"#,
        "rate limit; wait 3 s",
    ),
];

#[test]
fn a_limit_of_minutes_is_waited_for_and_one_of_a_day_is_not() {
    check(LIMITS);
}

#[test]
fn a_routers_headers_count_wherever_they_stand() {
    let body = |reset: &str| {
        json!({"error": {"code": 429, "message": "Rate limit exceeded", "metadata": {"headers": {
            "X-RateLimit-Limit": "20", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset}}}})
        .to_string()
    };
    assert_eq!(
        failure(429, NOON, &body("1794744045000")),
        "rate limit; wait 45 s"
    );
    // Until the next midnight.
    assert_eq!(
        failure(429, NOON, &body("1794787200000")),
        "allowance used up, HTTP 429: Rate limit exceeded"
    );
    let bare = r#"{"error":{"code":429,"message":"Slow"}}"#;
    let headers = format!("{NOON}; x-ratelimit-reset: 1794744030000");
    assert_eq!(failure(429, &headers, bare), "rate limit; wait 30 s");
    // The host's own limit, as the router passes it on inside a success.
    let inside = r#"{"error":{"code":429,"message":"Provider returned error","metadata":{"retry_after_seconds":9}}}"#;
    assert_eq!(failure(200, "", inside), "rate limit; wait 9 s");
}

const REFUSALS: &[Case] = &[
    (
        "Google, key",
        400,
        "",
        r#"{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#,
        "key refused with HTTP 400: API key not valid.",
    ),
    (
        "xAI, key",
        400,
        "",
        r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***yz. You can obtain an API key from https://console.x.ai."}"#,
        "key refused with HTTP 400: Incorrect API key provided: xa***yz. You can obtain an API key from https://console.x.ai.",
    ),
    (
        "xAI, argument that quotes the sentence",
        400,
        "",
        r#"{"code":"Client specified an invalid argument","error":"Bad stop: Incorrect API key provided"}"#,
        "request refused with HTTP 400: Bad stop: Incorrect API key provided",
    ),
    (
        "xAI, safety",
        403,
        "",
        r#"{"code":"The caller does not have permission to execute the specified operation","error":"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}"#,
        "content filter, HTTP 403: Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO",
    ),
    (
        "xAI, permission",
        403,
        "",
        r#"{"code":"permission-denied","error":"Access to the chat endpoint is denied"}"#,
        "key refused with HTTP 403: Access to the chat endpoint is denied",
    ),
    (
        "OpenRouter, moderation",
        403,
        "",
        r#"{"error":{"code":403,"message":"Flagged","metadata":{"reasons":["violence"],"flagged_input":"x","provider_name":"OpenAI","model_slug":"m"}}}"#,
        "content filter, HTTP 403: Flagged",
    ),
    (
        "OpenRouter, key",
        403,
        "",
        r#"{"error":{"code":403,"message":"Key limit","metadata":{"reasons":[]}}}"#,
        "key refused with HTTP 403: Key limit",
    ),
    (
        "Azure, filter",
        400,
        "",
        r#"{"error":{"message":"Filtered","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
        "content filter, HTTP 400: Filtered",
    ),
    (
        "OpenAI, flagged prompt",
        400,
        "",
        r#"{"error":{"message":"Invalid prompt","type":"invalid_request_error","param":null,"code":"invalid_prompt"}}"#,
        "content filter, HTTP 400: Invalid prompt",
    ),
    (
        "DeepSeek, filter",
        400,
        "",
        r#"{"error":{"message":"Content Exists Risk","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
        "content filter, HTTP 400: Content Exists Risk",
    ),
    (
        "Alibaba, filter",
        400,
        "",
        r#"{"error":{"code":"data_inspection_failed","message":"Inappropriate"}}"#,
        "content filter, HTTP 400: Inappropriate",
    ),
    (
        "Groq, a reply of another form",
        400,
        "",
        r#"{"error":{"message":"Failed to generate JSON.","type":"invalid_request_error","code":"json_validate_failed","failed_generation":"{\"a\": "}}"#,
        "the reply was not of the asked form, HTTP 400: Failed to generate JSON. It had written: {\"a\":",
    ),
    (
        "Groq, retired",
        400,
        "",
        r#"{"error":{"message":"Decommissioned","type":"invalid_request_error","code":"model_decommissioned"}}"#,
        "no such model, HTTP 400: Decommissioned",
    ),
    (
        "Mistral, unknown model",
        400,
        "",
        r#"{"object":"error","message":"Invalid model: x","type":"invalid_model","param":null,"code":"1500"}"#,
        "no such model, HTTP 400: Invalid model: x",
    ),
    (
        "OpenAI, model of another project",
        403,
        "",
        r#"{"error":{"message":"No access","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#,
        "no such model, HTTP 403: No access",
    ),
    (
        "Azure, deployment",
        404,
        "",
        r#"{"error":{"code":"DeploymentNotFound","message":"No deployment"}}"#,
        "no such model, HTTP 404: No deployment",
    ),
    (
        "Groq, capacity",
        498,
        "",
        r#"{"error":{"message":"Flex capacity","type":"x","code":"capacity_exceeded"}}"#,
        "overloaded with HTTP 498: Flex capacity",
    ),
    (
        "Cohere, token",
        498,
        "",
        r#"{"id":"1","message":"invalid token"}"#,
        "key refused with HTTP 498: invalid token",
    ),
    (
        "Anthropic, credit: nothing but prose tells it from a wrong request",
        400,
        "",
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#,
        "request refused with HTTP 400: Your credit balance is too low",
    ),
];

#[test]
fn keys_models_filters_and_capacity_are_told_apart_by_codes() {
    check(REFUSALS);
}

#[test]
fn minimax_reports_errors_inside_a_success() {
    for (number, expected) in [
        (1000, "server failed with HTTP 500: said (1000)"),
        (1001, "server failed with HTTP 504: said (1001)"),
        (1002, "rate limit"),
        (1004, "key refused with HTTP 401: said (1004)"),
        (1008, "allowance used up, HTTP 402: said (1008)"),
        (1026, "content filter, HTTP 400: said (1026)"),
        (1027, "content filter, HTTP 400: said (1027)"),
        (1039, "rate limit"),
        (2013, "request refused with HTTP 400: said (2013)"),
        (2049, "key refused with HTTP 401: said (2049)"),
        (2056, "allowance used up, HTTP 402: said (2056)"),
        // A number of which nothing is known.
        (7, "server failed with HTTP 200: said (7)"),
    ] {
        let base = json!({"status_code": number, "status_msg": "said"});
        let body = json!({"choices": null, "base_resp": base}).to_string();
        assert_eq!(failure(200, "", &body), expected);
    }
    let fine = json!({"choices": [], "base_resp": {"status_code": 0, "status_msg": ""}});
    let answer = RawAnswer {
        status: 200,
        headers: Vec::new(),
        body: fine.to_string().into_bytes(),
    };
    assert_eq!(Answer::new(&answer, None).json(), Ok(fine));
}

#[test]
fn the_server_may_say_whether_to_try_again() {
    let body = r#"{"error":{"message":"Said","type":"x","code":null}}"#;
    let told = |status, headers| failure(status, headers, body);
    assert_eq!(told(500, ""), "server failed with HTTP 500: Said");
    assert_eq!(
        told(500, "x-should-retry: true"),
        "server failed with HTTP 500: Said"
    );
    assert_eq!(
        told(500, "x-should-retry: false"),
        "request refused with HTTP 500: Said"
    );
    assert_eq!(
        told(400, "x-should-retry: true"),
        "server failed with HTTP 400: Said"
    );
    assert_eq!(
        told(400, "x-should-retry: maybe"),
        "request refused with HTTP 400: Said"
    );
    // A key that is wrong stays wrong.
    assert_eq!(
        told(401, "x-should-retry: true"),
        "key refused with HTTP 401: Said"
    );
    // A wait beside a wrong key changes nothing either.
    assert_eq!(
        told(401, "retry-after: 5"),
        "key refused with HTTP 401: Said"
    );
    assert_eq!(told(429, "x-should-retry: maybe"), "rate limit");
}
