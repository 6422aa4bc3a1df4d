//! The order in which the options of a round are listed: drawn by lot, the same for every model.
//!
//! Some readers of a long list favour its beginning or its end. With one fixed order such a habit would
//! look like an opinion about the options that happen to stand there. The lot follows from the frozen
//! inputs, so anybody draws it again.

use std::collections::BTreeMap;

use crate::evidence::inference::random::Random;
use crate::market::universe::{Listing, MarketOption, Universe};
use crate::values::ids::{Digest, OptionId};

/// The label of the lot; another way to draw gets another one.
pub const ORDER_LABEL: &str = "order-v1";

/// The one frozen file that the lot cannot depend on, because it shows the order.
const MODEL_INPUT: &str = "model_input.md";

/// The shown options in the order of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionOrder {
    seed: Digest,
    ids: Vec<OptionId>,
}

impl OptionOrder {
    /// Draws the order of a round.
    pub fn draw(seed: Digest, universe: &Universe) -> Self {
        Self::draw_as(seed, ORDER_LABEL, universe)
    }

    /// The same with another label, which gives an order that owes nothing to the first.
    pub fn draw_as(seed: Digest, label: &str, universe: &Universe) -> Self {
        let mut ids: Vec<OptionId> = shown(universe).map(|option| option.id.clone()).collect();
        let mut random = Random::of(seed, label);
        for last in (1..ids.len()).rev() {
            ids.swap(last, random.index(last + 1));
        }
        Self { seed, ids }
    }

    /// What the lot was drawn from.
    pub fn seed(&self) -> Digest {
        self.seed
    }

    pub fn ids(&self) -> &[OptionId] {
        &self.ids
    }

    /// The same order of options that are called otherwise.
    #[must_use]
    pub fn renamed(self, name: impl Fn(&OptionId) -> OptionId) -> Self {
        let ids = self.ids.iter().map(name).collect();
        Self { ids, ..self }
    }

    /// The place of an option, from one.
    pub fn position(&self, id: &str) -> Option<usize> {
        let place = self.ids.iter().position(|own| own.as_str() == id);
        place.map(|place| place + 1)
    }

    /// The shown options of a universe in this order.
    pub fn options<'a>(&self, universe: &'a Universe) -> Vec<&'a MarketOption> {
        let mut options: Vec<&MarketOption> = shown(universe).collect();
        options.sort_by_key(|option| self.position(option.id.as_str()));
        options
    }

    /// The rows of a Markdown table in this order; every other line stays where it is.
    pub fn rows(&self, table: &str) -> String {
        let place = |line: &str| self.position(first_cell(line)?);
        let mut rows: Vec<&str> = table.lines().filter(|line| place(line).is_some()).collect();
        rows.sort_by_key(|line| place(line));
        let mut rows = rows.into_iter();
        let lines = table.lines().map(|line| match place(line) {
            Some(_) => rows.next().unwrap_or(line),
            None => line,
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// The digest from which the order of a round is drawn: that of its other frozen files, named and in
/// the order of their names.
pub fn order_seed(frozen: &BTreeMap<String, Digest>) -> Digest {
    let files = frozen.iter().filter(|(file, _)| *file != MODEL_INPUT);
    let lines = files.map(|(file, digest)| format!("{file} {digest}\n"));
    Digest::of(lines.collect::<String>().as_bytes())
}

/// The ids that a model input lists, in its order.
pub fn listed(model_input: &str) -> Vec<&str> {
    let (_, list) = model_input
        .rsplit_once("\n## Options\n")
        .unwrap_or_default();
    list.lines()
        .filter_map(|line| line.strip_prefix("ID: "))
        .collect()
}

/// The first cell of a row of a Markdown table.
pub(crate) fn first_cell(line: &str) -> Option<&str> {
    let (cell, _) = line.strip_prefix("| ")?.split_once(" |")?;
    Some(cell)
}

fn shown(universe: &Universe) -> impl Iterator<Item = &MarketOption> {
    let options = universe.options().iter();
    options.filter(|option| option.listing == Listing::Shown)
}

#[cfg(test)]
mod tests;
