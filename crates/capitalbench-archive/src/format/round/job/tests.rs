use super::*;

#[test]
fn a_job_reads_back_and_looks_like_the_archives() {
    let text = "\
job_id: CB-1:official-1:resolve_round
round_id: CB-1
run_id: official-1
job_type: resolve_round
due_at_utc: '2026-06-17T23:30:00+00:00'
next_attempt_at_utc: null
status: failed
attempts: 2
max_attempts: 30
last_error: 'GOLD: no row, it''s gone'
created_at_utc: '2026-05-17T07:06:08.464864+00:00'
locked_at_utc: '2026-06-17T23:30:01+00:00'
";
    let job = parse(text.as_bytes()).unwrap();
    assert_eq!(job.last_error, "GOLD: no row, it's gone");
    assert_eq!(render(&job), text);
}

#[test]
fn odd_jobs_are_refused() {
    let good = "round_id: R\nrun_id: r\nstatus: scheduled\n\
                    due_at_utc: '2026-06-17T23:30:00Z'\n";
    assert!(parse(good.as_bytes()).is_ok());
    for (old, new, part) in [
        ("status: scheduled", "status: asleep", "status: must be"),
        ("run_id: r", "run_id: ../r", "the run id \"../r\""),
        ("'2026-06-17T23:30:00Z'", "tomorrow", "not an instant"),
    ] {
        let fault = parse(good.replace(old, new).as_bytes()).unwrap_err();
        assert!(fault.to_string().contains(part), "{fault}");
    }
}
