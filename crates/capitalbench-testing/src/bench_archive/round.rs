//! One round, from nothing to its result, in a folder that appears whole.

use std::collections::BTreeMap;
use std::path::Path;

use capitalbench_core::asking::acceptance::Acceptance;
use capitalbench_core::asking::attempt::Slot;
use capitalbench_core::asking::prompt::prompt_text;
use capitalbench_core::asking::run::{Calls, RunKind, RunRules};
use capitalbench_core::decision::portfolio::Constraints;
use capitalbench_core::market::price_window::{CloseBasis, PriceWindow, Session};
use capitalbench_core::market::published_prices::PublishedPrices;
use capitalbench_core::round::manifest::{Manifest, Proof, Stream, SubmissionFormat, Track};
use capitalbench_core::round::methodology::Methodology;
use capitalbench_core::round::roster::Roster;
use capitalbench_core::values::ids::{Digest, RoundId, RunId};
use capitalbench_core::values::time::WrittenInstant;
use capitalbench_core::values::units::Price;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{BenchArchiveError, Scene, Schedule, decisions, line, options_file};
use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops::scratch::ScratchFolder;
use capitalbench_archive::disk::layout::{self, run};
use capitalbench_archive::format::prices::provenance::{
    AnswerRecord, Coverage, Provenance, Purpose,
};
use capitalbench_archive::format::stored::FormatVersion;
use capitalbench_archive::format::{
    prices::price_sheet, prices::price_window, prices::provenance, round::hashes,
    round::new_manifest, run::acceptance, run::new_run_manifest,
};
use capitalbench_archive::results::scoring::score_run;
use capitalbench_archive::round::freeze;
use capitalbench_archive::round::model_input;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_archive::run::acceptance::submission_digests;
use capitalbench_archive::run::ledger::derive::{Finished, add_run_fields};
use capitalbench_archive::run::ledger::{PlannedSlot, RunPlan};
use capitalbench_archive::run::run_folder::RunFolder;
use capitalbench_archive::run::validation::{validate_run, validation_files};

/// The only run of a round.
const RUN: &str = "official";
const RULES: RunRules = RunRules {
    kind: RunKind::Official,
    replicates: 1,
};
/// What stands where a real round has a source of prices.
const SOURCE: &str = "synthetic";

/// Makes a round; false when it is there already.
pub(super) fn make(
    output: &Path,
    scene: &Scene,
    schedule: &Schedule,
) -> Result<bool, BenchArchiveError> {
    let manifest = manifest(scene, schedule)?;
    let name = manifest.round_id.to_string();
    if output.join(&name).exists() {
        return Ok(false);
    }
    let scratch = ScratchFolder::begin(output, &name).map_err(FileError::from)?;
    let draft = Draft {
        scratch: &scratch,
        scene,
        schedule,
        manifest: &manifest,
    };
    draft.inputs()?;
    let folder = RoundFolder::open(scratch.path())?;
    let inputs = RoundInputs::load(folder, &Universes::default())?;
    draft.freeze(&inputs)?;
    let folder = draft.run(&inputs)?;
    draft.prices()?;
    draft.results(&inputs, &folder)?;
    scratch.finish().map_err(FileError::from)?;
    Ok(true)
}

fn manifest(scene: &Scene, schedule: &Schedule) -> Result<Manifest, BenchArchiveError> {
    let broken = |error: &dyn std::fmt::Display| BenchArchiveError::Broken(error.to_string());
    let ending = match schedule.track {
        Track::Weekly => "1W",
        Track::Monthly => "1M",
    };
    let number = schedule.number + 1;
    let name = format!("SYN-{number:06}-{ending}");
    let methodology = Methodology::of_new_round(SubmissionFormat::Portfolio);
    let created = stamp(before(schedule, 120))?;
    Ok(Manifest {
        title: format!("Invented round {number}"),
        round_id: RoundId::parse(&name).map_err(|error| broken(&error))?,
        horizon: schedule.track.horizon().to_owned(),
        decision_date: Some(TimeZone::UTC.to_datetime(schedule.deadline).date()),
        decision_deadline: Some(stamp(schedule.deadline)?),
        market: schedule.window.market,
        window: Some(schedule.window),
        window_rule: Some(schedule.rule),
        entry_rule: format!("Adjusted close of {}", schedule.window.entry),
        exit_rule: format!("Adjusted close of {}", schedule.window.exit),
        roster: Some(Roster::new(
            scene.models.clone(),
            created.clone(),
            &methodology,
        )),
        created_at: Some(created),
        methodology,
        universe_version: Some(options_file::VERSION.to_owned()),
        format: SubmissionFormat::Portfolio,
        constraints: Constraints::default(),
        stream: Stream::Synthetic,
        proof: Proof::None,
        origins: capitalbench_core::round::manifest::Origins::default(),
        failure_policy: None,
        controls: Vec::new(),
        lanes: None,
        publish: PublishedPrices::Full,
    })
}

