//! The site of the public record and of the fixtures, looked at byte by byte.

mod boards;
mod budgets;
mod credibility;
mod hostile;
mod markup;
mod renamed;
mod reuse;
mod sources;
mod structure;
mod withheld;
mod wording;

use sources::{PUBLISHED, Source, archive, fixtures};

fn check(source: &Source) {
    let site = source.site();
    budgets::check(&site);
    structure::check(&site);
    wording::check(&site);
    assert!(withheld::check(source) > 0, "no round is open");
}

#[test]
fn the_fixtures_make_a_sound_site() {
    check(&fixtures());
}

#[test]
fn the_public_record_makes_a_sound_site() {
    let Some(source) = archive(PUBLISHED) else {
        return;
    };
    check(&source);
    let site = source.site();
    structure::check_home(&site);
    wording::check_claims(&source, &site);
    credibility::check(&source, &site);
}
