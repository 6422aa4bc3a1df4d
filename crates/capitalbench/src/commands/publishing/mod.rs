//! Verbs that publish: boards, files, pages and rows.

mod appearance;
pub(super) mod build_site;
pub(super) mod data_folder;
pub(super) mod db;
pub(super) mod export;
mod inspect_logs;
mod league_sites;
pub(super) mod origin;
pub(super) mod publish_cumulative;
pub(super) mod publish_latest;
pub(super) mod publish_report;
pub(super) mod published;
pub(super) mod serve;
pub(super) mod store;
pub(super) mod stored;
pub(super) mod sync_web;
