//! A provider that answers with stored replies, one after the other.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::offline::{body, read_body};
use super::{CallFailure, Provider, Question, RawAnswer, Reply, SendFuture, Stop};

/// Stored texts under the name of the provider they came from.
#[derive(Debug)]
pub struct Replay {
    name: String,
    texts: Vec<String>,
    next: AtomicUsize,
}

impl Replay {
    /// Answers with these texts in order; a resumed run has already used the first `given_before`.
    pub fn new(name: impl Into<String>, texts: Vec<String>, given_before: usize) -> Self {
        Self {
            name: name.into(),
            texts,
            next: AtomicUsize::new(given_before),
        }
    }
}

impl Provider for Replay {
    fn name(&self) -> &str {
        &self.name
    }

    fn send<'a>(&'a self, question: Question<'a>) -> SendFuture<'a> {
        Box::pin(async move {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(text) = self.texts.get(index) else {
                return Err(CallFailure::Request {
                    status: 404,
                    message: format!("all {} stored replies have been used", self.texts.len()),
                });
            };
            Ok(RawAnswer {
                status: 200,
                headers: Vec::new(),
                body: body(text, Stop::Complete, question.input).into_bytes(),
            })
        })
    }

    fn read(&self, answer: &RawAnswer) -> Result<Reply, CallFailure> {
        read_body(answer)
    }
}

#[cfg(test)]
mod tests;
