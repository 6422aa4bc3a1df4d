//! Every path in a round folder, and which of them are frozen.

use capitalbench_core::market::prices::Side;

/// The rules of the round.
pub const MANIFEST: &str = "manifest.yaml";
/// The options of the round.
pub const OPTIONS: &str = "options.yaml";
/// The task as every model reads it.
pub const PROMPT: &str = "prompt.md";
/// The facts as every model reads them.
pub const BRIEFING: &str = "briefing.md";
/// The frozen digests.
pub const HASHES: &str = "hashes.json";
/// The form of a reply.
pub const SCHEMA: &str = "submission_schema.json";
/// The exact text sent to every model.
pub const MODEL_INPUT: &str = "model_input.md";
/// Instants given with `--now` in place of the clock; only in rounds of invented markets.
pub const GIVEN_INSTANTS: &str = "given_instants.jsonl";
/// Why the round ended without a record.
pub const TOMBSTONE: &str = "tombstone.json";
/// Folder of the operator's explanations of a round with a record.
pub const EXCEPTIONS: &str = "exceptions";
/// Folder of the resolution job.
pub const AUTOMATION: &str = "automation";
/// Folder of the mechanical tables.
pub const MARKET_DATA: &str = "market_data";
/// The resolution job.
pub const JOB: &str = "automation/resolution_job.yaml";
/// Folder of the price sheets.
pub const PRICES: &str = "prices";
/// Starting prices.
pub const ENTRY_PRICES: &str = "prices/entry_prices.csv";
/// Ending prices.
pub const EXIT_PRICES: &str = "prices/exit_prices.csv";
/// The sheet of one side of the window.
pub fn price_sheet(side: Side) -> &'static str {
    match side {
        Side::Entry => ENTRY_PRICES,
        Side::Exit => EXIT_PRICES,
    }
}
pub const INTERIM_PRICES: &str = "prices/weekly_prices.csv";
/// Official and consistency run of a round, side by side.
pub const ROUND_SUMMARY: &str = "round_summary.md";
/// Every session from entry to exit, as fetched.
pub const PRICE_WINDOW: &str = "prices/window.csv";
/// Folder of what a round keeps to itself that publishes returns only.
pub const VENDOR: &str = "prices/vendor";
/// Every session as fetched, behind a salt, where the round publishes returns only.
pub const VENDOR_WINDOW: &str = "prices/vendor/window.csv";
/// Which source was asked for prices, when, with digests.
pub const PROVENANCE: &str = "prices/provenance.json";
/// The returns of two sources side by side.
pub const CROSS_CHECK: &str = "prices/cross_check.json";
/// The operator's reason for scoring although they disagree.
pub const CROSS_CHECK_ACCEPTANCE: &str = "prices/cross_check_acceptance.json";
/// The operator's reason for scoring sheets without the record of a fetch.
pub const UNPROVED_ACCEPTANCE: &str = "prices/unproved_acceptance.json";
/// One line per correction of the final prices.
pub const PRICE_CORRECTIONS: &str = "prices/corrections.jsonl";
/// Folder of replaced prices, one numbered folder per fetch.
pub const REPLACED_PRICES: &str = "prices/replaced";
/// Why a fetch asked another source than the manifest froze.
pub const SOURCE_EXCEPTION: &str = "prices/source_exception.json";
/// Why moves that one source alone tells are believed.
pub const MOVE_EXCEPTION: &str = "prices/move_exception.json";
/// The same of the histories behind the market table; frozen with it.
pub const TABLE_MOVE_EXCEPTION: &str = "market_data/move_exception.json";
/// Folder of changes of listings that became known after the freeze, one numbered file each.
pub const LISTING_CHANGES: &str = "prices/listing_changes";
/// The files of a fetch whose digests its record holds.
pub const FETCHED: [&str; 6] = [
    ENTRY_PRICES,
    EXIT_PRICES,
    PRICE_WINDOW,
    CROSS_CHECK,
    SOURCE_EXCEPTION,
    MOVE_EXCEPTION,
];
/// What a replay is: models that were asked after the fact. Its folder lies outside of the rounds.
pub const REPLAY: &str = "replay.json";
/// The answers of a replay, beside it.
pub const REPLAY_ANSWERS: &str = "answers";
/// Folder of the runs.
pub const RUNS: &str = "runs";
/// Folder of the research.
pub const RESEARCH: &str = "research";
/// Digests of the research.
pub const RESEARCH_HASHES: &str = "research/research_hashes.json";
/// Research metadata.
pub const RESEARCH_MANIFEST: &str = "research/research_manifest.yaml";
/// The briefing as research delivered it.
pub const FINAL_BRIEFING: &str = "research/final_briefing.md";
/// Mechanical context of a judgment round.
pub const DECISION_CONTEXT: &str = "market_data/universe_decision_context.csv";
/// Quality evidence of a judgment round.
pub const QUALITY_EVIDENCE: &str = "market_data/universe_quality_evidence.json";

