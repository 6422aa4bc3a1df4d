use std::path::{Component, Path};

use super::*;

#[test]
fn plain_names_stay_and_others_get_a_place_of_their_own() {
    for name in ["openai-gpt-5.5", "SP500", "weekly_set"] {
        assert_eq!(plain_name(name), name);
    }
    let long = "x".repeat(200);
    let odd = [
        "../../up",
        "..",
        "/etc",
        "a/b",
        "a_b/",
        "a b",
        "é",
        " ",
        long.as_str(),
    ];
    let made: BTreeSet<String> = odd.iter().map(|name| plain_name(name)).collect();
    assert_eq!(made.len(), odd.len());
    for name in made {
        let parts: Vec<Component<'_>> = Path::new(&name).components().collect();
        assert!(matches!(parts[..], [Component::Normal(_)]), "{name}");
        assert!(name.len() <= 80 && !name.starts_with('.'), "{name}");
    }
}
