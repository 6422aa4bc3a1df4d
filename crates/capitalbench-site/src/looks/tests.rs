use super::*;

/// Every subset of earlier looks leaves room for a new one that differs from all.
#[test]
fn models_of_one_round_differ_in_colour_and_all_differ_in_some_way() {
    let ids: Vec<ModelId> = (0..64)
        .map(|number| ModelId::parse(&format!("model-{number:02}")).expect("a plain name"))
        .collect();
    let mut looks = Looks::default();
    for roster in ids.chunks(8) {
        let beside: Vec<&ModelId> = roster.iter().collect();
        for id in roster {
            let look = looks.free(&beside);
            assert!(looks.0.values().all(|other| *other != look), "{id}");
            looks.0.insert(id, look);
        }
        let mut colours: Vec<usize> = roster.iter().map(|id| looks.get(id).colour).collect();
        colours.sort_unstable();
        assert_eq!(colours, (0..COLOURS).collect::<Vec<usize>>());
    }
    assert_eq!(looks.0.len(), COLOURS * SHAPES);
}

#[test]
fn a_newcomer_takes_a_colour_that_its_round_does_not_use() {
    let ids: Vec<ModelId> = ["a", "b", "c", "d"]
        .map(|id| ModelId::parse(id).expect("a plain name"))
        .into();
    let mut looks = Looks::default();
    // `c` retired: its look stays taken, so `d` cannot be mistaken for it.
    for (id, look) in ids.iter().zip([(0, 0), (1, 1), (2, 2)]) {
        looks.0.insert(id, Look::new(look.0, look.1));
    }
    let look = looks.free(&[&ids[0], &ids[1], &ids[3]]);
    assert_eq!(look, Look::new(3, 3));
}
