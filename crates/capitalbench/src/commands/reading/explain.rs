//! `explain`: what a model's record says, in sentences.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::evidence::explanation::{Explanation, explain};
use capitalbench_core::evidence::inference::excess::LuckTest;
use capitalbench_core::evidence::inference::null::Stouffer;
use capitalbench_core::evidence::inference::synthetic::{Ranged, Synthetic};
use capitalbench_core::evidence::statistics::{EDGES, Estimate, method};
use capitalbench_core::publication::Publication;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;
use capitalbench_core::values::similar::closest;
use serde_json::{Map, Value, json};

use crate::cli::{Explain, TrackName};
use crate::commands::publishing::published::load;
use crate::console::{BOLD, DIM, line, paint, plural, show, width, wrapped};
use crate::error::{Error, Exit};

/// Widest line of text, on a terminal that is wider.
const WIDEST: usize = 100;

pub(crate) fn run(arguments: &Explain) -> Result<Exit, Error> {
    let public = load(&arguments.rounds)?;
    let model_id = known_model(&public, &arguments.model)?;
    let told: Vec<(Track, Option<Explanation>)> = TrackName::tracks(arguments.track)
        .into_iter()
        .map(|track| (track, explain(&public, &model_id, track)))
        .collect();
    show(
        || as_json(&public, &model_id, &told),
        || print(&public, &model_id, &told),
    );
    Ok(Exit::Success)
}

/// The model of this id, or the one that continues its record; else an error with the names it could
/// be.
pub(super) fn known_model(public: &Publication, text: &str) -> Result<ModelId, Error> {
    let known: BTreeMap<&ModelId, &ModelId> = public.contestants();
    if let Some((_, found)) = known.iter().find(|(id, _)| id.as_str() == text) {
        return Ok((*found).clone());
    }
    let names: Vec<&str> = known.keys().map(|id| id.as_str()).collect();
    let error = Error::new(format!("no public round has a model named {text:?}"));
    let part = text.to_lowercase();
    let mut near: BTreeSet<&str> = BTreeSet::new();
    near.extend(names.iter().filter(|name| name.contains(&part)));
    near.extend(closest(text, names.iter().copied()));
    // The company is easily left out.
    let families = || {
        names
            .iter()
            .filter_map(|name| Some((*name, name.split_once('-')?.1)))
    };
    if let Some(family) = closest(text, families().map(|(_, family)| family)) {
        let same = families().filter(|(_, own)| *own == family);
        near.extend(same.map(|(name, _)| name));
    }
    let near: Vec<&str> = near.into_iter().collect();
    let hint = if names.is_empty() {
        "no round of this folder has public decisions at that instant".to_owned()
    } else if near.is_empty() || part.is_empty() {
        format!("models: {}", names.join(", "))
    } else {
        format!("did you mean {}?", near.join(" or "))
    };
    Err(error.hint(hint))
}

pub(super) fn as_json(
    public: &Publication,
    model_id: &ModelId,
    told: &[(Track, Option<Explanation>)],
) -> Value {
    let track = |(track, told): &(Track, Option<Explanation>)| match told {
        None => json!({"track": track.as_str(), "rounds": 0}),
        Some(told) => {
            let sections = told.sections.iter();
            let sections: Map<String, Value> = sections
                .map(|(heading, sentences)| (heading.replace(' ', "_"), json!(sentences)))
                .collect();
            json!({
                "track": track.as_str(),
                "rounds": told.rounds,
                "effective_windows": told.effective_windows,
                "verdict": told.verdict,
                "figures": figures(public, model_id, *track),
                "sections": sections,
            })
        }
    };
    let method = method();
    json!({
        "model_id": model_id.as_str(),
        "as_of": public.as_of.to_string(),
        "method": {
            "version": method.version,
            "null_label": method.null_label,
            "null_draws": method.null_draws,
            "bootstrap_draws": method.bootstrap_draws,
        },
        "tracks": told.iter().map(track).collect::<Vec<_>>(),
    })
}

/// The numbers of the sentences.
fn figures(public: &Publication, model_id: &ModelId, track: Track) -> Value {
    let records = public.statistics.records.get(&track).into_iter().flatten();
    let mut own = records.filter(|record| record.model.model_id == *model_id);
    let Some(record) = own.next() else {
        return Value::Null;
    };
    let model = &record.model;
    let luck = |found: &Stouffer| {
        let Stouffer {
            rounds,
            mean_percentile,
            z,
            p_value,
        } = found;
        json!({"rounds": rounds, "mean_percentile": mean_percentile, "z": z, "p_value": p_value})
    };
    json!({
        "mean_alpha": model.alpha.as_ref().map(estimate),
        "mean_alpha_resampled": record.alpha_resampled,
        "luck": model.luck.as_ref().map(luck),
        "luck_matched": model.luck_matched.as_ref().map(luck),
        "chance_spread": model.chance_spread,
        "luck_test": model.luck_test.as_ref().map(tested),
        "score_interval": model.score.ok(),
        "chance_score": model.chance_score,
        "brier": record.brier.as_ref().map(estimate),
        "own_noise_share": record.noise.map(|noise| noise.decision_share),
        "detectable": model.detectable,
        "years_to_detect": model.years_to_detect.map(planned),
        "synthetic": record.synthetic.as_ref().map(synthetic),
    })
}

fn tested(found: &LuckTest) -> Value {
    let LuckTest { rounds, z, p_value } = found;
    json!({"method": method().null_label, "rounds": rounds, "z": z, "p_value": p_value})
}

/// Years by yearly gap in percent.
fn planned(years: [f64; 3]) -> Value {
    let each = EDGES.into_iter().zip(years);
    let each = each.map(|(edge, years)| (format!("{:.0}", 100.0 * edge), json!(years)));
    Value::Object(each.collect())
}

fn synthetic(own: &Synthetic) -> Value {
    let ranged = |own: &Ranged| json!({"value": own.value, "interval": [own.low, own.high]});
    json!({
        "days": own.days,
        "beta": ranged(&own.beta),
        "capm_alpha_per_day": ranged(&own.capm_alpha),
        "tracking_error": own.tracking_error,
        "information_ratio": ranged(&own.information_ratio),
        "drawdown": own.drawdown,
        "reference_drawdown": own.reference_drawdown,
    })
}

fn estimate(found: &Estimate) -> Value {
    json!({
        "value": found.value,
        "interval": found.informative().then_some((found.low, found.high)),
        "t": found.t,
        "p_value": found.informative().then_some(found.p_value),
        "basis": found.basis.as_str(),
    })
}

fn print(public: &Publication, model_id: &ModelId, told: &[(Track, Option<Explanation>)]) {
    let name = public.name(model_id);
    let widest = width().map_or(WIDEST, |width| width.min(WIDEST));
    for (number, (track, told)) in told.iter().enumerate() {
        if number > 0 {
            line("");
        }
        let heading = paint(BOLD, format!("{name}, {}", track.as_str()));
        let Some(told) = told else {
            line(format!("{heading}: no resolved round yet"));
            continue;
        };
        let (rounds, windows) = (plural(told.rounds, "round"), told.effective_windows);
        line(format!(
            "{heading}: {rounds}, worth {windows:.1} effective windows"
        ));
        line(paint(BOLD, wrapped(&told.verdict, 0, widest)));
        for (heading, sentences) in &told.sections {
            line(paint(DIM, heading));
            line(wrapped(&sentences.join(" "), 2, widest));
        }
    }
    let method = method();
    line("");
    let (version, null) = (&method.version, &method.null_label);
    let text = format!("method {version}, null {null}; docs/statistics.md");
    line(paint(DIM, text));
}
