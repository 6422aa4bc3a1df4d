//! Price sheets: quotes for one side of a window, and how an option finds its own.

use std::fmt;

use jiff::civil::Date;

use crate::market::universe::MarketOption;
use crate::values::units::Price;

/// Entry or exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Starting close.
    Entry,
    /// Ending close.
    Exit,
}

impl Side {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Exit => "exit",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The column that supplied a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PriceField {
    AdjustedClose,
    /// A price of unnamed kind.
    Price,
    /// Raw close: scored with a warning.
    Close,
    /// One at the entry close and in proportion afterwards: the close itself stays private.
    Index,
}

impl PriceField {
    /// The stored column name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AdjustedClose => "adj_close",
            Self::Price => "price",
            Self::Close => "close",
            Self::Index => "index",
        }
    }
}

/// One row of a price sheet.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Quote {
    /// Option id as written, else the symbol in upper case.
    pub key: String,
    /// Day of the close, where given.
    pub date: Option<Date>,
    /// Raw close, where given.
    pub close: Option<Price>,
    /// Adjusted close, where given.
    pub adjusted: Option<Price>,
    /// Price of unnamed kind, where given.
    pub price: Option<Price>,
    /// What stands for a close that is not published, where given.
    pub index: Option<Price>,
    /// Who said so, where given.
    pub source: Option<String>,
}

impl Quote {
    /// The value that scoring uses and the column it came from.
    pub fn used(&self) -> Option<(Price, PriceField)> {
        let adjusted = self.adjusted.map(|p| (p, PriceField::AdjustedClose));
        let price = self.price.map(|p| (p, PriceField::Price));
        let close = self.close.map(|p| (p, PriceField::Close));
        let index = self.index.map(|p| (p, PriceField::Index));
        adjusted.or(price).or(close).or(index)
    }
}

/// What is wrong with a set of quotes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SheetError {
    /// Two rows for one key.
    #[error("two rows have the key {0}")]
    DuplicateKey(String),
    /// A row without any price.
    #[error("the row of {0} has no adj_close, price, close or index")]
    NoPrice(String),
}

/// Quotes for one side of one window, in file order.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Vec<Quote>", into = "Vec<Quote>")]
pub struct PriceSheet {
    quotes: Vec<Quote>,
    /// Positions of the quotes, in order of their keys.
    by_key: Vec<usize>,
}

impl PriceSheet {
    /// Refuses duplicate keys and rows without a price.
    pub fn new(quotes: Vec<Quote>) -> Result<Self, SheetError> {
        if let Some(quote) = quotes.iter().find(|quote| quote.used().is_none()) {
            return Err(SheetError::NoPrice(quote.key.clone()));
        }
        let mut by_key: Vec<usize> = (0..quotes.len()).collect();
        by_key.sort_by(|&a, &b| quotes[a].key.cmp(&quotes[b].key));
        let same = |pair: &&[usize]| quotes[pair[0]].key == quotes[pair[1]].key;
        if let Some(pair) = by_key.windows(2).find(same) {
            return Err(SheetError::DuplicateKey(quotes[pair[0]].key.clone()));
        }
        Ok(Self { quotes, by_key })
    }

    /// All rows in file order.
    pub fn quotes(&self) -> &[Quote] {
        &self.quotes
    }

    /// The row of an option: by id, symbol, data symbol, then display symbol.
    pub fn find(&self, option: &MarketOption) -> Option<&Quote> {
        let keys = [
            Some(option.id.as_str()),
            option.symbol.as_deref(),
            option.data_symbol.as_deref(),
            Some(option.display_symbol()),
        ];
        let mut given = keys.into_iter().flatten();
        given.find_map(|key| self.get(key))
    }

    fn get(&self, key: &str) -> Option<&Quote> {
        let quotes = &self.quotes;
        let place = self
            .by_key
            .binary_search_by(|&index| quotes[index].key.as_str().cmp(key));
        place.ok().map(|place| &quotes[self.by_key[place]])
    }

    /// Keys, sorted, of the rows whose value is a raw close.
    pub fn close_only_keys(&self) -> Vec<&str> {
        let quotes = self.by_key.iter().map(|&index| &self.quotes[index]);
        quotes
            .filter(|quote| matches!(quote.used(), Some((_, PriceField::Close))))
            .map(|quote| quote.key.as_str())
            .collect()
    }
}

#[cfg(test)]
mod tests;
