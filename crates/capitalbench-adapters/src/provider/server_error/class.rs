//! An error → the class of failure, which decides whether and when the call may be repeated.
//!
//! Status, codes and headers decide. Words in prose do not: Google and Groq mention billing in the
//! text of a limit that is over within a minute. [`SENTENCES`] lists the three exceptions.

use std::time::Duration;

use super::ServerError;
use crate::http::wait_asked_for;
use crate::provider::CallFailure;

/// An allowance that takes longer to come back does not come back within a round's asking.
const LONGEST_LIMIT: Duration = Duration::from_hours(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Filtered,
    FailedGeneration,
    Key,
    NoModel,
    Quota,
    Overloaded,
    RateLimited,
    Server,
    Request,
}

use Class::{
    FailedGeneration, Filtered, Key, NoModel, Overloaded, Quota, RateLimited, Request, Server,
};

/// Codes of `OpenAI`, Azure, Alibaba and Zhipu (1301) for a prompt or reply that a filter turned away.
const FILTERED: [&str; 10] = [
    "1301",
    "bio_policy",
    "content_filter",
    "content_policy_violation",
    "contentfilter",
    "data_inspection_failed",
    "datainspectionfailed",
    "invalid_prompt",
    "moderation_blocked",
    "responsibleaipolicyviolation",
];
/// Groq's codes for a reply that it generated and then refused.
const FAILED_GENERATION: [&str; 3] = [
    "json_validate_failed",
    "output_parse_failed",
    "tool_use_failed",
];
/// Codes of a refused key that come with other statuses than 401, such as Google's 400.
const KEY: [&str; 6] = [
    "api_key_invalid",
    "authentication_error",
    "invalid_api_key",
    "invalid_authentication_error",
    "unauthenticated",
    "wrong_api_key",
];
/// Codes of a model that is unknown, retired or not offered to this account; Zhipu's is 1211.
const NO_MODEL: [&str; 12] = [
    "1211",
    "deploymentnotfound",
    "invalid_model",
    "model_decommissioned",
    "model_not_available",
    "model_not_found",
    "model_not_supported",
    "modelnotfound",
    "not_found",
    "not_found_error",
    "resource_not_found_error",
    "unknown_model",
];
/// Codes of an allowance that somebody must pay for or that is over for the day; Zhipu's are 1113 and
/// 1304, and Anthropic names its limit of spending in the error's details.
const QUOTA: [&str; 13] = [
    "1113",
    "1304",
    "allocationquota.freetieronly",
    "arrearage",
    "billing_error",
    "billing_hard_limit_reached",
    "billing_not_active",
    "enforced_spend_limit_reached",
    "exceeded_current_quota_error",
    "insufficient_balance",
    "insufficient_credits",
    "insufficient_quota",
    "servicequotaexceededexception",
];
/// Zhipu's is 1305.
const OVERLOADED: [&str; 8] = [
    "1305",
    "capacity_exceeded",
    "engine_overloaded",
    "engine_overloaded_error",
    "modelnotreadyexception",
    "overloaded",
    "overloaded_error",
    "service_tier_capacity_exceeded",
];
const RATE_LIMIT: &str = "rate_limit_exceeded";
/// Part of Google's names of quotas that renew once a day.
const PER_DAY: &str = "perday";

/// Fixed sentences that a service sends where others send a code: xAI's code is the same for a wrong
/// key and a wrong argument, and the same for a missing permission and a filter; `DeepSeek`'s is the
/// same for every refused request. Only a message that begins with the whole sentence counts, so
/// nothing that the server repeats from the prompt does. Anthropic's sentence about credit is not
/// here: it comes with the type of every refused request, so it stays one.
const SENTENCES: [(u16, &str, Class); 3] = [
    (400, "Incorrect API key provided", Key),
    (400, "Content Exists Risk", Filtered),
    (403, "Content violates usage guidelines", Filtered),
];

/// What an answer says about sending the request again.
#[derive(Debug, Clone, Copy)]
struct Told {
    wait: Option<Duration>,
    /// Whether the wait stands in the header made for it.
    retry_after_header: bool,
    should_retry: Option<bool>,
}

