//! The page of a model compares how sure it said it was with how often it was right, because stated
//! confidence alone tells nothing.

use capitalbench_core::evidence::statistics::{Estimate, RecordStatistics};
use capitalbench_core::publication::boards::behaviour::Behaviour;

use super::super::view::View;
use crate::charts::{Stated, reliability};
use crate::figures::{NONE, count, decimal, interval, share};
use crate::page::Page;
use crate::table::{self, Table, head, part, text, whole};

/// Groups of confidence that make a diagram; fewer are read better as numbers.
const FEWEST_GROUPS: usize = 3;

pub(super) fn calibration(
    view: &View<'_>,
    page: &mut Page,
    behaviour: Option<&Behaviour>,
    own: Option<&RecordStatistics>,
) {
    let Some(own) = own.filter(|own| !own.reliability.is_empty()) else {
        return;
    };
    page.body.heading("Calibration");
    let the = view.reference.the();
    calibrated(&the, page, behaviour, own);
    let mut table = Table::new(
        "Confidence against outcome",
        "Stated | #Decisions | #Windows | #Mean stated | #Came true | #95 % interval",
    )
    .fixed();
    let mut drawn = Vec::new();
    for bin in &own.reliability {
        let range = bin
            .estimate
            .filter(|e| e.informative)
            .map(|e| e.estimate.interval(0.95));
        table.row(vec![
            head(format!("{} to {}", share(bin.from), share(bin.to))),
            whole(bin.count),
            table::decimal(bin.effective, 1),
            part(bin.confidence),
            part(bin.hit_rate),
            text(&range.map_or(NONE.to_owned(), |(low, high)| {
                format!("{} … {}", share(low.max(0.0)), share(high.min(1.0)))
            })),
        ]);
        drawn.push(Stated {
            confidence: bin.confidence,
            observed: bin.hit_rate,
            count: bin.count,
            range,
        });
    }
    if drawn.len() < FEWEST_GROUPS {
        page.body.table(&table);
        return;
    }
    let chart = reliability(
        "Stated confidence against the share that came true",
        view.look(&own.model.model_id),
        &drawn,
    );
    page.body.figure(
        &format!("Stated confidence of beating {the} against how often it happened"),
        &chart,
        &table,
    );
}

fn calibrated(the: &str, page: &mut Page, behaviour: Option<&Behaviour>, own: &RecordStatistics) {
    if let Some(calibration) = behaviour.and_then(|b| b.calibration) {
        // A mean of squared misses lies between 0 and 1; an interval beyond them cannot be.
        let possible = |b: &Estimate| b.informative() && b.low >= 0.0 && b.high <= 1.0;
        let brier = own.brier.filter(possible).map_or(String::new(), |b| {
            format!(" ({})", interval(b.low, b.high, 2))
        });
        page.body.say(&format!(
            "Over {} that asked for the chance to beat {the}: mean stated confidence {}, share above {the} {}, Brier score {}{brier}; 0 is perfect, 0.25 a coin.",
            count(calibration.rounds, "round", "rounds"),
            share(calibration.confidence),
            share(calibration.hit_rate),
            decimal(calibration.brier, 2),
        ));
    }
}
