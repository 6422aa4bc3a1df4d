//! `league new` and `league check`: a folder that works at once, and what it still needs.

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Ran, command};

/// A league in a folder of its own.
struct House {
    place: TempDir,
}

impl House {
    fn new() -> Self {
        let place = tempfile::tempdir().expect("a folder");
        let house = Self { place };
        house.outside(&["league", "new", "house"]).code(0);
        house
    }

    fn run_in(&self, folder: &str, arguments: &[&str]) -> Ran {
        let output = command(arguments)
            .current_dir(self.place.path().join(folder))
            .output()
            .expect("the program runs");
        Ran::new(&arguments.join(" "), output)
    }

    fn outside(&self, arguments: &[&str]) -> Ran {
        self.run_in(".", arguments)
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_in("house", arguments)
    }
}

#[test]
fn a_new_league_ends_with_the_next_command() {
    let place = tempfile::tempdir().expect("a folder");
    let house = House { place };
    let ran = house.outside(&["league", "new", "house"]).code(0);
    ran.says("house: weekly on monday; portfolio of the universe v2.1")
        .says("wrote models.yaml, .env.example, .gitignore, README.md, .github/workflows/league.yml, league.yaml")
        .says("cd house && capitalbench league run");
    house
        .outside(&["league", "new", "house"])
        .code(2)
        .complains("house is a league already");
}

#[test]
fn a_new_league_is_told_as_json_too() {
    let place = tempfile::tempdir().expect("a folder");
    let house = House { place };
    let told: Value = house
        .outside(&["league", "new", "a house", "--json"])
        .code(0)
        .json();
    assert_eq!(told["name"], "a house");
    assert_eq!(told["next"], "cd 'a house' && capitalbench league run");
    assert_eq!(told["files"].as_array().map(Vec::len), Some(6));
}

#[test]
fn the_key_of_a_new_league_signs_its_rounds() {
    let house = House::new();
    let shown = house
        .run(&["keys", "show", "--rounds-dir", "rounds"])
        .code(0);
    shown.says("capitalbench/house+");
    house
        .run(&["keys", "show", "--rounds-dir", "rehearsal/rounds"])
        .code(0)
        .says("capitalbench/house/rehearsal+");
}
