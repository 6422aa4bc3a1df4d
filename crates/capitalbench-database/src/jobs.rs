//! Rounds to resolve, shared by any number of workers through the functions of the database.

use capitalbench_core::values::ids::{RoundId, RunId};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::direct::{DatabaseUrl, Direct};
use crate::gateway::GatewayError;

/// A row of `resolution_jobs`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Job {
    /// The round.
    pub round_id: RoundId,
    /// The run that will be scored.
    pub run_id: RunId,
    /// The first moment at which it can succeed.
    pub due_at: Timestamp,
    /// When it is tried next.
    pub next_attempt_at: Option<Timestamp>,
    /// scheduled, running, succeeded, failed, cancelled or `given_up`.
    pub status: String,
    /// Attempts so far.
    pub attempts: u32,
    /// Attempts at most.
    pub max_attempts: u32,
    /// Why the last attempt did not succeed.
    pub last_error: String,
    /// Rises with every claim: what a worker of an earlier one says no longer counts.
    pub lease_number: i64,
    /// Who has it.
    pub lease_holder: Option<String>,
    /// Until when, without a sign of life.
    pub lease_until: Option<Timestamp>,
    /// When it succeeded.
    pub completed_at: Option<Timestamp>,
}

/// A job to be planned: its round, the run, and when it is due.
pub type Plan = (RoundId, RunId, Timestamp);

/// The jobs of a database.
#[derive(Debug)]
pub struct Jobs {
    direct: Direct,
}

impl Jobs {
    /// Connects.
    pub async fn connect(url: &DatabaseUrl) -> Result<Self, GatewayError> {
        let direct = Direct::connect(url).await?;
        Ok(Self { direct })
    }

    /// Plans jobs; those that are there for the same run stay as they are.
    pub async fn schedule(&self, plans: &[Plan]) -> Result<(), GatewayError> {
        let rounds: Vec<&str> = plans.iter().map(|(round, ..)| round.as_str()).collect();
        let runs: Vec<&str> = plans.iter().map(|(_, run, _)| run.as_str()).collect();
        let due: Vec<String> = plans.iter().map(|(.., due)| due.to_string()).collect();
        let statement = "select public.capitalbench_schedule_job(r, u, d::timestamptz) \
                         from unnest($1::text[], $2::text[], $3::text[]) as p(r, u, d)";
        let _: Vec<Value> = self
            .direct
            .ask_all(statement, &[&rounds, &runs, &due])
            .await?;
        Ok(())
    }

    /// Takes the job that waits longest.
    pub async fn claim(
        &self,
        worker: &str,
        lease_seconds: i32,
    ) -> Result<Option<Job>, GatewayError> {
        let statement = "select public.capitalbench_claim_job($1, $2)";
        self.direct.ask(statement, &[&worker, &lease_seconds]).await
    }

    /// Prolongs a lease; false means that it is lost.
    pub async fn heartbeat(&self, job: &Job, lease_seconds: i32) -> Result<bool, GatewayError> {
        let statement = "select to_jsonb(public.capitalbench_heartbeat_job($1, $2, $3))";
        let round = job.round_id.as_str();
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
            [&round, &job.lease_number, &lease_seconds];
        self.direct.ask(statement, &values).await
    }

    /// The round is resolved; false means that the lease was lost.
    pub async fn finish(&self, job: &Job, outcome: &Value) -> Result<bool, GatewayError> {
        let statement = "select to_jsonb(public.capitalbench_finish_job($1, $2, $3))";
        let round = job.round_id.as_str();
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
            [&round, &job.lease_number, &outcome];
        self.direct.ask(statement, &values).await
    }

    /// The attempt failed; the status that the job has now, or none when the lease was lost.
    pub async fn fail(&self, job: &Job, error: &str) -> Result<Option<String>, GatewayError> {
        let statement = "select to_jsonb(public.capitalbench_fail_job($1, $2, $3))";
        let round = job.round_id.as_str();
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
            [&round, &job.lease_number, &error];
        self.direct.ask(statement, &values).await
    }

    /// The attempt does not count and goes on later, or at once; false means a lost lease.
    pub async fn defer(
        &self,
        job: &Job,
        reason: &str,
        until: Option<Timestamp>,
    ) -> Result<bool, GatewayError> {
        let statement = "select to_jsonb(public.capitalbench_defer_job($1, $2, $3, \
                         coalesce($4::text::timestamptz, now())))";
        let round = job.round_id.as_str();
        let until = until.map(|until| until.to_string());
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&round, &job.lease_number, &reason, &until];
        self.direct.ask(statement, &values).await
    }

    /// Schedules a job anew, or makes it; none when a worker has it or it has succeeded.
    pub async fn retry(
        &self,
        (round, run, due): &Plan,
        next: Option<Timestamp>,
    ) -> Result<Option<Job>, GatewayError> {
        let statement = "select public.capitalbench_retry_job($1, $2, \
                         $3::text::timestamptz, $4::text::timestamptz)";
        let (round, run) = (round.as_str(), run.as_str());
        let (due, next) = (due.to_string(), next.map(|next| next.to_string()));
        self.direct
            .ask(statement, &[&round, &run, &due, &next])
            .await
    }

    /// Lets nobody resolve a round; none when there is no job, a worker has it or it has succeeded.
    pub async fn cancel(&self, round: &RoundId, reason: &str) -> Result<Option<Job>, GatewayError> {
        let statement = "select public.capitalbench_cancel_job($1, $2)";
        self.direct
            .ask(statement, &[&round.as_str(), &reason])
            .await
    }

    /// Every job, by round.
    pub async fn all(&self) -> Result<Vec<Job>, GatewayError> {
        let statement = "select to_jsonb(j) from public.resolution_jobs j order by j.round_id";
        self.direct.ask_all(statement, &[]).await
    }
}
