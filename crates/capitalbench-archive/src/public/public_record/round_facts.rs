//! A round's folder → everything it tells.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::asking::run::{Calls, Run, RunKind, official_run};
use capitalbench_core::decision::judgment::Slate;
use capitalbench_core::decision::submission::{Decision, Submission};
use capitalbench_core::evidence::inference::daily::{ActiveDays, active_days, reference_days};
use capitalbench_core::market::daily_returns::DailyReturns;
use capitalbench_core::market::prices::Side;
use capitalbench_core::publication::Frozen;
use capitalbench_core::publication::facts::{
    InterimRow, Luck, OfficialRun, RepeatedRun, Result as Figures, RoundFacts,
};
use capitalbench_core::result::interim::track;
use capitalbench_core::round::manifest::Stream;
use capitalbench_core::values::ids::{Digest, ModelId, OptionId};
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;

use super::calls::calls;
use super::lanes::lane_answers;
use super::{PublicationError, Shared};
use crate::disk::error::FileError;
use crate::disk::layout::{self, run};
use crate::format::{figures::interim, prices::daily_returns};
use crate::prices::daily_closes::volatility;
use crate::prices::withheld::require_as_published;
use crate::results::scoring::{ScoredRun, parsed_submissions, score_run};
use crate::round::round_folder::{RoundFolder, RoundInputs, optional};
use crate::round::{ending, freeze};
use crate::run::run_controls::{RunControls, as_submission};
use crate::run::run_folder::RunFolder;
use crate::run::validation::validate_run;
use crate::verify::{derivation, results};

/// How much of a round is wanted. Every file is read and every result is checked either way, so
/// that a damaged round is refused by all commands alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// What comparison sets and their statistics need; luck is drawn for those that are shown.
    Standings,
    Everything,
}

/// Everything a round's folder tells.
pub fn round_facts(
    folder: RoundFolder,
    shared: &Shared,
    depth: Depth,
) -> Result<RoundFacts, PublicationError> {
    let inputs = RoundInputs::load(folder, &shared.universes)?;
    let folder = &inputs.folder;
    require_as_published(folder, inputs.manifest.publish)?;
    let runs = folder.runs()?;
    let mut facts = RoundFacts {
        frozen: frozen(folder)?,
        rehearsal: !runs.is_empty() && runs.iter().all(is_rehearsal),
        record: None,
        entry: folder.sheet(Side::Entry)?,
        result: None,
        interim: Vec::new(),
        repeated: repeated(&inputs, &runs)?,
        tombstone: ending::tombstone(folder)?,
        exceptions: ending::exceptions(folder)?,
        lanes: lane_answers(&inputs, &runs)?,
        universe: inputs.universe.clone(),
        manifest: inputs.manifest.clone(),
    };
    let Some(run) = record(&inputs, &runs) else {
        return Ok(facts);
    };
    let run_folder = folder.run(&run.run_id)?;
    let mut record = OfficialRun {
        run_id: run.run_id.clone(),
        since: since(run),
        submissions: Vec::new(),
        controls: Vec::new(),
        calls: Vec::new(),
        missing: run
            .acceptance
            .as_ref()
            .map_or_else(Vec::new, |own| own.missing.clone()),
    };
    if run_folder.has(run::LEADERBOARD) {
        let scored = score_run(&inputs, &run_folder, run.rules)?;
        results::require(&inputs, &run_folder, &scored)?;
        let mut result = result(scored, &mut record);
        (result.days, result.reference_days) = days(&inputs, shared, &record.submissions)?;
        result.luck = Luck::Undrawn(volatility(&inputs)?);
        facts.result = Some(result);
    } else {
        derivation::require(&inputs, &run_folder)?;
        record.submissions = parsed_submissions(&inputs, &run_folder, run.rules)?;
        record.controls = open_controls(&inputs, &run_folder, run)?;
    }
    record.calls = calls(&run_folder, depth)?;
    facts.interim = interim_rows(&inputs, &record.submissions)?;
    for submission in &mut record.submissions {
        submission.metadata.clear();
    }
    facts.record = Some(record);
    draw(&inputs, depth, &mut facts)?;
    Ok(facts)
}

/// Draws the luck of a result, where somebody wants to know it or only the folder can tell it.
fn draw(inputs: &RoundInputs, depth: Depth, facts: &mut RoundFacts) -> Result<(), FileError> {
    if facts.result.is_none() {
        return Ok(());
    }
    let folder = &inputs.folder;
    let market = Market {
        daily_returns: optional(folder.parse(layout::DAILY_RETURNS, daily_returns::parse))?,
        slate: inputs.slate.as_ref(),
    };
    if depth == Depth::Everything || market.is_needed() {
        let slate = market.slate.map(Slate::option_ids);
        let drawn = facts.draw_with(market.daily_returns.as_ref(), slate);
        if let Some(result) = &mut facts.result {
            result.luck = Luck::Drawn(drawn);
        }
    }
    Ok(())
}

/// The figures of a scored run; its decisions go to the record.
fn result(scored: ScoredRun, record: &mut OfficialRun) -> Figures {
    let models = scored.outcomes.into_iter();
    let models = models.map(|scored| (scored.submission, scored.outcome));
    let controls = scored.controls.into_iter();
    let controls = controls.filter_map(|(_, scored)| scored.ok());
    let controls = controls.map(|scored| (scored.submission, scored.outcome));
    let (submissions, models) = models.unzip();
    let (held, controls) = controls.unzip();
    (record.submissions, record.controls) = (submissions, held);
    Figures {
        returns: scored.returns,
        models,
        controls,
        luck: Luck::Drawn(None),
        days: Vec::new(),
        reference_days: Vec::new(),
    }
}

