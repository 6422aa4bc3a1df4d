//! The verify page, its script, and the list of files that it downloads.

use std::fmt::Write as _;

use bytes::Bytes;
use capitalbench_core::publication::PublicRound;
use capitalbench_core::values::ids::{Digest, RunId};
use capitalbench_export::tables::rounds::run_id;
use serde_json::json;

use super::escaped;
use crate::html::Html;
use crate::page::{Page, Site};
use crate::title::title;
use crate::{Files, Input};

const MODULES: [(&str, &str); 26] = [
    ("verify/brought.js", include_str!("../../verify/brought.js")),
    ("verify/bytes.js", include_str!("../../verify/bytes.js")),
    (
        "verify/certificate.js",
        include_str!("../../verify/certificate.js"),
    ),
    ("verify/check.js", include_str!("../../verify/check.js")),
    ("verify/claims.js", include_str!("../../verify/claims.js")),
    ("verify/compute.js", include_str!("../../verify/compute.js")),
    ("verify/events.js", include_str!("../../verify/events.js")),
    ("verify/fixed.js", include_str!("../../verify/fixed.js")),
    ("verify/leaf.js", include_str!("../../verify/leaf.js")),
    ("verify/ledger.js", include_str!("../../verify/ledger.js")),
    ("verify/log.js", include_str!("../../verify/log.js")),
    ("verify/order.js", include_str!("../../verify/order.js")),
    ("verify/pack.js", include_str!("../../verify/pack.js")),
    ("verify/page.js", include_str!("../../verify/page.js")),
    ("verify/proof.js", include_str!("../../verify/proof.js")),
    (
        "verify/published.js",
        include_str!("../../verify/published.js"),
    ),
    ("verify/read.js", include_str!("../../verify/read.js")),
    ("verify/results.js", include_str!("../../verify/results.js")),
    ("verify/runs.js", include_str!("../../verify/runs.js")),
    ("verify/show.js", include_str!("../../verify/show.js")),
    ("verify/stamps.js", include_str!("../../verify/stamps.js")),
    ("verify/stored.js", include_str!("../../verify/stored.js")),
    ("verify/strip.js", include_str!("../../verify/strip.js")),
    ("verify/told.js", include_str!("../../verify/told.js")),
    ("verify/unzstd.js", include_str!("../../verify/unzstd.js")),
    (
        "verify/witnesses.js",
        include_str!("../../verify/witnesses.js"),
    ),
];
/// The roots of public time stamp authorities that the program ships.
const ROOTS: &str = include_str!("../../../capitalbench-proof/roots/public.pem");
/// The menu lists this many rounds; older rounds link here with their name.
const MOST_CHOICES: usize = 500;
const BODY: &str = include_str!("../../verify/body.html");

pub(super) fn render(input: &Input<'_>, files: &mut Files) {
    for (path, script) in MODULES {
        files.insert(path.to_owned(), Bytes::from_static(script.as_bytes()));
    }
    let markets = super::markets::module();
    files.insert("verify/markets.js".to_owned(), markets.into());
    let roots = Bytes::from_static(ROOTS.as_bytes());
    files.insert("verify/roots.pem".to_owned(), roots);
    files.insert("verify/index.html".to_owned(), page(input));
    // The list of rounds in the signed log; publishing a log replaces this empty one.
    files.insert("verify/signed.json".to_owned(), Bytes::from_static(b"[]\n"));
}

pub(super) fn of_round(round: &PublicRound, own: &Files, files: &mut Files) {
    let path = format!("rounds/{}/files.json", round.id());
    files.insert(path, list(round, own).into());
}

/// Path, digest and size of every public file of a round.
fn list(round: &PublicRound, own: &Files) -> String {
    let entries = own.iter().map(|(path, bytes)| {
        json!({
            "path": path,
            "sha256": Digest::of(bytes).to_hex(),
            "bytes": bytes.len(),
        })
    });
    let list = json!({
        "round_id": round.id().as_str(),
        "state": round.state.as_str(),
        "official_run_id": run_id(round).map(RunId::as_str),
        "freeze_sha256": round.frozen.as_ref().map(|frozen| frozen.digest.to_hex()),
        "files": entries.collect::<Vec<_>>(),
    });
    format!("{list:#}\n")
}

fn page(input: &Input<'_>) -> Bytes {
    let mut choices = String::new();
    for round in input.publication.rounds.iter().rev().take(MOST_CHOICES) {
        let id = escaped(round.id().as_str());
        // Writing to a text cannot fail.
        let _ = writeln!(
            choices,
            "<option value=\"{id}\">{}, {id} ({})</option>",
            escaped(&title(round)),
            round.state.as_str()
        );
    }
    let mut page = Page::new(
        "verify/",
        "Verify",
        "Hash the files of a round and compute its results again in your own browser.",
    );
    let body = BODY.replace("{choices}", &choices);
    page.body.add(&Html::made(body));
    Site::of(input).frame(&page)
}
