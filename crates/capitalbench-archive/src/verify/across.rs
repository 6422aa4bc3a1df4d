//! Checks over all rounds: one market, one price for one option and day, one universe for one label.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capitalbench_core::asking::run::{Calls, Run};
use capitalbench_core::market::calendar::Market;
use capitalbench_core::market::prices::{PriceSheet, Side};
use capitalbench_core::publication::renames::{RefusedRename, Renames};
use capitalbench_core::round::manifest::Stream;
use capitalbench_core::values::ids::{Digest, RunId};
use capitalbench_core::values::units::Price;
use jiff::civil::Date;

use super::RoundState;
use super::finding::{Code, Finding, Findings};
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::prices::price_sheet;
use crate::round::cast::RoundCast;
use crate::round::round_folder::names_in;
use crate::run::ledger::RunPlan;

/// Differences below a tenth of a basis point are rounding of the vendor.
const ROUNDING: f64 = 1e-5;

/// What one round contributes to the comparison.
pub(super) struct Evidence {
    market: Market,
    universe: Option<(String, Digest)>,
    /// None where no run is the record.
    cast: Option<RoundCast>,
    quotes: Vec<Observed>,
}

/// One close in one file.
#[derive(Debug, Clone)]
pub(super) struct Observed {
    key: (String, Date),
    file: String,
    side: Option<Side>,
    raw: Option<f64>,
    adjusted: Option<f64>,
}

impl Evidence {
    /// Collects a round's prices, but not those of an example round without real calls.
    pub(super) fn new(state: &RoundState) -> Self {
        let round = state.inputs.folder.name();
        let version = state.inputs.manifest.universe_version.clone();
        let mut runs = state.runs.iter();
        let real = runs.any(|run| run.record.run.calls == Calls::Real);
        let options = state.inputs.folder.read(layout::OPTIONS);
        let mut quotes = Vec::new();
        let sheets = [
            (Side::Entry, &state.sheets.entry),
            (Side::Exit, &state.sheets.exit),
        ];
        for (side, sheet) in sheets {
            if let (Some(sheet), true) = (sheet, real) {
                let file = format!("{round}/{}", layout::price_sheet(side));
                quotes.extend(observe(sheet, &file, Some(side)));
            }
        }
        Self {
            market: state.inputs.manifest.market,
            universe: version.zip(options.ok().as_deref().map(Digest::of)),
            cast: cast(state),
            quotes,
        }
    }
}

/// A plan that cannot be read has a finding of its own.
fn cast(state: &RoundState) -> Option<RoundCast> {
    let runs: Vec<Run> = state
        .runs
        .iter()
        .map(|own| own.record.run.clone())
        .collect();
    let plan = |id: &RunId| {
        let own = state.runs.iter().find(|own| own.folder.run_id() == id);
        own.map_or(Ok(None), |own| RunPlan::of_run(&own.folder))
    };
    let cast = RoundCast::of_record(&state.inputs.manifest, &runs, plan);
    cast.ok().flatten()
}

/// Words of operators that boards do not follow.
fn refused_renames(evidence: &[Option<Evidence>]) -> Vec<RefusedRename> {
    let casts = || {
        evidence
            .iter()
            .flatten()
            .filter_map(|own| own.cast.as_ref())
    };
    let streams = [Stream::Primary, Stream::Pilot, Stream::Synthetic].into_iter();
    let found = streams.flat_map(|stream| {
        let own = casts().filter(|cast| cast.stream() == stream);
        Renames::of(own.map(RoundCast::as_cast).collect()).refused
    });
    found.collect()
}

fn observe(sheet: &PriceSheet, file: &str, side: Option<Side>) -> Vec<Observed> {
    let quotes = sheet
        .quotes()
        .iter()
        .filter(|quote| quote.source.as_deref() != Some("cash"));
    let observed = quotes.filter_map(|quote| {
        Some(Observed {
            key: (quote.key.clone(), quote.date?),
            file: file.to_owned(),
            side,
            raw: quote.close.map(Price::get),
            adjusted: quote.adjusted.map(Price::get),
        })
    });
    observed.collect()
}

