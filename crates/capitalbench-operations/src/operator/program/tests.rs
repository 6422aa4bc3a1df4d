use super::*;

fn program(command: &str) -> Program<'_> {
    Program {
        setting: "--command",
        command,
        variables: &[],
        input: b"",
        time_limit: Duration::from_secs(20),
        most_bytes: 64,
    }
}

fn configuration() -> Configuration {
    Configuration::new(|name| match name {
        "PATH" => Some("/usr/local/bin:/usr/bin:/bin".to_owned()),
        "OPENAI_API_KEY" => Some("secret".to_owned()),
        _ => None,
    })
}

fn said(command: &str) -> Result<String, String> {
    let output = program(command).output(&configuration());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    output.map(text).map_err(|error| error.message)
}

#[test]
fn words_keep_what_quotes_and_backslashes_hold() {
    let words = |text: &str| program(text).words().map_err(|error| error.message);
    assert_eq!(words(" a  b\tc ").unwrap(), ["a", "b", "c"]);
    assert_eq!(
        words(r#"x 'a b' "c \" d" e\ f "" '$HOME'"#).unwrap(),
        ["x", "a b", "c \" d", "e f", "", "$HOME"]
    );
    assert!(words("'a").unwrap_err().contains("without its partner"));
    assert!(words("a\\").is_err());
    assert!(said("  ").unwrap_err().contains("is empty"));
}

#[test]
fn a_program_gets_its_own_variables_and_no_key() {
    let variables = [("CAPITALBENCH_ROUND", "rounds/X".to_owned())];
    let program = Program {
        variables: &variables,
        most_bytes: 4_096,
        ..program("env")
    };
    let text = String::from_utf8(program.output(&configuration()).unwrap()).unwrap();
    assert!(text.contains("CAPITALBENCH_ROUND=rounds/X\n"), "{text}");
    assert!(text.contains("PATH=/usr"), "{text}");
    assert!(!text.contains("secret"), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn a_program_reads_its_input_or_leaves_it() {
    let reads = Program {
        input: b"told",
        ..program("cat")
    };
    assert_eq!(reads.output(&configuration()).unwrap(), b"told");
    let large = vec![b'x'; 1 << 20];
    let ignores = Program {
        input: &large,
        ..program("true")
    };
    assert_eq!(ignores.output(&configuration()).unwrap(), b"");
}

#[test]
fn exit_code_size_and_time_are_limited() {
    assert_eq!(said("echo '$HOME' ; ls").unwrap(), "$HOME ; ls\n");
    let failed = said("sh -c 'echo broken >&2; exit 3'").unwrap_err();
    assert!(failed.contains("exit status: 3: broken"), "{failed}");
    assert!(
        said("no-such-program")
            .unwrap_err()
            .contains("cannot start")
    );
    let long = said("head -c 65 /dev/zero").unwrap_err();
    assert!(long.contains("more than 64 bytes"), "{long}");
    let endless = said("cat /dev/zero").unwrap_err();
    assert!(endless.contains("more than 64 bytes"), "{endless}");
    for command in ["sleep 60", "sh -c 'exec >&-; sleep 60'"] {
        let time_limit = Duration::from_millis(300);
        let slow = Program {
            time_limit,
            ..program(command)
        };
        let slow = slow.output(&configuration()).unwrap_err().message;
        assert!(slow.contains("was stopped"), "{slow}");
    }
}
