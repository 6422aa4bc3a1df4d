//! Price files and what proves them.

pub mod cross_check;
pub mod daily_returns;
pub mod invented_market;
pub mod price_sheet;
pub mod price_window;
pub mod provenance;
pub mod source_exception;
pub mod trailing;
pub mod universe_report;
pub mod vendor_sheet;
