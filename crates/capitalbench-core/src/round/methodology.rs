//! Versions of the rules, as a manifest names them, and what each of them switches on.

use crate::round::manifest::SubmissionFormat;

/// The family of rules that a label stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Single picks and first-generation portfolios: the submission format alone decides.
    Plain,
    /// Portfolios with forecasts, before the candidate ledger.
    ForecastPilot,
    /// Portfolios with forecasts and a candidate ledger.
    Forecast,
    /// The same, shown quality evidence in the model input.
    ForecastWithQuality,
    /// Ranked judgments from which the portfolio is built by rule.
    Judgment,
}

/// Who wrote the rules: decides whether a broken fairness rule is refused or only reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enforcement {
    /// Rounds of the earlier public project: reproduce them, and warn.
    Reproduce,
    /// Rounds made under our own labels: refuse.
    Refuse,
}

/// How a leaderboard decides that two figures are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TieRule {
    /// Bit by bit, as the archive's files were ordered.
    ExactDoubles,
    /// After rounding to twelve decimals, so that equal portfolios really tie.
    TwelveDecimals,
}

/// What the number called confidence answers under a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfidenceQuestion {
    /// How likely the decision is to return more than the reference.
    BeatReference,
    /// How sure the model is that no other decision is better.
    BestDecision,
    /// Nothing is asked; the stored number follows from a rule.
    NotAsked,
}

/// Which of equally frequent picks stands for the repeated answers of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModalTie {
    /// Up to v1.1, as stored results have it: the pick that returned more, known only afterwards.
    HigherReturn,
    /// From v1.2 on: the smaller id, whatever it returned.
    SmallerId,
}

/// The order in which a reply gives its fields. A model that writes under a schema writes in the
/// schema's order, so the order decides what it has settled before it states its confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyOrder {
    /// Up to v1.1: the prompt shows the confidence before the reasons, and the stored schema has its
    /// fields in the order of the alphabet.
    ConfidenceBeforeReasons,
    /// From v1.2 on: the decision, then the reasons and the risks, the confidence last.
    DecisionFirst,
}

/// Labels of rounds that this program creates.
pub const OUR_LABELS: [&str; 4] = [
    "single_pick-v1.1",
    "portfolio-v1.1",
    "single_pick-v1.2",
    "portfolio-v1.2",
];

/// The methodology version of a round.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(from = "Option<String>", into = "Option<String>")]
pub struct Methodology {
    label: Option<String>,
    family: Family,
}

impl Methodology {
    /// Reads the label of a manifest; absent means first-generation single pick.
    pub fn from_label(label: Option<&str>) -> Self {
        let text = label.unwrap_or_default();
        let family = if text == "portfolio-v3.0" {
            Family::Judgment
        } else if text.starts_with("portfolio-v2") && text.ends_with("-pilot") {
            Family::ForecastPilot
        } else if text.starts_with("portfolio-v2.2") {
            Family::ForecastWithQuality
        } else if text.starts_with("portfolio-v2") {
            Family::Forecast
        } else {
            Family::Plain
        };
        Self {
            label: label.map(str::to_owned),
            family,
        }
    }

    /// The label as written, if there was one.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// The family of rules.
    pub fn family(&self) -> Family {
        self.family
    }

    /// Forecast fields are part of a valid submission.
    pub fn requires_forecasts(&self) -> bool {
        use Family::{Forecast, ForecastPilot, ForecastWithQuality};
        matches!(self.family, ForecastPilot | Forecast | ForecastWithQuality)
    }

    /// A candidate ledger and the exposure cap are part of the rules.
    pub fn requires_ledger(&self) -> bool {
        matches!(self.family, Family::Forecast | Family::ForecastWithQuality)
    }

