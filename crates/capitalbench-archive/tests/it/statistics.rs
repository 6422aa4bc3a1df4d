//! Statistics of the public record, beside the figures that docs/statistics.md quotes for it.

use std::path::Path;

use capitalbench_archive::public::public_record::{Depth, Shared, round_facts, set_policy};
use capitalbench_archive::round::round_folder::list_rounds;
use capitalbench_core::evidence::explanation::explain;
use capitalbench_core::evidence::statistics::{Basis, ModelStatistics, Pair, RecordStatistics};
use capitalbench_core::publication::facts::{Luck, RoundFacts};
use capitalbench_core::publication::{Publication, publish};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;

use crate::archive::archive_root;
use crate::boards::{TABLES_DAY, published};

fn record<'a>(public: &'a Publication, track: Track, model: &str) -> &'a RecordStatistics {
    let mut records = public.statistics.records[&track].iter();
    let found = records.find(|record| record.model.model_id.as_str() == model);
    found.expect("a record")
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found}, expected {expected}"
    );
}

/// Long records: those that most of the record's figures speak of.
fn long(public: &Publication) -> impl Iterator<Item = &ModelStatistics> {
    let records = public.statistics.records.values().flatten();
    records.map(|r| &r.model).filter(|model| model.rounds >= 15)
}

#[test]
fn rounds_are_worth_few_windows() {
    let Some(public) = published() else { return };
    let worth = |track, model| record(&public, track, model).model.effective_windows;
    near(worth(Track::Weekly, "openai-gpt-5-5"), 6.83, 0.01);
    near(worth(Track::Monthly, "openai-gpt-5-5"), 1.84, 0.01);
}

#[test]
fn no_model_differs_from_the_index_though_a_naive_test_says_so() {
    let Some(public) = published() else { return };
    let mut days = 0;
    for model in long(&public) {
        let alpha = model.alpha.as_ref().expect("an estimate");
        assert!(matches!(alpha.basis, Basis::Days(26..=68)), "{alpha:?}");
        assert!(alpha.t.is_some_and(|t| t.abs() < 1.9), "{alpha:?}");
        assert!(!alpha.differs_from_zero());
        assert_eq!(model.score.is_ok(), model.effective_windows >= 4.0);
        days += 1;
    }
    assert_eq!(days, 10);
    let alpha = |track, model| {
        record(&public, track, model)
            .model
            .alpha
            .expect("an estimate")
    };
    let gpt = alpha(Track::Monthly, "openai-gpt-5-5");
    near(100.0 * gpt.value, -4.28, 0.01);
    let gemini = alpha(Track::Weekly, "google-gemini-3-1-pro");
    assert!(gemini.p_value > 0.3, "{gemini:?}");
    near(
        naive_t(&public, Track::Monthly, "openai-gpt-5-5"),
        -3.16,
        0.1,
    );
}

/// What a t test says that takes rounds for independent.
fn naive_t(public: &Publication, track: Track, model: &str) -> f64 {
    let rounds = public
        .rounds
        .iter()
        .filter(|round| round.track == Some(track));
    let alphas: Vec<f64> = rounds
        .filter_map(|round| {
            let mut models = round.resolved()?.models.iter();
            let own = models.find(|standing| standing.model_id().as_str() == model)?;
            Some(own.scored.outcome.alpha.get())
        })
        .collect();
    let count = f64::from(u32::try_from(alphas.len()).expect("few rounds"));
    let mean = alphas.iter().sum::<f64>() / count;
    let squares: f64 = alphas.iter().map(|alpha| (alpha - mean).powi(2)).sum();
    mean / (squares / (count - 1.0) / count).sqrt()
}

#[test]
fn no_model_is_distinguishable_from_luck() {
    let Some(public) = published() else { return };
    let percentile = |track, model| {
        let luck = record(&public, track, model).model.luck;
        100.0 * luck.expect("a null").mean_percentile
    };
    near(percentile(Track::Monthly, "openai-gpt-5-5"), 31.0, 3.0);
    near(percentile(Track::Weekly, "xai-grok-4-5"), 56.0, 3.0);
    for model in long(&public) {
        let luck = model.luck.as_ref().expect("a null");
        assert_eq!(luck.rounds, model.rounds);
        assert!(luck.z.abs() < 1.3, "{luck:?}");
        assert_eq!(model.luck_test, None, "the archive froze no daily returns");
    }
}

