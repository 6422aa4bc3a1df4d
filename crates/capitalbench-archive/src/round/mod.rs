//! A round on disk, from nothing to frozen, and who works on it.

pub mod cast;
pub mod ending;
pub mod freeze;
pub mod jobs;
pub mod kept_sources;
pub mod lane_form;
pub mod lease;
pub mod listing_changes;
pub mod model_input;
pub mod new_round;
pub mod reply_form;
pub mod research_import;
pub mod round_folder;
pub mod status;