fn before(schedule: &Schedule, minutes: i64) -> Timestamp {
    schedule.deadline - SignedDuration::from_mins(minutes)
}

fn stamp(at: Timestamp) -> Result<WrittenInstant, BenchArchiveError> {
    let text = at.to_string();
    WrittenInstant::parse(&text)
        .ok_or_else(|| BenchArchiveError::Broken(format!("{text} is no instant")))
}

/// A round that is being made.
struct Draft<'a> {
    scratch: &'a ScratchFolder,
    scene: &'a Scene,
    schedule: &'a Schedule,
    manifest: &'a Manifest,
}

impl Draft<'_> {
    fn write(&self, path: &str, text: &str) -> Result<(), BenchArchiveError> {
        let written = self.scratch.write(path, text.as_bytes());
        Ok(written.map_err(FileError::from)?)
    }

    fn in_run(path: &str) -> String {
        format!("{}/{RUN}/{path}", layout::RUNS)
    }

    fn inputs(&self) -> Result<(), BenchArchiveError> {
        let rules = self.manifest;
        let text = new_manifest::render(rules, "An invented round.", &self.schedule.notes);
        self.write(layout::MANIFEST, &text)?;
        self.write(layout::OPTIONS, &self.scene.options_yaml)?;
        let order = rules.methodology.reply_order();
        let track = self.schedule.track;
        let prompt = prompt_text(order, rules.format, track, &rules.constraints);
        self.write(layout::PROMPT, &prompt)?;
        self.write(layout::BRIEFING, "# Briefing\n\nThis market is invented.\n")
    }

    fn freeze(&self, inputs: &RoundInputs) -> Result<(), BenchArchiveError> {
        self.write(layout::MODEL_INPUT, &model_input::assembled(inputs)?)?;
        let digests = freeze::input_digests(&inputs.folder, &self.manifest.methodology)?;
        self.write(layout::HASHES, &hashes::render(&digests))
    }

    fn plan(&self) -> Result<RunPlan, BenchArchiveError> {
        let broken = |error: capitalbench_core::values::ids::IdError| {
            BenchArchiveError::Broken(error.to_string())
        };
        let slots = self.scene.models.iter().map(|model_id| PlannedSlot {
            slot: Slot {
                model_id: model_id.clone(),
                replicate: 1,
            },
            provider: decisions::PROVIDER.to_owned(),
            api_model_name: model_id.to_string(),
            settings: None,
            display_name: None,
            continues: None,
        });
        Ok(RunPlan {
            run_id: RunId::parse(RUN).map_err(broken)?,
            round_id: self.manifest.round_id.clone(),
            rules: RULES,
            calls: Calls::Synthetic,
            created_at: stamp(before(self.schedule, 60))?,
            models_file: "models.yaml".to_owned(),
            models_sha256: String::new(),
            pricing_file: None,
            price_cards: Vec::new(),
            prices: Vec::new(),
            controls: false,
            seed: self.scene.plan.seed,
            max_retries: 0,
            input_sha256: String::new(),
            skipped_models: 0,
            slots: slots.collect(),
        })
    }

    /// The answers of all models, their validation, and the word that they are the record.
    fn run(&self, inputs: &RoundInputs) -> Result<RunFolder, BenchArchiveError> {
        let plan = self.plan()?;
        let (asked, answered) = (before(self.schedule, 60), before(self.schedule, 59));
        let mut log = String::new();
        for planned in &plan.slots {
            let slot = &planned.slot;
            let round_id = self.manifest.round_id.as_str();
            let mut raw = decisions::reply(self.scene, round_id, &slot.model_id);
            let reply = line(&Value::Object(raw.clone()));
            log += &line(&json!({
                "provider": planned.provider,
                "model_id": slot.model_id.as_str(),
                "replicate_index": slot.replicate,
                "started_at_utc": asked.to_string(),
                "completed_at_utc": answered.to_string(),
                "raw_response_sha256": Digest::of(reply.as_bytes()).to_hex(),
                "validation_status": "valid",
            }));
            log.push('\n');
            add_run_fields(&mut raw, RULES, slot);
            let path = format!("{}/{}.json", run::RAW, slot.stem(1));
            self.write(&Self::in_run(&path), &line(&Value::Object(raw)))?;
        }
        self.write(&Self::in_run(run::RUN_LOG), &log)?;
        let folder = inputs.folder.run(&plan.run_id)?;
        let checked = validate_run(inputs, &folder, RULES)?;
        for (path, text) in validation_files(&folder, RULES, &checked) {
            self.write(&Self::in_run(&path), &text)?;
        }
        let valid = checked.iter().filter(|file| file.verdict.is_ok()).count();
        let end = new_run_manifest::End {
            completed_at: &stamp(answered)?,
            finished: Finished {
                models: plan.slots.len(),
                valid,
                invalid: checked.len() - valid,
                eligible: valid == checked.len(),
            },
        };
        let text = new_run_manifest::render(&plan, self.manifest, Some(&end));
        self.write(&Self::in_run(run::MANIFEST), &text)?;
        let accepted = Acceptance {
            round_id: self.manifest.round_id.clone(),
            run_id: plan.run_id,
            accepted_at: stamp(before(self.schedule, 30))?,
            run_log: Digest::of(log.as_bytes()),
            submissions: submission_digests(&folder)?,
            hashes: Digest::of(&inputs.folder.read(layout::HASHES)?),
            supersedes: None,
            reason: None,
            missing: Vec::new(),
        };
        self.write(
            &Self::in_run(run::ACCEPTANCE),
            &acceptance::render(&accepted),
        )?;
        Ok(folder)
    }

    fn prices(&self) -> Result<(), BenchArchiveError> {
        let window = self.schedule.window;
        let fetched_at = window.market.rows_final_at(window.exit);
        let fetched_at = fetched_at.unwrap_or(self.schedule.deadline);
        let (mut windows, mut answers) = (Vec::new(), Vec::new());
        for (option_id, symbol, bars) in &self.scene.histories {
            let from = bars.partition_point(|bar| bar.date < window.entry);
            let to = bars.partition_point(|bar| bar.date <= window.exit);
            let sessions = bars[from..to].iter().map(|bar| Session {
                date: bar.date,
                close: Price::new(bar.close),
                adjusted: Price::new(bar.adjusted),
                dividend: Some(bar.dividend),
                split: Some(1.0),
                volume: Some(bar.volume),
            });
            let told = PriceWindow {
                option_id: option_id.clone(),
                symbol: symbol.clone(),
                sessions: sessions.collect(),
            };
            let body = price_window::render(std::slice::from_ref(&told));
            answers.push(AnswerRecord {
                option_id: option_id.clone(),
                symbol: symbol.clone(),
                address: format!("synthetic:{symbol}"),
                fetched_at,
                body: Some(Digest::of(body.as_bytes())),
                rows: told.sessions.len(),
                requests: 1,
            });
            windows.push(told);
        }
        let sheet = |day| price_sheet::render(&self.scene.universe, &windows, day, SOURCE);
        let files = [
            (layout::ENTRY_PRICES, sheet(window.entry)),
            (layout::EXIT_PRICES, sheet(window.exit)),
            (layout::PRICE_WINDOW, price_window::render(&windows)),
        ];
        let mut digests = BTreeMap::new();
        for (path, text) in &files {
            self.write(path, text)?;
            digests.insert((*path).to_owned(), Digest::of(text.as_bytes()));
        }
        let provenance = Provenance {
            format_version: FormatVersion,
            round_id: self.manifest.round_id.to_string(),
            source: SOURCE.to_owned(),
            stored_label: SOURCE.to_owned(),
            close_basis: CloseBasis::Raw,
            purpose: Purpose::Final,
            coverage: Coverage::FullUniverse,
            from: window.entry,
            to: window.exit,
            program: "bench-archive".to_owned(),
            answers,
            files: digests,
            warnings: Vec::new(),
            replaced: None,
        };
        self.write(layout::PROVENANCE, &provenance::render(&provenance))
    }

    fn results(&self, inputs: &RoundInputs, folder: &RunFolder) -> Result<(), BenchArchiveError> {
        let scored = score_run(inputs, folder, RULES)?;
        for (path, table) in &scored.tables {
            self.write(&Self::in_run(path), &table.render())?;
        }
        self.write(&Self::in_run(run::OUTCOMES), &scored.outcomes_json)
    }
}
