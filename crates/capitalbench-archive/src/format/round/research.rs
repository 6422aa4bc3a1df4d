//! `research_manifest.yaml`: the cutoff and which research file a model may see.

use capitalbench_core::values::time::WrittenInstant;
use serde::Deserialize;

use crate::disk::error::Fault;
use crate::format::utf8;
use capitalbench_core::encoding::yaml::from_yaml;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    round_id: String,
    research_cutoff_utc: Option<WrittenInstant>,
    #[serde(default, rename = "decision_deadline_utc")]
    _deadline: Option<String>,
    #[serde(default)]
    research_files: Vec<StoredFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredFile {
    filename: String,
    #[serde(default, rename = "artifact_type")]
    _kind: Option<String>,
    #[serde(default, rename = "description")]
    _description: Option<String>,
    #[serde(default)]
    model_facing: bool,
}

/// What the research manifest says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResearchManifest {
    /// The round it was made for.
    pub round_id: String,
    /// The research holds no fact after this instant.
    pub cutoff: Option<WrittenInstant>,
    /// Files that models may see.
    pub model_facing: Vec<String>,
}

pub fn parse(bytes: &[u8]) -> Result<ResearchManifest, Fault> {
    let stored: Stored = from_yaml(utf8(bytes)?)?;
    let facing = stored
        .research_files
        .into_iter()
        .filter(|file| file.model_facing);
    Ok(ResearchManifest {
        cutoff: stored.research_cutoff_utc,
        model_facing: facing.map(|file| file.filename).collect(),
        round_id: stored.round_id,
    })
}
