//! `verify`: report what does not hold.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::log::inventory::hidden_files;
use capitalbench_archive::log::{LogFolder, LogKey};
use capitalbench_archive::public::bundle::{self, OpenBundle};
use capitalbench_archive::round::round_folder::{RoundFolder, list_rounds};
use capitalbench_archive::verify::{Code, Finding, Report, RoundReport, Severity, Verdict};
use capitalbench_archive::verify::{Reader, count_rounds, verify_for};
use capitalbench_operations::operator::clock::now_or;
use capitalbench_operations::syncing::public_prefix::{PublicAddress, unpack};
use capitalbench_proof::note::VerifierKey;
use capitalbench_proof::timestamp::Root;
use capitalbench_proof::witness::WitnessRule;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cli::Verify;
use crate::config::Environment;
use crate::console::{
    BOLD, DIM, ERROR, GOOD, WARNING, document, is_json, line, paint, plural, progress, show, table,
};
use crate::error::{Error, Exit};

mod prices;
mod proof;
mod witnesses;

pub(crate) fn run(arguments: &Verify) -> Result<Exit, Error> {
    let Some(typed) = arguments.path.as_deref() else {
        print_codes();
        return Ok(Exit::Success);
    };
    let fetched = public_copy(typed)?;
    let path = fetched.as_ref().map_or(typed, |copy| copy.folder.path());
    let bundle = if path.is_file() {
        let bytes = file_ops::read(path).map_err(FileError::from)?;
        let is_bundle = bundle::is_bundle(&bytes);
        is_bundle.then(|| bundle::open(&bytes, path)).transpose()?
    } else {
        None
    };
    let unpacked = bundle.as_ref().map(OpenBundle::round);
    let path = unpacked.as_deref().unwrap_or(path);
    let bar = progress(count_rounds(path), "verifying");
    let owner = owner(path)?;
    let reader = Reader {
        owner: owner.as_ref(),
        withheld: match (&bundle, fetched.as_ref()) {
            (Some(own), _) => own.withheld.clone(),
            (None, Some(copy)) => copy.withheld.clone(),
            (None, None) => BTreeSet::new(),
        },
        ..reader(arguments)?
    };
    let now = now_or(arguments.now.instant);
    let mut report = verify_for(&reader, path, now, &|| bar.inc(1))?;
    bar.finish_and_clear();
    if let Some(source) = &arguments.prices_from {
        prices::check(&mut report, arguments, source, path)?;
    }
    show(
        || as_json(&report),
        || print(&report, typed, arguments.listing.all),
    );
    let broken = report.count(Severity::Error) > 0;
    let doubtful = arguments.strict && report.count(Severity::Warning) > 0;
    Ok(Exit::of(!broken && !doubtful))
}

/// What an address publishes, as a folder of rounds.
struct PublicCopy {
    folder: TempDir,
    /// Files that the log knows and that are not public yet.
    withheld: BTreeSet<String>,
}

/// Fetches what is public at an address; none for a path.
fn public_copy(typed: &Path) -> Result<Option<PublicCopy>, Error> {
    let Some(address) = typed.to_str().filter(|text| PublicAddress::is_one(text)) else {
        return Ok(None);
    };
    let configuration = Environment::load()?.into_configuration();
    let home = Environment::cache_home()?;
    let record = PublicAddress::open(&configuration, address, &home)?.read(None)?;
    let folder = TempDir::new()
        .map_err(|error| Error::new(format!("no temporary folder can be made: {error}")))?;
    unpack(&record, folder.path())?;
    let mut withheld = BTreeSet::new();
    for round in list_rounds(folder.path())? {
        withheld.extend(hidden_files(&round)?);
    }
    Ok(Some(PublicCopy { folder, withheld }))
}

/// What the reader brought along.
fn reader(arguments: &Verify) -> Result<Reader<'static>, Error> {
    let read = |path: &Path| file_ops::read(path).map_err(FileError::from);
    let refused = |path: &Path, why: String| Error::new(format!("{}: {why}", path.display()));
    let mut reader = Reader::default();
    if let Some(path) = &arguments.key {
        let bytes = read(path)?;
        let text = String::from_utf8_lossy(&bytes);
        let key = VerifierKey::parse(text.trim_end());
        reader.key = Some(key.map_err(|error| refused(path, error.to_string()))?);
    }
    for path in &arguments.since {
        let name = path.display().to_string();
        reader.since.push((name, read(path)?));
    }
    if let Some(path) = &arguments.witnesses {
        let bytes = read(path)?;
        let rule = WitnessRule::parse(&String::from_utf8_lossy(&bytes));
        reader.witnesses = Some(rule.map_err(|error| refused(path, error.to_string()))?);
    }
    for path in &arguments.tsa_root {
        let roots = Root::from_pem(&read(path)?);
        reader
            .roots
            .extend(roots.map_err(|error| refused(path, error.to_string()))?);
    }
    Ok(reader)
}

/// The private key of the log where it is here: its owner can open every seal.
pub(crate) fn owner(path: &Path) -> Result<Option<LogKey>, Error> {
    let log = if RoundFolder::is_round(path) {
        match RoundFolder::open(path) {
            Ok(round) => LogFolder::of_round(&round),
            Err(_) => return Ok(None),
        }
    } else {
        LogFolder::of_rounds(path)
    };
    let Ok(Some(public)) = log.verifier() else {
        return Ok(None);
    };
    let file = Environment::load()?.into_configuration().log_key(&log);
    let key = LogKey::load(&file).ok().flatten();
    Ok(key.filter(|key| key.verifier() == public))
}

/// A finding for programs.
pub(in crate::commands) fn finding_json(finding: &Finding) -> Value {
    json!({
        "code": finding.code.as_str(),
        "severity": finding.severity().as_str(),
        "where": finding.place,
        "detail": finding.detail,
    })
}

