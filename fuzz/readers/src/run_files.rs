//! Files that a run leaves behind.

use capitalbench_archive::format::{
    round::job as job_file, run::acceptance as acceptance_file, run::run_log as log_file,
    run::run_manifest as manifest_file, text::json as json_file,
};
use capitalbench_archive::run::ledger::{AnswerHead, Begun, Ended, RunPlan, parse_record};
use capitalbench_site::machine;

use crate::is_in_proportion;

/// Any JSON of the archive: written again it reads the same, and the text is settled.
pub fn json(bytes: &[u8]) {
    match json_file::parse(bytes) {
        Ok(value) => {
            let text = json_file::to_pretty(&value);
            let again = json_file::parse(text.as_bytes()).expect("our own JSON");
            assert_eq!(json_file::to_pretty(&again), text);
            let line = json_file::to_line(&value);
            assert_eq!(line.trim_end().lines().count(), 1);
            assert_eq!(json_file::parse(line.as_bytes()).as_ref(), Ok(&again));
        }
        Err(fault) => is_in_proportion(&fault.to_string(), bytes),
    }
}

/// `run_log.jsonl`.
pub fn run_log(bytes: &[u8]) {
    match log_file::parse(bytes) {
        Ok(lines) => assert!(lines.len() <= bytes.len()),
        Err(fault) => is_in_proportion(&fault.to_string(), bytes),
    }
}

/// `slots.json` and the records of attempts.
pub fn ledger(bytes: &[u8]) {
    if let Err(fault) = RunPlan::parse(bytes) {
        is_in_proportion(&fault.to_string(), bytes);
    }
    let _ = parse_record::<Begun>(bytes);
    let _ = parse_record::<AnswerHead>(bytes);
    match parse_record::<Ended>(bytes) {
        Ok(ended) => _ = ended.attempt_status(),
        Err(fault) => is_in_proportion(&fault.to_string(), bytes),
    }
}

/// `run_manifest.yaml`.
pub fn run_manifest(bytes: &[u8]) {
    match manifest_file::parse(bytes) {
        Ok(record) => assert_eq!(manifest_file::parse(bytes).as_ref().ok(), Some(&record)),
        Err(fault) => is_in_proportion(&fault.to_string(), bytes),
    }
}

/// `acceptance.json`: what is read is written, and reads the same.
pub fn acceptance(bytes: &[u8]) {
    match acceptance_file::parse(bytes) {
        Ok(read) => {
            let text = acceptance_file::render(&read);
            assert_eq!(acceptance_file::parse(text.as_bytes()).ok(), Some(read));
        }
        Err(fault) => is_in_proportion(&fault.to_string(), bytes),
    }
}

/// `resolution_job.yaml`: what is read is written, and reads the same.
pub fn job(bytes: &[u8]) {
    match job_file::parse(bytes) {
        Ok(read) => {
            let text = job_file::render(&read);
            assert_eq!(job_file::parse(text.as_bytes()).ok(), Some(read), "{text}");
        }
        Err(fault) => is_in_proportion(&fault.to_string(), bytes),
    }
}

/// `corrections.jsonl`, as the site tells it.
pub fn corrections(bytes: &[u8]) {
    let found = machine::corrections(bytes);
    assert!(found.windows(2).all(|two| two[0].line < two[1].line));
    for own in found {
        is_in_proportion(&own.sentence(), bytes);
    }
}
