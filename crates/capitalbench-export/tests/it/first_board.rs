//! The first board of a track is that of the newest round's roster, and says what stands beside it.

use capitalbench_core::asking::attempt::Reason;
use capitalbench_core::asking::missing_answer::{MissingAnswer, NoAnswer};
use capitalbench_core::publication::boards::comparison_set::SetPolicy;
use capitalbench_core::publication::boards::first_board::FirstBoard;
use capitalbench_core::publication::facts::RoundFacts;
use capitalbench_core::publication::outline::RoundOutline;
use capitalbench_core::publication::publish;
use capitalbench_core::publication::standings::standings;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;
use capitalbench_export::text::absence_sentences;
use jiff::Timestamp;

use crate::made::{MODELS, Made, facts};

const ROUNDS: i32 = 9;
/// After the last exit.
const AFTER_ALL: &str = "2026-07-01T00:00:00Z";
/// After the decisions of the last round, before its exit.
const LAST_OPEN: &str = "2026-04-28T00:00:00Z";

/// Nine weekly rounds one after the other, of all three models.
fn rounds() -> Vec<RoundFacts> {
    let price = |round: i32, option: i32| 50.0 + f64::from((round * 7 + option * 13) % 29);
    let made = |round: i32| Made {
        begins: round * 7,
        monthly: false,
        held: vec![3, u32::try_from(round).expect("made input"), 15],
        entry: (0..4).map(|option| price(round, option)).collect(),
        exit: (0..4).map(|option| price(round + 1, option)).collect(),
    };
    let round = |round| facts(usize::try_from(round).expect("made input"), &made(round));
    (0..ROUNDS).map(round).collect()
}

/// Takes the third model out of a round; a reason makes it one without a valid answer.
fn without(round: &mut RoundFacts, reason: Option<Reason>) {
    let record = round.record.as_mut().expect("made input");
    record.submissions.truncate(2);
    if let Some(result) = &mut round.result {
        result.models.truncate(2);
    }
    let model_id = ModelId::parse(MODELS[2]).expect("made input");
    let missing = reason.map(NoAnswer::Ended);
    record
        .missing
        .extend(missing.map(|why| MissingAnswer { model_id, why }));
}

/// The models and rounds of a board, those of the larger set, and the sentences.
fn told(board: &FirstBoard<'_>) -> (usize, usize, Option<(usize, usize)>, Vec<String>) {
    let counts = |set: &capitalbench_core::publication::boards::comparison_set::ComparisonSet| {
        (set.definition.model_ids.len(), set.included.len())
    };
    let (models, included) = counts(board.set);
    let absences = board.absences.iter();
    let sentences = absences.flat_map(|own| absence_sentences(own, own.model_id.as_str()));
    (
        models,
        included,
        board.larger.map(counts),
        sentences.collect(),
    )
}

/// What the first board tells; from outlines it is the same.
fn first(
    rounds: &[RoundFacts],
    policy: &SetPolicy,
    as_of: &str,
) -> (usize, usize, Option<(usize, usize)>, Vec<String>) {
    let at: Timestamp = as_of.parse().expect("made input");
    let publication = publish(rounds.to_vec(), policy, at).expect("made input");
    let outlines = rounds.iter().cloned().map(RoundOutline::from).collect();
    let ranked = standings(outlines, policy, at).expect("made input");
    let board = publication.first_board(Track::Weekly).expect("a board");
    assert_eq!(Some(&board), ranked.first_board(Track::Weekly).as_ref());
    assert_eq!(publication.first_board(Track::Monthly), None);
    told(&board)
}

fn any() -> SetPolicy {
    SetPolicy::default()
}

#[test]
fn an_unchanged_roster_needs_no_word() {
    let found = first(&rounds(), &any(), AFTER_ALL);
    assert_eq!(found, (3, 9, None, Vec::new()));
}

#[test]
fn a_model_that_joins_is_on_the_board_from_its_first_result() {
    let mut rounds = rounds();
    rounds[..8]
        .iter_mut()
        .for_each(|round| without(round, None));
    let joined = vec!["openai-gpt-5-5 joined on 2026-04-27.".to_owned()];
    // Its first round is open: the board is that of the others.
    let open = first(&rounds, &any(), LAST_OPEN);
    assert_eq!(open, (2, 8, None, joined.clone()));
    // Resolved, and the board is that of the new roster; the longer one is named.
    let found = first(&rounds, &any(), AFTER_ALL);
    assert_eq!(found, (3, 1, Some((2, 9)), joined));
}

#[test]
fn a_model_without_valid_answers_is_named_with_its_reasons() {
    let mut rounds = rounds();
    without(&mut rounds[2], Some(Reason::Refusal));
    without(&mut rounds[4], Some(Reason::Refusal));
    without(&mut rounds[8], Some(Reason::Refusal));
    let sentence = "openai-gpt-5-5: no valid answer in 3 of 9 rounds: refused.".to_owned();
    let found = first(&rounds, &any(), AFTER_ALL);
    assert_eq!(found, (3, 6, Some((2, 7)), vec![sentence]));
    rounds[8].record.as_mut().expect("made input").missing[0].why =
        NoAnswer::Ended(Reason::Deadline);
    let (_, _, _, sentences) = first(&rounds, &any(), AFTER_ALL);
    assert_eq!(sentences.len(), 1);
    for part in [
        "3 of 9 rounds",
        "refused (2)",
        "the deadline came first (1)",
    ] {
        assert!(sentences[0].contains(part), "{sentences:?}");
    }
}

#[test]
fn a_model_that_never_answers_does_not_empty_the_board() {
    let mut rounds = rounds();
    let refused = |round: &mut RoundFacts| without(round, Some(Reason::NoModel));
    rounds.iter_mut().for_each(refused);
    let sentence = "openai-gpt-5-5: no valid answer in 9 of 9 rounds: the provider does not offer \
                    the model.";
    let found = first(&rounds, &any(), AFTER_ALL);
    assert_eq!(found, (2, 9, None, vec![sentence.to_owned()]));
}

#[test]
fn a_model_that_was_left_out_for_some_rounds_is_named() {
    let mut rounds = rounds();
    rounds[3..6]
        .iter_mut()
        .for_each(|round| without(round, None));
    let sentence = "openai-gpt-5-5 was not asked in 3 of 9 rounds.".to_owned();
    let (models, included, _, sentences) = first(&rounds, &any(), AFTER_ALL);
    assert_eq!((models, included, sentences), (3, 6, vec![sentence]));
}

#[test]
fn sets_of_the_operator_decide_where_there_are_any() {
    let mut rounds = rounds();
    rounds[..8]
        .iter_mut()
        .for_each(|round| without(round, None));
    let at: Timestamp = AFTER_ALL.parse().expect("made input");
    let mut policy = any();
    let found = publish(rounds.clone(), &policy, at).expect("made input");
    let mut written = found.comparison_sets[0].definition.clone();
    written.origin = capitalbench_core::publication::boards::comparison_set::Origin::Policy;
    written.set_id = "written".to_owned();
    policy.sets.push(written);
    // The qualified set of two models stays first, and nothing is said beside it.
    assert_eq!(first(&rounds, &policy, AFTER_ALL), (2, 9, None, Vec::new()));
}
