//! How somebody from outside takes part: registration, sealed entry, opening, and who is refused.
//!
//! An entrant signs a [`registration::Registration`] once. For a round it seals an
//! [`opening::Opening`] (portfolio and salt): the [`sealed::SealedEntry`] holds only its digest. The
//! entry is in the log before the deadline; the opening follows after the entry close. What the log
//! holds is an [`admission::Register`], which refuses by name whatever breaks a rule. The signatures
//! themselves are checked where the keys are.

pub mod admission;
pub mod agent;
mod lines;
pub mod names;
pub mod opening;
pub mod registration;
pub mod sealed;
pub mod times;
