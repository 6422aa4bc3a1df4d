//! How checked values become text and bytes, and come back.

pub(crate) mod stored_form;
pub mod tar;
pub mod yaml;
