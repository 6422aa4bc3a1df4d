//! [`Settings`]: how a round asks one model.

use capitalbench_core::asking::call_settings::{
    CallSettings, ReasoningSetting, SchemaMode, TemperatureSetting,
};

use super::Question;
use super::capabilities::{Capabilities, Family, Off, Temperature, uses_tools_by_itself};
use crate::http::BaseUrlError;

/// The schema's name, for providers that want one.
pub(super) const SCHEMA_NAME: &str = "capitalbench_submission";

/// Why a model cannot be asked as it is configured.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SetupError {
    #[error(transparent)]
    BaseUrl(#[from] BaseUrlError),
    #[error(
        "{model} searches or uses tools by itself, so it cannot take part; choose a model without \
         tools of its own"
    )]
    UsesTools { model: String },
    #[error(
        "{model} does not take the reasoning effort {effort}; {}",
        taken(accepted)
    )]
    Effort {
        model: String,
        effort: String,
        /// The efforts in the capability table.
        accepted: Vec<String>,
    },
    #[error(
        "{model} does not take a reasoning budget of {tokens} tokens; it takes {least} to {most}"
    )]
    Budget {
        model: String,
        tokens: u64,
        least: u64,
        most: u64,
    },
    #[error("{model} does not take the setting reasoning: {setting}; {hint}")]
    Reasoning {
        model: String,
        setting: String,
        hint: String,
    },
    #[error("{model} does not take the temperature {temperature}; {hint}")]
    Temperature {
        model: String,
        temperature: f64,
        hint: &'static str,
    },
    #[error(
        "OpenRouter needs a routing pin: name the only host that may answer, as routing: [HOST]"
    )]
    NoRoutingPin,
    #[error(
        "the router of Hugging Face would choose a host by itself: name one after the model, as \
         {model}:HOST"
    )]
    NoHostAfterName { model: String },
    #[error("{provider} has no JSON mode; write schema_mode: full or schema_mode: none")]
    NoJsonMode { provider: &'static str },
    #[error("routing is only for openrouter; leave it out")]
    NoRouter,
    #[error(
        "{host} answers at most {most} tokens without streaming, which the program does not use; \
         set max_output_tokens to {most} or less"
    )]
    TooLong { host: &'static str, most: u64 },
}

fn taken(efforts: &[String]) -> String {
    match efforts {
        [] => "it takes none".to_owned(),
        efforts => format!("it takes: {}", efforts.join(", ")),
    }
}

/// One model and how it is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The model's name on the wire.
    pub api_model_name: String,
    /// What the models file says; the table fills what it leaves open.
    pub calls: CallSettings,
    /// What the model accepts; [`Capabilities::of`] has the table.
    pub capabilities: Capabilities,
}

impl Settings {
    /// A model that is asked as the table of its family says.
    pub fn new(family: Family, api_model_name: impl Into<String>) -> Self {
        let api_model_name = api_model_name.into();
        Self {
            capabilities: Capabilities::of(family, &api_model_name),
            calls: CallSettings::default(),
            api_model_name,
        }
    }

    /// The same model with what the models file says.
    #[must_use]
    pub fn with_calls(self, calls: CallSettings) -> Self {
        Self { calls, ..self }
    }

    /// Refuses a model that cannot be asked fairly and a setting that it would refuse.
    pub(super) fn check(&self) -> Result<(), SetupError> {
        let model = self.api_model_name.clone();
        if uses_tools_by_itself(&model) {
            return Err(SetupError::UsesTools { model });
        }
        self.check_reasoning()?;
        self.check_temperature()
    }

