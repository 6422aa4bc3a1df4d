//! The versioned, ordered options a round may choose from, and which of them play a role.

use std::collections::BTreeSet;
use std::fmt;

use jiff::civil::Date;

use crate::market::calendar::Market;
use crate::values::ids::OptionId;
use crate::values::words::words;

/// How much an option may move, in the universe file's own grades.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum RiskBucket {
    /// Does not move.
    Cash,
    /// Short bonds and the like.
    Low,
    /// Broad funds.
    Medium,
    /// Sectors and single countries.
    High,
    /// Emerging markets, narrow themes, crypto assets.
    VeryHigh,
}

words!(RiskBucket {
    Cash => "cash",
    Low => "low",
    Medium => "medium",
    High => "high",
    VeryHigh => "very_high",
});

/// Whether models see an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Listing {
    /// Part of the prompt and of the context tables.
    Shown,
    /// Priced, but not offered.
    Hidden,
}

/// The flags of an option as its universe file sets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct RoleFlags {
    /// `is_cash`.
    pub cash: bool,
    /// `is_benchmark`.
    pub reference: bool,
}

/// One allowed choice.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct MarketOption {
    /// The value submissions use.
    pub id: OptionId,
    /// The name shown to models.
    pub name: String,
    /// Public ticker; none only for cash.
    pub symbol: Option<String>,
    /// Ticker of the price vendor; none only for cash.
    pub data_symbol: Option<String>,
    /// Equity, bond, commodity and so on.
    pub asset_class: String,
    /// Finer class.
    pub category: String,
    /// Group shown to models; also feeds the exposure cluster.
    pub group: String,
    /// Risk grade.
    pub risk_bucket: RiskBucket,
    /// One or two neutral sentences.
    pub exposure_description: String,
    /// Currency of the prices.
    pub currency: String,
    /// Flags as stored.
    pub flags: RoleFlags,
    /// Shown to models or not.
    pub listing: Listing,
    /// What became of it at its exchange, where that is known.
    pub change: Option<ListingChange>,
}

/// What an exchange did to an option, and the rule that follows for its prices.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ListingChange {
    /// From this day on vendors know the same option by another symbol.
    Renamed { to: String, on: Date },
    /// The day had the last official close; from then on the option counts as cash.
    Delisted { on: Date },
}

impl fmt::Display for ListingChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Renamed { to, on } => write!(f, "was renamed {to} on {on}"),
            Self::Delisted { on } => write!(f, "was delisted; its last official close is of {on}"),
        }
    }
}

impl MarketOption {
    /// Cash by flag or by id; the universe file's own rule.
    pub fn is_cash(&self) -> bool {
        self.flags.cash || self.id.as_str().eq_ignore_ascii_case("cash")
    }

    /// The symbol that answers about days up to this one; none for cash.
    pub fn data_symbol_on(&self, last: Date) -> Option<&str> {
        match &self.change {
            Some(ListingChange::Renamed { to, on }) if *on <= last => Some(to),
            _ => self.data_symbol.as_deref(),
        }
    }

    /// The day whose close counts on a day: after a delisting that of the last official close.
    pub fn priced_on(&self, day: Date) -> Date {
        match self.change {
            Some(ListingChange::Delisted { on }) => day.min(on),
            _ => day,
        }
    }

    /// Cash for scoring: also by a display symbol `USD` or `CASH`.
    pub fn scores_as_cash(&self) -> bool {
        self.is_cash() || matches!(self.display_symbol(), "USD" | "CASH")
    }

    /// The ticker, or `CASH` where there is none.
    pub fn display_symbol(&self) -> &str {
        self.symbol.as_deref().unwrap_or("CASH")
    }

    /// Counted as reference in allocation columns and by `allow_benchmark_asset`.
    pub fn counts_as_reference(&self) -> bool {
        self.flags.reference || self.id.as_str().eq_ignore_ascii_case("SP500")
    }

    /// A fund of treasury bills or the like: it accrues interest and hardly moves.
    pub fn accrues_like_cash(&self) -> bool {
        !self.is_cash() && self.asset_class == "cash_like"
    }

