//! Reads typed fields out of a JSON object and collects every problem on the way.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::Problem;

/// Holdings or candidates of one answer at most; a round allows far fewer.
const LONGEST_LIST: usize = 5_000;

/// Whether numbers written as text are numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coercion {
    /// As the earlier project did: numeric text and integral reals pass.
    Lenient,
    /// Types must be right; only an integer may stand for a real.
    Exact,
}

/// One object and the problems found in it so far.
pub(crate) struct Fields<'a, 'p> {
    object: &'a Map<String, Value>,
    path: String,
    coercion: Coercion,
    problems: &'p mut Vec<Problem>,
    /// How many problems there were before this object.
    before: usize,
    /// Every field that was asked for; others are unknown.
    asked: Vec<&'static str>,
}

impl<'a, 'p> Fields<'a, 'p> {
    pub(crate) fn new(
        object: &'a Map<String, Value>,
        path: String,
        coercion: Coercion,
        problems: &'p mut Vec<Problem>,
    ) -> Self {
        Self {
            object,
            path,
            coercion,
            before: problems.len(),
            problems,
            asked: Vec::new(),
        }
    }

    pub(crate) fn problem(&mut self, name: &str, message: impl Into<String>) {
        let field = format!("{}{name}", self.path);
        self.problems.push(Problem::at(field, message));
    }

    /// Reports, before the other problems of the object, every field that nobody asked for.
    pub(crate) fn reject_unknown(&mut self) {
        let unknown = self.object.keys();
        let unknown = unknown.filter(|key| !self.asked.contains(&key.as_str()));
        let path = &self.path;
        let problem = |key| Problem::at(format!("{path}{key}"), "unknown field");
        let found: Vec<Problem> = unknown.map(problem).collect();
        self.problems.splice(self.before..self.before, found);
    }

