//! Reproducible drawing: numbers that follow from a digest and a label, and from nothing else.

use crate::ids::Digest;

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
mod tests {
    use super::*;

    fn draw(label: &str) -> Draw {
        Draw::new(Digest::of(b"freeze"), label)
    }

    #[test]
    fn the_same_seed_draws_the_same() {
        let numbers = |label| {
            let mut draw = draw(label);
            (0..20).map(|_| draw.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(numbers("a"), numbers("a"));
        assert_ne!(numbers("a"), numbers("b"));
    }

    #[test]
    fn every_number_has_its_chance() {
        let mut counts = [0_u32; 6];
        let mut draw = draw("a");
        for _ in 0..6000 {
            counts[usize::try_from(draw.below(6)).unwrap()] += 1;
        }
        assert!(
            counts.iter().all(|count| (850..1150).contains(count)),
            "{counts:?}"
        );
        assert_eq!(draw.below(1), 0);
        assert_eq!(draw.below(0), 0);
    }

    #[test]
    fn every_split_has_its_chance() {
        // Three into two: four ways.
        let mut counts = std::collections::BTreeMap::new();
        let mut draw = draw("a");
        for _ in 0..4000 {
            *counts.entry(draw.split(3, 2)).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 4);
        assert!(
            counts.values().all(|count| (850..1150).contains(count)),
            "{counts:?}"
        );
        assert!(counts.keys().all(|split| split.iter().sum::<u32>() == 3));
        assert_eq!(draw.split(5, 1), [5]);
    }
}
