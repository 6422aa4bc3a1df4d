use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn job() -> ResolutionJob {
    ResolutionJob::schedule(
        RoundId::parse("R-1").unwrap(),
        RunId::parse("official-1").unwrap(),
        at("2026-03-10T00:15:00Z"),
        at("2026-03-02T12:00:00Z"),
    )
}

#[test]
fn a_job_waits_for_its_time_and_ends() {
    let mut job = job();
    assert_eq!(job.job_id(), "R-1:official-1:resolve_round");
    assert!(!job.is_due(at("2026-03-10T00:14:59Z")));
    assert!(job.is_due(at("2026-03-10T00:15:00Z")));
    job.begin(at("2026-03-10T00:15:00Z"));
    assert_eq!((job.status, job.attempts), (JobStatus::Running, 1));
    // Whoever holds the round after a crash may go on.
    assert!(job.is_due(at("2026-03-10T00:15:01Z")));
    job.succeed(at("2026-03-10T00:16:00Z"));
    assert_eq!(job.next_attempt(), None);
    assert_eq!(job.completed_at, Some(at("2026-03-10T00:16:00Z")));
}

#[test]
fn failures_wait_longer_each_time_until_the_job_is_given_up() {
    let mut job = job();
    let now = at("2026-03-10T00:15:00Z");
    let mut waits = Vec::new();
    while job.next_attempt().is_some() {
        job.begin(now);
        job.fail("no row\n\u{1b}[31m of FXGLD", now);
        waits.extend(job.next_attempt_at.map(|n| n.duration_since(now).as_mins()));
    }
    assert_eq!(job.attempts, MAX_ATTEMPTS);
    assert!(job.is_exhausted());
    assert_eq!(waits.len(), 29);
    assert_eq!(waits[..9], [5, 10, 20, 40, 80, 160, 320, 640, 720]);
    assert_eq!(job.last_error, "no row [31m of FXGLD");
    job.retry(Some(now));
    assert!(job.is_due(now));
    assert_eq!((job.attempts, job.last_error.as_str()), (0, ""));
}

#[test]
fn a_rate_limit_counts_as_no_attempt_and_a_cancelled_job_does_not_run() {
    let mut job = job();
    let now = at("2026-03-10T00:15:00Z");
    job.begin(now);
    job.defer("the plan is used up", at("2026-03-10T01:15:00Z"));
    assert_eq!((job.attempts, job.status), (0, JobStatus::Scheduled));
    assert!(!job.is_due(now));
    assert!(job.is_due(at("2026-03-10T01:15:00Z")));
    job.cancel("four of eight models", now);
    assert_eq!(job.next_attempt(), None);
    job.retry(None);
    assert!(job.is_due(now));
}

#[test]
fn long_errors_are_cut() {
    let cut = one_line(&"é".repeat(2_000));
    assert_eq!(cut.chars().count(), LONGEST_ERROR + 1);
}