    fn present(&mut self, name: &'static str) -> Option<&'a Value> {
        self.asked.push(name);
        self.object.get(name).filter(|value| !value.is_null())
    }

    fn required(&mut self, name: &'static str) -> Option<&'a Value> {
        let value = self.present(name);
        if value.is_none() {
            self.problem(name, "required field is missing");
        }
        value
    }

    pub(crate) fn text(&mut self, name: &'static str) -> String {
        let value = self.required(name);
        value.map_or_else(String::new, |value| self.text_value(name, value))
    }

    pub(crate) fn optional_text(&mut self, name: &'static str) -> Option<String> {
        let value = self.present(name)?;
        Some(self.text_value(name, value))
    }

    fn text_value(&mut self, name: &str, value: &Value) -> String {
        match value.as_str().map(str::trim) {
            Some("") => self.problem(name, "must not be blank"),
            Some(text) => return text.to_owned(),
            None => self.problem(name, "must be text"),
        }
        String::new()
    }

    pub(crate) fn texts(&mut self, name: &'static str) -> Vec<String> {
        let Some(value) = self.required(name) else {
            return Vec::new();
        };
        let Some(items) = value.as_array() else {
            self.problem(name, "must be a list of texts");
            return Vec::new();
        };
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            texts.push(self.text_value(&format!("{name}.{index}"), item));
        }
        texts
    }

    pub(crate) fn real(&mut self, name: &'static str) -> f64 {
        let value = self.required(name);
        value.map_or(0.0, |value| self.real_value(name, value))
    }

    pub(crate) fn optional_real(&mut self, name: &'static str) -> Option<f64> {
        let value = self.present(name)?;
        Some(self.real_value(name, value))
    }

    fn real_value(&mut self, name: &str, value: &Value) -> f64 {
        let number = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) if self.coercion == Coercion::Lenient => text.trim().parse().ok(),
            _ => None,
        };
        match number {
            Some(number) if number.is_finite() => number,
            _ => {
                self.problem(name, "must be a finite number");
                0.0
            }
        }
    }

    pub(crate) fn optional_real_in(
        &mut self,
        name: &'static str,
        range: RangeInclusive<f64>,
    ) -> Option<f64> {
        let value = self.optional_real(name)?;
        self.check_range(name, value, &range);
        Some(value)
    }

    pub(crate) fn real_in(&mut self, name: &'static str, range: RangeInclusive<f64>) -> f64 {
        let value = self.real(name);
        self.check_range(name, value, &range);
        value
    }

    fn check_range(&mut self, name: &str, value: f64, range: &RangeInclusive<f64>) {
        if !range.contains(&value) {
            let high = Some(range.end()).filter(|high| high.is_finite());
            self.problem(name, outside(value, range.start(), high));
        }
    }

    pub(crate) fn integer_in(&mut self, name: &'static str, range: RangeInclusive<u64>) -> u64 {
        self.required(name);
        self.optional_integer_in(name, range).unwrap_or(0)
    }

    pub(crate) fn optional_integer_in(
        &mut self,
        name: &'static str,
        range: RangeInclusive<u64>,
    ) -> Option<u64> {
        let value = self.present(name)?;
        let lenient = self.coercion == Coercion::Lenient;
        let number: Option<i128> = match value {
            Value::Number(n) if n.is_f64() => n.as_f64().filter(|_| lenient).and_then(integral),
            Value::Number(n) => n.as_i64().map(i128::from).or(n.as_u64().map(i128::from)),
            Value::String(text) if lenient => text.trim().parse().ok(),
            _ => None,
        };
        let Some(number) = number else {
            self.problem(name, "must be a whole number");
            return None;
        };
        match u64::try_from(number) {
            Ok(whole) if range.contains(&whole) => Some(whole),
            _ => {
                let high = Some(range.end()).filter(|high| **high < u64::MAX);
                self.problem(name, outside(number, range.start(), high));
                None
            }
        }
    }

    pub(crate) fn optional_flag(&mut self, name: &'static str) -> Option<bool> {
        let value = self.present(name)?;
        let lenient = self.coercion == Coercion::Lenient;
        let flag = match value {
            Value::Bool(flag) => Some(*flag),
            Value::Number(n) if lenient => match n.as_i64() {
                Some(0) => Some(false),
                Some(1) => Some(true),
                _ => None,
            },
            Value::String(text) if lenient => match text.to_lowercase().as_str() {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            },
            _ => None,
        };
        if flag.is_none() {
            self.problem(name, "must be true or false");
        }
        flag
    }

    pub(crate) fn optional_object(&mut self, name: &'static str) -> Option<&'a Map<String, Value>> {
        let value = self.present(name)?;
        let object = value.as_object();
        if object.is_none() {
            self.problem(name, "must be an object");
        }
        object
    }

    pub(crate) fn optional_objects(
        &mut self,
        name: &'static str,
    ) -> Option<Vec<&'a Map<String, Value>>> {
        let value = self.present(name)?;
        let Some(items) = value.as_array() else {
            self.problem(name, "must be a list of objects");
            return None;
        };
        if items.len() > LONGEST_LIST {
            let text = format!(
                "has {} entries; at most {LONGEST_LIST} are read",
                items.len()
            );
            self.problem(name, &text);
            return Some(Vec::new());
        }
        let mut objects = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item.as_object() {
                Some(object) => objects.push(object),
                None => self.problem(&format!("{name}.{index}"), "must be an object"),
            }
        }
        Some(objects)
    }

    /// Fields of an object inside this one.
    pub(crate) fn inside<'q>(
        &'q mut self,
        name: &str,
        object: &'a Map<String, Value>,
    ) -> Fields<'a, 'q> {
        let path = format!("{}{name}.", self.path);
        Fields::new(object, path, self.coercion, self.problems)
    }
}

/// What is wrong with a number outside its range; an open end is not mentioned.
fn outside<N: Display>(value: impl Display, low: N, high: Option<N>) -> String {
    match high {
        Some(high) => format!("{value} is outside {low} to {high}"),
        None => format!("{value} is below {low}"),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the range is checked before the cast"
)]
fn integral(value: f64) -> Option<i128> {
    (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i128)
}
