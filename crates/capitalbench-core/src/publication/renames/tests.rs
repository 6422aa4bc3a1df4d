use super::*;
use jiff::civil::date;

fn id(text: &str) -> ModelId {
    ModelId::parse(text).unwrap()
}

/// A round by its models; `new<old` is a model that continues another.
struct Told {
    round_id: RoundId,
    day: i8,
    models: Vec<(ModelId, Option<ModelId>)>,
}

fn told(day: i8, models: &str) -> Told {
    let model = |text: &str| match text.split_once('<') {
        Some((new, old)) => (id(new), Some(id(old))),
        None => (id(text), None),
    };
    Told {
        round_id: RoundId::parse(&format!("R{day}")).unwrap(),
        day,
        models: models.split(' ').map(model).collect(),
    }
}

fn cast(round: &Told) -> Cast<'_> {
    let continues = round.models.iter();
    let continues = continues.filter_map(|(own, other)| Some((own, other.as_ref()?)));
    Cast {
        round_id: &round.round_id,
        decided: (Some(date(2026, 6, round.day)), None),
        models: round.models.iter().map(|(own, _)| own).collect(),
        continues: continues.collect(),
    }
}

fn renames(rounds: &[Told]) -> Renames {
    Renames::of(rounds.iter().map(cast).collect())
}

/// The newest id of `a`, and the sentences that refuse something.
fn found(rounds: &[Told]) -> (String, Vec<String>) {
    let renames = renames(rounds);
    let refused = renames.refused.iter();
    let refused = refused.map(|own| format!("{}: {}", own.round_id, own.why));
    (renames.newest(&id("a")).to_string(), refused.collect())
}

#[test]
fn a_record_goes_on_under_the_newest_id_of_a_chain() {
    let rounds = [
        told(9, "c<b x"),
        told(1, "a x"),
        told(5, "b<a x"),
        told(6, "b<a x"),
    ];
    assert_eq!(found(&rounds), ("c".to_owned(), Vec::new()));
    let renames = renames(&rounds);
    assert_eq!(renames.before(&id("c")), Some(&id("b")));
    assert_eq!(renames.newest(&id("x")), &id("x"));
    let among = renames.among([&id("a"), &id("x")]);
    assert_eq!(among, BTreeMap::from([(id("a"), id("c"))]));
}

#[test]
fn two_models_of_one_round_are_never_merged() {
    // In the round that says so, in an earlier one, and in a later one.
    let now = [told(1, "a"), told(2, "b<a a")];
    let refused = "R2: a takes part in the same round".to_owned();
    assert_eq!(found(&now), ("a".to_owned(), vec![refused]));
    let before = [told(1, "a b"), told(2, "b<a")];
    let text = "R2: b and a both took part in R1, and one round cannot count twice for one model";
    assert_eq!(found(&before), ("a".to_owned(), vec![text.to_owned()]));
    let later = [told(1, "a"), told(2, "b<a"), told(3, "a b")];
    let refused = "R3: a takes part in the same round".to_owned();
    assert_eq!(found(&later), ("a".to_owned(), vec![refused]));
    // By way of a model between them.
    let chain = [told(1, "a c"), told(2, "b<a"), told(3, "c<b")];
    let text = "R3: c and a both took part in R1, and one round cannot count twice for one model";
    assert_eq!(found(&chain), ("b".to_owned(), vec![text.to_owned()]));
}

#[test]
fn records_form_no_circle_and_are_continued_once() {
    let circle = [told(1, "a"), told(2, "b<a"), told(3, "a<b")];
    let text = "R3: a was itself continued by b, so the records would form a circle";
    assert_eq!(found(&circle), ("b".to_owned(), vec![text.to_owned()]));
    let twice = [told(1, "a"), told(2, "b<a"), told(3, "c<a")];
    let text = "R3: a is continued by b already";
    assert_eq!(found(&twice), ("b".to_owned(), vec![text.to_owned()]));
    let circle = [told(1, "a"), told(2, "b<a"), told(3, "c<b"), told(4, "a<c")];
    let text = "R4: a was itself continued by c, so the records would form a circle";
    assert_eq!(found(&circle), ("c".to_owned(), vec![text.to_owned()]));
}

#[test]
fn a_round_finds_a_model_by_both_of_its_ids() {
    let manifest = crate::test_support::manifest("portfolio-v1.2");
    let round = PublicRound {
        key: crate::publication::RoundKey::of(&manifest),
        track: manifest.track(),
        manifest,
        universe: crate::test_support::universe().into(),
        frozen: None,
        state: crate::publication::RoundState::Draft,
        exceptions: Vec::new(),
        continued: BTreeMap::from([(id("a"), id("c"))]),
    };
    assert_eq!(round.contestant(&id("a")), &id("c"));
    assert_eq!(round.stored(&id("c")), &id("a"));
    assert_eq!(
        (round.stored(&id("a")), round.stored(&id("x"))),
        (&id("a"), &id("x"))
    );
}
