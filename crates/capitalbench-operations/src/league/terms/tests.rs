use std::path::PathBuf;

use capitalbench_core::league::settings::League;

use super::*;

#[test]
fn the_file_settles_what_no_variable_does() {
    let mut league = League::named("house");
    league.prices.plan = Some("10000/100000/-".to_owned());
    league.clocks.authorities = ["https://a.example", "https://b.example"]
        .map(str::to_owned)
        .to_vec();
    league.clocks.roots = vec!["a.pem".to_owned()];
    let league = LeagueFolder {
        folder: PathBuf::from("/league"),
        league,
    };
    let configuration = configured(&league, Configuration::empty());
    let found = |name| configuration.get(name);
    assert_eq!(found(TIINGO_PLAN).as_deref(), Some("10000/100000/-"));
    assert_eq!(
        found(AUTHORITIES).as_deref(),
        Some("https://a.example https://b.example")
    );
    assert_eq!(found(ROOTS).as_deref(), Some("/league/a.pem"));
    assert_eq!(found(CALENDARS), None);
    let given = Configuration::new(|name| (name == TIINGO_PLAN).then(|| "1/1/1".to_owned()));
    assert_eq!(
        configured(&league, given).get(TIINGO_PLAN).as_deref(),
        Some("1/1/1")
    );
}
