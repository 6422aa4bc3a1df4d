//! The spellings of a key in a text: plain, escaped byte by byte, in base64 and in hexadecimal.
//!
//! A server may repeat the key inside a page, an address, a JSON text or an encoded copy of the
//! request. Each spelling is a sequence of bytes, and every byte of it may itself be escaped, so that
//! base64 inside JSON inside HTML is found too.

use super::Wiped;

/// Encodings of a shorter key could be ordinary words, so only the plain key is looked for.
const SHORTEST_ENCODED: usize = 6;
/// How many layers of escaping are undone.
const MOST_TIMES: usize = 4;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// ASCII characters that HTML has names for.
const NAMED: [(&str, u8); 38] = [
    ("excl", b'!'),
    ("quot", b'"'),
    ("QUOT", b'"'),
    ("num", b'#'),
    ("dollar", b'$'),
    ("percnt", b'%'),
    ("amp", b'&'),
    ("AMP", b'&'),
    ("apos", b'\''),
    ("lpar", b'('),
    ("rpar", b')'),
    ("ast", b'*'),
    ("midast", b'*'),
    ("plus", b'+'),
    ("comma", b','),
    ("period", b'.'),
    ("sol", b'/'),
    ("colon", b':'),
    ("semi", b';'),
    ("lt", b'<'),
    ("LT", b'<'),
    ("equals", b'='),
    ("gt", b'>'),
    ("GT", b'>'),
    ("quest", b'?'),
    ("commat", b'@'),
    ("lsqb", b'['),
    ("lbrack", b'['),
    ("bsol", b'\\'),
    ("rsqb", b']'),
    ("rbrack", b']'),
    ("Hat", b'^'),
    ("lowbar", b'_'),
    ("UnderBar", b'_'),
    ("grave", b'`'),
    ("lcub", b'{'),
    ("rcub", b'}'),
    ("verbar", b'|'),
];

/// How the bytes of a spelling are compared with a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    AnyCase,
    /// Hexadecimal digits in any case, possibly separated.
    Hexadecimal,
    /// Exact letters, in both alphabets of base64, possibly over several lines.
    Base64,
}

/// One sequence of bytes that reveals the key.
pub(super) struct Spelling {
    bytes: Wiped<Vec<u8>>,
    manner: Manner,
    /// Whether the characters before and after it hold bits of the key beside other bits.
    shared: (bool, bool),
}

/// Every spelling of a key.
pub(super) fn spellings(key: &str) -> Vec<Spelling> {
    let plain = |bytes: Vec<u8>, manner| Spelling {
        bytes: Wiped::new(bytes),
        manner,
        shared: (false, false),
    };
    let mut found = vec![plain(key.as_bytes().to_vec(), Manner::AnyCase)];
    if key.len() < SHORTEST_ENCODED {
        return found;
    }
    for case in [
        key.to_owned(),
        key.to_ascii_lowercase(),
        key.to_ascii_uppercase(),
    ] {
        let case = Wiped::new(case);
        found.extend((0..3).map(|before| base64(case.as_bytes(), before)));
        found.push(plain(hexadecimal(case.as_bytes()), Manner::Hexadecimal));
    }
    found
}

fn hexadecimal(key: &[u8]) -> Vec<u8> {
    let digits = |byte: &u8| [byte >> 4, byte & 15];
    let digit = |value: u8| char::from_digit(value.into(), 16).map_or(b'0', |digit| digit as u8);
    key.iter().flat_map(digits).map(digit).collect()
}

/// The base64 characters that depend on the key alone if `before` bytes precede it in its group of
/// three.
fn base64(key: &[u8], before: usize) -> Spelling {
    let bit = |at: usize| {
        let byte = at / 8;
        let value = byte.checked_sub(before).and_then(|byte| key.get(byte));
        value.map_or(0, |value| value >> (7 - at % 8) & 1)
    };
    let (start, end) = (before * 8, (before + key.len()) * 8);
    let (first, last) = (start.div_ceil(6), end / 6);
    let character = |at: usize| {
        let value = (0..6).fold(0, |value, offset| value << 1 | bit(at * 6 + offset));
        ALPHABET[usize::from(value)]
    };
    Spelling {
        bytes: Wiped::new((first..last).map(character).collect()),
        manner: Manner::Base64,
        shared: (start % 6 != 0, end % 6 != 0),
    }
}

impl Spelling {
    /// Whether the character before it holds bits of the key.
    pub(super) fn shares_before(&self) -> bool {
        self.shared.0
    }