/// A report for programs.
pub(in crate::commands) fn as_json(report: &Report) -> Value {
    let round = |round: &RoundReport| {
        let mut told = json!({
            "round_id": round.round_id,
            "verdict": round.verdict().as_str(),
            "findings": round.findings.iter().map(finding_json).collect::<Vec<_>>(),
        });
        let log = report.log.as_ref();
        if let Some(proof) = log.and_then(|log| proof::as_json(round, log)) {
            told["proof"] = proof;
        }
        told
    };
    let mut told = json!({
        "rounds": report.rounds.iter().map(round).collect::<Vec<_>>(),
        "summary": {
            "rounds": report.rounds.len(),
            "files": report.files(),
            "errors": report.count(Severity::Error),
            "warnings": report.count(Severity::Warning),
            "notes": report.count(Severity::Note),
            "verdicts": verdicts(report),
        },
    });
    if let Some(log) = &report.log {
        told["log"] = proof::log_as_json(log);
    }
    told
}

fn verdicts(report: &Report) -> Value {
    use Verdict::{DoesNotHold, Holds, HoldsWithWarnings};
    let none = [Holds, HoldsWithWarnings, DoesNotHold].map(|verdict| (verdict.as_str(), 0));
    let mut counts = BTreeMap::from(none);
    for round in &report.rounds {
        *counts.entry(round.verdict().as_str()).or_default() += 1;
    }
    json!(counts)
}

fn print(report: &Report, path: &Path, all: bool) {
    match report.rounds.as_slice() {
        [round] => {
            let (id, word) = (paint(BOLD, &round.round_id), verdict(round.verdict()));
            line(format!("{id}  {word}"));
            round.findings.iter().for_each(print_finding);
            if let Some(log) = &report.log {
                proof::print(round, log);
            }
        }
        rounds => {
            print_overview(rounds);
            let shown = |finding: &&Finding| all || finding.severity() == Severity::Error;
            for round in rounds {
                let findings: Vec<&Finding> = round.findings.iter().filter(shown).collect();
                if !findings.is_empty() {
                    line("");
                    line(paint(BOLD, &round.round_id));
                    findings.into_iter().for_each(print_finding);
                }
            }
            if !all {
                print_groups(rounds);
                line("");
                let text = format!(
                    "every finding: capitalbench verify {} --all",
                    path.display()
                );
                line(paint(DIM, text));
            }
        }
    }
    line("");
    if let Some(log) = &report.log {
        proof::print_log(log);
        log.findings.iter().for_each(print_finding);
    }
    line(summary(report));
}

fn summary(report: &Report) -> String {
    let [errors, warnings] = [Severity::Error, Severity::Warning].map(|own| report.count(own));
    let style = match (errors, warnings) {
        (0, 0) => GOOD,
        (0, _) => WARNING,
        _ => ERROR,
    };
    let counts = plural(errors, "error") + ", " + &plural(warnings, "warning");
    let rounds = plural(report.rounds.len(), "round");
    let files = plural(report.files(), "file");
    format!("verified {rounds}, {files}: {}", paint(style, counts))
}

fn verdict(verdict: Verdict) -> String {
    let style = match verdict {
        Verdict::Holds => GOOD,
        Verdict::HoldsWithWarnings => WARNING,
        Verdict::DoesNotHold => ERROR,
    };
    paint(style, verdict.as_str())
}

fn print_finding(finding: &Finding) {
    let style = match finding.severity() {
        Severity::Error => ERROR,
        Severity::Warning => WARNING,
        Severity::Note => DIM,
    };
    let severity = paint(style, format!("{:7}", finding.severity().as_str()));
    let (code, place) = (finding.code, paint(DIM, &finding.place));
    line(format!("  {severity}  {code}  {place}"));
    line(format!("           {}", finding.detail));
}

fn print_overview(rounds: &[RoundReport]) {
    let rows = rounds.iter().map(|round| {
        vec![
            round.round_id.clone(),
            round.verdict().as_str().to_owned(),
            round.count(Severity::Error).to_string(),
            round.count(Severity::Warning).to_string(),
            round.count(Severity::Note).to_string(),
        ]
    });
    let header = "round | verdict | errors > | warnings > | notes >";
    line(table(header, rows.collect()));
}

/// Warnings of many rounds by code: how many rounds, and what it means.
fn print_groups(rounds: &[RoundReport]) {
    let mut groups: BTreeMap<Code, usize> = BTreeMap::new();
    for round in rounds {
        let mut codes: Vec<Code> = round
            .findings
            .iter()
            .filter(|finding| finding.severity() == Severity::Warning)
            .map(|finding| finding.code)
            .collect();
        codes.dedup();
        for code in codes {
            *groups.entry(code).or_default() += 1;
        }
    }
    if groups.is_empty() {
        return;
    }
    let rows = groups.into_iter().map(|(code, count)| {
        vec![
            count.to_string(),
            code.as_str().to_owned(),
            code.meaning().to_owned(),
        ]
    });
    line("");
    line(table("rounds > | warning | meaning", rows.collect()));
}

fn print_codes() {
    if is_json() {
        let codes = Code::ALL.iter().map(|code| {
            let severity = code.severity().as_str();
            json!({"code": code.as_str(), "severity": severity, "meaning": code.meaning()})
        });
        document(&json!({ "codes": codes.collect::<Vec<_>>() }));
        return;
    }
    let rows = Code::ALL.iter().map(|code| {
        let severity = code.severity().as_str();
        [severity, code.as_str(), code.meaning()]
            .map(str::to_owned)
            .to_vec()
    });
    line(table("severity | code | meaning", rows.collect()));
}
