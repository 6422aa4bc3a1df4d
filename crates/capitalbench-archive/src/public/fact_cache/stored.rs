//! What the cache keeps of a round.

use capitalbench_core::asking::lanes::Lanes;
use capitalbench_core::decision::control::own::OwnControl;
use capitalbench_core::decision::portfolio::Constraints;
use capitalbench_core::market::calendar::{Market, WindowRule};
use capitalbench_core::market::prices::PriceSheet;
use capitalbench_core::market::published_prices::PublishedPrices;
use capitalbench_core::publication::Frozen;
use capitalbench_core::publication::facts::{
    InterimRow, LaneAnswer, OfficialRun, RepeatedRun, Result as Figures, RoundFacts,
};
use capitalbench_core::publication::outline::RoundOutline;
use capitalbench_core::round::ending::{ExceptionNote, Tombstone};
use capitalbench_core::round::failure_policy::FailurePolicy;
use capitalbench_core::round::manifest::{
    Manifest, Origins, Proof, Stream, SubmissionFormat, Window,
};
use capitalbench_core::round::methodology::Methodology;
use capitalbench_core::round::roster::Roster;
use capitalbench_core::values::ids::{Digest, RoundId};
use capitalbench_core::values::time::WrittenInstant;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::disk::layout;
use crate::public::public_record::Shared;
use crate::round::round_folder::RoundFolder;

/// A round's facts with what they follow from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    origin: Origin,
    #[serde(with = "ManifestForm")]
    manifest: Manifest,
    frozen: Option<Frozen>,
    rehearsal: bool,
    record: Option<OfficialRun>,
    entry: Option<PriceSheet>,
    result: Option<Figures>,
    interim: Vec<InterimRow>,
    repeated: Vec<RepeatedRun>,
    tombstone: Option<Tombstone>,
    exceptions: Vec<ExceptionNote>,
    lanes: Vec<LaneAnswer>,
}

/// A round's outline with what it follows from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct KeptOutline {
    /// Of the round's names and bytes.
    content: Digest,
    /// Of the shared closes that the round may use.
    snapshots: Digest,
    pub(super) outline: RoundOutline,
}

/// What kept facts follow from.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Origin {
    /// Of the round's names and bytes.
    content: Digest,
    /// Of the shared closes that the round may use.
    snapshots: Digest,
    /// Of `options.yaml`: rounds share the universe itself.
    options: Digest,
}

impl Origin {
    /// None where the round's options cannot be read.
    fn of(
        manifest: &Manifest,
        content: Digest,
        folder: &RoundFolder,
        shared: &Shared,
    ) -> Option<Self> {
        Some(Self {
            content,
            snapshots: shared.snapshots_of(manifest.window),
            options: Digest::of(&folder.read(layout::OPTIONS).ok()?),
        })
    }

    fn holds(&self, manifest: &Manifest, content: Digest, shared: &Shared) -> bool {
        self.content == content && self.snapshots == shared.snapshots_of(manifest.window)
    }
}

impl Kept {
    /// None where the round's options cannot be read.
    pub(super) fn of(
        facts: RoundFacts,
        content: Digest,
        folder: &RoundFolder,
        shared: &Shared,
    ) -> Option<Self> {
        Some(Self {
            origin: Origin::of(&facts.manifest, content, folder, shared)?,
            manifest: facts.manifest,
            frozen: facts.frozen,
            rehearsal: facts.rehearsal,
            record: facts.record,
            entry: facts.entry,
            result: facts.result,
            interim: facts.interim,
            repeated: facts.repeated,
            tombstone: facts.tombstone,
            exceptions: facts.exceptions,
            lanes: facts.lanes,
        })
    }

    /// Whether these facts still follow from what the round holds.
    pub(super) fn is_of(&self, content: Digest, shared: &Shared) -> bool {
        self.origin.holds(&self.manifest, content, shared)
    }

    /// None where the round has another universe by now.
    pub(super) fn into_facts(self, folder: &RoundFolder, shared: &Shared) -> Option<RoundFacts> {
        Some(RoundFacts {
            universe: shared.universe_of(self.origin.options, folder)?,
            manifest: self.manifest,
            frozen: self.frozen,
            rehearsal: self.rehearsal,
            record: self.record,
            entry: self.entry,
            result: self.result,
            interim: self.interim,
            repeated: self.repeated,
            tombstone: self.tombstone,
            exceptions: self.exceptions,
            lanes: self.lanes,
        })
    }
}

impl KeptOutline {
    pub(super) fn of(outline: RoundOutline, content: Digest, shared: &Shared) -> Self {
        Self {
            content,
            snapshots: shared.snapshots_of(outline.window()),
            outline,
        }
    }

    /// Whether this outline still follows from what the round holds.
    pub(super) fn is_of(&self, content: Digest, shared: &Shared) -> bool {
        self.content == content && self.snapshots == shared.snapshots_of(self.outline.window())
    }
}

/// Every field of a manifest: its own form leaves some out, and postcard needs all of them.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Manifest")]
struct ManifestForm {
    round_id: RoundId,
    title: String,
    horizon: String,
    decision_date: Option<Date>,
    decision_deadline: Option<WrittenInstant>,
    market: Market,
    window: Option<Window>,
    window_rule: Option<WindowRule>,
    entry_rule: String,
    exit_rule: String,
    created_at: Option<WrittenInstant>,
    methodology: Methodology,
    universe_version: Option<String>,
    format: SubmissionFormat,
    constraints: Constraints,
    roster: Option<Roster>,
    stream: Stream,
    proof: Proof,
    origins: Origins,
    failure_policy: Option<FailurePolicy>,
    controls: Vec<OwnControl>,
    lanes: Option<Lanes>,
    publish: PublishedPrices,
}
