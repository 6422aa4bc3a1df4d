//! How checked types are stored and read again: as the plain value they were made from, so that
//! what is read passes the same checks as what was typed.

use crate::market::prices::{PriceSheet, Quote, SheetError};
use crate::market::universe::{MarketOption, Universe, UniverseError};
use crate::round::methodology::Methodology;
use crate::values::ids::Digest;
use crate::values::time::WrittenInstant;
use crate::values::units::Price;

impl TryFrom<f64> for Price {
    type Error = &'static str;
    fn try_from(value: f64) -> Result<Self, Self::Error> {
        Self::new(value).ok_or("a price is not above zero")
    }
}

impl From<Price> for f64 {
    fn from(price: Price) -> Self {
        price.get()
    }
}

impl TryFrom<String> for WrittenInstant {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not an instant")
    }
}

impl From<WrittenInstant> for String {
    fn from(stamp: WrittenInstant) -> Self {
        stamp.text().to_owned()
    }
}

impl From<Option<String>> for Methodology {
    fn from(label: Option<String>) -> Self {
        Self::from_label(label.as_deref())
    }
}

impl From<Methodology> for Option<String> {
    fn from(methodology: Methodology) -> Self {
        methodology.label().map(str::to_owned)
    }
}

impl TryFrom<Vec<MarketOption>> for Universe {
    type Error = UniverseError;
    fn try_from(options: Vec<MarketOption>) -> Result<Self, UniverseError> {
        Self::new(options)
    }
}

impl From<Universe> for Vec<MarketOption> {
    fn from(universe: Universe) -> Self {
        universe.options().to_vec()
    }
}

impl TryFrom<Vec<Quote>> for PriceSheet {
    type Error = SheetError;
    fn try_from(quotes: Vec<Quote>) -> Result<Self, SheetError> {
        Self::new(quotes)
    }
}

impl From<PriceSheet> for Vec<Quote> {
    fn from(sheet: PriceSheet) -> Self {
        sheet.quotes().to_vec()
    }
}

impl TryFrom<String> for Digest {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not a digest of 64 hexadecimal digits")
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_hex()
    }
}
