//! The facts of a round as bytes. The universe is not among them: rounds share it by its digest.

use capitalbench_core::asking::run::RunKind;
use capitalbench_core::decision::portfolio::{Constraints, Holding, HoldingForecast};
use capitalbench_core::decision::submission::{
    Decision, Forecast, LedgerDecision, LedgerEntry, RunFields, Submission, Usage,
};
use capitalbench_core::market::calendar::{EntryRule, Roll, WindowRule};
use capitalbench_core::market::prices::{PriceField, PriceSheet, Quote};
use capitalbench_core::publication::Frozen;
use capitalbench_core::publication::facts::{
    Chance, InterimRow, Percentiles, Record, RepeatedRun, Result as Figures,
};
use capitalbench_core::result::consistency::{Figures as Agreement, ModelConsistency};
use capitalbench_core::result::interim::InterimPoint;
use capitalbench_core::result::returns::{OptionReturn, RoundReturns};
use capitalbench_core::result::score::{Outcome, Spread};
use capitalbench_core::round::manifest::{
    Manifest, Origins, Proof, Stream, SubmissionFormat, Window,
};
use capitalbench_core::round::methodology::Methodology;
use capitalbench_core::round::roster::Roster;
use serde_json::{Map, Value};

use super::packed::{Packed, Reader, packed_struct, packed_word};

packed_struct!(Window { entry, exit });
packed_struct!(WindowRule { entry, roll });
packed_word!(EntryRule { FirstCloseAfterDeadline = 0, SameDay = 1, LastCloseBeforeDeadline = 2 });
packed_word!(Roll { Previous = 0, Next = 1 });
packed_word!(SubmissionFormat { SinglePick = 0, Portfolio = 1 });
packed_word!(Stream { Primary = 0, Pilot = 1, Synthetic = 2 });
packed_word!(Proof { None = 0, Signed = 1, Anchored = 2 });
packed_struct!(Constraints {
    min_holdings,
    max_holdings,
    increment_pct,
    min_allocation_pct,
    allow_cash,
    allow_reference,
    max_exposure_pct,
});
packed_struct!(Roster {
    version,
    frozen_at,
    model_ids
});
packed_struct!(Manifest {
    round_id,
    title,
    horizon,
    decision_date,
    decision_deadline,
    window,
    window_rule,
    entry_rule,
    exit_rule,
    created_at,
    methodology,
    universe_version,
    format,
    constraints,
    roster,
    stream,
    proof,
    origins,
});
packed_struct!(Origins {
    price_source,
    second_price_source,
    provider_hosts,
});
packed_struct!(Frozen { digest, files });
packed_struct!(Record {
    run_id,
    since,
    submissions,
    controls
});
packed_struct!(Submission {
    round_id,
    model_id,
    provider,
    mode,
    decision,
    confidence,
    rationale_summary,
    portfolio_rationale,
    key_risks,
    forecast,
    ledger,
    run,
    usage,
    cost_usd,
    metadata,
});
packed_struct!(Holding {
    option_id,
    weight,
    rationale,
    forecast
});
packed_struct!(HoldingForecast {
    expected_return_pct,
    time_window_catalyst,
    invalidation_condition,
});
packed_struct!(Forecast {
    reference_pct,
    portfolio_pct,
    alpha_pct
});
packed_struct!(LedgerEntry {
    option_id,
    decision,
    forecast_pct,
    evidence,
    continuation_case,
    reversal_case,
    time_window_catalyst,
    invalidation_condition,
});
packed_word!(LedgerDecision { Selected = 0, Rejected = 1 });
packed_struct!(RunFields {
    kind,
    replicate_index,
    replicate_count,
    is_official_score
});
packed_word!(RunKind { Official = 0, Consistency = 1, Mock = 2, Retrospective = 3, Smoke = 4 });
packed_struct!(Usage {
    input_tokens,
    output_tokens,
    reasoning_tokens,
    total_tokens,
    cost_usd,
    latency_seconds,
});
packed_struct!(Quote {
    key,
    date,
    close,
    adjusted,
    price,
    source
});
packed_struct!(Figures {
    returns,
    models,
    controls,
    chance,
    days
});
packed_struct!(OptionReturn {
    position,
    option_id,
    entry,
    exit,
    value,
    rank
});
packed_word!(PriceField { AdjustedClose = 0, Price = 1, Close = 2 });
packed_struct!(Outcome {
    primary,
    primary_return,
    decision_return,
    alpha,
    regret,
    pick_rank,
    beats_reference,
    beats_cash,
    alpha_per_dollar,
    spread,
});
packed_struct!(Spread {
    holdings,
    largest,
    cash,
    reference,
    hhi
});
packed_struct!(Chance {
    low,
    median,
    high,
    bins,
    models,
    controls
});
packed_struct!(Percentiles { all, matched });
packed_struct!(InterimRow {
    day,
    model_id,
    point
});
packed_struct!(InterimPoint {
    value,
    reference,
    alpha
});
packed_struct!(RepeatedRun {
    run_id,
    replicates,
    reference,
    models
});
packed_struct!(ModelConsistency {
    model_id,
    provider,
    valid,
    invalid,
    figures
});
packed_struct!(Agreement {
    picks,
    distribution,
    modal_pick,
    modal_tie,
    alphas,
    average_return,
    average_alpha,
    best,
    worst,
    modal_return,
    total_cost,
    overlap,
});

