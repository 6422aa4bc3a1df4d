//! Result files: option returns, leaderboard, allocations and consistency as CSV.

use capitalbench_core::consistency::ModelConsistency;
use capitalbench_core::leaderboard::Scored;
use capitalbench_core::manifest::SubmissionFormat;
use capitalbench_core::returns::RoundReturns;
use capitalbench_core::run::RunRules;
use capitalbench_core::submission::{Decision, Submission};
use capitalbench_core::units::Return;
use capitalbench_core::universe::Universe;
use serde_json::{Value, json};

use super::json;
use super::number::float_text;
use super::table::CsvText;

/// A result table before it is text; older files hold a part of its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultTable {
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl ResultTable {
    fn new(header: &[&'static str]) -> Self {
        Self {
            header: header.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.header.len()
    }

    /// The file's text.
    pub fn render(&self) -> String {
        let all: Vec<usize> = (0..self.header.len()).collect();
        self.render_columns(&all)
    }

    /// The text with only the columns of an older header; none when one of them is unknown.
    pub fn render_as<Name: AsRef<str>>(&self, header: &[Name]) -> Option<String> {
        let position = |name: &Name| self.header.iter().position(|own| *own == name.as_ref());
        let columns: Option<Vec<usize>> = header.iter().map(position).collect();
        columns.map(|columns| self.render_columns(&columns))
    }

    fn render_columns(&self, columns: &[usize]) -> String {
        let mut text = CsvText::new();
        text.row(columns.iter().map(|&column| self.header[column]));
        for row in &self.rows {
            text.row(columns.iter().map(|&column| row[column].as_str()));
        }
        text.into_string()
    }
}

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

fn flag(value: bool) -> String {
    if value { "True" } else { "False" }.to_owned()
}

fn number(value: Return) -> String {
    float_text(value.get())
}

fn maybe<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map(text).unwrap_or_default()
}

/// `returns.csv` of every kind of run but consistency checks.
pub fn returns(universe: &Universe, returns: &RoundReturns) -> ResultTable {
    let mut table = ResultTable::new(&RETURNS);
    for row in returns.by_rank() {
        let option = &universe.options()[row.position];
        table.rows.push(vec![
            option.id.to_string(),
            option.name.clone(),
            option.display_symbol().to_owned(),
            maybe(row.entry, |(price, _)| float_text(price.get())),
            maybe(row.exit, |(price, _)| float_text(price.get())),
            maybe(row.entry, |(_, field)| field.as_str().to_owned()),
            maybe(row.exit, |(_, field)| field.as_str().to_owned()),
            number(row.value),
            maybe(row.rank, |rank| rank.to_string()),
            flag(option.flags.reference),
            flag(option.flags.cash),
        ]);
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
        table.rows.push(vec![
            submission.round_id.to_string(),
            submission.model_id.to_string(),
            submission.provider.clone(),
            submission.mode.clone(),
            format.as_str().to_owned(),
            outcome.primary.to_string(),
            float_text(submission.confidence),
            submission.rationale_summary.clone(),
            submission.portfolio_rationale.clone().unwrap_or_default(),
            submission.key_risks.join("; "),
            number(outcome.primary_return),
            portfolio_cell(format, outcome.decision_return),
            number(returns.reference()),
            number(outcome.alpha),
            maybe(outcome.regret, number),
            maybe(outcome.pick_rank, |rank| rank.to_string()),
            spread.holdings.to_string(),
            spread.largest.get().to_string(),
            spread.cash.get().to_string(),
            spread.reference.get().to_string(),
            float_text(spread.hhi),
            flag(outcome.beats_reference),
            flag(outcome.beats_cash),
            maybe(submission.cost_usd, float_text),
            maybe(outcome.alpha_per_dollar, float_text),
        ]);
    }
    table
}

fn portfolio_cell(format: SubmissionFormat, value: Return) -> String {
    match format {
        SubmissionFormat::SinglePick => String::new(),
        SubmissionFormat::Portfolio => number(value),
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
            let value = returns
                .get(&holding.option_id)
                .map(|o| o.value)
                .unwrap_or_default();
            let rationale = match submission.decision {
                Decision::SinglePick(_) => submission.rationale_summary.clone(),
                Decision::Portfolio(_) => holding.rationale.clone(),
            };
            table.rows.push(vec![
                submission.round_id.to_string(),
                submission.model_id.to_string(),
                submission.provider.clone(),
                submission.replicate().to_string(),
                holding.option_id.to_string(),
                holding.weight.get().to_string(),
                float_text(holding.weight.percent()),
                rank.to_string(),
                number(value),
                float_text(holding.weight.weight() * value.get()),
                rationale,
            ]);
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
        let count = submission.run.replicate_count.unwrap_or(run.replicates);
        table.rows.push(vec![
            submission.model_id.to_string(),
            submission.provider.clone(),
            submission.replicate().to_string(),
            count.to_string(),
            outcome.primary.to_string(),
            format.as_str().to_owned(),
            outcome.spread.holdings.to_string(),
            float_text(submission.confidence),
            number(outcome.primary_return),
            portfolio_cell(format, outcome.decision_return),
            number(returns.reference()),
            number(outcome.alpha),
            maybe(outcome.regret, number),
            maybe(outcome.pick_rank, |rank| rank.to_string()),
            flag(outcome.beats_reference),
            flag(outcome.beats_cash),
            maybe(submission.cost_usd, float_text),
        ]);
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
        let mut row = vec![
            model.model_id.to_string(),
            model.provider.clone(),
            run.replicates.to_string(),
            model.valid.to_string(),
            model.invalid.to_string(),
        ];
        if let Some(figures) = &model.figures {
            row.extend(stability_cells(figures, model.valid, returns));
        } else {
            row.extend(["[]", "{}"].map(str::to_owned));
            row.resize(STABILITY.len() - 1, String::new());
            row.push("no valid replicate".into());
        }
        table.rows.push(row);
    }
    table
}

fn stability_cells(
    figures: &capitalbench_core::consistency::Figures,
    valid: usize,
    returns: &RoundReturns,
) -> Vec<String> {
    let picks: Vec<&str> = figures
        .picks
        .iter()
        .map(capitalbench_core::ids::OptionId::as_str)
        .collect();
    let distribution: serde_json::Map<String, Value> = figures
        .distribution
        .iter()
        .map(|(id, count)| (id.to_string(), json!(count)))
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "counts of replicates are small")]
    let average_cost = figures.total_cost.map(|cost| cost / valid as f64);
    let note = if figures.modal_tie {
        format!(
            "modal pick tie; {} has the highest return",
            figures.modal_pick
        )
    } else {
        String::new()
    };
    vec![
        json::to_line(&json!(picks)),
        json::to_line(&Value::Object(distribution)),
        figures.modal_pick.to_string(),
        figures.modal_count().to_string(),
        float_text(figures.consistency_rate()),
        float_text(figures.average_return),
        float_text(figures.average_alpha),
        number(figures.best.0),
        number(figures.worst.0),
        figures.best.1.to_string(),
        figures.worst.1.to_string(),
        number(figures.modal_return),
        number(figures.modal_return - returns.reference()),
        maybe(figures.total_cost, float_text),
        maybe(average_cost, float_text),
        note,
    ]
}