    fn may_be_reference(&self) -> bool {
        let id = self.id.as_str().to_lowercase();
        let symbol = self.display_symbol().to_uppercase();
        self.flags.reference
            || matches!(
                id.as_str(),
                "sp500" | "s&p500" | "s_and_p_500" | "spy" | "spx"
            )
            || matches!(symbol.as_str(), "SPY" | "SPX" | "^GSPC")
    }

    /// The economic exposure that the forecast methodologies cap.
    pub fn exposure_cluster(&self) -> &str {
        if let Some(cluster) = known_cluster(self.id.as_str()) {
            return cluster;
        }
        match self.group.as_str() {
            "international_equity" | "country_equity" => "international_equity",
            group => group,
        }
    }

    fn problem(&self) -> Option<String> {
        let symbols = [&self.symbol, &self.data_symbol];
        if self.is_cash() && symbols.iter().any(|symbol| symbol.is_some()) {
            return Some("a cash option has no symbol and no tiingo_symbol".to_owned());
        }
        if !self.is_cash() && symbols.iter().any(|symbol| symbol.is_none()) {
            return Some("symbol and tiingo_symbol are required unless the option is cash".into());
        }
        if self.is_cash() && self.change.is_some() {
            return Some("cash is neither renamed nor delisted".to_owned());
        }
        description_problem(&self.exposure_description)
    }
}

/// Phrases that a neutral exposure description never needs.
pub const FORBIDDEN_PHRASES: [&str; 8] = [
    "best pick",
    "expected to outperform",
    "likely to beat",
    "likely to outperform",
    "recommended",
    "should outperform",
    "will beat",
    "will outperform",
];

/// Why a text is not one or two neutral sentences.
pub fn description_problem(text: &str) -> Option<String> {
    let sentences = text
        .split(['.', '!', '?'])
        .filter(|part| !part.trim().is_empty())
        .count();
    if sentences == 0 {
        return Some("exposure_description is blank".to_owned());
    }
    if sentences > 2 {
        return Some(format!(
            "exposure_description has {sentences} sentences; at most 2 are allowed"
        ));
    }
    let lower = text.to_lowercase();
    FORBIDDEN_PHRASES
        .iter()
        .find(|phrase| lower.contains(*phrase))
        .map(|phrase| format!("exposure_description says {phrase:?}; keep it neutral"))
}

/// Options of a universe at most; the largest shipped one has about a hundred.
pub const MOST_OPTIONS: usize = 5_000;

/// What is wrong with a universe.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UniverseError {
    /// No options.
    #[error("the universe has no options")]
    Empty,
    /// More options than a prompt can list.
    #[error("the universe has {0} options; at most {MOST_OPTIONS} are allowed")]
    TooMany(usize),
    /// One id twice.
    #[error("option id {0} appears twice")]
    DuplicateId(OptionId),
    /// An option breaks a rule.
    #[error("option {id}: {problem}")]
    Option {
        id: OptionId,
        /// What is wrong.
        problem: String,
    },
    /// Options in two currencies: their returns would not add up.
    #[error(
        "option {id} is quoted in {own} and the reference in {expected}; a universe has one currency, so \
         replace the option by one that is quoted in {expected}"
    )]
    Currency {
        id: OptionId,
        own: String,
        expected: String,
    },
    /// Nothing to compare with.
    #[error("no option is the reference: set `is_benchmark: true` on one")]
    NoReference,
}

/// The options of a round, in file order, with one reference, on one market, in one currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Universe {
    market: Market,
    options: Vec<MarketOption>,
    reference: usize,
}

impl Universe {
    /// A universe of the New York exchange.
    pub fn new(options: Vec<MarketOption>) -> Result<Self, UniverseError> {
        Self::on(Market::default(), options)
    }

    /// Checks every option and finds the reference: the first in file order that qualifies.
    pub fn on(market: Market, options: Vec<MarketOption>) -> Result<Self, UniverseError> {
        if options.is_empty() {
            return Err(UniverseError::Empty);
        }
        if options.len() > MOST_OPTIONS {
            return Err(UniverseError::TooMany(options.len()));
        }
        let mut seen = BTreeSet::new();
        for option in &options {
            if !seen.insert(&option.id) {
                return Err(UniverseError::DuplicateId(option.id.clone()));
            }
            if let Some(problem) = option.problem() {
                let id = option.id.clone();
                return Err(UniverseError::Option { id, problem });
            }
        }
        // Files of the New York exchange may leave the flag out; nowhere else is a name enough.
        let qualifies = |option: &MarketOption| {
            let by_name = market == Market::default() && option.may_be_reference();
            option.flags.reference || by_name
        };
        let reference = options.iter().position(qualifies);
        let reference = reference.ok_or(UniverseError::NoReference)?;
        let expected = &options[reference].currency;
        if let Some(other) = options.iter().find(|option| option.currency != *expected) {
            return Err(UniverseError::Currency {
                id: other.id.clone(),
                own: other.currency.clone(),
                expected: expected.clone(),
            });
        }
        Ok(Self {
            market,
            options,
            reference,
        })
    }

