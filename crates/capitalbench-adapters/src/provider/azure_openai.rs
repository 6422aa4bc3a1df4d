//! `OpenAI`'s models at an address of Azure: the Responses API below `/openai/v1`.
//!
//! The address names the operator's resource, as in `https://RESOURCE.openai.azure.com/openai/v1`, and
//! the model's name is that of a deployment.

use capitalbench_core::asking::call_settings::ReasoningSetting;
use serde_json::Value;

use super::{CallFailure, OpenAi, Question, Reply, Settings, Wire};

/// The format of Azure's Responses API.
#[derive(Debug, Clone, Copy)]
pub struct AzureOpenAi;

impl Wire for AzureOpenAi {
    fn name(&self) -> &'static str {
        "azure_openai"
    }

    fn key_header(&self) -> (&'static str, &'static str) {
        ("api-key", "")
    }

    fn path(&self, model: &str) -> Vec<String> {
        OpenAi.path(model)
    }

    /// The tier belongs to the deployment, so the request does not name one.
    fn request_body(&self, settings: &Settings, question: &Question<'_>) -> Value {
        let mut body = OpenAi.request_body(settings, question);
        if let Some(fields) = body.as_object_mut() {
            fields.shift_remove("service_tier");
        }
        body
    }

    fn reasoning(&self, settings: &Settings, setting: &ReasoningSetting) -> Option<Value> {
        OpenAi.reasoning(settings, setting)
    }

    fn reply(&self, body: &Value) -> Result<Reply, CallFailure> {
        OpenAi.reply(body)
    }
}
