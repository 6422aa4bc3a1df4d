//! A publication with the indexes that pages look things up in.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::decision::submission::Submission;
use capitalbench_core::evidence::statistics::{HeadToHead, RecordStatistics, SetStatistics};
use capitalbench_core::market::reference_name::ReferenceName;
use capitalbench_core::market::universe::MarketOption;
use capitalbench_core::publication::boards::TrackBoards;
use capitalbench_core::publication::boards::between::mean_difference;
use capitalbench_core::publication::boards::comparison_set::ComparisonSet;
use capitalbench_core::publication::boards::first_board::FirstBoard;
use capitalbench_core::publication::boards::option_record::OptionRecord;
use capitalbench_core::publication::names::by_decision;
use capitalbench_core::publication::{OpenRound, PublicRound, Publication, RoundState};
use capitalbench_core::round::manifest::{Track, Window};
use capitalbench_core::values::ids::{Digest, ModelId, OptionId, RoundId};

use crate::charts::Look;
use crate::html::Html;
use crate::looks::Looks;
use crate::page::Here;
use crate::table::{Cell, head};
use crate::title::title;
use crate::{Identity, Images, Input};

/// Both tracks, in the order of pages.
pub(crate) const TRACKS: [Track; 2] = [Track::Weekly, Track::Monthly];

/// A publication with its indexes.
pub(crate) struct View<'a> {
    pub(crate) publication: &'a Publication,
    /// Where the site stands.
    pub(crate) base_url: &'a str,
    /// Whose site it is.
    pub(crate) identity: &'a Identity,
    pub(crate) images: Images<'a>,
    /// What the reference of its rounds is called.
    pub(crate) reference: ReferenceName,
    /// Every model with a public decision, in order of name, under the id of today.
    pub(crate) models: Vec<ModelId>,
    /// Models of an open round or of the newest round of a track.
    pub(crate) active: BTreeSet<ModelId>,
    /// Every option, as the newest round describes it.
    pub(crate) options: BTreeMap<&'a OptionId, &'a MarketOption>,
    looks: Looks<'a>,
    by_id: BTreeMap<&'a RoundId, &'a PublicRound>,
    /// Rounds from the oldest decision to the newest.
    pub(crate) by_decision: Vec<&'a PublicRound>,
    /// Models whose record goes on under another id, with that id.
    pub(crate) continued: BTreeMap<&'a ModelId, &'a ModelId>,
    /// The sets that count each round.
    pub(crate) sets_of: BTreeMap<&'a RoundId, Vec<&'a str>>,
    /// The sizes of the data files by name.
    pub(crate) data: &'a BTreeMap<String, u64>,
}

impl<'a> View<'a> {
    /// Indexes a publication.
    pub(crate) fn new(input: &'a Input<'a>) -> Self {
        let publication = input.publication;
        let mut models = BTreeSet::new();
        let mut options = BTreeMap::new();
        let mut newest: BTreeMap<Option<Track>, &PublicRound> = BTreeMap::new();
        let mut active = BTreeSet::new();
        for round in &publication.rounds {
            let submissions = round.submissions();
            let ids = submissions
                .iter()
                .map(|own| round.contestant(&own.model_id));
            models.extend(ids.clone().cloned());
            if matches!(round.state, RoundState::Open(_)) {
                active.extend(ids.cloned());
            }
            if !submissions.is_empty() {
                newest.insert(round.track, round);
            }
            for option in round.universe.options() {
                options.insert(&option.id, option);
            }
        }
        for round in newest.values() {
            let ids = round.submissions().into_iter();
            active.extend(ids.map(|own| round.contestant(&own.model_id).clone()));
        }
        let mut models: Vec<ModelId> = models.into_iter().collect();
        models.sort_by_cached_key(|id| (publication.name(id).to_lowercase(), id.clone()));
        let mut sets_of: BTreeMap<&RoundId, Vec<&str>> = BTreeMap::new();
        for set in &publication.comparison_sets {
            for id in &set.included {
                sets_of.entry(id).or_default().push(&set.definition.set_id);
            }
        }
        Self {
            publication,
            base_url: input.base_url,
            identity: input.identity,
            images: input.images,
            reference: publication.reference(),
            sets_of,
            models,
            active,
            options,
            by_decision: by_decision(&publication.rounds),
            continued: publication
                .rounds
                .iter()
                .flat_map(|round| &round.continued)
                .collect(),
            by_id: publication.rounds.iter().map(|r| (r.id(), r)).collect(),
            looks: Looks::of(publication),
            data: input.data,
        }
    }

