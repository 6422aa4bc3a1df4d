//! What a model-facing briefing may contain: facts, and nothing that decides for the model.
//!
//! [`check`] reports every phrase that recommends, judges, maps events to markets, repeats the
//! mechanical tables or points outside, with its line. Case, runs of white space and line breaks
//! inside a phrase do not matter. A briefing is checked when it is imported, never when it is read.

use std::collections::BTreeMap;

use crate::round::methodology::Enforcement;

mod scan;

use scan::{Place, Scan};

/// A briefing longer than this many words is reported.
pub const MAX_WORDS: usize = 8000;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The briefing is refused.
    Error,
    /// The briefing is accepted and the operator told.
    Warning,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefingProblem {
    /// Refused or only reported.
    pub level: Level,
    /// Line on which the phrase begins, counted from 1.
    pub line: usize,
    /// The phrase as the briefing has it, white space collapsed; empty for a blank briefing.
    pub phrase: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// What kind of rule a finding breaks; decides its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// An error under every methodology.
    Always,
    /// A warning in rounds of the earlier project, an error in ours.
    Outside,
    /// Allowed in rounds of the earlier project, an error in ours.
    OnlyOurs,
    /// A warning under every methodology.
    Advice,
}

impl Kind {
    fn level(self, enforcement: Enforcement) -> Option<Level> {
        match (self, enforcement) {
            (Self::Always, _) | (Self::Outside | Self::OnlyOurs, Enforcement::Refuse) => {
                Some(Level::Error)
            }
            (Self::Outside, Enforcement::Reproduce) | (Self::Advice, _) => Some(Level::Warning),
            (Self::OnlyOurs, Enforcement::Reproduce) => None,
        }
    }
}

/// Where a phrase counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Also inside longer words.
    Anywhere,
    /// Only between word boundaries.
    WholeWords,
}

/// Phrases that share a level and an explanation.
struct PhraseRule {
    kind: Kind,
    reach: Reach,
    why: &'static str,
    phrases: &'static [&'static str],
}

const PHRASE_RULES: [PhraseRule; 6] = [
    PhraseRule {
        kind: Kind::Always,
        reach: Reach::Anywhere,
        why: "recommends or ranks options",
        phrases: &[
            "best option",
            "best pick",
            "final recommendation",
            "ranked #1",
            "recommended option",
            "should buy",
            "top choice",
            "will outperform",
            "worst option",
        ],
    },
    PhraseRule {
        kind: Kind::Always,
        reach: Reach::Anywhere,
        why: "judges or maps facts to markets instead of stating facts",
        phrases: &[
            "affected market areas",
            "affected-market mapping",
            "attractive",
            "benefits from",
            "best positioned",
            "constructive",
            "dominant narrative",
            "expected to outperform",
            "favorable",
            "interpretation",
            "investment thesis",
            "likely benefit",
            "likely suffer",
            "likely to outperform",
            "market impact",
            "market thesis",
            "scenario analysis",
            "should benefit",
            "should outperform",
            "should suffer",
            "suffers from",
            "this favors",
            "this hurts",
            "unattractive",
            "underperform",
            "unfavorable",
            "why it matters",
            "will benefit",
            "will suffer",
        ],
    },
    PhraseRule {
        kind: Kind::Always,
        reach: Reach::WholeWords,
        why: "repeats mechanical returns; the market table carries them for every option alike",
        phrases: &["selected mechanical return context"],
    },
    PhraseRule {
        kind: Kind::OnlyOurs,
        reach: Reach::WholeWords,
        why: "repeats mechanical returns; the market table carries them for every option alike",
        phrases: &[
            "full-universe trailing returns",
            "full-universe price, risk, and benchmark context",
            "full-universe horizon-specific decision context",
            "return_7d",
            "return_30d",
            "return_6m",
            "return_1y",
        ],
    },
    PhraseRule {
        kind: Kind::Always,
        reach: Reach::WholeWords,
        why: "repeats quality evidence; the mechanical tables carry it",
        phrases: &[
            "quality evidence score",
            "prior active rank",
            "recent pullback rank",
            "low volatility rank",
            "shallow drawdown rank",
        ],
    },
    PhraseRule {
        kind: Kind::Outside,
        reach: Reach::WholeWords,
        why: "cites sources; they belong in the audit report",
        phrases: &[
            "source ledger",
            "source:",
            "sources:",
            "reference:",
            "references:",
            "bibliography",
            "citation",
            "citations",
        ],
    },
];

const LINK: &str = "holds a link; models cannot follow it and sources belong in the audit report";
const BLANK: &str = "the briefing is blank";
const TOO_LONG: &str = "the briefing has more than 8000 words; the 8001st stands here";

/// A stretch of the scanned text and the rule it breaks.
struct Finding {
    place: Place,
    kind: Kind,
    why: &'static str,
}

/// Every finding, in the order of the text.
pub fn check(text: &str, enforcement: Enforcement) -> Vec<BriefingProblem> {
    let scan = Scan::new(text);
    if scan.is_blank() {
        return vec![BriefingProblem {
            level: Level::Error,
            line: 1,
            phrase: String::new(),
            why: BLANK,
        }];
    }
    let mut findings = outermost(findings(&scan));
    let (kind, why) = (Kind::Advice, TOO_LONG);
    findings.extend(
        scan.word(MAX_WORDS)
            .map(|place| Finding { place, kind, why }),
    );
    findings.sort_by_key(|finding| finding.place.0);
    findings
        .into_iter()
        .filter_map(|finding| {
            Some(BriefingProblem {
                level: finding.kind.level(enforcement)?,
                line: scan.line(finding.place),
                phrase: scan.as_written(finding.place),
                why: finding.why,
            })
        })
        .collect()
}

fn findings(scan: &Scan<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in &PHRASE_RULES {
        let (kind, why) = (rule.kind, rule.why);
        for phrase in rule.phrases {
            let places = match rule.reach {
                Reach::Anywhere => scan.places(phrase),
                Reach::WholeWords => scan.whole_word_places(phrase),
            };
            let found = places.into_iter().map(|place| Finding { place, kind, why });
            findings.extend(found);
        }
    }
    let links = scan.addresses().into_iter().chain(scan.markdown_links());
    let (kind, why) = (Kind::Outside, LINK);
    findings.extend(links.map(|place| Finding { place, kind, why }));
    findings
}

/// Drops findings that lie inside a longer one of the same kind: `attractive` in `unattractive`.
fn outermost(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_key(|finding| (finding.place.0, std::cmp::Reverse(finding.place.1)));
    // Findings are sorted by start, so one lies inside an earlier one exactly when it ends no later.
    let mut reached: BTreeMap<Kind, usize> = BTreeMap::new();
    findings.retain(|finding| {
        let reached = reached.entry(finding.kind).or_default();
        let outside = finding.place.1 > *reached;
        *reached = finding.place.1.max(*reached);
        outside
    });
    findings
}

#[cfg(test)]
mod tests;
