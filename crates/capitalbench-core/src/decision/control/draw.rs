//! Reproducible drawing: numbers that follow from a digest and a label, and from nothing else.

use crate::values::ids::Digest;

/// A stream of numbers: the digests of the seed and a counter.
#[derive(Debug, Clone)]
pub(super) struct Draw {
    seed: String,
    counter: u64,
}

impl Draw {
    /// The stream of a round: its seed is the digest of the freeze digest and a label.
    pub(super) fn new(freeze: Digest, label: &str) -> Self {
        let seed = Digest::of(format!("{freeze}\n{label}\n").as_bytes());
        Self {
            seed: seed.to_hex(),
            counter: 0,
        }
    }

    fn next(&mut self) -> u64 {
        let text = format!("{}\n{}\n", self.seed, self.counter);
        self.counter += 1;
        let hex = Digest::of(text.as_bytes()).to_hex();
        // A digest has 64 digits, so the first sixteen are always a number.
        u64::from_str_radix(&hex[..16], 16).unwrap_or_default()
    }

    /// A number below `end`, each with the same chance; zero when there is none.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        let end = end.max(1);
        // The last, incomplete stretch of numbers would favour the small ones.
        let limit = u64::MAX - (u64::MAX % end + 1) % end;
        loop {
            let number = self.next();
            if number <= limit {
                return number % end;
            }
        }
    }

    /// Puts the items into an order, each order with the same chance.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1);
            items.swap(last, usize::try_from(other).unwrap_or(last));
        }
    }

    /// Splits `whole` into `parts` numbers from zero up, each split with the same chance.
    pub(super) fn split(&mut self, whole: u32, parts: u32) -> Vec<u32> {
        let bars = parts.saturating_sub(1);
        let mut places: Vec<u32> = (0..whole + bars).collect();
        self.shuffle(&mut places);
        places.truncate(bars as usize);
        places.sort_unstable();
        let mut split = Vec::new();
        let mut begin = 0;
        for place in places {
            split.push(place - begin);
            begin = place + 1;
        }
        split.push(whole + bars - begin);
        split
    }
}

#[cfg(test)]
mod tests;
