//! One description per table; CSV, Parquet, JSON, schema and dictionary are all made from it.

use std::borrow::Cow;

use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_core::result::score::Score;
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;
use jiff::civil::Date;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// A whole number.
    Integer,
    /// A double with all its digits.
    Real,
    Flag,
    Day,
    /// An instant in UTC.
    Instant,
}

impl Kind {
    /// The word in the dictionary.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Real => "real",
            Self::Flag => "flag",
            Self::Day => "day",
            Self::Instant => "instant",
        }
    }
}

/// Whether a column may have no value in some rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Every row has one.
    Always,
    /// Some rows may have none; a column named `…_reason` beside it says why, where it is not plain.
    Maybe,
}

/// One column: its name ends in its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name in every format.
    pub name: &'static str,
    pub kind: Kind,
    pub presence: Presence,
    pub meaning: &'static str,
}

/// The columns of a table as the dictionary lists them, one per line, each with its value in a row:
/// makes the list of the columns and the function that makes a row.
macro_rules! columns {
    (
        $columns:ident, $vis:vis fn $row:ident $(<$life:lifetime>)? ($($given:ident: $type:ty),*) -> $made:ty;
        $($presence:ident $name:literal $kind:ident $meaning:expr => $value:expr;)*
    ) => {
        const $columns: &[$crate::table::Column] = &[$($crate::table::Column {
            name: $name,
            kind: $crate::table::Kind::$kind,
            presence: $crate::table::Presence::$presence,
            meaning: $meaning,
        }),*];

        $vis fn $row $(<$life>)? ($($given: $type),*) -> $made {
            vec![$($value.into()),*]
        }
    };
}
pub(crate) use columns;

#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    Text(Cow<'a, str>),
    /// A whole number.
    Integer(i64),
    Real(f64),
    Flag(bool),
    Day(Date),
    Instant(Timestamp),
    Missing,
}

/// Cells in the order of the columns.
pub type Row<'a> = Vec<Cell<'a>>;

/// A table: its description, and how a publication fills it.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Its name, and that of its files.
    pub name: &'static str,
    /// What one row is.
    pub about: &'static str,
    pub columns: &'static [Column],
    pub filling: Filling,
}

/// How a publication fills a table.
#[derive(Debug, Clone, Copy)]
pub enum Filling {
    /// Each round has rows of its own, so that memory holds the rows of one round at a time.
    ByRound(for<'a> fn(&'a PublicRound) -> Vec<Row<'a>>),
    /// Rows that need more than one round.
    Whole(for<'a> fn(&'a Publication) -> Vec<Row<'a>>),
}

impl Table {
    /// All rows of a publication.
    pub fn rows<'a>(&self, publication: &'a Publication) -> Vec<Row<'a>> {
        match self.filling {
            Filling::ByRound(rows) => publication.rounds.iter().flat_map(rows).collect(),
            Filling::Whole(rows) => rows(publication),
        }
    }

    /// Shows every row of a publication, one after the other.
    pub fn each_row(&self, publication: &Publication, mut show: impl FnMut(&Row<'_>)) {
        match self.filling {
            Filling::Whole(rows) => rows(publication).iter().for_each(show),
            Filling::ByRound(rows) => {
                let rounds = publication.rounds.iter();
                rounds.for_each(|round| rows(round).iter().for_each(&mut show));
            }
        }
    }

    /// The rows of one round; none in a table whose rows need several rounds.
    pub(crate) fn rows_of<'a>(&self, round: &'a PublicRound) -> Vec<Row<'a>> {
        match self.filling {
            Filling::ByRound(rows) => rows(round),
            Filling::Whole(_) => Vec::new(),
        }
    }

    /// The same rows in pieces of exactly this many, but for the last.
    pub(crate) fn in_pieces<'a, E>(
        &self,
        publication: &'a Publication,
        most: usize,
        mut take: impl FnMut(&[Row<'a>]) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Filling::Whole(rows) = self.filling {
            return rows(publication).chunks(most).try_for_each(take);
        }
        let mut held: Vec<Row<'a>> = Vec::new();
        for round in &publication.rounds {
            held.extend(self.rows_of(round));
            while held.len() >= most {
                let rest = held.split_off(most);
                take(&held)?;
                held = rest;
            }
        }
        if held.is_empty() {
            return Ok(());
        }
        take(&held)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<f64> for Cell<'_> {
    /// A number that is not finite becomes a missing value.
    fn from(value: f64) -> Self {
        if value.is_finite() {
            Self::Real(value)
        } else {
            Self::Missing
        }
    }
}

impl From<bool> for Cell<'_> {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl From<Date> for Cell<'_> {
    fn from(day: Date) -> Self {
        Self::Day(day)
    }
}

impl From<Timestamp> for Cell<'_> {
    fn from(at: Timestamp) -> Self {
        Self::Instant(at)
    }
}

impl From<&WrittenInstant> for Cell<'_> {
    fn from(stamp: &WrittenInstant) -> Self {
        Self::Instant(stamp.at())
    }
}

impl From<usize> for Cell<'_> {
    fn from(count: usize) -> Self {
        i64::try_from(count).map_or(Self::Missing, Self::Integer)
    }
}

impl From<u64> for Cell<'_> {
    fn from(count: u64) -> Self {
        i64::try_from(count).map_or(Self::Missing, Self::Integer)
    }
}

impl From<u32> for Cell<'_> {
    fn from(count: u32) -> Self {
        Self::Integer(i64::from(count))
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

pub fn score_points(score: Score) -> Option<f64> {
    match score {
        Score::Points(points) => Some(points),
        Score::Undefined(_) => None,
    }
}

/// Why there are no points.
pub(crate) fn score_reason(score: Score) -> Option<&'static str> {
    match score {
        Score::Points(_) => None,
        Score::Undefined(reason) => Some(reason.as_str()),
    }
}