impl Packed for Methodology {
    fn put(&self, out: &mut Vec<u8>) {
        self.label().map(str::to_owned).put(out);
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        let label: Option<String> = Packed::take(from)?;
        Some(Self::from_label(label.as_deref()))
    }
}

impl Packed for Decision {
    fn put(&self, out: &mut Vec<u8>) {
        matches!(self, Self::Portfolio(_)).put(out);
        match self {
            Self::SinglePick(option_id) => option_id.put(out),
            Self::Portfolio(holdings) => holdings.put(out),
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        if bool::take(from)? {
            Packed::take(from).map(Self::Portfolio)
        } else {
            Packed::take(from).map(Self::SinglePick)
        }
    }
}

impl Packed for [f64; 3] {
    fn put(&self, out: &mut Vec<u8>) {
        for value in self {
            value.put(out);
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        Some([f64::take(from)?, f64::take(from)?, f64::take(from)?])
    }
}

/// Members that nobody defined, as JSON text; nearly always there are none.
impl Packed for Map<String, Value> {
    fn put(&self, out: &mut Vec<u8>) {
        let text = if self.is_empty() {
            String::new()
        } else {
            Value::Object(self.clone()).to_string()
        };
        text.put(out);
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        let text = String::take(from)?;
        if text.is_empty() {
            return Some(Self::new());
        }
        serde_json::from_str(&text).ok()
    }
}

impl Packed for PriceSheet {
    fn put(&self, out: &mut Vec<u8>) {
        self.quotes().to_vec().put(out);
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        Self::new(Packed::take(from)?).ok()
    }
}

impl Packed for RoundReturns {
    fn put(&self, out: &mut Vec<u8>) {
        self.options().to_vec().put(out);
        self.reference().put(out);
        self.cash().put(out);
        self.oracle().put(out);
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        let options = Packed::take(from)?;
        let (reference, cash) = (Packed::take(from)?, Packed::take(from)?);
        Some(Self::restored(
            options,
            reference,
            cash,
            Packed::take(from)?,
        ))
    }
}

/// Everything of [`capitalbench_core::publication::facts::RoundFacts`] but the universe.
#[derive(Debug)]
pub(super) struct StoredFacts {
    /// Digest of `options.yaml`.
    pub(super) options: capitalbench_core::values::ids::Digest,
    pub(super) manifest: Manifest,
    pub(super) frozen: Option<Frozen>,
    pub(super) rehearsal: bool,
    pub(super) record: Option<Record>,
    pub(super) entry: Option<PriceSheet>,
    pub(super) result: Option<Figures>,
    pub(super) interim: Vec<InterimRow>,
    pub(super) repeated: Vec<RepeatedRun>,
}

packed_struct!(StoredFacts {
    options,
    manifest,
    frozen,
    rehearsal,
    record,
    entry,
    result,
    interim,
    repeated,
});