    /// Where the spelling ends if it begins at `start`; the longest match counts.
    pub(super) fn end(&self, text: &str, start: usize) -> Option<usize> {
        let text = text.as_bytes();
        let mut places = vec![start];
        for (count, byte) in self.bytes.iter().enumerate() {
            let mut next = Vec::new();
            for at in places {
                let at = if count == 0 {
                    at
                } else {
                    self.spaced(text, at)
                };
                self.after(text, at, *byte, &mut next);
            }
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                return None;
            }
            places = next;
        }
        let end = places.into_iter().max()?;
        let more = self.shared.1 && text.get(end).is_some_and(|byte| is_base64(*byte));
        Some(end + usize::from(more))
    }

    /// The position after the separators at `at`.
    fn spaced(&self, text: &[u8], mut at: usize) -> usize {
        if self.manner == Manner::AnyCase {
            return at;
        }
        loop {
            let rest = text.get(at..).unwrap_or_default();
            at += match rest {
                [b'\\', b'n' | b'r', ..] => 2,
                [b':', ..] if self.manner == Manner::Hexadecimal => 1,
                [byte, ..] if byte.is_ascii_whitespace() => 1,
                _ => return at,
            };
        }
    }

    fn is_same(&self, found: u32, wanted: u8) -> bool {
        let Ok(found) = u8::try_from(found) else {
            return false;
        };
        match self.manner {
            Manner::Base64 => standard(found) == wanted,
            Manner::AnyCase | Manner::Hexadecimal => found.eq_ignore_ascii_case(&wanted),
        }
    }

    /// Collects every position at which one byte of the spelling can end.
    fn after(&self, text: &[u8], at: usize, wanted: u8, ends: &mut Vec<usize>) {
        let Some(first) = text.get(at) else { return };
        if self.is_same((*first).into(), wanted) {
            ends.push(at + 1);
        }
        let read = match first {
            b'%' => in_address,
            b'\\' => in_json,
            b'&' => in_html,
            _ => return,
        };
        let again: &[u8] = match first {
            b'%' => b"25",
            b'\\' => b"\\",
            _ => b"amp;",
        };
        // A byte that was escaped several times begins with an escaped escape character.
        let mut at = at + 1;
        for _ in 0..MOST_TIMES {
            if let Some((value, end)) = read(text, at)
                && self.is_same(value, wanted)
            {
                ends.push(end);
            }
            if !text.get(at..).is_some_and(|rest| rest.starts_with(again)) {
                return;
            }
            at += again.len();
        }
    }
}

/// The bytes with which a spelling can begin.
pub(super) fn beginnings(spellings: &[Spelling]) -> [bool; 256] {
    let mut found = [false; 256];
    for sign in [b'%', b'\\', b'&'] {
        found[usize::from(sign)] = true;
    }
    for first in spellings
        .iter()
        .filter_map(|spelling| spelling.bytes.first())
    {
        for same in [first.to_ascii_lowercase(), first.to_ascii_uppercase()] {
            found[usize::from(same)] = true;
        }
        match first {
            b'+' => found[usize::from(b'-')] = true,
            b'/' => found[usize::from(b'_')] = true,
            _ => {}
        }
    }
    found
}

/// The number of at most `most` digits at a position, and the position after it.
fn number(text: &[u8], at: usize, radix: u32, most: usize) -> Option<(u32, usize)> {
    let digits = text.get(at..)?.iter().take(most);
    let digits = digits.map_while(|byte| char::from(*byte).to_digit(radix));
    let (value, count) = digits.fold((0_u32, 0), |(value, count), digit| {
        let value = value.saturating_mul(radix).saturating_add(digit);
        (value, count + 1)
    });
    (count > 0).then_some((value, at + count))
}

/// Reads `2F`.
fn in_address(text: &[u8], at: usize) -> Option<(u32, usize)> {
    number(text, at, 16, 2).filter(|(_, end)| *end == at + 2)
}

/// Reads `u002F`, `u{2f}`, `x2F` or the character itself.
fn in_json(text: &[u8], at: usize) -> Option<(u32, usize)> {
    let whole = |found: Option<(u32, usize)>, end: usize| found.filter(|found| found.1 == end);
    let escaped = match text.get(at..)? {
        [b'u', b'{', ..] => {
            let found = number(text, at + 2, 16, 6);
            let closed = found.filter(|(_, end)| text.get(*end) == Some(&b'}'));
            closed.map(|(value, end)| (value, end + 1))
        }
        [b'u', ..] => whole(number(text, at + 1, 16, 4), at + 5),
        [b'x', ..] => whole(number(text, at + 1, 16, 2), at + 3),
        _ => None,
    };
    escaped.or_else(|| Some((u32::from(*text.get(at)?), at + 1)))
}

/// Reads `#47;`, `#x2f;` or `sol;`; the semicolon may be missing after a number.
fn in_html(text: &[u8], at: usize) -> Option<(u32, usize)> {
    const LONGEST: usize = 12;
    let ended =
        |(value, end): (u32, usize)| (value, end + usize::from(text.get(end) == Some(&b';')));
    match text.get(at..)? {
        [b'#', b'x' | b'X', ..] => number(text, at + 2, 16, LONGEST).map(ended),
        [b'#', ..] => number(text, at + 1, 10, LONGEST).map(ended),
        rest => {
            let named = NAMED.iter().find(|(name, _)| {
                let after = rest.strip_prefix(name.as_bytes());
                after.is_some_and(|after| after.first() == Some(&b';'))
            });
            named.map(|(name, sign)| (u32::from(*sign), at + name.len() + 1))
        }
    }
}

/// Maps a character of the URL-safe base64 alphabet to the standard one.
fn standard(byte: u8) -> u8 {
    match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => other,
    }
}

pub(super) fn is_base64(byte: u8) -> bool {
    ALPHABET.contains(&standard(byte))
}
