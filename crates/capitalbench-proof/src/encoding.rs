//! Base64 and hexadecimal text, each with exactly one form per value.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bytes of padded standard base64; none for any other form.
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// Exactly `N` bytes from lower-case hexadecimal text.
pub(crate) fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let nibble = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
    }
    Some(bytes)
}

/// A decimal number without sign and leading zeros, as checkpoints and proofs write it.
pub(crate) fn decimal(text: &str) -> Option<u64> {
    let plain = text == "0" || !text.starts_with('0');
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (plain && digits).then(|| text.parse().ok()).flatten()
}
