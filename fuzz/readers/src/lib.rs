//! Hostile bytes against every reader of outside bytes.
//!
//! Each function calls the real reader and asserts what must hold whatever the bytes are: no panic,
//! messages that stay in proportion, and that what was read and written again reads the same. The
//! programs in `fuzz/fuzz_targets` call one function each; the tests of this crate call all of them with the
//! kept seeds and crashes.

pub mod markup;
pub mod price_files;
pub mod proofs;
pub mod provider_bodies;
pub mod replies;
pub mod requests;
pub mod round_files;
pub mod run_files;
mod samples;
pub mod stored;
pub mod vendor_bodies;

/// A function that takes any bytes and panics only where a promise is broken.
pub type Target = fn(&[u8]);

/// Every target under the name of its program and of its folder of seeds.
pub const TARGETS: [(&str, Target); 46] = [
    ("acceptance", run_files::acceptance),
    ("agent_answer", replies::agent_answer),
    ("alpha_vantage", vendor_bodies::alpha_vantage),
    ("anthropic", provider_bodies::anthropic),
    ("api_request", requests::api_request),
    ("archive", proofs::archive),
    ("benchmark_sets", round_files::benchmark_sets),
    ("bundle", proofs::bundle),
    ("chat", provider_bodies::chat),
    ("corrections", run_files::corrections),
    ("cosignature", proofs::cosignature),
    ("cross_check", price_files::cross_check),
    ("entrant_file", proofs::entrant_file),
    ("google", provider_bodies::google),
    ("hashes", round_files::hashes),
    ("history_csv", price_files::history_csv),
    ("job", run_files::job),
    ("json", run_files::json),
    ("leaf", proofs::leaf),
    ("league", round_files::league),
    ("ledger", run_files::ledger),
    ("logo", markup::logo),
    ("manifest", round_files::manifest),
    ("market_table", price_files::market_table),
    ("models", round_files::models),
    ("note", proofs::note),
    ("ollama", provider_bodies::ollama),
    ("openai", provider_bodies::openai),
    ("options", round_files::options),
    ("outside_text", markup::outside_text),
    ("price_record", price_files::price_record),
    ("price_sheet", price_files::price_sheet),
    ("public_list", stored::public_list),
    ("request_state", price_files::request_state),
    ("run_log", run_files::run_log),
    ("run_manifest", run_files::run_manifest),
    ("stored_documents", stored::stored_documents),
    ("stored_files", stored::stored_files),
    ("submission", replies::submission),
    ("submission_reply", replies::submission_reply),
    ("tiingo", vendor_bodies::tiingo),
    ("tile", proofs::tile),
    ("time_stamp", proofs::time_stamp),
    ("tlog_proof", proofs::tlog_proof),
    ("xai", provider_bodies::xai),
    ("yahoo", vendor_bodies::yahoo),
];

/// A message says something and does not grow beyond what it speaks of.
fn is_in_proportion(message: &str, input: &[u8]) {
    assert!(!message.trim().is_empty(), "an empty message");
    let most = 4096 + 12 * input.len();
    assert!(message.len() <= most, "{} bytes", message.len());
}
