use super::*;

/// Rounds of a model that holds five options alike, at places that a rule chooses.
fn rounds(count: u32, mut place: impl FnMut(&mut Random, usize) -> usize) -> Vec<Placed> {
    let mut random = Random::of(Digest::of(b"orders"), "test");
    let mut round = || {
        let mut held: Vec<(usize, f64)> = Vec::new();
        while held.len() < 5 {
            let own = place(&mut random, 60);
            if held.iter().all(|(other, _)| *other != own) {
                held.push((own, 0.2));
            }
        }
        Placed::new(60, held).unwrap()
    };
    (0..count).map(|_| round()).collect()
}

#[test]
fn a_model_that_holds_the_first_options_leans_to_the_beginning() {
    let first = rounds(10, |random, _| random.index(20) + 1);
    let found = order_bias("first", &first).unwrap();
    assert!((-0.37..=-0.3).contains(&found.lean), "{found:?}");
    let (low, high) = found.interval.unwrap();
    assert!(low < found.lean && found.lean < high && high < 0.0);
    assert!(found.p_value <= 0.001, "{found:?}");
}

#[test]
fn the_lean_is_the_weighted_distance_from_the_middle() {
    let whole = Placed::new(4, vec![(1, 1.0)]).unwrap();
    assert!((whole.lean() + 0.375).abs() < 1e-12);
    let both = Placed::new(4, vec![(1, 0.5), (4, 0.5)]).unwrap();
    assert!(both.lean().abs() < 1e-12);
    assert_eq!(Placed::new(4, vec![(5, 1.0)]), None);
    assert_eq!(Placed::new(1, vec![(1, 1.0)]), None);
    assert_eq!(order_bias("nobody", &[]), None);
}

#[test]
fn a_model_without_a_habit_is_flagged_as_often_as_chance_has_it() {
    let mut flagged = 0;
    for model in 0..200_u32 {
        let mut random = Random::of(Digest::of(&model.to_le_bytes()), "honest");
        let honest = rounds(6, |_, options| random.index(options) + 1);
        let found = order_bias(&format!("honest {model}"), &honest).unwrap();
        flagged += u32::from(found.p_value < 0.05);
    }
    assert!((3..=19).contains(&flagged), "{flagged} of 200");
}

#[test]
fn too_few_rounds_have_no_interval() {
    let few = rounds(3, |random, options| random.index(options) + 1);
    let found = order_bias("few", &few).unwrap();
    assert_eq!((found.rounds, found.interval), (3, None));
}
