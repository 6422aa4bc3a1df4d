//! [`Settings`]: how a round asks one model.

use super::Question;
use super::capabilities::{Capabilities, SchemaSupport, Temperature, uses_tools_by_itself};
use crate::http::BaseUrlError;

/// The schema's name, for providers that want one.
pub(super) const SCHEMA_NAME: &str = "capitalbench_submission";

/// Why a provider cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    #[error(transparent)]
    BaseUrl(#[from] BaseUrlError),
    #[error(
        "{model} searches or uses tools by itself, so it cannot take part; choose a model without \
         tools of its own"
    )]
    UsesTools { model: String },
    #[error("{model} does not take the reasoning effort {effort}; it takes: {}", accepted.join(", "))]
    Effort {
        model: String,
        effort: String,
        /// The efforts in the capability table.
        accepted: Vec<String>,
    },
    #[error(
        "OpenRouter needs a routing pin: name the only host that may answer in metadata: {{routing: [HOST]}}"
    )]
    NoRoutingPin,
}

/// One model and how it is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The model's name on the wire.
    pub api_model_name: String,
    /// Sent if the model accepts a temperature; 0 if nothing is set.
    pub temperature: Option<f64>,
    /// Sent if the model accepts an effort; the lowest accepted one if nothing is set.
    pub reasoning_effort: Option<String>,
    /// What the model accepts; [`Capabilities::of`] has the table.
    pub capabilities: Capabilities,
}

impl Settings {
    /// Refuses a model that cannot be asked fairly and an effort that it would refuse.
    pub(super) fn check(&self) -> Result<(), SetupError> {
        let model = self.api_model_name.clone();
        if uses_tools_by_itself(&model) {
            return Err(SetupError::UsesTools { model });
        }
        match &self.reasoning_effort {
            Some(effort) if !self.capabilities.efforts.contains(effort) => {
                Err(SetupError::Effort {
                    model,
                    effort: effort.clone(),
                    accepted: self.capabilities.efforts.clone(),
                })
            }
            _ => Ok(()),
        }
    }

    pub fn effort_sent(&self) -> Option<&str> {
        let wanted = self.reasoning_effort.as_ref();
        let efforts = &self.capabilities.efforts;
        wanted
            .filter(|effort| efforts.contains(effort))
            .or(efforts.first())
            .map(String::as_str)
    }

    pub fn temperature_sent(&self) -> Option<f64> {
        let taken = match self.capabilities.temperature {
            Temperature::Taken => true,
            Temperature::Refused => false,
            Temperature::WithoutReasoning => self.effort_sent() == Some("none"),
        };
        taken.then(|| self.temperature.unwrap_or(0.0))
    }

    /// The schema of a question, if the model accepts one.
    pub(super) fn schema<'a>(&self, question: &Question<'a>) -> Option<&'a serde_json::Value> {
        let taken = self.capabilities.schema == SchemaSupport::Full;
        question.schema.filter(|_| taken)
    }
}