    fn check_reasoning(&self) -> Result<(), SetupError> {
        let model = self.api_model_name.clone();
        let can = &self.capabilities;
        let refused = |setting: &ReasoningSetting, hint: String| SetupError::Reasoning {
            model: model.clone(),
            setting: setting.to_string(),
            hint,
        };
        let efforts = can.efforts.clone().unwrap_or_default();
        match &self.calls.reasoning {
            Some(ReasoningSetting::Effort(effort)) => {
                let is_off = effort == "none" && can.off != Off::Never;
                if can.efforts.is_none() || can.lists(effort) || is_off {
                    return Ok(());
                }
                Err(SetupError::Effort {
                    model,
                    effort: effort.clone(),
                    accepted: efforts,
                })
            }
            Some(ReasoningSetting::Budget(0)) if can.off != Off::Never => Ok(()),
            Some(setting @ ReasoningSetting::Budget(tokens)) => match &can.budgets {
                Some(range) if !range.contains(tokens) => Err(SetupError::Budget {
                    model,
                    tokens: *tokens,
                    least: *range.start(),
                    most: *range.end(),
                }),
                None if can.efforts.is_some() => Err(refused(setting, taken(&efforts))),
                _ => Ok(()),
            },
            Some(setting @ ReasoningSetting::Off)
                if can.off == Off::Never && !can.lists("none") =>
            {
                let hint = format!("it always reasons; {}", taken(&efforts));
                Err(refused(setting, hint))
            }
            Some(setting @ ReasoningSetting::On) if !can.on => {
                let hint = match can.budgets {
                    Some(_) => "give a budget, as reasoning: {budget: TOKENS}".to_owned(),
                    None => taken(&efforts),
                };
                Err(refused(setting, hint))
            }
            _ => Ok(()),
        }
    }

    fn check_temperature(&self) -> Result<(), SetupError> {
        let Some(TemperatureSetting::Value(temperature)) = self.calls.temperature else {
            return Ok(());
        };
        let hint = match self.capabilities.temperature {
            Temperature::Refused => "it takes none: write temperature: omit, or leave it out",
            // The wish is exact: 0 and 1 are what was written.
            Temperature::OnlyOne if (temperature - 1.0).abs() > f64::EPSILON => {
                "it takes only 1: write temperature: omit, or leave it out"
            }
            Temperature::AboveZero if temperature <= 0.0 => {
                "it takes more than 0: write a small number such as 0.01, or temperature: omit"
            }
            Temperature::WithoutReasoning if !self.is_without_reasoning() => {
                "it takes a temperature only without reasoning: write reasoning: off or temperature: omit"
            }
            _ => return Ok(()),
        };
        Err(SetupError::Temperature {
            model: self.api_model_name.clone(),
            temperature,
            hint,
        })
    }

    /// What a request says about reasoning; none where it says nothing.
    pub fn reasoning_sent(&self) -> Option<ReasoningSetting> {
        let can = &self.capabilities;
        let wanted = match &self.calls.reasoning {
            Some(ReasoningSetting::Omit) => None,
            Some(setting) => Some(setting.clone()),
            None => can.unset.clone(),
        };
        let off = match wanted {
            Some(ReasoningSetting::Off | ReasoningSetting::Budget(0)) => true,
            Some(ReasoningSetting::Effort(ref word)) => {
                word == "none" && can.efforts.is_some() && !can.lists("none")
            }
            _ => false,
        };
        if !off {
            return wanted;
        }
        if can.lists("none") {
            return Some(ReasoningSetting::Effort("none".to_owned()));
        }
        (can.off != Off::Omission).then_some(ReasoningSetting::Off)
    }

    /// Whether a request leads to an answer without reasoning, as far as is known.
    pub(super) fn is_without_reasoning(&self) -> bool {
        match self.reasoning_sent() {
            None => self.capabilities.off == Off::Omission,
            Some(ReasoningSetting::Off) => true,
            Some(ReasoningSetting::Effort(word)) => word == "none",
            Some(_) => false,
        }
    }

    pub fn temperature_sent(&self) -> Option<f64> {
        match self.calls.temperature {
            Some(TemperatureSetting::Omit(_)) => return None,
            Some(TemperatureSetting::Value(temperature)) => return Some(temperature),
            None => {}
        }
        let zero = match self.capabilities.temperature {
            Temperature::Taken => true,
            Temperature::WithoutReasoning => self.is_without_reasoning(),
            _ => false,
        };
        zero.then_some(0.0)
    }

    /// How the form of the reply is asked for.
    pub fn schema_mode(&self) -> SchemaMode {
        self.calls.schema_mode.unwrap_or(self.capabilities.schema)
    }

    /// The schema of a question, if it is sent.
    pub(super) fn schema<'a>(&self, question: &Question<'a>) -> Option<&'a serde_json::Value> {
        question
            .schema
            .filter(|_| self.schema_mode() == SchemaMode::Full)
    }

    /// Whether the provider is asked to promise JSON without a form.
    pub(super) fn wants_json(&self, question: &Question<'_>) -> bool {
        question.schema.is_some() && self.schema_mode() == SchemaMode::Json
    }
}
