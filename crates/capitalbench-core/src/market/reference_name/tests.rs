use super::*;

#[test]
fn an_index_has_an_article_and_a_proper_noun_has_none() {
    for (name, in_text) in [
        ("S&P 500", "the S&P 500"),
        ("STOXX Europe 600", "the STOXX Europe 600"),
        ("Nifty 50", "the Nifty 50"),
        ("DAX", "the DAX"),
        ("Total stock market", "the Total stock market"),
        ("reference", "the reference"),
        ("Bitcoin", "Bitcoin"),
    ] {
        assert_eq!(ReferenceName::from(name).the(), in_text);
    }
}

#[test]
fn rounds_that_name_different_references_have_a_reference_without_a_name() {
    let shared = |names: &[&str]| ReferenceName::shared(names.iter().copied()).the();
    assert_eq!(shared(&["Bitcoin", "Bitcoin"]), "Bitcoin");
    assert_eq!(shared(&["Bitcoin", "DAX"]), "the reference");
    assert_eq!(shared(&[]), "the reference");
}

#[test]
fn a_text_about_the_reference_names_it() {
    let name = ReferenceName::from("S&P 500");
    let text = "the share of rounds above that of the reference";
    assert_eq!(
        name.put_into(text),
        "the share of rounds above that of the S&P 500"
    );
}