    pub(crate) fn name<'b>(&'b self, id: &'b ModelId) -> &'b str {
        self.publication.name(id)
    }

    /// The image that stands for a page elsewhere, where the site has images.
    pub(crate) fn image(&self, name: &str) -> Option<String> {
        let path = format!("share/{name}.png");
        self.images.are_shown().then_some(path)
    }

    /// Names of models in one line.
    pub(crate) fn names<'b>(&self, ids: impl IntoIterator<Item = &'b ModelId>) -> String {
        let names: Vec<&str> = ids
            .into_iter()
            .map(|id| self.publication.name(id))
            .collect();
        names.join(", ")
    }

    /// Whether a model still takes part, in a word.
    pub(crate) fn activity(&self, id: &ModelId) -> &'static str {
        if self.active.contains(id) {
            "active"
        } else {
            "retired"
        }
    }

    /// What a model's whole record in a track may claim.
    pub(crate) fn record(&self, track: Track, id: &ModelId) -> Option<&'a RecordStatistics> {
        let records = self.publication.statistics.records.get(&track)?;
        records.iter().find(|record| record.model.model_id == *id)
    }

    /// Every pair of models with a shared round of a track.
    pub(crate) fn pairs(&self, track: Track) -> &'a [HeadToHead] {
        let pairs = self.publication.statistics.head_to_head.get(&track);
        pairs.map(Vec::as_slice).unwrap_or_default()
    }

    /// What a comparison set may claim.
    pub(crate) fn statistics(&self, set: &ComparisonSet) -> Option<&'a SetStatistics> {
        self.publication.statistics.sets.get(&set.definition.set_id)
    }

    /// Submissions in order of their models' names.
    pub(crate) fn by_name<'b>(&self, mut submissions: Vec<&'b Submission>) -> Vec<&'b Submission> {
        submissions
            .sort_by_cached_key(|s| (self.name(&s.model_id).to_lowercase(), s.model_id.clone()));
        submissions
    }

    pub(crate) fn round(&self, id: &RoundId) -> Option<&'a PublicRound> {
        self.by_id.get(id).copied()
    }

    /// The rounds of the same track before and after one.
    pub(crate) fn beside(&self, round: &PublicRound) -> [Option<&'a PublicRound>; 2] {
        let rounds = &self.publication.rounds;
        let place = rounds.partition_point(|own| own.key < round.key);
        let of_track = |own: &&PublicRound| own.track == round.track && own.key != round.key;
        [
            rounds[..place].iter().rev().find(of_track),
            rounds[place..].iter().find(of_track),
        ]
    }

    /// The mean difference of two models' returns over the rounds that they share.
    pub(crate) fn difference(&self, pair: &HeadToHead) -> Option<f64> {
        let rounds = pair.rounds.iter().filter_map(|id| self.round(id));
        mean_difference(rounds, &pair.first, &pair.second)
    }

    pub(crate) fn window(&self, id: &RoundId) -> Option<Window> {
        self.round(id)?.manifest.window
    }

    /// What became of an option in a track.
    pub(crate) fn option_record(&self, track: Track, id: &OptionId) -> Option<&'a OptionRecord> {
        let records = &self.boards(track)?.options;
        let place = records.binary_search_by(|record| record.option_id.cmp(id));
        place.ok().map(|place| &records[place])
    }

    /// The tracks that have a round; both where there is no round at all.
    pub(crate) fn tracks(&self) -> Vec<Track> {
        let rounds = &self.publication.rounds;
        let has = |track: &Track| rounds.iter().any(|round| round.track == Some(*track));
        let found: Vec<Track> = TRACKS.into_iter().filter(has).collect();
        if found.is_empty() {
            TRACKS.to_vec()
        } else {
            found
        }
    }

    pub(crate) fn boards(&self, track: Track) -> Option<&'a TrackBoards> {
        self.publication.boards.get(&track)
    }

    /// The board of a track that is shown first; none where no set has a shared round.
    pub(crate) fn first_board(&self, track: Track) -> Option<FirstBoard<'a>> {
        let board = self.publication.first_board(track);
        board.filter(|board| !board.set.included.is_empty())
    }

    /// Open rounds by the day of their result.
    pub(crate) fn open_rounds(&self) -> Vec<(&'a PublicRound, &'a OpenRound)> {
        let open = |round: &'a PublicRound| match &round.state {
            RoundState::Open(open) => Some((round, open)),
            RoundState::Draft | RoundState::Ended(_) | RoundState::Resolved(_) => None,
        };
        self.publication.rounds.iter().filter_map(open).collect()
    }

    pub(crate) fn model_link(&self, here: &Here, id: &ModelId) -> Html {
        let page = self.continued.get(id).copied().unwrap_or(id);
        self.marked(id, &here.link(&model_path(page), self.name(id)))
    }

    /// A text about a model behind its mark.
    pub(crate) fn marked(&self, id: &ModelId, text: &Html) -> Html {
        let mut html = self.look(id).inline();
        html.add(text);
        html
    }

    /// A model's mark and name, without a link.
    pub(crate) fn model_label(&self, id: &ModelId) -> Html {
        self.marked(id, &Html::text(self.name(id)))
    }

    /// The mark of a model; one that continues another has the mark of the one record.
    pub(crate) fn look(&self, id: &ModelId) -> Look {
        self.looks
            .get(self.continued.get(id).copied().unwrap_or(id))
    }

    /// The title of a round; its code where the round is not public.
    pub(crate) fn round_name(&self, id: &RoundId) -> String {
        self.round(id).map_or_else(|| id.to_string(), title)
    }

    /// A link to a round by its title, with its code behind it.
    pub(crate) fn round_link(&self, here: &Here, id: &RoundId) -> Html {
        let mut html = here.link(&round_path(id), &self.round_name(id));
        html.push(" ");
        html.add(&Html::wrap("small", "", &Html::text(id.as_str())));
        html
    }

    /// The cell that names a round of a table, sorted by the end of its window.
    pub(crate) fn round_cell(&self, here: &Here, id: &RoundId) -> Cell {
        let exit = self.window(id).map(|window| window.exit.to_string());
        // Without an element for the code: tables hold hundreds of rounds.
        let mut html = here.link(&round_path(id), &self.round_name(id));
        html.push_text(&format!(" {id}"));
        Cell {
            key: format!("{} {id}", exit.unwrap_or_default()),
            class: "r".to_owned(),
            ..head(html)
        }
    }

    pub(crate) fn option_name<'b>(&'b self, id: &'b OptionId) -> &'b str {
        self.options
            .get(id)
            .map_or(id.as_str(), |option| &option.name)
    }

    pub(crate) fn option_link(&self, here: &Here, id: &OptionId) -> Html {
        here.link(&option_path(id), self.option_name(id))
    }
}

