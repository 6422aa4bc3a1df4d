use super::*;

#[test]
fn an_identifier_and_an_address_are_licences() {
    let known = Licence::parse("CC-BY-4.0").expect("an identifier");
    assert_eq!(known.address(), "https://spdx.org/licenses/CC-BY-4.0.html");
    let own = Licence::parse("https://league.example/terms").expect("an address");
    assert_eq!(own.address(), "https://league.example/terms");
}

#[test]
fn anything_else_is_no_licence() {
    for text in [
        "",
        "all rights reserved",
        "-x",
        "CC BY",
        "javascript:x",
        "https://a\"b",
        "ü",
    ] {
        assert_eq!(Licence::parse(text), None, "{text}");
    }
}
