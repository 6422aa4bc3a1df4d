use super::*;

#[test]
fn every_way_to_name_a_round_leads_to_its_neighbours() {
    for (path, rounds) in [
        ("week", "."),
        ("week/.", "."),
        ("rounds/week", "rounds"),
        ("rounds/week/", "rounds"),
        ("/rounds/week", "/rounds"),
        (".", "./.."),
        ("..", "../.."),
        ("../week", ".."),
    ] {
        let round = RoundFolder::unchecked(Path::new(path));
        assert_eq!(round.rounds(), Path::new(rounds), "{path}");
    }
}
