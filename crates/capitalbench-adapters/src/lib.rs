//! Connections to outside services: price vendors, model providers, clocks and the public store.
//!
//! [`http`] is the client that all of them share, and [`secret`] the only holder of keys.
//! [`price_source`] fetches daily closes, [`provider`] asks one model once and reads its answer,
//! [`agent`] asks an entrant at its address, [`outside_clock`] asks for time stamps, [`witness`] for
//! cosignatures, [`treasury`] for the yield curve, [`supabase`] is the public store over HTTP, [`s3`] an object
//! store, and [`webhook`] tells whoever wants to know.
//!
//! This crate does not read the environment, the clock or a round folder: the caller passes addresses,
//! keys and limits, and gets plain values or typed errors.

pub mod agent;
pub mod http;
pub mod outside_clock;
pub mod price_source;
pub mod provider;
pub mod s3;
pub mod secret;
pub mod site;
pub mod supabase;
pub mod treasury;
pub mod webhook;
pub mod witness;
