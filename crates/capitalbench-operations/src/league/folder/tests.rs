use super::*;

fn folder_with(text: Option<&str>) -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    if let Some(text) = text {
        let file = place.path().join(LEAGUE_FILE);
        capitalbench_archive::disk::file_ops::replace(&file, text.as_bytes()).expect("a file");
    }
    place
}

#[test]
fn a_league_without_a_name_is_called_like_its_folder() {
    let place = folder_with(Some("controls: false\n"));
    let opened = LeagueFolder::open(place.path()).expect("a league");
    let own = place.path().file_name().expect("a name").to_string_lossy();
    assert_eq!(opened.league.name, own);
    assert!(!opened.league.controls);
    assert_eq!(opened.rounds(), place.path().join("rehearsal/rounds"));
}

#[test]
fn a_folder_without_a_league_file_says_how_to_make_one() {
    let place = folder_with(None);
    let error = LeagueFolder::open(place.path()).expect_err("no league");
    assert!(error.message.ends_with("has no league.yaml"), "{error}");
    assert!(error.hint.is_some_and(|hint| hint.contains("league new")));
}

#[test]
fn a_mistake_is_named_with_file_and_line() {
    let place = folder_with(Some("name: x\nprices:\n  source: tingo\n"));
    let error = LeagueFolder::open(place.path()).expect_err("a mistake");
    assert!(
        error
            .message
            .contains("league.yaml: line 3: prices.source: "),
        "{error}"
    );
}
