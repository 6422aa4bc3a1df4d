//! Rounds as their folders would tell them, made in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use capitalbench_core::decision::portfolio::{Constraints, Holding, HoldingForecast};
use capitalbench_core::decision::submission::{Decision, Forecast, RunFields, Submission};
use capitalbench_core::market::calendar::Market;
use capitalbench_core::market::prices::{PriceSheet, Quote};
use capitalbench_core::market::published_prices::PublishedPrices;
use capitalbench_core::market::universe::{Listing, MarketOption, RiskBucket, RoleFlags, Universe};
use capitalbench_core::publication::Frozen;
use capitalbench_core::publication::calls::{AttemptCounts, ModelCalls, Served};
use capitalbench_core::publication::facts::{
    Drawing, Luck, OfficialRun, Result as Figures, RoundFacts,
};
use capitalbench_core::result::leaderboard::score_all;
use capitalbench_core::round::manifest::{Manifest, Proof, Stream, SubmissionFormat, Window};
use capitalbench_core::round::methodology::Methodology;
use capitalbench_core::values::ids::{Digest, ModelId, OptionId, RoundId, RunId};
use capitalbench_core::values::time::WrittenInstant;
use capitalbench_core::values::units::{BasisPoints, Price};
use jiff::civil::{Date, date};
use proptest::prelude::*;

pub(crate) const OPTIONS: [&str; 5] = ["AAA", "BBB", "CCC", "SP500", "CASH"];
pub(crate) const MODELS: [&str; 3] = ["mock-amber", "mock-birch", "openai-gpt-5-5"];

/// One generated round: days after the first entry, portfolios as percent of AAA, prices.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) begins: i32,
    pub(crate) monthly: bool,
    pub(crate) held: Vec<u32>,
    pub(crate) entry: Vec<f64>,
    pub(crate) exit: Vec<f64>,
}

pub(crate) fn made() -> impl Strategy<Value = Made> {
    let prices = || proptest::collection::vec(20.0..200.0_f64, 4);
    let held = proptest::collection::vec(0_u32..20, 2..=3);
    (0..40_i32, any::<bool>(), held, prices(), prices()).prop_map(
        |(begins, monthly, held, entry, exit)| Made {
            begins,
            monthly,
            held,
            entry,
            exit,
        },
    )
}

pub(crate) fn universe() -> Universe {
    let option = |id: &&str| {
        let cash = *id == "CASH";
        let symbol = (!cash).then(|| (*id).to_owned());
        MarketOption {
            id: OptionId::parse(id).expect("made input"),
            name: (*id).to_owned(),
            symbol: symbol.clone(),
            data_symbol: symbol,
            asset_class: "equity".into(),
            category: "test".into(),
            group: "group".into(),
            risk_bucket: RiskBucket::Medium,
            exposure_description: "A test exposure.".into(),
            currency: "USD".into(),
            flags: RoleFlags {
                cash,
                reference: *id == "SP500",
            },
            listing: Listing::Shown,
            change: None,
        }
    };
    Universe::new(OPTIONS.iter().map(option).collect()).expect("made input")
}

pub(crate) fn sheet(prices: &[f64]) -> PriceSheet {
    let quotes = OPTIONS.iter().zip(prices).map(|(id, price)| Quote {
        key: (*id).to_owned(),
        date: None,
        close: None,
        adjusted: Price::new(*price),
        price: None,
        index: None,
        source: None,
    });
    PriceSheet::new(quotes.collect()).expect("made input")
}

pub(crate) fn submission(round_id: &RoundId, model: &str, twentieths: u32) -> Submission {
    let holding = |id: &str, percent: u32| Holding {
        option_id: OptionId::parse(id).expect("made input"),
        weight: BasisPoints::from_percent(percent),
        rationale: "because".into(),
        forecast: HoldingForecast::default(),
    };
    let first = twentieths * 5;
    let mut holdings = vec![holding("BBB", 100 - first)];
    if first > 0 {
        holdings.push(holding("AAA", first));
    }
    Submission {
        round_id: round_id.clone(),
        model_id: ModelId::parse(model).expect("made input"),
        provider: "mock".into(),
        mode: "closed_capability".into(),
        decision: Decision::Portfolio(holdings),
        confidence: 0.5,
        rationale_summary: "because".into(),
        portfolio_rationale: None,
        key_risks: vec!["risk".into()],
        forecast: Forecast::default(),
        ledger: None,
        run: RunFields::default(),
        usage: None,
        cost_usd: Some(0.25),
        metadata: serde_json::Map::new(),
    }
}