    /// The prefix of a roster version under this methodology.
    pub fn roster_prefix(&self) -> &'static str {
        match (self.enforcement(), self.family) {
            (Enforcement::Refuse, _) => "roster-",
            (_, Family::Judgment) => "portfolio-v3-roster-",
            _ => "portfolio-v2-roster-",
        }
    }

    /// The methodology of rounds that this program creates where nobody chooses another one.
    pub fn of_new_round(format: SubmissionFormat) -> Self {
        let [usual, _] = Self::labels_of_new_rounds(format);
        Self::from_label(Some(usual))
    }

    /// The labels that a new round of a format may have, the usual one first.
    pub fn labels_of_new_rounds(format: SubmissionFormat) -> [&'static str; 2] {
        match format {
            SubmissionFormat::SinglePick => ["single_pick-v1.1", "single_pick-v1.2"],
            SubmissionFormat::Portfolio => ["portfolio-v1.1", "portfolio-v1.2"],
        }
    }

    /// The order of the fields in the prompt and in the frozen schema.
    pub fn reply_order(&self) -> ReplyOrder {
        match self.label() {
            Some("single_pick-v1.2" | "portfolio-v1.2") => ReplyOrder::DecisionFirst,
            _ => ReplyOrder::ConfidenceBeforeReasons,
        }
    }

    /// Whether a round goes on without models that gave no valid answer.
    pub fn has_failure_policy(&self) -> bool {
        matches!(self.label(), Some("single_pick-v1.2" | "portfolio-v1.2"))
    }

    /// Whether the daily returns of every option are frozen with a round, with the histories that
    /// they follow from.
    pub fn freezes_daily_returns(&self) -> bool {
        matches!(self.label(), Some("single_pick-v1.2" | "portfolio-v1.2"))
    }

    /// Whether a round may be of another market than New York.
    pub fn names_market(&self) -> bool {
        matches!(self.label(), Some("single_pick-v1.2" | "portfolio-v1.2"))
    }

    /// Whether the order of the options is drawn by lot for each round.
    pub fn draws_option_order(&self) -> bool {
        matches!(self.label(), Some("single_pick-v1.2" | "portfolio-v1.2"))
    }

    /// Whether twins of a round's question may be asked beside its record.
    pub fn may_have_lanes(&self) -> bool {
        matches!(self.label(), Some("single_pick-v1.2" | "portfolio-v1.2"))
    }

    /// Whether a move of a day that is too large needs a second source or the operator's reason.
    pub fn limits_daily_moves(&self) -> bool {
        matches!(self.label(), Some("single_pick-v1.2" | "portfolio-v1.2"))
    }

    /// Whether a round may publish returns and keep the closes behind them private.
    pub fn may_withhold_closes(&self) -> bool {
        matches!(self.label(), Some("single_pick-v1.2" | "portfolio-v1.2"))
    }

    /// Whether a round may have controls that its operator configured.
    pub fn has_own_controls(&self) -> bool {
        matches!(self.label(), Some("single_pick-v1.2" | "portfolio-v1.2"))
    }

    /// What a stated confidence answers: only answers to one question are counted together.
    pub fn confidence_question(&self) -> ConfidenceQuestion {
        match (self.enforcement(), self.family) {
            (_, Family::Judgment) => ConfidenceQuestion::NotAsked,
            (Enforcement::Reproduce, Family::Plain) => ConfidenceQuestion::BestDecision,
            _ => ConfidenceQuestion::BeatReference,
        }
    }

    /// How a tie of the most frequent picks is broken.
    pub fn modal_tie(&self) -> ModalTie {
        match self.label() {
            Some("single_pick-v1.2" | "portfolio-v1.2") => ModalTie::SmallerId,
            _ => ModalTie::HigherReturn,
        }
    }

    /// Whether a broken rule is refused or reproduced.
    pub fn enforcement(&self) -> Enforcement {
        match self.label() {
            Some(label) if OUR_LABELS.contains(&label) => Enforcement::Refuse,
            _ => Enforcement::Reproduce,
        }
    }

    /// How leaderboards under this methodology break ties.
    pub fn tie_rule(&self) -> TieRule {
        match self.enforcement() {
            Enforcement::Reproduce => TieRule::ExactDoubles,
            Enforcement::Refuse => TieRule::TwelveDecimals,
        }
    }
}

#[cfg(test)]
mod tests;
