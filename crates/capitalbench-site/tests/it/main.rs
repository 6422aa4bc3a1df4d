//! The site of the public record and of the fixtures, looked at byte by byte.

mod budgets;
mod hostile;
mod markup;
mod sources;
mod structure;
mod withheld;
mod wording;
