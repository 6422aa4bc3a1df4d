//! How checked types are stored and read again: as the plain value they were made from, so that
//! what is read passes the same checks as what was typed.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::market::calendar::Market;
use crate::market::prices::{PriceSheet, Quote, SheetError};
use crate::market::universe::{MarketOption, Universe};
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

/// The form of a universe that does not trade in New York; the others are their list of options.
#[derive(Serialize, Deserialize)]
struct UniverseForm<O> {
    market: Market,
    options: O,
}

impl Serialize for Universe {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (market, options) = (self.market(), self.options());
        if market == Market::default() {
            return options.serialize(to);
        }
        UniverseForm { market, options }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Universe {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(UniverseVisitor)
    }
}

struct UniverseVisitor;

impl<'de> Visitor<'de> for UniverseVisitor {
    type Value = Universe;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of options, or a market with its options")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, options: A) -> Result<Universe, A::Error> {
        let options = Vec::deserialize(SeqAccessDeserializer::new(options))?;
        Universe::new(options).map_err(A::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Universe, A::Error> {
        let form: UniverseForm<Vec<MarketOption>> =
            UniverseForm::deserialize(MapAccessDeserializer::new(map))?;
        Universe::on(form.market, form.options).map_err(A::Error::custom)
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
