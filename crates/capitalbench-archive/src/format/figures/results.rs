//! Result files: option returns, leaderboard, allocations and consistency as CSV.

use capitalbench_core::asking::run::RunRules;
use capitalbench_core::decision::submission::{Decision, Submission};
use capitalbench_core::market::universe::Universe;
use capitalbench_core::result::consistency::{Figures, ModelConsistency};
use capitalbench_core::result::leaderboard::Scored;
use capitalbench_core::result::returns::RoundReturns;
use capitalbench_core::result::score::{Outcome, contribution};
use capitalbench_core::round::manifest::SubmissionFormat;
use capitalbench_core::values::ids::OptionId;
use capitalbench_core::values::units::Return;
use serde_json::{Value, json};

use crate::format::text::json;

pub mod cumulative;
mod table;

pub use table::ResultTable;

const RETURNS: [&str; 11] = [
    "option_id",
    "label",
    "asset_symbol",
    "entry_price",
    "exit_price",
    "entry_price_source",
    "exit_price_source",
    "return",
    "rank",
    "is_benchmark",
    "is_cash",
];
const LEADERBOARD: [&str; 25] = [
    "round_id",
    "model_id",
    "provider",
    "mode",
    "submission_format",
    "selected_option_id",
    "confidence",
    "rationale_summary",
    "portfolio_rationale",
    "key_risks",
    "selected_asset_return",
    "portfolio_return",
    "sp500_return",
    "alpha_vs_sp500",
    "regret_vs_best_option",
    "rank_among_options",
    "holding_count",
    "max_allocation_bps",
    "cash_allocation_bps",
    "benchmark_allocation_bps",
    "concentration_hhi",
    "beats_sp500",
    "beats_cash",
    "cost_usd",
    "alpha_per_dollar",
];
const ALLOCATIONS: [&str; 11] = [
    "round_id",
    "model_id",
    "provider",
    "replicate_index",
    "option_id",
    "allocation_bps",
    "allocation_pct",
    "allocation_rank",
    "option_return",
    "return_contribution",
    "rationale",
];
const REPLICATES: [&str; 17] = [
    "model_id",
    "provider",
    "replicate_index",
    "replicate_count",
    "selected_option_id",
    "submission_format",
    "holding_count",
    "confidence",
    "selected_asset_return",
    "portfolio_return",
    "sp500_return",
    "alpha_vs_sp500",
    "regret_vs_best_option",
    "rank_among_options",
    "beats_sp500",
    "beats_cash",
    "cost_usd",
];
const STABILITY: [&str; 21] = [
    "model_id",
    "provider",
    "replicate_count",
    "valid_replicates",
    "invalid_replicates",
    "selected_option_ids",
    "pick_distribution",
    "modal_pick",
    "modal_pick_count",
    "consistency_rate",
    "average_repeated_return",
    "average_repeated_alpha_vs_sp500",
    "best_replicate_return",
    "worst_replicate_return",
    "best_replicate_option_id",
    "worst_replicate_option_id",
    "modal_pick_return",
    "modal_pick_alpha_vs_sp500",
    "total_cost_usd",
    "average_cost_usd",
    "notes",
];

/// `returns.csv` of every kind of run but consistency checks.
pub fn returns(universe: &Universe, returns: &RoundReturns) -> ResultTable {
    let mut table = ResultTable::new(&RETURNS);
    for row in returns.by_rank() {
        let option = &universe.options()[row.position];
        table.cell(option.id.as_str());
        table.cell(&option.name);
        table.cell(option.display_symbol());
        table.maybe(row.entry, |table, (price, _)| table.real(price.get()));
        table.maybe(row.exit, |table, (price, _)| table.real(price.get()));
        table.maybe(row.entry, |table, (_, field)| table.cell(field.as_str()));
        table.maybe(row.exit, |table, (_, field)| table.cell(field.as_str()));
        table.number(row.value);
        table.maybe(row.rank, ResultTable::count);
        table.flag(option.flags.reference);
        table.flag(option.flags.cash);
    }
    table
}

/// `leaderboard.csv`; the rows come in leaderboard order.
pub fn leaderboard(scored: &[Scored], returns: &RoundReturns) -> ResultTable {
    let mut table = ResultTable::new(&LEADERBOARD);
    for row in scored {
        let (submission, outcome) = (&row.submission, &row.outcome);
        let format = submission.decision.format();
        let spread = &outcome.spread;
        table.cell(submission.round_id.as_str());
        table.cell(submission.model_id.as_str());
        table.cell(&submission.provider);
        table.cell(&submission.mode);
        table.cell(format.as_str());
        table.cell(outcome.primary.as_str());
        table.real(submission.confidence);
        table.cell(&submission.rationale_summary);
        table.cell(
            submission
                .portfolio_rationale
                .as_deref()
                .unwrap_or_default(),
        );
        table.cell(&submission.key_risks.join("; "));
        table.number(outcome.primary_return);
        table.maybe(portfolio_return(format, outcome), ResultTable::number);
        table.number(returns.reference());
        table.number(outcome.alpha);
        table.maybe(outcome.regret, ResultTable::number);
        table.maybe(outcome.pick_rank, ResultTable::count);
        table.count(spread.holdings);
        table.count(spread.largest.get());
        table.count(spread.cash.get());
        table.count(spread.reference.get());
        table.real(spread.hhi);
        table.flag(outcome.beats_reference);
        table.flag(outcome.beats_cash);
        table.maybe(submission.cost_usd, ResultTable::real);
        table.maybe(outcome.alpha_per_dollar, ResultTable::real);
    }
    table
}

