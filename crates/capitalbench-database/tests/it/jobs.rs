//! Resolution jobs: one worker each, under a lease, with backoff, given up where all can see it.

use serde_json::Value;
use tokio_postgres::types::ToSql;

use crate::stage::{Stage, connect};

type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

async fn call(client: &tokio_postgres::Client, statement: &str, values: Values<'_>) -> Value {
    let statement = format!("select to_jsonb({statement})");
    let row = client
        .query_one(&statement, values)
        .await
        .expect("the call works");
    row.get::<_, Option<Value>>(0).unwrap_or(Value::Null)
}

async fn claim(client: &tokio_postgres::Client, worker: &str) -> Value {
    call(client, "public.capitalbench_claim_job($1, 60)", &[&worker]).await
}

#[tokio::test]
async fn jobs_are_shared_between_workers() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    stage.become_role("service_role").await;
    a_claimed_job_is_nobody_elses(&mut stage).await;
    a_lost_lease_changes_nothing(&mut stage).await;
    failures_wait_longer_and_end_visibly(&mut stage).await;
    a_limit_costs_no_attempt(&mut stage).await;
}

/// Puts this many due jobs in place of those that are there.
async fn plan(stage: &mut Stage, jobs: usize) {
    let clear = "delete from public.resolution_jobs";
    stage.owner().batch_execute(clear).await.unwrap();
    for number in 0..jobs {
        let statement = "public.capitalbench_schedule_job($1, 'run', now() - interval '1 hour', 3)";
        call(stage.owner(), statement, &[&format!("r{number}")]).await;
    }
}

async fn a_claimed_job_is_nobody_elses(stage: &mut Stage) {
    plan(stage, 2).await;
    let mut other = connect(&stage.server).await;
    // Not even while the claim is not committed: the second worker passes it by and does not wait.
    let open = stage.owner().transaction().await.unwrap();
    let row = open
        .query_one("select public.capitalbench_claim_job('a', 60)", &[])
        .await
        .unwrap();
    let first: Value = row.get(0);
    let second = claim(other.client(), "b").await;
    assert_eq!(
        (&first["round_id"], &second["round_id"]),
        (&"r0".into(), &"r1".into())
    );
    assert_eq!(claim(other.client(), "c").await, Value::Null);
    open.commit().await.unwrap();
    assert_eq!(claim(other.client(), "c").await, Value::Null);
    let done = "public.capitalbench_finish_job($1, $2, '{\"score\": 1}')";
    let number = second["lease_number"].as_i64().unwrap();
    assert_eq!(call(other.client(), done, &[&"r1", &number]).await, true);
    assert_eq!(call(other.client(), done, &[&"r1", &number]).await, false);
    let again = "public.capitalbench_schedule_job($1, 'run', now())";
    let kept = call(other.client(), again, &[&"r1"]).await;
    assert_eq!(
        kept["status"], "succeeded",
        "a job of the same run is not planned twice"
    );
}

async fn a_lost_lease_changes_nothing(stage: &mut Stage) {
    plan(stage, 1).await;
    let first = claim(stage.owner(), "a").await;
    let number = first["lease_number"].as_i64().unwrap();
    let beat = "public.capitalbench_heartbeat_job($1, $2, 60)";
    assert_eq!(call(stage.owner(), beat, &[&"r0", &number]).await, true);
    let expire = "update public.resolution_jobs set lease_until = now() - interval '1 second'";
    stage.owner().batch_execute(expire).await.unwrap();
    let second = claim(stage.owner(), "b").await;
    assert_eq!(
        (second["attempts"].as_i64(), &second["lease_holder"]),
        (Some(2), &"b".into())
    );
    for statement in [
        beat,
        "public.capitalbench_finish_job($1, $2)",
        "public.capitalbench_defer_job($1, $2, 'limit', now())",
    ] {
        assert_eq!(
            call(stage.owner(), statement, &[&"r0", &number]).await,
            false,
            "{statement}"
        );
    }
    let fail = "public.capitalbench_fail_job($1, $2, 'late')";
    assert_eq!(
        call(stage.owner(), fail, &[&"r0", &number]).await,
        Value::Null
    );
    let number = second["lease_number"].as_i64().unwrap();
    let finish = "public.capitalbench_finish_job($1, $2)";
    assert_eq!(call(stage.owner(), finish, &[&"r0", &number]).await, true);
}

async fn failures_wait_longer_and_end_visibly(stage: &mut Stage) {
    plan(stage, 2).await;
    let fail = "public.capitalbench_fail_job($1, $2, E'no\\n price')";
    for (attempt, minutes) in [(1, 5), (2, 10)] {
        let job = claim(stage.owner(), "a").await;
        assert_eq!(
            (&job["round_id"], job["attempts"].as_i64()),
            (&"r0".into(), Some(attempt))
        );
        let number = job["lease_number"].as_i64().unwrap();
        assert_eq!(call(stage.owner(), fail, &[&"r0", &number]).await, "failed");
        let waits = format!(
            "select count(*) from public.resolution_jobs where round_id = 'r0' and last_error = 'no price' \
             and next_attempt_at between now() + interval '{} seconds' and now() + interval '{minutes} minutes'",
            minutes * 60 - 30
        );
        assert_eq!(stage.count(&waits).await, 1);
        let now = "update public.resolution_jobs set next_attempt_at = now() - interval '2 hours' where round_id = 'r0'";
        stage.owner().batch_execute(now).await.unwrap();
    }
    let job = claim(stage.owner(), "a").await;
    let number = job["lease_number"].as_i64().unwrap();
    assert_eq!(
        call(stage.owner(), fail, &[&"r0", &number]).await,
        "given_up"
    );
    // A worker that dies with the last attempt is told by the next one that asks.
    let last = "update public.resolution_jobs set attempts = 2 where round_id = 'r1'";
    stage.owner().batch_execute(last).await.unwrap();
    assert_eq!(claim(stage.owner(), "a").await["attempts"], 3);
    let expire = "update public.resolution_jobs set lease_until = now() - interval '1 second' where status = 'running'";
    stage.owner().batch_execute(expire).await.unwrap();
    assert_eq!(claim(stage.owner(), "b").await, Value::Null);
    let given_up = "select count(*) from public.resolution_jobs where status = 'given_up' and last_error <> ''";
    assert_eq!(stage.count(given_up).await, 2);
}

async fn a_limit_costs_no_attempt(stage: &mut Stage) {
    plan(stage, 1).await;
    let job = claim(stage.owner(), "a").await;
    let number = job["lease_number"].as_i64().unwrap();
    let defer = "public.capitalbench_defer_job($1, $2, 'limit', now() + interval '1 hour')";
    assert_eq!(call(stage.owner(), defer, &[&"r0", &number]).await, true);
    assert_eq!(claim(stage.owner(), "a").await, Value::Null);
    let left =
        "select count(*) from public.resolution_jobs where attempts = 0 and status = 'scheduled'";
    assert_eq!(stage.count(left).await, 1);
}
