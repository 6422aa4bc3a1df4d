//! The table of trailing returns that every model is shown.

use std::path::{Path, PathBuf};

use capitalbench_archive::disk::{file_ops, layout};
use capitalbench_archive::format::prices::price_window;
use capitalbench_archive::format::prices::trailing::{self, Provenance};
use capitalbench_archive::format::prices::vendor_sheet;
use capitalbench_archive::format::text::json;
use capitalbench_archive::prices::large_moves;
use capitalbench_archive::round::kept_sources::KeptHistories;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_archive::round::{ending, freeze};
use capitalbench_core::asking::market_context::{
    ContextStatus, MarketContext, PriceHistory, history_start, market_context,
};
use capitalbench_core::market::price_window::{PriceWindow, Session};
use capitalbench_core::market::universe::Universe;
use capitalbench_core::round::manifest::Manifest;
use capitalbench_core::values::ids::OptionId;
use jiff::civil::Date;

use crate::error::Error;
use crate::operator::{Operator, wait};
use crate::prices::fetch::believed;
use crate::prices::fetcher::{AtLimit, Days, Fetcher};
use crate::prices::invented::refuse_in_real_round;
use crate::prices::plan::priced_options;
use crate::prices::sources::{Vendor, rounds_of};
use crate::prices::withholding::salt;

/// How a table is fetched.
#[derive(Debug, Clone)]
pub struct TableManner {
    /// Replace a table that is there.
    pub overwrite: bool,
    /// Why moves that one source alone tells are believed.
    pub accept_moves: Option<String>,
    pub at_limit: AtLimit,
}

impl Default for TableManner {
    fn default() -> Self {
        Self {
            overwrite: false,
            accept_moves: None,
            at_limit: AtLimit::Stop,
        }
    }
}

/// Fetches the histories of all options and writes the table as of a day.
pub fn fetch_table(
    operator: &Operator,
    round: &Path,
    as_of: Date,
    vendor: &Vendor,
    manner: &TableManner,
) -> Result<(RoundFolder, MarketContext), Error> {
    let folder = RoundFolder::open(round)?;
    ending::require_open(&folder)?;
    freeze::refuse_frozen(&folder)?;
    if folder.file(trailing::CSV).exists() && !manner.overwrite {
        let text = format!("{} has a table already", folder.name());
        return Err(Error::new(text).hint("replace it with --overwrite-performance"));
    }
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    refuse_later_close(&inputs.manifest, as_of)?;
    let start = history_start(as_of)
        .ok_or_else(|| Error::new(format!("--as-of-date {as_of} is too early")))?;
    let fetcher = Fetcher::open(
        operator,
        vendor,
        &rounds_of(folder.path())?,
        manner.at_limit,
    )?;
    refuse_in_real_round(&fetcher, &inputs.manifest)?;
    let question = format!("{}_trailing_{as_of}", folder.name());
    let options = priced_options(&inputs.universe, as_of);
    let (days, manifest) = (Days::any_of(start, as_of), &inputs.manifest);
    let answers = fetcher.fetch_whole(&question, &options, &days, manifest.publish);
    let (mut histories, mut errors, mut windows) = (Vec::new(), Vec::new(), Vec::new());
    for (option_id, answer) in wait(answers)?? {
        let rows = answer.map(|answered| answered.window);
        match rows
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|rows| adjusted(&rows.sessions))
        {
            Ok(closes) => histories.push(PriceHistory { option_id, closes }),
            Err(text) => errors.push((option_id, text)),
        }
        windows.extend(rows);
    }
    let mut context = market_context(&inputs.universe, &histories, as_of)
        .map_err(|error| Error::new(error.to_string()))?;
    explain(&mut context, &errors);
    let provenance = Provenance {
        source: format!("{}_adj_close", fetcher.source.stored_label()),
        generated_at: operator.now().to_string(),
        fetched_symbols: symbols(&inputs.universe),
    };
    let table = trailing::render(&inputs.universe, &context, &provenance, manifest.publish);
    let moves = large_moves::unexplained(manifest, &windows, None);
    let moves = believed(manifest, moves, manner.accept_moves.as_deref(), operator)?;
    let kept = kept_files(&inputs, windows, as_of)?;
    // The table comes last: a round that has it has its histories too.
    let moves = moves.map(|own| (layout::TABLE_MOVE_EXCEPTION, json::render(&own)));
    if moves.is_none() {
        file_ops::remove(&folder.file(layout::TABLE_MOVE_EXCEPTION))?;
    }
    let files: Vec<(PathBuf, Vec<u8>)> = kept
        .into_iter()
        .chain(moves)
        .chain(table)
        .map(|(path, text)| (folder.file(path), text.into_bytes()))
        .collect();
    file_ops::replace_all(&files)?;
    fetcher.forget(&question)?;
    Ok((folder, context))
}

/// The histories, and the daily returns that follow from them; none before v1.2.
fn kept_files(
    inputs: &RoundInputs,
    histories: Vec<PriceWindow>,
    as_of: Date,
) -> Result<Vec<(&'static str, String)>, Error> {
    if !inputs.manifest.methodology.freezes_daily_returns() {
        return Ok(Vec::new());
    }
    let kept = KeptHistories { histories, as_of };
    // The digest of this private file is frozen and public.
    let histories = if inputs.manifest.publish.is_full() {
        price_window::render(&kept.histories)
    } else {
        vendor_sheet::render(&salt()?, &kept.histories)
    };
    Ok(vec![
        (layout::SOURCE_HISTORIES, histories),
        (layout::DAILY_RETURNS, kept.daily_returns(inputs)),
    ])
}

/// Models may not be shown a close that comes after their deadline.
fn refuse_later_close(manifest: &Manifest, as_of: Date) -> Result<(), Error> {
    let Some(deadline) = &manifest.decision_deadline else {
        return Ok(());
    };
    // A closed day means the session before it.
    let market = manifest.market;
    let session = if market.is_session(as_of) {
        Some(as_of)
    } else {
        market.previous_session(as_of)
    };
    let last = market.last_session_by(deadline.at());
    if session <= last {
        return Ok(());
    }
    let text = format!("--as-of-date {as_of}: its close is after the deadline {deadline}");
    let last = last.map_or_else(String::new, |day| day.to_string());
    Err(Error::new(text).hint(format!("the last session before the deadline is {last}")))
}

fn adjusted(rows: &[Session]) -> Result<Vec<(Date, f64)>, String> {
    let close = |row: &Session| {
        let missing = || format!("no adjusted close on {}", row.date);
        let adjusted = row.adjusted.ok_or_else(missing)?;
        Ok((row.date, adjusted.get()))
    };
    rows.iter().map(close).collect()
}

/// A failed row says what the source said.
fn explain(context: &mut MarketContext, errors: &[(OptionId, String)]) {
    for row in &mut context.rows {
        let said = errors
            .iter()
            .find(|(option_id, _)| *option_id == row.option_id);
        if let (ContextStatus::Fail, Some((_, text))) = (row.status, said) {
            row.message.clone_from(text);
        }
    }
}

fn symbols(universe: &Universe) -> Vec<String> {
    let mut symbols: Vec<String> = universe
        .options()
        .iter()
        .filter_map(|option| option.data_symbol.clone())
        .collect();
    symbols.sort_unstable();
    symbols
}
