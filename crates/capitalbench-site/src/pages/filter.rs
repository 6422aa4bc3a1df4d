//! Filters over tables: hidden until the script is there, their state kept in the address.

use crate::html::Html;

/// A filter form that is put together field by field.
pub(crate) struct Filter(Html);

impl Filter {
    /// A filter of the table with this name.
    pub(crate) fn of(table: &str) -> Self {
        Self(Html::made(format!(
            "<form class=\"filter\" data-filter=\"{table}\" hidden>"
        )))
    }

    /// A choice of one value; the empty one is all.
    #[must_use]
    pub(crate) fn choice(mut self, name: &str, label: &str, values: &[(String, String)]) -> Self {
        let label = Html::text(label);
        self.0.push(&format!(
            "<label>{label} <select name=\"{name}\"><option value=\"\">all</option>"
        ));
        for (value, shown) in values {
            let (value, shown) = (Html::text(value), Html::text(shown));
            self.0
                .push(&format!("<option value=\"{value}\">{shown}</option>"));
        }
        self.0.push("</select></label>");
        self
    }

    /// A day from or to which rows count.
    #[must_use]
    pub(crate) fn days(mut self) -> Self {
        for name in ["from", "to"] {
            let input = format!("<input type=\"date\" name=\"{name}\">");
            self.0.push(&format!("<label>{name} {input}</label>"));
        }
        self
    }

    /// Words that a row must contain.
    #[must_use]
    pub(crate) fn words(mut self) -> Self {
        self.0
            .push("<label>text <input type=\"search\" name=\"q\"></label>");
        self
    }

    pub(crate) fn html(mut self) -> Html {
        self.0.push("<output aria-live=\"polite\"></output></form>");
        self.0
    }
}

/// Values that are shown as they are.
pub(crate) fn plain<'a>(values: impl IntoIterator<Item = &'a str>) -> Vec<(String, String)> {
    let both = |value: &str| (value.to_owned(), value.to_owned());
    values.into_iter().map(both).collect()
}
