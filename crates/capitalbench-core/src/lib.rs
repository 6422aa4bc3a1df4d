//! The rules of CapitalBench as pure functions over typed values.
//!
//! The rooms follow the life of a round: [`market`] says what can be bought and when, [`round`]
//! which rules are frozen, [`asking`] what models are sent, [`decision`] how a reply becomes a
//! portfolio and how outsiders seal one, [`result`] what it earned, [`evidence`] what that may claim, and [`publication`] what
//! the public may see of it. [`league`] says which rounds come when. [`values`] and [`encoding`] hold
//! what all rooms share.
//!
//! Nothing here touches disk, network, clock or environment: the same input gives the same result.

pub mod asking;
pub mod decision;
pub mod encoding;
pub mod evidence;
pub mod league;
pub mod market;
pub mod publication;
pub mod result;
pub mod round;
#[cfg(test)]
pub(crate) mod test_support;
pub mod values;
