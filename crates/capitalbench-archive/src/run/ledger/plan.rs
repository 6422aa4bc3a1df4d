//! `slots.json`: everything that is decided before the first call of a run.

use std::collections::BTreeMap;

use capitalbench_core::asking::attempt::Slot;
use capitalbench_core::asking::call_settings::CallSettings;
use capitalbench_core::asking::cost::TokenPrice;
use capitalbench_core::asking::run::{Calls, RunKind, RunRules};
use capitalbench_core::values::ids::{ModelId, RoundId, RunId};
use capitalbench_core::values::time::WrittenInstant;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CardNote, PlannedPrice, strict};
use crate::disk::error::{Fault, FileError};
use crate::disk::layout::run;
use crate::format::text::json;
use crate::run::run_folder::RunFolder;

/// The version of the file's format.
const VERSION: u32 = 1;

/// A slot, and the model to call.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedSlot {
    /// Model and replicate.
    pub slot: Slot,
    pub provider: String,
    /// The provider's own name for the model.
    pub api_model_name: String,
    /// How it is asked; none in plans of older versions.
    pub settings: Option<CallSettings>,
    /// The name that readers see.
    pub display_name: Option<String>,
    /// The model whose record this one continues.
    pub continues: Option<ModelId>,
}

/// Everything that is decided before the first call.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPlan {
    pub run_id: RunId,
    pub round_id: RoundId,
    pub rules: RunRules,
    /// Real calls or a rehearsal.
    pub calls: Calls,
    pub created_at: WrittenInstant,
    /// Model configuration, as typed.
    pub models_file: String,
    /// Digest of that file; a resumed run must read the same.
    pub models_sha256: String,
    /// Price card, as typed.
    pub pricing_file: Option<String>,
    /// Where the prices come from.
    pub price_cards: Vec<CardNote>,
    /// The price of each model; a model that is not listed has no known price.
    pub prices: Vec<PlannedPrice>,
    /// Whether control entrants are recorded beside the models.
    pub controls: bool,
    /// Seed of a rehearsal.
    pub seed: u64,
    /// Most retries of a slot.
    pub max_retries: u32,
    /// Digest of the frozen text that every model is sent.
    pub input_sha256: String,
    /// Configured models that are not asked.
    pub skipped_models: u64,
    /// The slots, in configuration order.
    pub slots: Vec<PlannedSlot>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u32,
    run_id: RunId,
    round_id: RoundId,
    run_type: String,
    replicates: u32,
    mock: bool,
    synthetic: Option<bool>,
    created_at_utc: WrittenInstant,
    models_config_file: String,
    models_config_sha256: String,
    pricing_path: Option<String>,
    #[serde(default)]
    price_cards: Vec<CardNote>,
    #[serde(default)]
    prices: Vec<PlannedPrice>,
    #[serde(default)]
    controls: bool,
    #[serde(default)]
    seed: u64,
    max_retries: u32,
    model_input_sha256: String,
    skipped_models: u64,
    slots: Vec<StoredSlot>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredSlot {
    model_id: ModelId,
    provider: String,
    api_model_name: String,
    replicate_index: u32,
    settings: Option<CallSettings>,
    display_name: Option<String>,
    continues: Option<ModelId>,
}

impl RunPlan {
    /// The plan of a run that this program made; none for older runs.
    pub fn of_run(folder: &RunFolder) -> Result<Option<Self>, FileError> {
        folder.parse_optional(run::SLOTS, Self::parse)
    }

    /// The price of a model, where it is known.
    pub fn price(&self, provider: &str, api_model_name: &str) -> Option<TokenPrice> {
        let same = |known: &&PlannedPrice| {
            known.provider == provider && known.api_model_name == api_model_name
        };
        self.prices.iter().find(same).map(PlannedPrice::price)
    }

    pub fn model_count(&self) -> usize {
        self.model_ids().len()
    }

