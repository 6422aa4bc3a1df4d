//! Twenty workers in four processes share five hundred jobs, and processes are killed while they hold
//! some of them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use capitalbench_core::values::ids::{RoundId, RunId};
use capitalbench_database::direct::DatabaseUrl;
use capitalbench_database::jobs::{Jobs, Plan};
use serde_json::json;

use crate::stage::Stage;

const JOBS: usize = 500;
const PROCESSES: usize = 4;
const WORKERS: usize = 5;
const KILLS: usize = 15;
/// After so many claims, the process of the last one dies before it has done its job.
const CLAIMS_PER_KILL: usize = 30;
/// What a worker prints when it has a job; it begins to work when it is told to.
const CLAIMED: &str = "claimed a job";
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

    oversee(&stage.server.url(), folder.path());

    let all = jobs.all().await.unwrap();
    assert_eq!(all.len(), JOBS);
    let again: u32 = all.iter().map(|job| job.attempts - 1).sum();
    assert!(again >= u32::try_from(KILLS).unwrap(), "{again} retries");
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

/// Runs processes until every job is done; lets each claim go on, or kills its process instead.
fn oversee(address: &str, folder: &Path) {
    let (told, claims) = channel();
    let start = |place: usize| worker_process(address, folder, (place, told.clone()));
    let mut running: Vec<Child> = (0..PROCESSES).map(start).collect();
    let (mut seen, mut kills, mut ended) = (0, 0, 0);
    while ended < PROCESSES {
        let (place, pid, claimed) = claims.recv_timeout(Duration::from_mins(2)).expect("news");
        let child = &mut running[place];
        // A process that was killed may have claimed more before.
        if child.id() != pid {
            continue;
        }
        if !claimed {
            let status = child.wait().unwrap();
            assert!(status.success(), "{status}");
            ended += 1;
            continue;
        }
        seen += 1;
        if seen % CLAIMS_PER_KILL == 0 && kills < KILLS {
            child.kill().unwrap();
            child.wait().unwrap();
            *child = start(place);
            kills += 1;
        } else {
            // It has ended if it failed, which its end tells.
            let _ = child.stdin.as_mut().unwrap().write_all(b"go on\n");
        }
    }
    assert_eq!(kills, KILLS);
}

/// A process by its place and id: that it claimed a job, or that it said its last.
type News = (usize, u32, bool);

/// This test program again, as a process full of workers.
fn worker_process(address: &str, folder: &Path, (place, told): (usize, Sender<News>)) -> Child {
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args([
            "--ignored",
            "--exact",
            "--nocapture",
            "many_workers::works_until_every_job_is_done",
        ])
        .env(ADDRESS, address)
        .env(FOLDER, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process");
    let said = BufReader::new(child.stdout.take().expect("its output"));
    let pid = child.id();
    thread::spawn(move || {
        for line in said.lines().map_while(Result::ok) {
            if line.contains(CLAIMED) {
                let _ = told.send((place, pid, true));
            }
        }
        let _ = told.send((place, pid, false));
    });
    child
}

/// Says that a job is claimed and waits for the word to go on.
async fn ask_to_go_on() {
    let asked = tokio::task::spawn_blocking(|| {
        let mut output = std::io::stdout().lock();
        writeln!(output, "{CLAIMED}").unwrap();
        output.flush().unwrap();
        drop(output);
        std::io::stdin().read_line(&mut String::new()).unwrap()
    });
    assert!(asked.await.unwrap() > 0, "the test has ended");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a process of the test above"]
#[expect(
    clippy::disallowed_methods,
    reason = "a process of a test is told by its environment what to do"
)]
async fn works_until_every_job_is_done() {
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
                    let all = jobs.all().await.unwrap();
                    if all.iter().all(|job| job.status == "succeeded") {
                        return;
                    }
                    // Nothing tells that the lease of a dead worker is over.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                ask_to_go_on().await;
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
    for worker in workers {
        worker.await.unwrap();
    }
}
