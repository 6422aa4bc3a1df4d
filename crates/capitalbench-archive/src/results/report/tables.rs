//! The tables of a result.

use capitalbench_core::market::prices::PriceField;
use capitalbench_core::result::leaderboard::Scored;
use capitalbench_core::result::score::{Score, contribution, score};
use capitalbench_core::values::units::{Price, signed_percent};

use super::markdown::{plain, table};
use crate::results::scoring::ScoredRun;

pub(super) fn leaderboard(scored: &ScoredRun) -> String {
    let oracle = scored.returns.oracle();
    let dash = || "–".to_owned();
    let yes = |value: bool| if value { "yes" } else { "no" }.to_owned();
    let row = |(place, own): (u32, &Scored)| {
        let outcome = &own.outcome;
        let points = match score(outcome.decision_return, oracle) {
            Ok(Score::Points(points)) => format!("{points:.1}"),
            _ => dash(),
        };
        let regret = outcome.regret.map(|regret| signed_percent(regret.get()));
        vec![
            place.to_string(),
            plain(own.submission.model_id.as_str()),
            points,
            signed_percent(outcome.decision_return.get()),
            signed_percent(outcome.alpha.get()),
            regret.unwrap_or_else(dash),
            yes(outcome.beats_reference),
            yes(outcome.beats_cash),
        ]
    };
    let rows = (1..).zip(&scored.outcomes).map(row);
    let header = "rank | model | score | return | above the reference | regret | beats reference | beats cash";
    let best = oracle.map_or_else(
        || "The best option is not known: some option has no price.".to_owned(),
        |oracle| format!("Best option {}.", signed_percent(oracle.get())),
    );
    format!(
        "{}\n\nReference {}. {best}",
        table(header, rows),
        signed_percent(scored.returns.reference().get())
    )
}

pub(super) fn contributions(scored: &ScoredRun) -> String {
    let rows = scored.outcomes.iter().flat_map(|own| {
        let holdings = own.submission.decision.holdings().into_iter();
        holdings.map(|holding| {
            let found = scored.returns.get(&holding.option_id);
            let value = found.map(|option| option.value).unwrap_or_default();
            vec![
                plain(own.submission.model_id.as_str()),
                plain(holding.option_id.as_str()),
                format!("{} %", holding.weight.percent()),
                signed_percent(value.get()),
                signed_percent(contribution(&holding, value)),
                plain(&holding.rationale),
            ]
        })
    });
    let header = "model | option | weight | its return | adds | reason given";
    table(header, rows)
}

pub(super) fn costs(scored: &ScoredRun) -> String {
    let row = |own: &Scored| {
        let per_dollar = own.outcome.alpha_per_dollar?;
        Some(vec![
            plain(own.submission.model_id.as_str()),
            format!("{:.4}", own.submission.cost_usd.unwrap_or_default()),
            signed_percent(own.outcome.alpha.get()),
            format!("{per_dollar:.4}"),
        ])
    };
    let header = "model | cost in USD | above the reference | of that per dollar";
    table(header, scored.outcomes.iter().filter_map(row))
}

pub(super) fn controls(scored: &ScoredRun) -> String {
    let rows = scored.controls.iter().map(|(rule, outcome)| {
        let (value, alpha) = match outcome {
            Ok(own) => (
                signed_percent(own.outcome.decision_return.get()),
                signed_percent(own.outcome.alpha.get()),
            ),
            Err(reason) => ("–".to_owned(), plain(reason)),
        };
        vec![plain(rule.name()), value, alpha]
    });
    table("control | return | above the reference", rows)
}

pub(super) fn consistency(scored: &ScoredRun) -> String {
    let rows = scored.consistency.iter().map(|model| {
        let mut row = vec![
            plain(model.model_id.as_str()),
            model.valid.to_string(),
            model.invalid.to_string(),
        ];
        row.extend(match &model.figures {
            None => ["–", "–", "–"].map(str::to_owned),
            Some(own) => [
                plain(own.modal_pick.as_str()),
                format!("{:.0} %", 100.0 * own.consistency_rate()),
                signed_percent(own.average_return),
            ],
        });
        row
    });
    let header = "model | valid | invalid | most frequent | agreement | average return";
    table(header, rows)
}

pub(super) fn options(scored: &ScoredRun) -> String {
    let known = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let price = |side: Option<(Price, _)>| known(side.map(|(price, _)| price.get().to_string()));
    let by_rank = scored.returns.by_rank();
    // An index is no price; the return says all of it.
    let is_index = |side: Option<(_, PriceField)>| matches!(side, Some((_, PriceField::Index)));
    let has_prices = !by_rank.iter().any(|option| is_index(option.exit));
    let rows = by_rank.into_iter().map(|option| {
        let mut row = vec![
            known(option.rank.map(|rank| rank.to_string())),
            plain(option.option_id.as_str()),
        ];
        if has_prices {
            row.extend([price(option.entry), price(option.exit)]);
        }
        row.push(signed_percent(option.value.get()));
        row
    });
    let sides = if has_prices { "entry | exit | " } else { "" };
    table(&format!("rank | option | {sides}return"), rows)
}