/// The price histories of the market table as the source gave them; private, because they are the
/// vendor's. A round that publishes returns only begins it with a salt.
pub const SOURCE_HISTORIES: &str = "market_data/source_histories.csv";
/// The last daily returns of every option, from v1.2 on.
pub const DAILY_RETURNS: &str = "market_data/daily_returns.csv";
/// How a mechanical briefing was made; absent where somebody wrote it.
pub const BRIEFING_RECIPE: &str = "market_data/briefing_recipe.json";
/// Answers of the Treasury: the month of the cutoff, the month before it, and the one before that.
pub const TREASURY_MONTHS: [&str; 3] = [
    "market_data/treasury_month_0.xml",
    "market_data/treasury_month_1.xml",
    "market_data/treasury_month_2.xml",
];
/// What only a mechanical briefing has: its recipe and the public sources.
pub const MADE_FROM: [&str; 4] = [
    BRIEFING_RECIPE,
    TREASURY_MONTHS[0],
    TREASURY_MONTHS[1],
    TREASURY_MONTHS[2],
];

/// Inputs without which a round cannot be frozen, in the order of their names.
pub const REQUIRED_INPUTS: [&str; 4] = [BRIEFING, MANIFEST, OPTIONS, PROMPT];

/// Inputs that are frozen only when present.
pub const OPTIONAL_INPUTS: [&str; 17] = [
    SCHEMA,
    "market_data/universe_trailing_returns.csv",
    "market_data/universe_trailing_returns.md",
    "market_data/universe_trailing_returns.json",
    DECISION_CONTEXT,
    "market_data/universe_decision_context.md",
    "market_data/universe_decision_context.json",
    "market_data/decision_context_source_history.json",
    "market_data/universe_quality_evidence.md",
    QUALITY_EVIDENCE,
    SOURCE_HISTORIES,
    DAILY_RETURNS,
    TABLE_MOVE_EXCEPTION,
    BRIEFING_RECIPE,
    TREASURY_MONTHS[0],
    TREASURY_MONTHS[1],
    TREASURY_MONTHS[2],
];

/// The program's own state in a folder of rounds.
pub const STATE: &str = ".capitalbench";
/// The public transparency log, relative to the folder of rounds.
pub const LOG: &str = "log";
/// The public key of the log.
pub const LOG_VKEY: &str = "log/vkey";
/// The latest signed checkpoint of the log.
pub const LOG_CHECKPOINT: &str = "log/checkpoint";
/// Every checkpoint that was ever signed, by size.
pub const LOG_CHECKPOINTS: &str = "log/checkpoints";
/// Replies of outside clocks about checkpoints, in one folder per size.
pub const LOG_ANCHORS: &str = "log/anchors";
/// The root certificates of time stamp authorities that the operator trusts.
pub const LOG_ROOTS: &str = "log/roots";
/// The keys of witnesses, one on each line.
pub const LOG_WITNESSES: &str = "log/witnesses";
/// Salts of public files, one file per round.
pub const LOG_SALTS: &str = "log/salts";
/// Registered claims, one file each; the log has an entry of each.
pub const LOG_CLAIMS: &str = "log/claims";
/// The name under which the log keeps entries about claims, where others name their round.
pub const CLAIMS: &str = "claims";
/// Registrations of entrants, one file each.
pub const LOG_ENTRANTS: &str = "log/entrants";
/// Sealed entries, openings and receipts, in one folder per round.
pub const LOG_ENTRIES: &str = "log/entries";
/// What agents were asked and answered, in one folder per round.
pub const LOG_AGENTS: &str = "log/agents";
/// The name under which the log keeps what entrants do, where others name their round.
pub const ENTRIES: &str = "entries";
/// Folders of the log; none may be a link, because a link may lead anywhere.
pub const LOG_FOLDERS: [&str; 10] = [
    LOG,
    LOG_CHECKPOINTS,
    LOG_ANCHORS,
    LOG_ROOTS,
    LOG_SALTS,
    LOG_CLAIMS,
    LOG_ENTRANTS,
    LOG_ENTRIES,
    LOG_AGENTS,
    "log/tile",
];
/// The index of the log's events, which can be made again from its leaves.
pub const LOG_STATE: &str = ".capitalbench/log";
/// The private key of the log, unless the operator keeps it elsewhere.
pub const LOG_KEY: &str = ".capitalbench/keys/log.key";
/// Daily snapshots of the whole universe, relative to the folder of rounds.
pub const SNAPSHOTS: &str = "../market_data/daily_price_snapshots";
/// The market that rehearsals are priced from, relative to the folder of rounds.
pub const INVENTED_MARKET: &str = "../invented_market.json";
/// The operator's comparison sets, in the rounds folder or beside it.
pub const SETS: &str = "benchmark_sets.yaml";