    /// The models, each once, in order.
    pub fn model_ids(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        for planned in &self.slots {
            let id = planned.slot.model_id.as_str();
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }

    /// Refuses two slots whose files would have the same name.
    pub(super) fn refuse_shared_stems(&self) -> Result<(), String> {
        let mut seen = BTreeMap::new();
        for planned in &self.slots {
            let stem = planned.slot.stem(self.rules.replicates).to_lowercase();
            if let Some(other) = seen.insert(stem.clone(), &planned.slot.model_id) {
                let own = &planned.slot.model_id;
                return Err(format!("{other} and {own} would share the files {stem}"));
            }
        }
        Ok(())
    }

    pub(super) fn to_json(&self) -> Value {
        let slot = |planned: &PlannedSlot| {
            let mut slot = json!({
                "model_id": planned.slot.model_id.as_str(),
                "provider": planned.provider,
                "api_model_name": planned.api_model_name,
                "replicate_index": planned.slot.replicate,
            });
            if let Some(settings) = &planned.settings {
                slot["settings"] = json!(settings);
            }
            if let Some(name) = &planned.display_name {
                slot["display_name"] = json!(name);
            }
            if let Some(other) = &planned.continues {
                slot["continues"] = json!(other.as_str());
            }
            slot
        };
        let slots: Vec<Value> = self.slots.iter().map(slot).collect();
        json!({
            "version": VERSION,
            "run_id": self.run_id.as_str(),
            "round_id": self.round_id.as_str(),
            "run_type": self.rules.kind.as_str(),
            "replicates": self.rules.replicates,
            "mock": self.calls != Calls::Real,
            "synthetic": self.calls == Calls::Synthetic,
            "created_at_utc": self.created_at.text(),
            "models_config_file": self.models_file,
            "models_config_sha256": self.models_sha256,
            "pricing_path": self.pricing_file,
            "price_cards": self.price_cards,
            "prices": self.prices,
            "controls": self.controls,
            "seed": self.seed,
            "max_retries": self.max_retries,
            "model_input_sha256": self.input_sha256,
            "skipped_models": self.skipped_models,
            "slots": slots,
        })
    }

    /// Reads `slots.json`.
    pub fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let stored: Stored = json::read(bytes)?;
        if stored.version != VERSION {
            return Err(Fault::field("version", format!("must be {VERSION}")));
        }
        let kind = RunKind::parse(&stored.run_type)
            .ok_or_else(|| Fault::field("run_type", "is not a kind of run"))?;
        let slots = stored.slots.into_iter().map(|slot| PlannedSlot {
            slot: Slot {
                model_id: slot.model_id,
                replicate: slot.replicate_index,
            },
            provider: slot.provider,
            api_model_name: slot.api_model_name,
            settings: slot.settings,
            display_name: slot.display_name,
            continues: slot.continues,
        });
        let calls = match (stored.mock, stored.synthetic) {
            (false, Some(true)) => {
                let text = "must not be true when mock is false";
                return Err(Fault::field("synthetic", text));
            }
            (false, _) => Calls::Real,
            (true, Some(true)) => Calls::Synthetic,
            (true, _) => Calls::Mock,
        };
        let plan = Self {
            run_id: stored.run_id,
            round_id: stored.round_id,
            rules: RunRules {
                kind,
                replicates: stored.replicates,
            },
            calls,
            created_at: stored.created_at_utc,
            models_file: stored.models_config_file,
            models_sha256: stored.models_config_sha256,
            pricing_file: stored.pricing_path,
            price_cards: stored.price_cards,
            prices: stored.prices,
            controls: stored.controls,
            seed: stored.seed,
            max_retries: stored.max_retries,
            input_sha256: stored.model_input_sha256,
            skipped_models: stored.skipped_models,
            slots: slots.collect(),
        };
        strict::check_plan(&plan)?;
        Ok(plan)
    }
}