/// Daily snapshots beside the folder of rounds; skips unreadable ones.
pub(super) fn snapshots(rounds: &Path) -> Vec<Observed> {
    let folder = rounds.join(layout::SNAPSHOTS);
    let mut observed = Vec::new();
    for name in names_in(&folder).unwrap_or_default() {
        let sheet = file_ops::read(&folder.join(&name)).ok();
        if let Some(Ok(sheet)) = sheet.map(|bytes| price_sheet::parse(&bytes)) {
            observed.extend(observe(&sheet, &format!("snapshot {name}"), None));
        }
    }
    observed
}

/// Findings per round, in the order of the evidence.
pub(super) fn compare(evidence: &[Option<Evidence>], snapshots: &[Observed]) -> Vec<Vec<Finding>> {
    let mut by_key: BTreeMap<&(String, Date), Vec<&Observed>> = BTreeMap::new();
    let rounds = evidence.iter().flatten().flat_map(|round| &round.quotes);
    for observed in rounds.chain(snapshots) {
        by_key.entry(&observed.key).or_default().push(observed);
    }
    let mut labels: BTreeMap<&str, BTreeSet<Digest>> = BTreeMap::new();
    let rounds = evidence.iter().flatten();
    for (version, digest) in rounds.filter_map(|round| round.universe.as_ref()) {
        labels.entry(version).or_default().insert(*digest);
    }
    let markets = evidence.iter().flatten().map(|round| round.market);
    let markets: Vec<Market> = markets.collect();
    let refused = refused_renames(evidence);
    let of_round = |round: &Evidence| {
        let mut findings = Findings::default();
        if let Some(other) = markets.iter().find(|market| **market != round.market) {
            let text = format!("is of {}, and a round beside it of {other}", round.market);
            findings.add(Code::MarketsMixed, layout::MANIFEST, text);
        }
        let own = round.cast.as_ref().map(RoundCast::round_id);
        for rename in refused
            .iter()
            .filter(|rename| Some(&rename.round_id) == own)
        {
            let (model, other, why) = (&rename.model_id, &rename.continues, &rename.why);
            let text = format!("{model} does not continue the record of {other}: {why}");
            findings.add(Code::RenameRefused, layout::RUNS, text);
        }
        for side in [Side::Entry, Side::Exit] {
            let own = round.quotes.iter();
            let own: Vec<_> = own.filter(|quote| quote.side == Some(side)).collect();
            findings.extend(
                KINDS
                    .iter()
                    .filter_map(|kind| disagreement(&own, &by_key, kind, side)),
            );
        }
        if let Some((version, _)) = &round.universe
            && labels[version.as_str()].len() > 1
        {
            let text = format!("{version} stands for different options in other rounds");
            findings.add(Code::UniverseLabelReused, layout::OPTIONS, text);
        }
        findings.0
    };
    evidence
        .iter()
        .map(|round| round.as_ref().map(of_round).unwrap_or_default())
        .collect()
}

/// A close of an observation, and the code of a difference in it.
type Kind = (Code, fn(&Observed) -> Option<f64>);

const KINDS: [Kind; 2] = [
    (Code::AdjustedCloseDiffers, |observed| observed.adjusted),
    (Code::RawCloseDiffers, |observed| observed.raw),
];

fn disagreement(
    own: &[&Observed],
    all: &BTreeMap<&(String, Date), Vec<&Observed>>,
    (code, close): &Kind,
    side: Side,
) -> Option<Finding> {
    let mut rows = 0;
    let mut worst: Option<(f64, String)> = None;
    for observed in own {
        let Some(value) = close(observed) else {
            continue;
        };
        let others = all.get(&observed.key).into_iter().flatten();
        let differing = others.filter_map(|other| {
            let there = close(other)?;
            let gap = (there / value - 1.0).abs();
            (gap > ROUNDING && other.file != observed.file).then_some((gap, there, other))
        });
        let Some((gap, there, other)) = differing.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            continue;
        };
        rows += 1;
        if worst.as_ref().is_none_or(|(largest, _)| gap > *largest) {
            let (option, day) = &observed.key;
            let text = format!(
                "{option} on {day} is {value} here and {there} in {}",
                other.file
            );
            worst = Some((gap, text));
        }
    }
    let (gap, text) = worst?;
    let file = layout::price_sheet(side);
    let detail = format!(
        "{rows} rows differ from other files, at most by {:.1} bp: {text}",
        gap * 1e4
    );
    Some(Finding::new(*code, file, detail))
}
