//! Boards: the latest rounds, all history, consistency, and all comparison sets.

use capitalbench_core::evidence::statistics::RecordStatistics;
use capitalbench_core::publication::boards::consistency::ConsistencyRow;
use capitalbench_core::publication::boards::cumulative::CumulativeRow;
use capitalbench_core::publication::calls::CostSum;
use capitalbench_core::round::manifest::Track;
use capitalbench_export::text::cost_sentence;

use super::filter::{Filter, plain};
use super::round;
use super::view::{View, horizon, set_path, track_name};
use super::words;
use crate::figures::{self, decimal, share, unsigned_points};
use crate::page::Page;
use crate::table::{
    self, Cell, Table, gap, head, interval, maybe, number, part, percent, scored, text, whole,
    words as words_cell,
};

pub(crate) mod across;

/// Every board: its path, its name, what it shows, and whether it ranks models.
const BOARDS: [[&str; 4]; 7] = [
    [
        "",
        "Results",
        "The current comparison set of each track: one roster, the same rounds for all.",
        "as far as the evidence allows",
    ],
    [
        "boards/latest/",
        "Latest",
        "The newest resolved round of each track.",
        "one round, mostly chance",
    ],
    [
        "boards/cumulative/",
        "All history",
        "Every model over the rounds it took part in; rounds differ from model to model.",
        "no",
    ],
    [
        "boards/consistency/",
        "Consistency",
        "How similar the answers of a model to the same question are.",
        "no",
    ],
    ["boards/markets/", "Kinds of market", across::MARKETS, "no"],
    [
        "boards/across-sets/",
        "Set to set",
        "The score of each model in every comparison set.",
        "no",
    ],
    [
        "boards/sets/",
        "Comparison sets",
        "Every roster with the rounds it shares, included and left out.",
        "each on its own rounds",
    ],
];

/// The list of boards.
pub(crate) fn index(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "boards/",
        "Boards",
        "Every board of the benchmark and what it is for.",
    )
    .below("", "Results");
    let mut table = Table::new("Boards", "Board | What it shows | Ranks models?").fixed();
    for [path, name, shows, ranks] in BOARDS {
        table.row(vec![
            head(page.here.link(path, name)),
            words_cell(view.reference.put_into(shows)),
            text(ranks),
        ]);
    }
    page.body.table(&table);
    let sets = view.publication.comparison_sets.len();
    page.body.say(&format!(
        "There are {sets} comparison sets. Weekly and monthly rounds are never mixed."
    ));
    page
}

/// The newest resolved round of each track.
pub(crate) fn latest(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "boards/latest/",
        "Latest rounds",
        "The newest resolved round of each track, model by model.",
    )
    .below("boards/", "Boards");
    page.body.say("One round says little: its order is mostly chance. Intervals over many rounds are on the results page.");
    for track in view.tracks() {
        page.body.section(track.as_str(), track_name(Some(track)));
        let latest = view.boards(track).and_then(|boards| boards.latest.as_ref());
        let round = latest.and_then(|id| view.round(id));
        let Some((round, resolved)) = round.and_then(|round| Some((round, round.resolved()?)))
        else {
            page.body.say("No round is resolved yet.");
            continue;
        };
        let mut line = view.round_link(&page.here, round.id());
        line.push(" · ");
        line.push_text(&words::result(view, resolved));
        page.body.paragraph("", line);
        let table = round::results_table(view, &page.here, round, resolved);
        page.body.table(&table);
    }
    page
}

/// Every model over the rounds it took part in.
pub(crate) fn cumulative(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "boards/cumulative/",
        "All history",
        "Every model over all rounds it took part in.",
    )
    .below("boards/", "Boards");
    page.body.say("Models took part in different rounds, so this table describes records and does not rank models. Windows overlap, so no strategy could have earned the compounded columns.");
    for track in view.tracks() {
        page.body.section(track.as_str(), track_name(Some(track)));
        let table = cumulative_table(view, &page, track);
        page.body.table(&table);
        let rows = view
            .boards(track)
            .into_iter()
            .flat_map(|own| &own.cumulative);
        let cost = CostSum::of(rows.map(CumulativeRow::cost));
        if let Some(cost) = cost_sentence(cost) {
            page.body.paragraph("note", cost);
        }
    }
    page
}