impl ServerError {
    /// Classifies an error; `message` is its text without the key.
    pub(in crate::provider) fn class(
        &self,
        status: u16,
        message: String,
        headers: &[(String, String)],
    ) -> CallFailure {
        let retry_after = self.wait(headers);
        let told = Told {
            wait: retry_after,
            retry_after_header: wait_asked_for(headers).is_some(),
            should_retry: should_retry(headers),
        };
        match self.decide(status, told) {
            Filtered => CallFailure::Filtered { status, message },
            FailedGeneration => CallFailure::FailedGeneration { status, message },
            Key => CallFailure::Key { status, message },
            NoModel => CallFailure::NoModel { status, message },
            Quota => CallFailure::Quota { status, message },
            RateLimited => CallFailure::RateLimited { retry_after },
            Request => CallFailure::Request { status, message },
            Overloaded => CallFailure::Overloaded {
                status,
                message,
                retry_after,
            },
            Server => CallFailure::Server {
                status,
                message,
                retry_after,
            },
        }
    }

    fn decide(&self, status: u16, told: Told) -> Class {
        if let Some(class) = self.by_code(status).or_else(|| self.by_sentence(status)) {
            return class;
        }
        match status {
            401 | 403 => Key,
            // OpenRouter says with 402 and a wait that calls under way have reserved the credit.
            402 if told.retry_after_header => self.limit(told),
            402 => Quota,
            404 | 410 => NoModel,
            429 => self.limit(told),
            // Groq is out of capacity and says so with a code; Cohere refuses a token without one.
            498 if self.words.is_empty() && !self.message.is_empty() => Key,
            498 | 503 | 529 => Overloaded,
            408 | 409 | 424 | 425 | 499 | 500.. | 200..=299 => match told.should_retry {
                Some(false) => Request,
                _ => Server,
            },
            _ if told.should_retry == Some(true) => Server,
            _ => Request,
        }
    }

    /// The class that a code tells, where it is known for such a status.
    fn by_code(&self, status: u16) -> Option<Class> {
        let refused = matches!(status, 400..=404 | 410 | 422);
        let limited = refused || status == 429;
        let client = (400..500).contains(&status) || status < 300;
        // Zhipu's numbers are its only codes; beside a word a number is another service's.
        let counts = |word: &str| self.words.len() == 1 || word.parse::<u64>().is_err();
        let has = |codes: &[&str]| {
            let mut words = self.words.iter();
            words.any(|word| codes.contains(&word.as_str()) && counts(word))
        };
        let per_day = || self.words.iter().any(|word| word.contains(PER_DAY));
        if client && (has(&FILTERED) || self.is_moderated) {
            Some(Filtered)
        } else if client && has(&FAILED_GENERATION) {
            Some(FailedGeneration)
        } else if limited && (has(&QUOTA) || per_day()) {
            Some(Quota)
        } else if refused && has(&KEY) {
            Some(Key)
        } else if refused && has(&NO_MODEL) {
            Some(NoModel)
        } else if has(&OVERLOADED) {
            Some(Overloaded)
        } else {
            None
        }
    }

    fn by_sentence(&self, status: u16) -> Option<Class> {
        let begins = |sentence: &str| self.message.trim_start().starts_with(sentence);
        let found = SENTENCES
            .iter()
            .find(|(of, sentence, _)| *of == status && begins(sentence));
        found.map(|(.., class)| *class)
    }

    /// A limit is one to wait for, unless the wait is longer than any asking or the server says that
    /// waiting does not help.
    fn limit(&self, told: Told) -> Class {
        let is_named = self.words.iter().any(|word| word == RATE_LIMIT);
        match told.wait {
            Some(wait) if wait > LONGEST_LIMIT => Quota,
            None if told.should_retry == Some(false) && !is_named => Quota,
            _ => RateLimited,
        }
    }
}

/// What the header `x-should-retry` of `OpenAI` and Anthropic says.
fn should_retry(headers: &[(String, String)]) -> Option<bool> {
    let said = headers.iter().find(|(name, _)| name == "x-should-retry");
    match said?.1.trim() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}
