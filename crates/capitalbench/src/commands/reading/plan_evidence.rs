//! `plan-evidence`: how long and at what cost a claim could be established.

use capitalbench_core::evidence::claims::designs::{
    Present, Takes, USUAL_CORRELATION, Way, unknowable, ways,
};
use capitalbench_core::evidence::claims::pair::PairRecord;
use capitalbench_core::evidence::claims::terms::{REFERENCE, Second, USUAL_SPREAD, WIDE_SPREAD};
use capitalbench_core::evidence::statistics::{EDGES, horizon_sessions};
use capitalbench_core::publication::Publication;
use capitalbench_core::publication::calls::CostSum;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;
use capitalbench_core::values::sums::real;
use capitalbench_export::text::dollars;
use serde_json::{Value, json};

use crate::cli::PlanEvidence;
use crate::commands::publishing::published::{load, unknown};
use crate::console::{DIM, document, is_json, line, paint, prose, table};
use crate::error::{Error, Exit};

/// Level of the claims that are planned.
const ALPHA: f64 = 0.05;

pub(crate) fn run(arguments: &PlanEvidence) -> Result<Exit, Error> {
    let public = load(&arguments.rounds)?;
    let track = arguments.track.track();
    let records = match &arguments.model {
        Some(model) => Records::of(&public, track, (model, &arguments.against))?,
        None => Records::default(),
    };
    let present = present(arguments, &public, &records)?;
    let ways = ways(&present);
    if is_json() {
        document(&as_json(&present, &ways, &records));
    } else {
        print(&present, &ways, &records);
    }
    Ok(Exit::Success)
}

/// The records of two sides.
#[derive(Default)]
struct Records {
    own: Option<PairRecord>,
    /// Of the other track.
    other: Option<PairRecord>,
}

impl Records {
    fn of(
        public: &Publication,
        track: Track,
        (first, second): (&str, &str),
    ) -> Result<Self, Error> {
        let known = public.contestants();
        let model = |text: &str| -> Result<ModelId, Error> {
            let found = known.iter().find(|(id, _)| id.as_str() == text);
            let names: Vec<&str> = known.keys().map(|id| id.as_str()).collect();
            found
                .map(|(_, newest)| (*newest).clone())
                .ok_or_else(|| unknown("model", text, &names))
        };
        let first = model(first)?;
        let second = match second {
            REFERENCE => Second::Reference,
            other => Second::Model(model(other)?),
        };
        let of = |track| PairRecord::of(public, track, (&first, &second));
        let other = match track {
            Track::Weekly => Track::Monthly,
            Track::Monthly => Track::Weekly,
        };
        Ok(Self {
            own: of(track),
            other: of(other),
        })
    }
}

/// What the league has now; flags come before the record.
fn present(
    arguments: &PlanEvidence,
    public: &Publication,
    records: &Records,
) -> Result<Present, Error> {
    let track = arguments.track.track();
    let own = records.own.as_ref();
    let deviation = arguments.deviation.or(own.map(|own| own.deviation));
    let deviation = deviation.filter(|own| own.is_finite() && *own > 0.0 && *own < 1.0);
    let Some(deviation) = deviation else {
        let text = match arguments.deviation {
            Some(given) => format!("--deviation is {given}; it must lie between 0 and 1"),
            None => "the record has fewer than twenty days that both sides share".to_owned(),
        };
        let hint = "give the daily deviation of the difference, such as --deviation 0.005";
        return Err(Error::new(text).hint(hint));
    };
    for (flag, value) in [
        ("--rounds-a-week", arguments.rounds_a_week),
        ("--cost", arguments.cost),
        ("--budget", arguments.budget),
    ] {
        if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
            return Err(Error::new(format!("{flag} is {value}; it must be above 0")));
        }
    }
    let horizon_weeks = horizon_sessions(track) / 5.0;
    let live = own.map_or(1.0, |own| own.live);
    let rounds = public.rounds.iter().filter(|own| own.track == Some(track));
    let wide = rounds.clone().any(|own| own.manifest.market.never_closes());
    let spread = if wide { WIDE_SPREAD } else { USUAL_SPREAD };
    let across = own.zip(records.other.as_ref());
    Ok(Present {
        deviation,
        bound: own.map(|own| own.distance * spread),
        rounds_a_week: arguments.rounds_a_week.unwrap_or(live / horizon_weeks),
        between_rounds: own.map_or(0.5, |own| own.between_rounds),
        live,
        between_tracks: across
            .and_then(|(own, other)| own.correlation(other))
            .unwrap_or(USUAL_CORRELATION),
        cost: arguments.cost.or_else(|| cost_of(public, track)),
        budget: arguments.budget,
        needed: real(arguments.family.max(1)) / ALPHA,
    })
}

