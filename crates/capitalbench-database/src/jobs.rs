//! Rounds to resolve, which any number of workers share through functions of the database.

use capitalbench_core::values::ids::{RoundId, RunId};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::direct::{DatabaseUrl, Direct};
use crate::gateway::GatewayError;

/// A row of `resolution_jobs`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Job {
    pub round_id: RoundId,
    /// The run that will be scored.
    pub run_id: RunId,
    /// The first moment at which the job can succeed.
    pub due_at: Timestamp,
    pub next_attempt_at: Option<Timestamp>,
    /// scheduled, running, succeeded, failed, cancelled or `given_up`.
    pub status: String,
    pub attempts: u32,
    pub max_attempts: u32,
    /// Why the last attempt did not succeed.
    pub last_error: String,
    /// Rises with every claim, so that reports of a worker with an earlier claim are ignored.
    pub lease_number: i64,
    pub lease_holder: Option<String>,
    /// The lease ends then unless the worker prolongs it.
    pub lease_until: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
}

/// A job to plan: its round, its run, and when it is due.
pub type Plan = (RoundId, RunId, Timestamp);

/// The jobs of a database.
#[derive(Debug)]
pub struct Jobs {
    direct: Direct,
}

impl Jobs {
    pub async fn connect(url: &DatabaseUrl) -> Result<Self, GatewayError> {
        let direct = Direct::connect(url).await?;
        Ok(Self { direct })
    }

    /// Plans jobs; existing jobs for the same run stay as they are.
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

    /// Claims the job that has waited longest.
    pub async fn claim(
        &self,
        worker: &str,
        lease_seconds: i32,
    ) -> Result<Option<Job>, GatewayError> {
        let statement = "select public.capitalbench_claim_job($1, $2)";
        self.direct.ask(statement, &[&worker, &lease_seconds]).await
    }

    /// Prolongs a lease; false means that the lease is lost.
    pub async fn heartbeat(&self, job: &Job, lease_seconds: i32) -> Result<bool, GatewayError> {
        let statement = "select to_jsonb(public.capitalbench_heartbeat_job($1, $2, $3))";
        let round = job.round_id.as_str();
        self.direct
            .ask(statement, &[&round, &job.lease_number, &lease_seconds])
            .await
    }

    /// Reports that the round is resolved; false means that the lease was lost.
    pub async fn finish(&self, job: &Job, report: &Value) -> Result<bool, GatewayError> {
        let statement = "select to_jsonb(public.capitalbench_finish_job($1, $2, $3))";
        let round = job.round_id.as_str();
        self.direct
            .ask(statement, &[&round, &job.lease_number, &report])
            .await
    }

    /// Reports a failed attempt and returns the job's new status; none means that the lease was lost.
    pub async fn fail(&self, job: &Job, error: &str) -> Result<Option<String>, GatewayError> {
        let statement = "select to_jsonb(public.capitalbench_fail_job($1, $2, $3))";
        let round = job.round_id.as_str();
        self.direct
            .ask(statement, &[&round, &job.lease_number, &error])
            .await
    }

    /// Puts the job back without counting the attempt, to be claimed at once or from an instant on; false
    /// means that the lease was lost.
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
        self.direct
            .ask(statement, &[&round, &job.lease_number, &reason, &until])
            .await
    }

    /// Schedules a job again, or plans it; none if a worker has it or it has succeeded.
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

    /// Cancels the job of a round; none if there is no job, a worker has it or it has succeeded.
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
