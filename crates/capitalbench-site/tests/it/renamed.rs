//! The pages of a model that goes on under another id.

use capitalbench_core::publication::RoundState;
use capitalbench_core::publication::calls::ModelCalls;
use capitalbench_core::publication::renames::continue_records;
use capitalbench_core::values::ids::ModelId;

use super::sources::fixtures;

const OLD: &str = "google-fixture-c";
const NEW: &str = "google-fixture-d";

#[test]
fn the_page_of_an_earlier_id_leads_to_the_record_and_the_record_names_it() {
    let mut source = fixtures();
    let id = |text: &str| ModelId::parse(text).expect("an id");
    let rounds = &mut source.publication.rounds;
    let open = rounds.iter_mut().find_map(|round| match &mut round.state {
        RoundState::Open(open) => Some(open),
        _ => None,
    });
    let open = open.expect("an open round");
    for own in &mut open.submissions {
        if own.model_id == id(OLD) {
            own.model_id = id(NEW);
        }
    }
    open.calls = vec![ModelCalls {
        continues: Some(id(OLD)),
        ..ModelCalls::new(id(NEW))
    }];
    continue_records(rounds);
    let pages = source.pages();
    let earlier = &pages[&format!("models/{OLD}/index.html")];
    assert!(earlier.contains("Record goes on as"), "{earlier}");
    assert!(earlier.contains(&format!("{NEW}/")), "{earlier}");
    let own = &pages[&format!("models/{NEW}/index.html")];
    assert!(own.contains("Earlier, in the same record"), "{own}");
    assert!(own.contains(OLD) && own.contains(" to "), "{own}");
    // The list of models names the record once; the round's own page keeps the id it was stored with.
    let list = &pages["models/index.html"];
    assert!(!list.contains(&format!("href=\"{OLD}/\"")), "{list}");
}
