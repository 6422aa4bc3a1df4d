//! From a closed window to a result: who works on a round, its score, its job, the worker.

mod crew;
pub mod due;
pub mod held_round;
pub mod job;
pub mod resolve;
pub mod score;
pub mod scoring;
pub mod shared_jobs;
mod store_waiting;
pub mod store_worker;
pub mod worker;
