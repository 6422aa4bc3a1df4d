//! Which names in an answer stand for the requested model.
//!
//! Services answer an alias with the name of the build behind it. That name is the requested one and
//! a date or a numeric build. Every other name counts as another model, because a cheaper tier is
//! also named like the requested model and some more letters: `gpt-5-mini` answers nothing that
//! `gpt-5` was asked. Names that this pattern cannot tell apart are listed in `served_models`.

/// Before the name in Google's answers and on its model pages.
const GOOGLE_PREFIX: &str = "models/";

/// The makers whose name a router writes before the model's name, as in `openai/gpt-5`. Anybody else
/// before a slash may have trained a model of their own from it.
const MAKERS: [&str; 16] = [
    "amazon",
    "anthropic",
    "cohere",
    "deepseek",
    "deepseek-ai",
    "google",
    "meta-llama",
    "minimax",
    "mistralai",
    "moonshotai",
    "nvidia",
    "openai",
    "qwen",
    "x-ai",
    "xai",
    "z-ai",
];

/// The word of an alias for the newest build: Mistral and Anthropic write it after a dash, Ollama as
/// the tag that applies when none is named.
const LATEST: &str = "latest";

/// Whether an answer under the name `served` counts as one of the requested model; `also` lists
/// further names, which must match exactly.
pub fn fits(requested: &str, served: &str, also: &[String]) -> bool {
    if also.iter().any(|name| name == served) {
        return true;
    }
    let (requested, served) = (plain(requested), plain(served));
    let (requested, served) = without_one_sided_maker(&requested, &served);
    let (requested, served) = without_same_tag(requested, served);
    if requested == served {
        return !requested.is_empty();
    }
    let alias = requested
        .strip_suffix(LATEST)
        .and_then(|stem| stem.strip_suffix('-'));
    match alias {
        Some(stem) => adds_build(stem, served),
        // Who asks for one build must get that build.
        None => !ends_with_build(requested) && adds_build(requested, served),
    }
}

/// What [`fits`] compares, in words for the operator.
pub fn accepted_names(requested: &str, also: &[String]) -> String {
    let also: Vec<&str> = also
        .iter()
        .map(String::as_str)
        .filter(|name| *name != requested)
        .collect();
    let own = if ends_with_build(&plain(requested)) {
        requested.to_owned()
    } else {
        format!("{requested}, {requested} with a date or numeric build")
    };
    if also.is_empty() {
        own
    } else {
        format!("{own}, {}", also.join(", "))
    }
}

/// The line for the models file that lets a model answer under another name.
pub fn served_models_line(served: &str) -> String {
    const LONGEST: usize = 200;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._/:@".contains(c);
    let safe = served.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !served.ends_with(':')
        && served.chars().all(is_plain);
    if safe && served.len() <= LONGEST {
        return format!("served_models: [{served}]");
    }
    // A name is the server's text: escapes keep it from steering a terminal or the file.
    let start: String = served.chars().take(LONGEST).collect();
    format!("served_models: [\"{}\"]", start.escape_default())
}

fn plain(name: &str) -> String {
    let name = name.trim().to_lowercase();
    let name = name.strip_prefix(GOOGLE_PREFIX).unwrap_or(&name);
    let untagged = name.strip_suffix(LATEST).and_then(|n| n.strip_suffix(':'));
    untagged.unwrap_or(name).to_owned()
}

/// Both names without the maker, where only one of them has it.
fn without_one_sided_maker<'a>(requested: &'a str, served: &'a str) -> (&'a str, &'a str) {
    let model = |name: &'a str| {
        let (maker, model) = name.split_once('/')?;
        MAKERS.contains(&maker).then_some(model)
    };
    match (model(requested), model(served)) {
        (Some(model), None) if !served.contains('/') => (model, served),
        (None, Some(model)) if !requested.contains('/') => (requested, model),
        _ => (requested, served),
    }
}

/// Both names without the tag after the last colon, where it is the same: `m:free` and `m-2503:free`.
fn without_same_tag<'a>(requested: &'a str, served: &'a str) -> (&'a str, &'a str) {
    match (requested.rsplit_once(':'), served.rsplit_once(':')) {
        (Some((requested, asked)), Some((served, given))) if asked == given => (requested, served),
        _ => (requested, served),
    }
}

/// Whether `served` is the name and then one date or numeric build.
fn adds_build(name: &str, served: &str) -> bool {
    let rest = served.strip_prefix(name).filter(|_| !name.is_empty());
    rest.is_some_and(is_build)
}

fn ends_with_build(name: &str) -> bool {
    let starts = name
        .char_indices()
        .filter(|(at, c)| *at > 0 && matches!(c, '-' | '@' | ':'));
    starts.map(|(at, _)| &name[at..]).any(is_build)
}

/// A separator and a date or a numeric build. One or two digits after a dash are a version, as in
/// `claude-sonnet-4-5`, and a number that is no date may be a size, as in `llama3-70b-8192`.
fn is_build(suffix: &str) -> bool {
    let Some(digits) = suffix.strip_prefix('-') else {
        let written = suffix.strip_prefix(['@', ':']);
        return written.is_some_and(is_full_date);
    };
    let parts: Vec<&str> = digits.split('-').collect();
    if !parts.iter().all(|part| all_digits(part)) {
        return false;
    }
    match *parts.as_slice() {
        // 20251001, 250615, 2512 or 0528, and 001.
        [one] => match one.len() {
            8 => is_full_date(one),
            6 => is_year_month_day(&one[..2], &one[2..4], &one[4..]),
            4 => is_short_year_month(one) || is_month_day(&one[..2], &one[2..]),
            3 => one.starts_with('0') && one != "000",
            _ => false,
        },
        // 03-2025 or, as OpenRouter and Google write it, 07-09.
        [month, other] => {
            let in_year = is_year(other) && month.len() == 2 && in_range(month, 1..=12);
            in_year || is_month_day(month, other)
        }
        // 2025-12-11.
        [year, month, day] => is_year(year) && is_month_day(month, day),
        _ => false,
    }
}

/// `20251001`.
fn is_full_date(digits: &str) -> bool {
    digits.len() == 8
        && all_digits(digits)
        && is_year(&digits[..4])
        && is_month_day(&digits[4..6], &digits[6..])
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && in_range(text, 2019..=2099)
}

/// `250615`.
fn is_year_month_day(year: &str, month: &str, day: &str) -> bool {
    in_range(year, 19..=99) && is_month_day(month, day)
}

/// `2512`.
fn is_short_year_month(digits: &str) -> bool {
    in_range(&digits[..2], 19..=39) && in_range(&digits[2..], 1..=12)
}

fn is_month_day(month: &str, day: &str) -> bool {
    let days = match month.parse::<u32>() {
        Ok(2) => 29,
        Ok(4 | 6 | 9 | 11) => 30,
        _ => 31,
    };
    let two = month.len() == 2 && day.len() == 2;
    two && in_range(month, 1..=12) && in_range(day, 1..=days)
}

fn in_range(digits: &str, range: std::ops::RangeInclusive<u32>) -> bool {
    digits.parse().is_ok_and(|number| range.contains(&number))
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests;