    /// Where all of its options trade.
    pub fn market(&self) -> Market {
        self.market
    }

    /// The currency of all prices, and of cash.
    pub fn currency(&self) -> &str {
        &self.reference().currency
    }

    /// All options in file order.
    pub fn options(&self) -> &[MarketOption] {
        &self.options
    }

    /// The option that portfolios are compared with.
    pub fn reference(&self) -> &MarketOption {
        &self.options[self.reference]
    }

    /// The same options with a change of one of them.
    pub fn with_change(
        &self,
        id: &OptionId,
        change: &ListingChange,
    ) -> Result<Self, UniverseError> {
        let mut options = self.options.clone();
        for option in options.iter_mut().filter(|option| option.id == *id) {
            option.change = Some(change.clone());
        }
        Self::on(self.market, options)
    }

    /// The same options and others behind them that must be priced too.
    pub fn beside(&self, others: Vec<MarketOption>) -> Result<Self, UniverseError> {
        let options = self.options.iter().cloned().chain(others);
        Self::on(self.market, options.collect())
    }

    pub fn get(&self, id: &OptionId) -> Option<&MarketOption> {
        self.options.iter().find(|option| option.id == *id)
    }
}

/// Clusters of the shipped universes; other options fall back to their group.
fn known_cluster(id: &str) -> Option<&'static str> {
    Some(match id {
        "CASH" | "SHORT_TREASURY" => "capital_preservation",
        "SP500" | "TOTAL_US_MARKET" | "LARGE_VALUE" | "MID_CAP" | "SMALL_CAP" | "SMALL_VALUE"
        | "DIVIDEND" | "LOW_VOL" | "MOMENTUM" | "EQUAL_WEIGHT_SP500" => "diversified_us_equity",
        "NASDAQ100"
        | "LARGE_GROWTH"
        | "TECHNOLOGY"
        | "COMMUNICATIONS"
        | "SEMICONDUCTORS"
        | "SOFTWARE"
        | "BROAD_AI_TECH"
        | "AUTONOMOUS_ROBOTICS"
        | "CYBERSECURITY" => "technology_and_growth",
        "CONSUMER_DISCRETIONARY" => "consumer_cyclical",
        "CONSUMER_STAPLES" => "consumer_defensive",
        "HEALTHCARE" | "BIOTECH" => "healthcare_and_biotech",
        "FINANCIALS" | "REGIONAL_BANKS" => "financials",
        "INDUSTRIALS" | "AEROSPACE_DEFENSE" => "industrials_and_defense",
        "ENERGY" | "OIL" => "energy",
        "MATERIALS" | "METALS_MINING" => "materials_and_mining",
        "UTILITIES" | "REAL_ESTATE" => "rate_sensitive_defensive",
        "INTERMEDIATE_TREASURY"
        | "LONG_TREASURY"
        | "TIPS"
        | "AGGREGATE_BONDS"
        | "MORTGAGE_BACKED_BONDS"
        | "MUNICIPAL_BONDS"
        | "INTERNATIONAL_BONDS" => "rates_and_duration",
        "INVESTMENT_GRADE_CREDIT" | "HIGH_YIELD_CREDIT" | "EMERGING_MARKET_BONDS" => "credit",
        "GOLD" | "SILVER" => "precious_metals",
        "BROAD_COMMODITIES" | "COPPER" | "AGRICULTURE" => "non_energy_commodities",
        "SOLAR" => "clean_energy",
        "US_DOLLAR" | "EURO" | "YEN" => "currencies",
        "BITCOIN_ETF" | "ETHEREUM_ETF" => "crypto_assets",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