/// What the answers of the newest round with known costs cost.
fn cost_of(public: &Publication, track: Track) -> Option<f64> {
    let rounds = public
        .rounds
        .iter()
        .rev()
        .filter(|own| own.track == Some(track));
    let mut costs = rounds.filter_map(|round| CostSum::of_round(round).known_usd);
    costs.find(|cost| *cost > 0.0)
}

fn as_json(present: &Present, ways: &[Way], records: &Records) -> Value {
    let takes = |takes: &Takes| match takes {
        Takes::Months { months, dollars } => {
            json!({"months": months, "dollars": dollars, "within_budget": true})
        }
        Takes::BeyondBudget { months, dollars } => {
            json!({"months": months, "dollars": dollars, "within_budget": false})
        }
        Takes::Unknowable => Value::Null,
    };
    let way = |way: &Way| {
        let each = EDGES.into_iter().zip(&way.takes);
        let each = each.map(|(edge, own)| (format!("{:.0}", 100.0 * edge), takes(own)));
        json!({
            "way": way.name,
            "rounds_a_week": way.rounds_a_week,
            "daily_deviation": way.deviation,
            "takes": Value::Object(each.collect()),
        })
    };
    json!({
        "daily_deviation": present.deviation,
        "days_of_record": records.own.as_ref().map(|own| own.days),
        "bound": present.bound,
        "between_rounds": present.between_rounds,
        "between_tracks": present.between_tracks,
        "cost_of_round": present.cost,
        "budget": present.budget,
        "needed_evidence": present.needed,
        "ways": ways.iter().map(way).collect::<Vec<_>>(),
        "unknowable": unknowable(ways),
    })
}

fn print(present: &Present, ways: &[Way], records: &Records) {
    let from = records.own.as_ref().map_or("as given".to_owned(), |own| {
        format!("from {} days of {} rounds", own.days, own.rounds)
    });
    line(format!(
        "daily deviation of the difference {:.2} % ({from})",
        100.0 * present.deviation
    ));
    let cost = |dollars: f64| format!(", {}", self::dollars(dollars));
    let cell = |takes: &Takes| match takes {
        Takes::Months { months, dollars } => {
            format!("{months:.0} months{}", dollars.map_or(String::new(), cost))
        }
        Takes::BeyondBudget { months, dollars } => {
            format!("{months:.0} months{}, over budget", cost(*dollars))
        }
        Takes::Unknowable => "cannot know".to_owned(),
    };
    let row = |way: &Way| {
        let mut cells = vec![way.name.to_owned(), format!("{:.1}", way.rounds_a_week)];
        cells.extend(way.takes.iter().map(cell));
        cells
    };
    let header = "way | rounds a week > | 2 % a year > | 5 % a year > | 10 % a year >";
    line(table(header, ways.iter().map(row).collect()));
    for text in unknowable(ways) {
        line(text);
    }
    let text = "Time until four of five such claims are established, simulated with normal days and \
                a bound of 20 years; real days with fat tails take about as long.";
    line(paint(DIM, prose(text)));
}