/// Research files, all of them hashed.
pub const RESEARCH_FILES: [&str; 4] = [
    "research/briefing_audit_report.md",
    FINAL_BRIEFING,
    "research/market_fact_report.md",
    RESEARCH_MANIFEST,
];

/// Folders of a round; none may be a link, because a link may lead anywhere.
pub const FOLDERS: [&str; 9] = [
    AUTOMATION,
    EXCEPTIONS,
    LISTING_CHANGES,
    MARKET_DATA,
    PRICES,
    REPLACED_PRICES,
    RESEARCH,
    RUNS,
    VENDOR,
];

/// Files of a run, relative to its folder.
pub mod run {
    /// What the run is.
    pub const MANIFEST: &str = "run_manifest.yaml";
    /// One line per call.
    pub const RUN_LOG: &str = "run_log.jsonl";
    /// The operator's acceptance of the run as the record.
    pub const ACCEPTANCE: &str = "acceptance.json";
    /// The planned slots; written before the first call.
    pub const SLOTS: &str = "slots.json";
    /// Folder of the attempts, each begun on disk before its call.
    pub const ATTEMPTS: &str = "attempts";
    /// Folder of the repairs, each on disk before the next attempt of its model.
    pub const REPAIRS: &str = "repairs";
    /// Locked by the process that runs or resumes the run.
    pub const LOCK: &str = ".lock";
    /// Counts and errors.
    pub const SUMMARY: &str = "validation_summary.json";
    /// Replies with run fields.
    pub const RAW: &str = "submissions/raw";
    /// Validated submissions.
    pub const PARSED: &str = "submissions/parsed";
    /// The validation errors, also beside the raw files.
    pub const ERRORS: &str = "submissions/raw/_validation_errors.json";
    /// Exact provider text, private.
    pub const REPLIES: &str = "raw_responses";
    /// Folder of the control entrants.
    pub const CONTROLS: &str = "controls";
    /// Folder of the results.
    pub const RESULTS: &str = "results";
    /// Option returns, or replicate returns.
    pub const RETURNS: &str = "results/returns.csv";
    /// Outcomes in order.
    pub const LEADERBOARD: &str = "results/leaderboard.csv";
    /// Holdings and contributions.
    pub const ALLOCATIONS: &str = "results/allocations.csv";
    /// Outcomes of the control entrants, apart from the models.
    pub const CONTROL_RESULTS: &str = "results/controls.csv";
    /// Agreement across replicates.
    pub const STABILITY: &str = "results/stability.csv";
    /// Rows scored from raw closes.
    pub const PRICE_WARNINGS: &str = "results/price_warnings.json";
    /// All figures of all submissions, with units and reasons.
    pub const OUTCOMES: &str = "results/outcomes.json";
    /// One line per correction of the results.
    pub const CORRECTIONS: &str = "corrections.jsonl";
    /// Folder of replaced results, one numbered folder per correction.
    pub const SUPERSEDED: &str = "results/superseded";
    /// Provisional tracking.
    pub const INTERIM: &str = "results/weekly_performance.csv";
    /// Report for people.
    pub const REPORT: &str = "results/report.md";
    /// The chart of the report.
    pub const CHART: &str = "results/report.svg";
    /// Folders of a run; none may be a link, because a link may lead anywhere.
    pub const FOLDERS: [&str; 9] = [
        "submissions",
        RAW,
        PARSED,
        REPLIES,
        RESULTS,
        SUPERSEDED,
        ATTEMPTS,
        REPAIRS,
        CONTROLS,
    ];
}