/// The path of a round's page.
pub(crate) fn round_path(id: &RoundId) -> String {
    format!("rounds/{id}/")
}

/// Makes a file name of a name that we did not choose: a plain name stays, any other keeps its plain
/// letters and gets a digest, so that two names never collide and none leaves its folder.
pub(crate) fn plain_name(text: &str) -> String {
    const LONGEST: usize = 80;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if text.len() <= LONGEST && text.chars().all(is_plain) && !text.starts_with('.') {
        return text.to_owned();
    }
    let kept = text.chars().filter(|c| is_plain(*c)).take(LONGEST - 20);
    let kept: String = kept.collect();
    let digest = Digest::of(text.as_bytes()).to_string();
    format!("{}-{}", kept.trim_start_matches('.'), &digest[..12])
}

/// The path of a model's page.
pub(crate) fn model_path(id: &ModelId) -> String {
    format!("models/{}/", plain_name(id.as_str()))
}

/// The path of an option's page.
pub(crate) fn option_path(id: &OptionId) -> String {
    format!("assets/{}/", plain_name(id.as_str()))
}

/// The path of a set's page.
pub(crate) fn set_path(set_id: &str) -> String {
    format!("sets/{}/", plain_name(set_id))
}

/// The path of a pair's page; the smaller id comes first.
pub(crate) fn pair_path(a: &ModelId, b: &ModelId) -> String {
    let (first, second) = if a <= b { (a, b) } else { (b, a) };
    let [first, second] = [first, second].map(|id| plain_name(id.as_str()));
    format!("compare/{first}--{second}/")
}

/// A track as a heading.
pub(crate) fn track_name(track: Option<Track>) -> &'static str {
    match track {
        Some(Track::Weekly) => "Weekly",
        Some(Track::Monthly) => "Monthly",
        None => "Other",
    }
}

/// The word for a round's length.
pub(crate) fn horizon(track: Track) -> &'static str {
    match track {
        Track::Weekly => "week",
        Track::Monthly => "month",
    }
}

#[cfg(test)]
mod tests;
