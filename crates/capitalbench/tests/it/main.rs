//! The built program, seen from outside: one file per verb, and what bad input, real rounds and
//! odd outputs make of it.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests spoil files on purpose, read CI's settings and say what they skip"
)]

mod accept_run;
mod anchor;
mod anchored_round;
mod api;
mod at_once;
mod audit_round;
#[path = "../../../capitalbench-proof/tests/authority/mod.rs"]
#[expect(dead_code, reason = "keys of other kinds are for the tests of tokens")]
mod authority;
mod bad_disk;
mod bad_input;
mod bench_archive;
mod boards;
mod bundle;
mod compare_runs;
mod controls;
mod corrections;
#[path = "../../../capitalbench-database/tests/it/server.rs"]
mod database_server;
mod demo;
mod derived;
mod due_rounds;
mod explain;
mod failure_kinds;
mod fake_clock;
mod fake_models;
mod fake_tiingo;
mod faulty_layer;
mod feeds;
mod fetch_prices;
mod fetch_prices_archive;
mod fetch_universe_performance;
mod fixtures;
mod golden;
mod harness;
mod hash_round;
mod help;
mod hostile_names;
mod import_research;
mod init_round;
mod interim;
mod key_holder;
mod killed;
mod killed_between;
mod leaping_clock;
mod list_runs;
mod lite_server;
mod market;
mod no_way_around;
mod operate;
mod operator;
mod output;
mod page_script;
mod page_verdict;
mod past_boards;
mod price_defects;
mod price_origin;
mod pricing;
mod provider_faults;
mod real_providers;
mod redaction;
mod report;
mod resolve_due;
mod run_round;
mod score_round;
mod scripted_models;
mod sealed;
mod serve;
mod serve_files;
mod show_controls;
mod show_prompt;
mod signed_again;
mod signed_log;
mod signed_round;
mod site_again;
mod site_server;
mod site_withheld;
mod smoke_provider;
mod status;
mod stopped;
mod stranger;
mod strict_ledger;
mod supabase;
mod sync_web;
mod synced_log;
mod synced_serve;
mod tamper;
mod validate_submissions;
mod validate_universe;
mod verify;
mod verify_page;
mod withheld;
mod worker;
