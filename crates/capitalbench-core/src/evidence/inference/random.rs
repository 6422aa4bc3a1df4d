//! The generator behind every draw: xoshiro256++, seeded by a SHA-256 digest.
//!
//! The state is the digest read as four little-endian numbers, so anyone with the digest can
//! repeat every draw; it is not for secrets.

use crate::values::ids::Digest;

/// A stream of numbers that follows from its seed alone.
#[derive(Debug, Clone)]
pub struct Random([u64; 4]);

impl Random {
    /// The stream of a digest and a label: the seed is the digest of both.
    pub fn of(digest: Digest, label: &str) -> Self {
        let seed = Digest::of(format!("{digest}\n{label}\n").as_bytes()).to_hex();
        let mut state = [0; 4];
        for (word, start) in state.iter_mut().zip((0..64).step_by(16)) {
            // A digest has 64 digits, so each part is a number.
            let part = u64::from_str_radix(&seed[start..start + 16], 16).unwrap_or(1);
            *word = part.swap_bytes();
        }
        if state == [0; 4] {
            state[0] = 1;
        }
        Self(state)
    }

    fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `end`, each with the same chance; `end` is at least one.
    #[expect(clippy::cast_possible_truncation, reason = "the halves of a product")]
    pub fn below(&mut self, end: u64) -> u64 {
        // Lemire's method: the high half of a product, the few uneven low halves drawn again.
        let end = end.max(1);
        loop {
            let product = u128::from(self.next()) * u128::from(end);
            let low = (product & u128::from(u64::MAX)) as u64;
            if low >= end || low >= end.wrapping_neg() % end {
                return (product >> 64) as u64;
            }
        }
    }

    /// A place in a list of this length.
    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or_default()
    }

    /// A number from zero to below one, in steps of 2⁻⁵³.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double exactly")]
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A standard normal, by the inverse of its distribution.
    pub fn normal(&mut self) -> f64 {
        super::distribution::normal_quantile(self.unit() + 0.5 / 9_007_199_254_740_992.0)
    }
}

#[cfg(test)]
mod tests;
