use super::*;

const TEXT: &str = "capitalbench registration v1
league house
entrant ada
name Ada Lovelace
kind person
contact ada@example.org
method I read the briefing.
key ada+0123abcd+AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
";

#[test]
fn a_registration_is_read_as_it_is_written() {
    let own = Registration::parse(TEXT).unwrap();
    assert_eq!(own.to_text(), TEXT);
    assert_eq!(own.kind, EntrantKind::Person);
    let with = TEXT.replace("key ada", "address https://ada.example/e\nkey ada");
    let read = Registration::parse(&with).unwrap();
    assert_eq!(read.to_text(), with);
    assert_eq!(read.address.as_deref(), Some("https://ada.example/e"));
}

#[test]
fn what_is_wrong_with_a_registration_is_named() {
    for (from, to, expected) in [
        (
            "kind person",
            "kind robot",
            "kind: must be model, agent, person or fund",
        ),
        (
            "entrant ada",
            "entrant Ada",
            "entrant: \"Ada\" is not a name",
        ),
        (
            "contact ada@example.org\n",
            "",
            "a line `contact …` is missing",
        ),
        (
            "key ada+0123abcd+",
            "key ada+0123abcd+A",
            "key: the text is not a public key",
        ),
        (
            "method I read",
            "method  I read",
            "method: must not be empty or begin",
        ),
        ("v1", "v2", "the first line must be"),
        (
            "method I",
            "address ftp://x\nmethod I",
            "a line `method …` is missing",
        ),
        (
            "key ada+0123",
            "further x\nkey ada+0123",
            "the line \"further x\" is not expected",
        ),
    ] {
        let error = Registration::parse(&TEXT.replace(from, to)).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    let twice = format!("{TEXT}{}\n", TEXT.lines().last().unwrap());
    let error = Registration::parse(&twice).unwrap_err().to_string();
    assert_eq!(error, "key: two keys have the same name");
}
