//! Twenty workers in four processes share five hundred jobs, and processes are killed at random.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use capitalbench_core::values::ids::{RoundId, RunId};
use capitalbench_database::direct::DatabaseUrl;
use capitalbench_database::jobs::{Jobs, Plan};
use serde_json::json;

use crate::stage::Stage;

const JOBS: usize = 500;
const PROCESSES: usize = 4;
const WORKERS: usize = 5;
const ADDRESS: &str = "CAPITALBENCH_TEST_WORKER_DATABASE";
const FOLDER: &str = "CAPITALBENCH_TEST_WORKER_FOLDER";

/// Every time that a job is done, whoever says so.
const LEDGER: &str = "
create table public.done (round_id text, lease_number bigint);
create function public.note_done() returns trigger language plpgsql as $$
begin insert into public.done values (new.round_id, new.lease_number); return new; end $$;
create trigger note_done after update on public.resolution_jobs for each row
  when (new.status = 'succeeded') execute function public.note_done();";

#[tokio::test(flavor = "multi_thread")]
async fn every_job_is_done_once_and_none_is_lost() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    stage.owner().batch_execute(LEDGER).await.unwrap();
    let address = DatabaseUrl::new(stage.server.url()).unwrap();
    let jobs = Jobs::connect(&address).await.unwrap();
    let due = "2026-01-01T00:00:00Z".parse().unwrap();
    let plan = |number: usize| -> Plan {
        let round = RoundId::parse(&format!("R-{number:03}")).unwrap();
        (round, RunId::parse("official-1").unwrap(), due)
    };
    let plans: Vec<Plan> = (0..JOBS).map(plan).collect();
    jobs.schedule(&plans).await.unwrap();
    jobs.schedule(&plans).await.unwrap();

    let start = || worker_process(&stage.server.url(), folder.path());
    let mut running: Vec<Child> = (0..PROCESSES).map(|_| start()).collect();
    let (mut seed, mut kills) = (5_u64, 0);
    loop {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        tokio::time::sleep(Duration::from_millis(100 + (seed >> 33) % 300)).await;
        let all = jobs.all().await.unwrap();
        if all.iter().all(|job| job.status == "succeeded") {
            break;
        }
        let doomed = usize::try_from(seed >> 40).unwrap() % PROCESSES;
        if kills < 15 {
            running[doomed].kill().unwrap();
            running[doomed].wait().unwrap();
            running[doomed] = start();
            kills += 1;
        }
    }
    for mut child in running {
        let _ = child.kill();
        let _ = child.wait();
    }

    let all = jobs.all().await.unwrap();
    assert_eq!(all.len(), JOBS);
    let retried = all.iter().filter(|job| job.attempts > 1).count();
    assert!(
        kills >= 3 && retried > 0,
        "{kills} kills, {retried} retried"
    );
    for job in &all {
        assert_eq!(i64::from(job.attempts), job.lease_number, "{job:?}");
        let effect = format!("{}-{}", job.round_id, job.lease_number);
        assert!(folder.path().join(&effect).is_file(), "{effect}");
    }
    let once = "select count(*) from public.done d join public.resolution_jobs j using (round_id) \
                where d.lease_number = j.lease_number and (j.outcome ->> 'token')::bigint = d.lease_number";
    assert_eq!(stage.count(once).await, i64::try_from(JOBS).unwrap());
    let ever = "select count(*) from public.done";
    assert_eq!(stage.count(ever).await, i64::try_from(JOBS).unwrap());
}

/// This test program again, as a process full of workers.
fn worker_process(address: &str, folder: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args([
            "--ignored",
            "--exact",
            "many_workers::works_until_it_is_killed",
        ])
        .env(ADDRESS, address)
        .env(FOLDER, folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process")
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a process of the test above"]
#[expect(
    clippy::disallowed_methods,
    reason = "a process of a test is told by its environment what to do"
)]
async fn works_until_it_is_killed() {
    let (Ok(address), Ok(folder)) = (std::env::var(ADDRESS), std::env::var(FOLDER)) else {
        return;
    };
    let address = DatabaseUrl::new(address).unwrap();
    let mut workers = Vec::new();
    for number in 0..WORKERS {
        let (address, folder) = (address.clone(), folder.clone());
        workers.push(tokio::spawn(async move {
            let jobs = Jobs::connect(&address).await.unwrap();
            let name = format!("{}-{number}", std::process::id());
            loop {
                let Some(job) = jobs.claim(&name, 2).await.unwrap() else {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                tokio::time::sleep(Duration::from_millis(20)).await;
                let effect = format!("{}-{}", job.round_id, job.lease_number);
                let effect = Path::new(&folder).join(effect);
                // Nobody else ever has this number.
                assert!(!effect.exists(), "{effect:?}");
                std::fs::write(&effect, &name).unwrap();
                if !jobs.heartbeat(&job, 2).await.unwrap() {
                    continue;
                }
                let outcome = json!({"token": job.lease_number});
                jobs.finish(&job, &outcome).await.unwrap();
            }
        }));
    }
    // None ends by itself; one that fails takes the process with it.
    if let Some(worker) = workers.pop() {
        worker.await.unwrap();
    }
}
