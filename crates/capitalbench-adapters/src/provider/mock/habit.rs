//! Mock models with a habit: control entrants that go by the place, the name or the table of an option,
//! so that a league can be seen to notice it.

use capitalbench_core::asking::option_order::listed;
use capitalbench_core::values::ids::Digest;

use super::MockModel;

/// What a mock goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoesBy {
    /// The options that are listed first.
    Place,
    /// Names that it knows.
    Name,
    /// The highest return over 30 days in the market table; names where there is none.
    Table,
    /// What it likes, whatever the text looks like.
    Itself,
}

impl GoesBy {
    /// Reads the word of a configuration file.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "place" => Self::Place,
            "name" => Self::Name,
            "table" => Self::Table,
            "itself" => Self::Itself,
            _ => return None,
        })
    }
}

/// A habit and how firm it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Habit {
    pub goes_by: GoesBy,
    /// In how many of a hundred cases a holding is another one, in each call anew.
    pub mood_pct: u64,
}

/// A decision under way.
pub(super) struct Chooser<'a> {
    pub(super) model: &'a MockModel,
    pub(super) habit: Habit,
    pub(super) input: &'a str,
    pub(super) call: usize,
}

impl Chooser<'_> {
    /// Options that it would hold, the dearest first; none twice.
    pub(super) fn choose(&self, most: usize) -> Vec<String> {
        let ranked = self.ranked();
        let mut chosen: Vec<String> = Vec::new();
        let mut draw = 0;
        while chosen.len() < most.min(ranked.len()) {
            let is_moody = self.number(draw) % 100 < self.habit.mood_pct;
            let other = self.place(draw + 1, ranked.len());
            draw += 2;
            let next = ranked.iter().find(|id| !chosen.contains(id));
            let wanted = if is_moody { ranked.get(other) } else { next };
            chosen.extend(wanted.filter(|id| !chosen.contains(id)).cloned());
        }
        chosen
    }

    /// Every option it may hold, in the order of its liking.
    fn ranked(&self) -> Vec<String> {
        let may_hold = |id: &&str| self.model.options.iter().any(|own| own.as_str() == *id);
        let mut ids: Vec<&str> = listed(self.input).into_iter().filter(may_hold).collect();
        let by_name =
            |id: &&str| Digest::of(format!("{} {id}", self.model.model_id).as_bytes()).to_hex();
        match self.habit.goes_by {
            GoesBy::Place => {}
            GoesBy::Name => ids.sort_by_cached_key(by_name),
            GoesBy::Table => {
                ids.sort_by_cached_key(by_name);
                // Where a table is, the higher return goes first; equal ones stay as they are.
                ids.sort_by(|a, b| self.past(b).total_cmp(&self.past(a)));
            }
            // It knows the options under any name: their places in the file of the round tell them.
            GoesBy::Itself => {
                let place = |id: &&str| {
                    let mut own = self.model.options.iter();
                    let place = own.position(|own| own.as_str() == *id).unwrap_or_default();
                    Digest::of(format!("{} {place}", self.model.model_id).as_bytes()).to_hex()
                };
                ids.sort_by_cached_key(place);
            }
        }
        ids.into_iter().map(str::to_owned).collect()
    }

    /// The return over 30 days that the table shows; zero where it shows none.
    fn past(&self, id: &str) -> f64 {
        let row = self.input.lines().find(|line| {
            let cell = line
                .strip_prefix("| ")
                .and_then(|rest| rest.split(" |").next());
            cell == Some(id)
        });
        let cell = row.and_then(|row| row.split('|').nth(6));
        let number = cell.and_then(|cell| cell.trim().strip_suffix('%')?.parse().ok());
        number.unwrap_or(0.0)
    }

    /// A number that follows from the model, the call and its text.
    /// One of so many places, as it happens.
    fn place(&self, draw: usize, places: usize) -> usize {
        usize::try_from(self.number(draw) % places.max(1) as u64).unwrap_or_default()
    }

    fn number(&self, draw: usize) -> u64 {
        let model = self.model;
        let text = format!(
            "{} {} {} {draw} {}",
            model.seed,
            model.model_id,
            self.call,
            Digest::of(self.input.as_bytes())
        );
        let hex = Digest::of(text.as_bytes()).to_hex();
        u64::from_str_radix(&hex[..15], 16).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
