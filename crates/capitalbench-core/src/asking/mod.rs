//! What models are sent, what a call costs, and which run becomes the record.

pub mod acceptance;
pub mod attempt;
pub mod briefing;
pub mod call_settings;
pub mod cost;
pub mod lanes;
pub mod market_context;
pub mod mechanical_briefing;
pub mod missing_answer;
pub mod option_order;
pub mod prompt;
pub mod run;
pub mod served_name;
pub mod tokens;
