use super::*;

fn key(text: &str) -> ApiKey {
    ApiKey::new(text.to_owned()).unwrap()
}

#[test]
fn blank_and_broken_keys_are_refused() {
    for text in [
        "",
        " ",
        "\n",
        "abc\n",
        "ab c",
        "\tabc",
        "abc\r\n",
        "schlüssel",
        "a\0b",
    ] {
        assert!(ApiKey::new(text.to_owned()).is_none(), "{text:?}");
    }
    assert_eq!(key("abc-123_=/+").expose(), "abc-123_=/+");
}

#[test]
fn a_key_is_not_printed() {
    assert_eq!(format!("{:?}", key("abc")), "ApiKey(…)");
    assert_eq!(
        format!("{:#?}", Some(key("abc"))),
        "Some(\n    ApiKey(…),\n)"
    );
}

#[test]
fn a_key_is_taken_out_of_a_text_in_every_spelling() {
    let key = key("Ab/9\"z");
    for (text, expected) in [
        ("", ""),
        ("nothing here, Ab/9", "nothing here, Ab/9"),
        ("Token Ab/9\"z!", "Token …!"),
        ("Ab/9\"zAb/9\"z", "……"),
        ("é aB/9\"Z é", "é … é"),
        ("?token=Ab%2F9%22z&x", "?token=…&x"),
        ("?token=Ab%2f9%22z&x", "?token=…&x"),
        (r#"{"key":"Ab\/9\"z"}"#, r#"{"key":"…"}"#),
        (r"\u0041b/9\u0022z", "…"),
        ("AAb/9\"z", "A…"),
    ] {
        assert_eq!(key.redact(text), expected, "{text}");
    }
}

#[test]
fn a_key_with_escape_characters_is_found_plain_and_escaped() {
    let key = key(r"a%b\c");
    for text in [
        r"a%b\c",
        r"a%25b\c",
        r"a%25b%5Cc",
        r"a%b\\c",
        r"A\u0025b\u005cc",
    ] {
        assert_eq!(key.redact(text), "…", "{text}");
    }
    assert_eq!(key.redact("a%26b"), "a%26b");
}

/// Plain base64 with a choice of the last two characters of the alphabet.
fn base64(bytes: &[u8], last: [char; 2]) -> String {
    let letters = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(last);
    let letters: Vec<char> = letters.collect();
    let group = |group: &[u8]| -> String {
        let word = (0..3).fold(0_u32, |word, at| {
            word << 8 | u32::from(group.get(at).copied().unwrap_or_default())
        });
        let sign = |at: usize| letters[(word >> (18 - 6 * at) & 63) as usize];
        let told = (0..=group.len()).map(sign);
        told.chain(std::iter::repeat_n('=', 3 - group.len()))
            .collect()
    };
    bytes.chunks(3).map(group).collect()
}

const LONG: &str = "Sk-Echo5never8Shown2/+=x?";

#[test]
fn a_key_in_html_is_taken_out() {
    let key = key(LONG);
    let each = |spelled: &dyn Fn(char) -> String| LONG.chars().map(spelled).collect::<String>();
    let decimal = each(&|sign| format!("&#{};", u32::from(sign)));
    let padded = each(&|sign| format!("&#{:07}", u32::from(sign)));
    let hexadecimal = each(&|sign| format!("&#x{:x};", u32::from(sign)));
    let capital = each(&|sign| format!("&#X{:X};", u32::from(sign)));
    let twice = decimal.replace('&', "&amp;");
    let named = LONG
        .replace('/', "&sol;")
        .replace('+', "&plus;")
        .replace('=', "&equals;")
        .replace('?', "&quest;");
    let again = named.replace('&', "&amp;amp;");
    for text in [decimal, padded, hexadecimal, capital, twice, named, again] {
        assert_eq!(key.redact(&format!("<p>{text}</p>")), "<p>…</p>", "{text}");
    }
    assert_eq!(super::tests::key("a&b\"c").redact("a&amp;b&quot;c"), "…");
    assert_eq!(key.redact("&#83;&#107;-Echo"), "&#83;&#107;-Echo");
}

#[test]
fn a_key_escaped_once_more_is_taken_out() {
    let key = key(LONG);
    let each = |spelled: &dyn Fn(u32) -> String| {
        LONG.chars()
            .map(|sign| spelled(sign.into()))
            .collect::<String>()
    };
    for text in [
        each(&|sign| format!("%{sign:02X}")),
        each(&|sign| format!("%25{sign:02x}")),
        each(&|sign| format!("\\u{sign:04x}")),
        each(&|sign| format!("\\\\u{sign:04X}")),
        each(&|sign| format!("\\x{sign:02x}")),
        each(&|sign| format!("\\u{{{sign:x}}}")),
        each(&|sign| format!("{sign:02x}")),
        each(&|sign| format!("{sign:02X}")),
        each(&|sign| format!("{sign:02x} ")).trim_end().to_owned(),
    ] {
        assert_eq!(key.redact(&format!("({text})")), "(…)", "{text}");
    }
}

#[test]
fn a_key_in_base64_is_taken_out_at_every_place() {
    let key = key(LONG);
    for last in [['+', '/'], ['-', '_']] {
        for before in ["", "x", "Bearer ", "user:", "{\"key\":\""] {
            for after in ["", "\"", "\"}", " and more"] {
                let told = base64(format!("{before}{LONG}{after}").as_bytes(), last);
                let clean = key.redact(&told);
                assert!(clean.contains('…'), "{before} {after}: {clean}");
                // Nothing of the key is left, and the text around it stays.
                let rest = told.len() - clean.chars().count();
                assert!(rest + 4 >= LONG.len() * 4 / 3, "{before} {after}: {clean}");
                let begin = base64(before.as_bytes(), last);
                let begin = &begin[..before.len() * 8 / 6];
                assert!(clean.starts_with(&begin[..begin.len().saturating_sub(1)]));
                let wrapped: Vec<&str> = told.split_inclusive('c').collect();
                let wrapped = key.redact(&wrapped.join("\r\n"));
                assert!(wrapped.contains('…'), "{wrapped}");
            }
        }
    }
    let lower = base64(LONG.to_lowercase().as_bytes(), ['+', '/']);
    assert!(key.redact(&lower).starts_with('…'));
    // Escaping the encoded form does not hide it.
    let told = base64(LONG.as_bytes(), ['+', '/']);
    let linked = told.replace('+', "%2B").replace('/', "%2F");
    assert!(key.redact(&linked).starts_with('…'), "{linked}");
    let quoted = told.replace('/', "\\/");
    assert!(key.redact(&quoted).starts_with('…'), "{quoted}");
}

#[test]
fn words_that_are_not_the_key_stay() {
    let key = key(LONG);
    for text in [
        "Sk-Echo5never8Shown2",
        "&#83; is a letter, % is a sign, \\ another",
        "U2stRWNobzVuZXZlcjg",
        "… é 536b2d",
    ] {
        assert_eq!(key.redact(text), text);
    }
    // Encodings of a key this short are not looked for.
    assert_eq!(
        super::tests::key("abc").redact("YWJj 616263"),
        "YWJj 616263"
    );
}