/// The return of a portfolio; the cell of a single pick is blank.
fn portfolio_return(format: SubmissionFormat, outcome: &Outcome) -> Option<Return> {
    match format {
        SubmissionFormat::SinglePick => None,
        SubmissionFormat::Portfolio => Some(outcome.decision_return),
    }
}

fn by_model<'a>(scored: &'a [Scored]) -> Vec<&'a Scored> {
    let mut sorted: Vec<&Scored> = scored.iter().collect();
    let key = |s: &'a Submission| (&s.model_id, s.replicate());
    sorted.sort_by(|a, b| key(&a.submission).cmp(&key(&b.submission)));
    sorted
}

/// `allocations.csv`: one row per holding, by model, replicate and submitted order.
pub fn allocations(scored: &[Scored], returns: &RoundReturns) -> ResultTable {
    let mut table = ResultTable::new(&ALLOCATIONS);
    for row in by_model(scored) {
        let submission = &row.submission;
        for (rank, holding) in (1..).zip(submission.decision.holdings()) {
            let value = returns.get(&holding.option_id).map(|option| option.value);
            let value = value.unwrap_or_default();
            table.cell(submission.round_id.as_str());
            table.cell(submission.model_id.as_str());
            table.cell(&submission.provider);
            table.count(submission.replicate());
            table.cell(holding.option_id.as_str());
            table.count(holding.weight.get());
            table.real(holding.weight.percent());
            table.count(rank);
            table.number(value);
            table.real(contribution(&holding, value));
            table.cell(match submission.decision {
                Decision::SinglePick(_) => &submission.rationale_summary,
                Decision::Portfolio(_) => &holding.rationale,
            });
        }
    }
    table
}

/// `returns.csv` of a consistency check: one row per replicate.
pub fn replicates(scored: &[Scored], returns: &RoundReturns, run: RunRules) -> ResultTable {
    let mut table = ResultTable::new(&REPLICATES);
    for row in by_model(scored) {
        let (submission, outcome) = (&row.submission, &row.outcome);
        let format = submission.decision.format();
        table.cell(submission.model_id.as_str());
        table.cell(&submission.provider);
        table.count(submission.replicate());
        table.count(submission.run.replicate_count.unwrap_or(run.replicates));
        table.cell(outcome.primary.as_str());
        table.cell(format.as_str());
        table.count(outcome.spread.holdings);
        table.real(submission.confidence);
        table.number(outcome.primary_return);
        table.maybe(portfolio_return(format, outcome), ResultTable::number);
        table.number(returns.reference());
        table.number(outcome.alpha);
        table.maybe(outcome.regret, ResultTable::number);
        table.maybe(outcome.pick_rank, ResultTable::count);
        table.flag(outcome.beats_reference);
        table.flag(outcome.beats_cash);
        table.maybe(submission.cost_usd, ResultTable::real);
    }
    table
}

/// `stability.csv`: one row per model, in order of model id.
pub fn stability(
    models: &[ModelConsistency],
    returns: &RoundReturns,
    run: RunRules,
) -> ResultTable {
    let mut table = ResultTable::new(&STABILITY);
    for model in models {
        table.cell(model.model_id.as_str());
        table.cell(&model.provider);
        table.count(run.replicates);
        table.count(model.valid);
        table.count(model.invalid);
        if let Some(figures) = &model.figures {
            stability_cells(&mut table, figures, model.valid, returns);
        } else {
            table.cell("[]");
            table.cell("{}");
            for _ in 7..STABILITY.len() - 1 {
                table.blank();
            }
            table.cell("no valid replicate");
        }
    }
    table
}

fn stability_cells(
    table: &mut ResultTable,
    figures: &Figures,
    valid: usize,
    returns: &RoundReturns,
) {
    let picks: Vec<&str> = figures.picks.iter().map(OptionId::as_str).collect();
    let distribution: serde_json::Map<String, Value> = figures
        .distribution
        .iter()
        .map(|(id, count)| (id.to_string(), json!(count)))
        .collect();
    table.cell(&json::to_line(&json!(picks)));
    table.cell(&json::to_line(&Value::Object(distribution)));
    table.cell(figures.modal_pick.as_str());
    table.count(figures.modal_count());
    table.real(figures.consistency_rate());
    table.real(figures.average_return);
    table.real(figures.average_alpha);
    table.number(figures.best.0);
    table.number(figures.worst.0);
    table.cell(figures.best.1.as_str());
    table.cell(figures.worst.1.as_str());
    table.number(figures.modal_return);
    table.number(figures.modal_return - returns.reference());
    table.maybe(figures.total_cost, ResultTable::real);
    #[expect(clippy::cast_precision_loss, reason = "counts of replicates are small")]
    let average_cost = figures.total_cost.map(|cost| cost / valid as f64);
    table.maybe(average_cost, ResultTable::real);
    let modal = &figures.modal_pick;
    let note = figures
        .modal_tie
        .then(|| format!("modal pick tie; {modal} has the highest return"));
    table.cell(&note.unwrap_or_default());
}
