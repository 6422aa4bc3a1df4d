//! [`Settings`]: one model as a round asks it.

use super::Question;
use super::capabilities::{Capabilities, SchemaSupport, Temperature, uses_tools_by_itself};
use super::endpoint::SetupError;

/// The name that the schema has where a provider wants one.
pub(super) const SCHEMA_NAME: &str = "capitalbench_submission";

/// One model and how it is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The model's name on the wire.
    pub api_model_name: String,
    /// Sent where the model takes one; 0 when nothing is set.
    pub temperature: Option<f64>,
    /// Sent where the model takes one; the lowest it takes when nothing is set.
    pub reasoning_effort: Option<String>,
    /// What the model takes; [`Capabilities::of`] has the known ones.
    pub capabilities: Capabilities,
}

impl Settings {
    /// Refuses a model that cannot be asked fairly and an effort it would not take.
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

    /// The effort that is sent.
    pub fn effort_sent(&self) -> Option<&str> {
        let wanted = self.reasoning_effort.as_ref();
        let efforts = &self.capabilities.efforts;
        wanted
            .filter(|effort| efforts.contains(effort))
            .or(efforts.first())
            .map(String::as_str)
    }

    /// The temperature that is sent.
    pub fn temperature_sent(&self) -> Option<f64> {
        let taken = match self.capabilities.temperature {
            Temperature::Taken => true,
            Temperature::Refused => false,
            Temperature::WithoutReasoning => self.effort_sent() == Some("none"),
        };
        taken.then(|| self.temperature.unwrap_or(0.0))
    }

    /// The schema of a question, if the model takes one.
    pub(super) fn schema<'a>(&self, question: &Question<'a>) -> Option<&'a serde_json::Value> {
        let taken = self.capabilities.schema == SchemaSupport::Full;
        question.schema.filter(|_| taken)
    }
}