#[test]
fn no_pair_survives_the_correction() {
    let Some(public) = published() else { return };
    let sets = &public.statistics.sets;
    let pairs: Vec<&Pair> = sets.values().flat_map(|set| &set.pairs).collect();
    assert!(
        pairs
            .iter()
            .all(|pair| pair.p_adjusted.is_none_or(|p| p > 0.05))
    );
    let set = &sets["weekly-set-2026-05-24"];
    let names = |pair: &&Pair| {
        pair.first.as_str() == "xai-grok-4-3" && pair.second.as_str() == "google-gemini-3-1-pro"
    };
    let widest = set.pairs.iter().find(names).expect("the pair");
    let difference = widest.difference.expect("an estimate");
    near(100.0 * difference.value, 0.97, 0.01);
    near(difference.t.unwrap(), 1.40, 0.01);
    assert!(set.informative && set.models.iter().all(|model| model.group == 1));
    let all = set.models.len();
    assert!(
        set.models
            .iter()
            .all(|m| (m.rank.from, m.rank.to) == (1, all))
    );
    let shrinkage = set.shrinkage.expect("shrinkage");
    assert!(shrinkage.tau_squared.abs() < 1e-12, "{shrinkage:?}");
    // Six rounds in which nothing can be told: no ranks, no adjusted p, one group.
    let early = &sets["weekly-set-2026-06-09"];
    assert!(!early.informative && early.leader_deflated.is_none());
    assert!(
        early
            .models
            .iter()
            .all(|m| m.rank.from == 1 && m.group == 1 && m.shrunken.is_none())
    );
    assert!(early.pairs.iter().all(|pair| pair.p_adjusted.is_none()));
}

fn facts(rounds: &Path) -> Vec<RoundFacts> {
    let shared = Shared::load(rounds).expect("snapshots");
    let folders = list_rounds(rounds).expect("rounds").into_iter();
    let load = |folder| round_facts(folder, &shared, Depth::Everything).expect("a readable round");
    folders.map(load).collect()
}

fn made(rounds: &Path, facts: Vec<RoundFacts>) -> Publication {
    let policy = set_policy(rounds).expect("a policy");
    let as_of = TABLES_DAY.parse().expect("an instant");
    publish(facts, &policy, as_of).expect("a publication")
}

#[test]
fn neither_order_nor_pending_rounds_nor_a_second_run_change_a_figure() {
    let Some(root) = archive_root() else { return };
    let rounds = root.join("rounds");
    let all = facts(&rounds);
    let first = made(&rounds, all.clone()).statistics;
    let again = made(&rounds, facts(&rounds)).statistics;
    assert_eq!(format!("{first:?}"), format!("{again:?}"));

    let mut turned = all.clone();
    turned.reverse();
    for round in &mut turned {
        if let Some(record) = &mut round.record {
            record.submissions.reverse();
        }
        if let Some(result) = &mut round.result {
            result.models.reverse();
            result.days.reverse();
            if let Luck::Drawn(Some(chance)) = &mut result.luck {
                chance.models.reverse();
                chance.excesses.reverse();
            }
        }
    }
    assert_eq!(made(&rounds, turned).statistics, first);

    let mut resolved = all;
    let before = resolved.len();
    resolved.retain(|round| round.result.is_some());
    assert!(resolved.len() < before);
    let without = made(&rounds, resolved).statistics;
    assert_eq!(without.records, first.records);
    for (id, set) in &without.sets {
        assert_eq!(first.sets.get(id), Some(set), "{id}");
    }
}

#[test]
fn the_record_is_explained_by_its_numbers() {
    let Some(public) = published() else { return };
    let model = ModelId::parse("xai-grok-4-3").expect("an id");
    let told = explain(&public, &model, Track::Weekly).expect("a record");
    let all = "Not separable from the S&P 500 or from any other model.";
    assert_eq!(told.verdict, all);
    let text: Vec<String> = told.sections.into_iter().flat_map(|s| s.1).collect();
    let text = text.join(" ");
    for part in [
        "on average over 22 rounds, of the portfolios it could have submitted",
        "chance alone gives the 50th, give or take 22.",
        "Luck is not tested: the test needs two rounds that froze 60 daily returns",
        "Mean gap per round to the S&P 500: ",
        "after Holm over 9 models, for one look",
        "Highest return among models in the 19 rounds that all 4 completed",
        "the evidence allows ranks 1 to 4.",
        "0 % of its distance from the mean of these models is kept",
        "Left out: 17 rounds that asked something else. Left out: 2 rounds level with the S&P 500.",
        "Years of such rounds until a true gap of this size a year is detected as often: 2 %: more than 100",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let newcomer = ModelId::parse("anthropic-claude-opus-5").expect("an id");
    assert!(explain(&public, &newcomer, Track::Weekly).is_some());
    assert_eq!(explain(&public, &newcomer, Track::Monthly), None);
}
