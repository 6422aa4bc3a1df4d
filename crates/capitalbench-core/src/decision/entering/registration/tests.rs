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
fn an_agent_says_where_it_is_asked_and_how_long_it_takes() {
    let agent = TEXT.replace("kind person", "kind agent");
    let asked = "agent https://ada.example/decide\ntime 1800\nmodel gpt-5-5\nkey ada";
    let with = agent.replace("key ada", asked);
    let read = Registration::parse(&with).unwrap();
    assert_eq!(read.to_text(), with);
    let terms = read.agent.unwrap();
    assert_eq!(
        (terms.seconds, terms.model.unwrap().as_str()),
        (1800, "gpt-5-5")
    );
    let refused = |from: &str, to: &str| {
        let text = with.replace(from, to);
        Registration::parse(&text).unwrap_err().to_string()
    };
    assert!(refused("kind agent", "kind fund").contains("only an entrant of the kind agent"));
    assert!(refused("time 1800", "time 3601").contains("from 1 to 3600 seconds"));
    assert!(refused("time 1800\n", "").contains("a line `time …` is missing"));
    assert!(refused("https://ada", "ftp://ada").contains("must be an address such as"));
    let alone = agent.replace("key ada", "model gpt-5-5\nkey ada");
    assert!(Registration::parse(&alone).is_err());
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

#[test]
fn a_registration_is_bounded() {
    let long = |bytes: usize| TEXT.replace("I read the briefing.", &"x".repeat(bytes));
    assert!(Registration::parse(&long(400)).is_ok());
    let error = Registration::parse(&long(401)).unwrap_err().to_string();
    assert_eq!(error, "method: must have at most 400 bytes");
    let keys = |count: usize| {
        let line = TEXT.lines().last().unwrap();
        let further =
            (1..count).map(|number| line.replace("key ada", &format!("key ada{number}")) + "\n");
        format!("{TEXT}{}", further.collect::<String>())
    };
    assert!(Registration::parse(&keys(5)).is_ok());
    let error = Registration::parse(&keys(6)).unwrap_err().to_string();
    assert_eq!(error, "key: a registration has 1 to 5 keys");
}
