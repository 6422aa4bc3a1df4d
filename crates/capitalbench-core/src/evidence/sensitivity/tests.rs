use super::*;
use crate::asking::lanes::Lanes as Planned;
use crate::decision::submission::Decision;
use crate::evidence::inference::random::Random;
use crate::publication::facts::LaneAnswer;
use crate::publication::{Frozen, OpenRound, RoundKey, RoundState};
use crate::round::lifecycle::Due;
use crate::test_support::{holding, manifest, submission, universe_of};
use crate::values::ids::{Digest, OptionId, RoundId, RunId};
use crate::values::units::BasisPoints;

/// What a control entrant goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GoesBy {
    /// By the first options of the list.
    Place,
    /// By names that it knows; where they are masked, it likes others.
    Name,
    /// By the market table; without one, it likes others.
    Table,
    /// By what it likes, whatever the text looks like, with moods of its own.
    Itself,
}

const NAMES: [(&str, GoesBy); 4] = [
    ("by-itself", GoesBy::Itself),
    ("by-name", GoesBy::Name),
    ("by-place", GoesBy::Place),
    ("by-table", GoesBy::Table),
];

/// Four options of a quarter each; one of five is an odd one, which is the mood of a model.
fn answer(goes: GoesBy, lane: Lane, order: &OptionOrder, random: &mut Random) -> Vec<OptionId> {
    let mut liked: Vec<OptionId> = order.ids().to_vec();
    liked.sort_unstable();
    let is_lost = match goes {
        GoesBy::Name => lane == Lane::Masked,
        GoesBy::Table => lane == Lane::NoTable,
        GoesBy::Place | GoesBy::Itself => false,
    };
    if is_lost {
        liked.reverse();
    }
    if goes == GoesBy::Place {
        liked = order.ids().to_vec();
    }
    let mut held: Vec<OptionId> = Vec::new();
    while held.len() < 4 {
        let is_odd = random.unit() < 0.2;
        let place = if is_odd {
            random.index(liked.len())
        } else {
            held.len()
        };
        if !held.contains(&liked[place]) {
            held.push(liked[place].clone());
        }
    }
    held
}

fn round(number: u32, random: &mut Random) -> PublicRound {
    let ids: Vec<String> = (0..40).map(|place| format!("OPTION{place:02}")).collect();
    let mut ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    ids.push("SP500");
    let universe = universe_of(&ids);
    let files = BTreeMap::from([("briefing.md".to_owned(), Digest::of(&number.to_le_bytes()))]);
    let seed = crate::asking::option_order::order_seed(&files);
    let drawn = OptionOrder::draw(seed, &universe);
    let twin = OptionOrder::draw_as(seed, "order-v1 twin", &universe);
    let mut manifest = manifest("portfolio-v1.2");
    manifest.round_id = RoundId::parse(&format!("R{number}-1W")).unwrap();
    let lanes = Planned::parse("order,masked,no_briefing,no_table:2+2").unwrap();
    let (mut submissions, mut answers) = (Vec::new(), Vec::new());
    for (name, goes) in NAMES {
        let held = answer(goes, Lane::Base, &drawn, random);
        let held = held.iter().map(|id| holding(id.as_str(), 25)).collect();
        let own = submission(name, Decision::Portfolio(held));
        for lane in lanes.asked() {
            let order = if lane == Lane::Order { &twin } else { &drawn };
            for replicate in 1..=lanes.replicates(lane).unwrap() {
                let held = answer(goes, lane, order, random).into_iter();
                let quarter = BasisPoints::from_percent(25);
                answers.push(LaneAnswer {
                    model_id: own.model_id.clone(),
                    lane,
                    replicate,
                    since: None,
                    holdings: held.map(|id| (id, quarter)).collect(),
                });
            }
        }
        submissions.push(own);
    }
    PublicRound {
        key: RoundKey::of(&manifest),
        track: Some(Track::Weekly),
        manifest,
        universe: universe.into(),
        frozen: Some(Frozen {
            digest: Digest::of(b"hashes"),
            files,
        }),
        state: RoundState::Open(OpenRound {
            run_id: RunId::parse("official").unwrap(),
            submissions,
            controls: Vec::new(),
            calls: Vec::new(),
            missing: Vec::new(),
            lanes: answers,
            entry: None,
            interim: Vec::new(),
            due: Due::NotYet,
        }),
        exceptions: Vec::new(),
        continued: BTreeMap::new(),
    }
}

fn league(seed: u32, rounds: u32) -> TrackSensitivity {
    let mut random = Random::of(Digest::of(&seed.to_le_bytes()), "league");
    let rounds: Vec<PublicRound> = (0..rounds)
        .map(|number| round(seed * 1_000 + number, &mut random))
        .collect();
    sensitivity(&rounds).remove(&Track::Weekly).unwrap()
}

#[test]
fn each_planted_habit_is_found_by_its_own_twin_and_by_no_other() {
    let found = league(1, 12);
    assert_eq!(found.models.len(), 4);
    for (own, (name, goes)) in found.models.iter().zip(NAMES) {
        assert_eq!(own.model_id.as_str(), name);
        let moved = &own.moved;
        let lanes: Vec<Lane> = moved
            .lanes
            .iter()
            .filter(|lane| lane.is_found())
            .map(|lane| lane.lane)
            .collect();
        let expected = match goes {
            GoesBy::Place => vec![Lane::Order],
            GoesBy::Name => vec![Lane::Masked],
            GoesBy::Table => vec![Lane::NoTable],
            GoesBy::Itself => Vec::new(),
        };
        assert_eq!(lanes, expected, "{name}: {moved:?}");
        let order = moved.order.unwrap();
        assert_eq!(order.is_found(), goes == GoesBy::Place, "{name}: {order:?}");
        assert_eq!(moved.noise.unwrap().rounds, 12);
    }
    let all: Vec<bool> = found.all.lanes.iter().map(LaneFound::is_found).collect();
    assert_eq!(all, [true, true, false, true]);
    assert_eq!(found.all.lanes[0].found.cells, 48);
}

#[test]
fn an_honest_model_is_seldom_flagged() {
    let mut flagged = 0;
    for seed in 10..70 {
        let found = league(seed, 4);
        let honest = &found.models[0].moved;
        let by_lane = honest.lanes.iter().any(LaneFound::is_found);
        flagged += u32::from(by_lane || honest.order.unwrap().is_found());
    }
    assert!(flagged <= 7, "{flagged} of 60");
}

#[test]
fn a_track_that_tells_nothing_is_left_out() {
    let mut random = Random::of(Digest::of(b"x"), "league");
    let mut own = round(1, &mut random);
    own.manifest.methodology =
        crate::round::methodology::Methodology::from_label(Some("portfolio-v1.1"));
    if let RoundState::Open(open) = &mut own.state {
        open.lanes.clear();
    }
    assert!(sensitivity(&[own]).is_empty());
}