/// What a ledger would tell of the first model.
pub(crate) fn calls() -> Vec<ModelCalls> {
    let model = ModelId::parse(MODELS[0]).expect("made input");
    vec![ModelCalls {
        display_name: Some("Amber".to_owned()),
        attempts: Some(AttemptCounts {
            made: 2,
            unseen: 1,
            rejected: 0,
        }),
        served: Served {
            billed_usd: Some(0.25),
            ..Served::default()
        },
        ..ModelCalls::new(model)
    }]
}

pub(crate) fn window(made: &Made) -> Window {
    let first: Date = date(2026, 3, 2);
    let after = |days: i32| {
        first
            .checked_add(jiff::Span::new().days(days))
            .expect("made input")
    };
    let length = if made.monthly { 30 } else { 7 };
    Window {
        entry: after(made.begins),
        exit: after(made.begins + length),
        market: Market::default(),
    }
}

pub(crate) fn manifest(place: usize, made: &Made) -> Manifest {
    let window = window(made);
    let ending = if made.monthly { "1M" } else { "1W" };
    Manifest {
        round_id: RoundId::parse(&format!("R{place}-{ending}")).expect("made input"),
        title: "Made".into(),
        horizon: if made.monthly {
            "one month"
        } else {
            "one week"
        }
        .into(),
        decision_date: Some(window.entry),
        decision_deadline: WrittenInstant::parse(&format!("{}T13:00:00Z", window.entry)),
        market: Market::default(),
        window: Some(window),
        window_rule: None,
        entry_rule: String::new(),
        exit_rule: String::new(),
        created_at: None,
        methodology: Methodology::from_label(Some("portfolio-v1.1")),
        universe_version: None,
        format: SubmissionFormat::Portfolio,
        constraints: Constraints::default(),
        roster: None,
        stream: Stream::Primary,
        proof: Proof::None,
        origins: capitalbench_core::round::manifest::Origins::default(),
        failure_policy: None,
        controls: Vec::new(),
        lanes: None,
        publish: PublishedPrices::Full,
    }
}

/// Everything a folder would tell, its result included.
pub(crate) fn facts(place: usize, made: &Made) -> RoundFacts {
    let universe = universe();
    let manifest = manifest(place, made);
    let round_id = manifest.round_id.clone();
    let submissions: Vec<Submission> = MODELS
        .iter()
        .zip(&made.held)
        .map(|(model, held)| submission(&round_id, model, *held))
        .collect();
    let entry = sheet(&made.entry);
    let (returns, scored) =
        score_all(submissions.clone(), &universe, &entry, &sheet(&made.exit)).expect("made input");
    let digest = Digest::of(round_id.as_str().as_bytes());
    let drawing = Drawing {
        manifest: &manifest,
        universe: &universe,
        freeze: digest,
        returns: &returns,
        volatility: &BTreeMap::new(),
        daily_returns: None,
        slate: None,
        models: &submissions,
        controls: &[],
    };
    let luck = Luck::Drawn(drawing.draw());
    RoundFacts {
        frozen: Some(Frozen {
            digest,
            files: BTreeMap::from([("options.yaml".to_owned(), digest)]),
        }),
        rehearsal: false,
        record: Some(OfficialRun {
            run_id: RunId::parse("official-1").expect("made input"),
            since: None,
            submissions,
            controls: Vec::new(),
            calls: calls(),
            missing: Vec::new(),
        }),
        entry: Some(entry),
        result: Some(Figures {
            returns,
            models: scored.into_iter().map(|scored| scored.outcome).collect(),
            controls: Vec::new(),
            luck,
            days: Vec::new(),
            reference_days: Vec::new(),
        }),
        interim: Vec::new(),
        repeated: Vec::new(),
        tombstone: None,
        exceptions: Vec::new(),
        lanes: Vec::new(),
        universe: Arc::new(universe),
        manifest,
    }
}