fn cumulative_table(view: &View<'_>, page: &Page, track: Track) -> Table {
    let caption = format!("{} records, complete ones first", track_name(Some(track)));
    let mut table = Table::new(
        &caption,
        &format!(
            "Model | #Score | #Gap / {0}, points | #95 % interval | #Rounds | #Windows | #Mean return | #Above {1} | #Above cash | #Regret, points | #Above random | #Compounded | #{1} compounded | #Cost",
            horizon(track),
            view.reference
        ),
    )
    .class("dense");
    let boards = view.boards(track);
    for row in boards.iter().flat_map(|boards| &boards.cumulative) {
        let own = view.record(track, &row.model_id);
        let mut cells = vec![head(view.model_link(&page.here, &row.model_id))];
        cells.extend(record_cells(row, own));
        cells.extend(further_cells(row, own));
        table.row(cells);
    }
    table
}

/// Score, mean gap with its interval, rounds, windows, mean return, and the share above the reference.
pub(super) fn record_cells(row: &CumulativeRow, own: Option<&RecordStatistics>) -> [Cell; 7] {
    [
        scored(row.score),
        gap(row.average_alpha),
        interval(own.and_then(|own| own.model.alpha)),
        whole(row.rounds.len()),
        maybe(own.map(|o| o.model.effective_windows), |v| decimal(v, 1)),
        percent(row.average_return),
        part(row.hit_rate_reference),
    ]
}

fn further_cells(row: &CumulativeRow, own: Option<&RecordStatistics>) -> [Cell; 6] {
    let luck = own.and_then(|own| own.model.luck);
    [
        part(row.hit_rate_cash),
        maybe(row.average_regret, unsigned_points),
        maybe(luck.map(|luck| luck.mean_percentile), share),
        percent(row.compounded_return),
        percent(row.compounded_reference),
        table::cost(row.cost()),
    ]
}

/// Agreement of models with themselves.
pub(crate) fn consistency(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "boards/consistency/",
        "Consistency",
        "How similar the answers of models are when they are asked the same question again.",
    )
    .below("boards/", "Boards");
    page.body.say("Each model received the same prompt several times. Overlap is one minus half the summed difference of weights: 100 % means the same portfolio each time. These calls never count for the record.");
    for track in view.tracks() {
        page.body.section(track.as_str(), track_name(Some(track)));
        let boards = view.boards(track);
        let rows = boards.map_or(&[][..], |boards| &boards.consistency.rows);
        if rows.is_empty() {
            page.body
                .say("No resolved round of this track has repeated calls.");
            continue;
        }
        let table = consistency_table(view, &page, track, rows);
        page.body.table(&table);
    }
    page
}

fn consistency_table(view: &View<'_>, page: &Page, track: Track, rows: &[ConsistencyRow]) -> Table {
    let caption = format!("{} consistency", track_name(Some(track)));
    let mut table = Table::new(
        &caption,
        "Model | #Rounds | #Answers | #Overlap | #Same main pick | #Mean return | #Mean gap | #Best answer | #Worst answer | #Cost",
    );
    for row in rows {
        table.row(vec![
            head(view.model_link(&page.here, &row.model_id)),
            whole(row.rounds.len()),
            whole(row.replicates),
            part(row.average_overlap),
            part(row.average_consistency_rate),
            percent(row.average_return),
            gap(row.average_alpha),
            percent(row.average_best_return),
            percent(row.average_worst_return),
            number(&figures::cost(row.total_cost_usd), row.total_cost_usd),
        ]);
    }
    table
}

pub(crate) fn sets(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "boards/sets/",
        "Comparison sets",
        "Every fixed roster with the rounds all of its models completed.",
    )
    .below("boards/", "Boards");
    page.body.say("A comparison set compares a fixed roster on the rounds that all its models completed. The newest set with enough shared rounds is the current set of its track.");
    let form = Filter::of("sets")
        .choice("track", "track", &plain(["weekly", "monthly"]))
        .choice(
            "status",
            "status",
            &plain(["current", "qualified", "forming", "waiting"]),
        )
        .words();
    let mut table = Table::new(
        "All comparison sets",
        "Set | Track | Status | #Models | #Shared rounds | #Windows | #Left out | Roster",
    )
    .named("sets");
    for set in &view.publication.comparison_sets {
        let definition = &set.definition;
        let track = definition.track.as_str();
        let windows = view.statistics(set).map(|found| found.effective_windows);
        let link = page
            .here
            .link(&set_path(&definition.set_id), &definition.label);
        let row = table.row(vec![
            head(link),
            text(track),
            text(set.status.as_str()),
            whole(definition.model_ids.len()),
            whole(set.included.len()),
            maybe(windows, |v| decimal(v, 1)),
            whole(set.excluded.len()),
            words_cell(view.names(&definition.model_ids)),
        ]);
        row.marks = vec![
            ("track", track.into()),
            ("status", set.status.as_str().into()),
        ];
    }
    page.body.add(&form.html()).table(&table);
    page
}
