//! Tables: one template for all, so that all sort, scroll and read in the same way.

use askama::Template;
use capitalbench_core::evidence::statistics::Estimate;
use capitalbench_core::publication::calls::KnownCost;
use capitalbench_core::result::score::Score;

use crate::html::Html;
use crate::{figures, glossary};

/// A table with everything finished.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "table.html")]
pub(crate) struct Table {
    pub(crate) caption: Html,
    pub(crate) id: String,
    pub(crate) class: String,
    pub(crate) sortable: bool,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Column {
    pub(crate) label: Html,
    /// Opens what the label means.
    pub(crate) help: Html,
    pub(crate) model: Option<Html>,
    pub(crate) number: bool,
}

/// A row; marks become `data-` attributes for filters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Row {
    pub(crate) class: &'static str,
    pub(crate) marks: Vec<(&'static str, Html)>,
    pub(crate) cells: Vec<Cell>,
}

/// A cell; sorting compares `key` where the text would sort wrongly.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cell {
    pub(crate) html: Html,
    pub(crate) class: String,
    pub(crate) key: String,
    pub(crate) head: bool,
}

impl Table {
    /// A sortable table; its head is one text with ` | ` between labels, and a label that begins with
    /// `#` stands above numbers.
    pub(crate) fn new(caption: &str, head: &str) -> Self {
        let column = |label: &str| Column {
            label: label.trim_start_matches('#').into(),
            help: glossary::button(label.trim_start_matches('#')),
            number: label.starts_with('#'),
            ..Column::default()
        };
        Self {
            caption: caption.into(),
            sortable: true,
            columns: head.split(" | ").map(column).collect(),
            ..Self::default()
        }
    }

    /// Adds a column of numbers whose label, such as a model's name, is not ours.
    pub(crate) fn add_numbers(&mut self, label: &str) -> &mut Column {
        let place = self.columns.len();
        self.columns.push(Column {
            label: label.into(),
            number: true,
            ..Column::default()
        });
        &mut self.columns[place]
    }

    /// Adds a column of a model's numbers below its mark and name.
    pub(crate) fn add_model(&mut self, label: Html) -> &mut Column {
        let column = self.add_numbers("");
        column.label = label;
        column
    }

    #[must_use]
    pub(crate) fn class(mut self, class: &str) -> Self {
        class.clone_into(&mut self.class);
        self
    }

    /// A name for scripts and links.
    #[must_use]
    pub(crate) fn named(mut self, id: &str) -> Self {
        id.clone_into(&mut self.id);
        self
    }

    /// A table whose order has a meaning, so that readers cannot sort it.
    #[must_use]
    pub(crate) fn fixed(mut self) -> Self {
        self.sortable = false;
        self
    }

    /// Adds a row of cells.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) -> &mut Row {
        let place = self.rows.len();
        self.rows.push(Row {
            cells,
            ..Row::default()
        });
        &mut self.rows[place]
    }

    pub(crate) fn html(&self) -> Html {
        Html::made(self.render().unwrap_or_default())
    }
}

/// A cell that names its row.
pub(crate) fn head(html: impl Into<Html>) -> Cell {
    Cell {
        head: true,
        ..markup(html.into())
    }
}

pub(crate) fn text(text: &str) -> Cell {
    markup(Html::text(text))
}

/// A cell of words that may wrap.
pub(crate) fn words(html: impl Into<Html>) -> Cell {
    Cell {
        class: "w".to_owned(),
        ..markup(html.into())
    }
}

pub(crate) fn markup(html: Html) -> Cell {
    Cell {
        html,
        ..Cell::default()
    }
}

/// A cell of a number, sorted by its value.
pub(crate) fn number(shown: &str, value: Option<f64>) -> Cell {
    Cell {
        html: Html::text(shown),
        class: "n".to_owned(),
        key: value.map(|value| format!("{value:.9}")).unwrap_or_default(),
        head: false,
    }
}

/// A cell of a number with this many decimals.
pub(crate) fn decimal(value: f64, places: usize) -> Cell {
    number(&figures::decimal(value, places), Some(value))
}

pub(crate) fn scored(score: Score) -> Cell {
    number(&figures::score(score), figures::points(score))
}

/// A cell of a rank, sorted by its text.
pub(crate) fn ordinal(rank: Option<impl ToString>) -> Cell {
    let shown = rank.map_or(figures::NONE.to_owned(), |rank| rank.to_string());
    number(&shown, None)
}

/// A cell of an estimate's interval, sorted by its lower end; empty where it would tell nothing.
pub(crate) fn interval(estimate: Option<Estimate>) -> Cell {
    let estimate = estimate.filter(Estimate::informative);
    let low = estimate.map(|estimate| estimate.low);
    let shown = estimate.map(|found| figures::percent_interval(found.low, found.high));
    let mut cell = number(&shown.unwrap_or(figures::NONE.to_owned()), low);
    if estimate.is_some_and(|estimate| !estimate.informative()) {
        cell.class.push_str(" weak");
    }
    cell
}

/// A cell of a return.
pub(crate) fn percent(value: f64) -> Cell {
    number(&figures::signed_percent(value), Some(value))
}

/// A cell of a difference of returns.
pub(crate) fn gap(value: f64) -> Cell {
    number(&figures::signed_points(value), Some(value))
}

/// A cell of a share.
pub(crate) fn part(value: f64) -> Cell {
    number(&figures::share(value), Some(value))
}

/// A cell of a count.
pub(crate) fn whole(value: usize) -> Cell {
    Cell {
        class: "n".to_owned(),
        ..text(&value.to_string())
    }
}

/// A cell of a cost that may be unknown, or known for some answers only.
pub(crate) fn cost(cost: KnownCost) -> Cell {
    let shown = figures::cost(cost.usd);
    if cost.usd.is_some() && cost.known < cost.answers {
        let shown = format!("{shown} ({} of {})", cost.known, cost.answers);
        return number(&shown, cost.usd);
    }
    number(&shown, cost.usd)
}

/// A cell of a number that may be missing.
pub(crate) fn maybe(value: Option<f64>, shown: impl Fn(f64) -> String) -> Cell {
    number(
        &value.map_or_else(|| figures::NONE.to_owned(), shown),
        value,
    )
}

/// A cell of a weight, drawn as a bar; empty where there is none.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of one"
)]
pub(crate) fn bar(weight: Option<f64>) -> Cell {
    let Some(weight) = weight else {
        return text("");
    };
    let percent = (weight * 100.0).round().clamp(1.0, 100.0) as u32;
    Cell {
        class: format!("n bar w{percent}"),
        ..part(weight)
    }
}