/// Daily gains of each decision beyond the reference, and the reference's own.
fn days(
    inputs: &RoundInputs,
    shared: &Shared,
    submissions: &[Submission],
) -> Result<(Vec<Option<ActiveDays>>, ActiveDays), FileError> {
    let reference = &inputs.universe.reference().id;
    let decisions = submissions.iter().map(|own| &own.decision);
    let mut held: BTreeSet<&OptionId> = decisions.clone().flat_map(Decision::option_ids).collect();
    held.insert(reference);
    let closes = shared.snapshots.of_round(inputs, &held)?;
    let days = decisions.map(|decision| {
        let window = inputs.manifest.window?;
        active_days(&decision.holdings(), reference, window, &closes)
    });
    let own = inputs.manifest.window;
    let own = own.and_then(|window| reference_days(reference, window, &closes));
    Ok((days.collect(), own.unwrap_or_default()))
}

/// What only the folder of a round tells of its luck.
struct Market<'a> {
    daily_returns: Option<DailyReturns>,
    slate: Option<&'a Slate>,
}

impl Market<'_> {
    /// Where there is any, luck is drawn at once: keeping it for later would cost more room.
    fn is_needed(&self) -> bool {
        self.daily_returns.is_some() || self.slate.is_some()
    }
}

/// The run that counts; invented answers are no record of a real market, nor the other way round.
pub(crate) fn record<'a>(inputs: &RoundInputs, runs: &'a [Run]) -> Option<&'a Run> {
    let invented = inputs.manifest.stream == Stream::Synthetic;
    let run = official_run(runs, inputs.manifest.record_rules()).ok()?;
    ((run.calls == Calls::Synthetic) == invented).then_some(run)
}

/// When a run became the record, else when it ended, else when it began.
fn since(run: &Run) -> Option<Timestamp> {
    let stamps = [&run.accepted_at, &run.completed_at, &run.created_at];
    let accepted = run.acceptance.as_ref();
    let accepted = accepted.map(|accepted| &accepted.accepted_at);
    let since = accepted.or_else(|| stamps.into_iter().find_map(Option::as_ref));
    since.map(WrittenInstant::at)
}

/// The controls of a round that is not scored; none where the run has none.
fn open_controls(
    inputs: &RoundInputs,
    folder: &RunFolder,
    run: &Run,
) -> Result<Vec<Submission>, FileError> {
    if !folder.has(run::CONTROLS) {
        return Ok(Vec::new());
    }
    let raw = validate_run(inputs, folder, run.rules)?;
    let controls = RunControls::of_run(inputs, folder, &raw)?;
    let all = controls.iter().flat_map(|controls| &controls.controls);
    let held = all.filter_map(|control| as_submission(control, &inputs.manifest, run.rules));
    Ok(held.collect())
}

fn is_rehearsal(run: &Run) -> bool {
    matches!(run.rules.kind, RunKind::Mock | RunKind::Smoke) || run.calls == Calls::Mock
}

fn frozen(folder: &RoundFolder) -> Result<Option<Frozen>, FileError> {
    let Some(stored) = freeze::stored_digests(folder)? else {
        return Ok(None);
    };
    Ok(Some(Frozen {
        digest: Digest::of(&folder.read(layout::HASHES)?),
        files: stored,
    }))
}

/// Provisional figures of every day between entry and exit that has a snapshot.
fn interim_rows(
    inputs: &RoundInputs,
    submissions: &[Submission],
) -> Result<Vec<InterimRow>, FileError> {
    let folder = &inputs.folder;
    let parsed = folder.parse_optional(layout::INTERIM_PRICES, interim::parse_prices);
    let Some(snapshots) = parsed? else {
        return Ok(Vec::new());
    };
    let Some((_, (_, entry))) = snapshots.first_key_value() else {
        return Ok(Vec::new());
    };
    let mut by_model: BTreeMap<&ModelId, &Submission> = BTreeMap::new();
    by_model.extend(submissions.iter().map(|s| (&s.model_id, s)));
    let mut rows = Vec::new();
    for (day, (_, snapshot)) in &snapshots {
        for (model_id, submission) in &by_model {
            let reference = &inputs.universe.reference().id;
            // A day without all the prices a portfolio needs has no point for it.
            if let Ok(point) = track(submission, reference, entry, snapshot) {
                rows.push(InterimRow {
                    day: *day,
                    model_id: (*model_id).clone(),
                    point,
                });
            }
        }
    }
    Ok(rows)
}

fn repeated(inputs: &RoundInputs, runs: &[Run]) -> Result<Vec<RepeatedRun>, PublicationError> {
    let mut repeated = Vec::new();
    let consistency = |run: &&Run| run.rules.kind == RunKind::Consistency;
    for run in runs.iter().filter(consistency) {
        let folder = inputs.folder.run(&run.run_id)?;
        if folder.has(run::STABILITY) {
            let scored = score_run(inputs, &folder, run.rules)?;
            results::require(inputs, &folder, &scored)?;
            repeated.push(RepeatedRun {
                run_id: run.run_id.clone(),
                replicates: run.rules.replicates,
                reference: scored.returns.reference(),
                models: scored.consistency,
            });
        }
    }
    Ok(repeated)
}
