//! The modules of the verify page under Node, as a browser would run them.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::Test;

/// Reads a built site as the page does, or a folder as it is dropped with the log beside it; prints
/// verdict, level, counts and what does not match. Changes are carried out in memory, one after another.
const RUN: &str = r#"
import fs from "node:fs";
import path from "node:path";
const [site, order] = process.argv.slice(2);
const { reader, rounds, changes, packed } = JSON.parse(fs.readFileSync(order, "utf8"));
const { check, roundOf } = await import(path.join(site, "verify/check.js"));
const { roundIn } = await import(path.join(site, "verify/brought.js"));
const { csv } = await import(path.join(site, "verify/read.js"));
const read = (file) => new Uint8Array(fs.readFileSync(file));
const walk = (root, folder = "") => fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
  const inner = path.join(folder, entry.name);
  return entry.isDirectory() ? walk(root, inner) : [inner];
});
const at = (file) => read(path.join(site, file));
const given = (file) => JSON.parse(fs.readFileSync(path.join(site, file), "utf8"));
const known = { ...reader, now: reader.now ? Date.parse(reader.now) : Date.now(), publicRoots: [fs.readFileSync(path.join(site, "verify/roots.pem"), "utf8")] };
const shown = csv(fs.readFileSync(path.join(site, "data/outcomes.csv"), "utf8"));

function published(name) {
  const index = given(`rounds/${name}/files.json`), signed = given("verify/signed.json");
  const files = new Map(index.files.map((file) => [file.path, at(`rounds/${name}/files/${file.path}`)]));
  const log = signed.includes(name) ? {
    vkey: at("log/vkey"), checkpoint: at("log/checkpoint"), read: async (file) => at(file), files: given("verify/log.json").files,
    salts: given(`log/salts/${name}.json`),
  } : null;
  return { files, index, shown: shown.filter((row) => row.round_id === name), log };
}

/** The round and the log beside it, without what a reader never gets. */
function dropped(folder) {
  const beside = path.dirname(folder), log = path.join(beside, "log"), name = path.basename(folder);
  const folders = fs.existsSync(log) ? [name, "log"] : [name];
  return new Map(folders.flatMap((own) => walk(path.join(beside, own)).map((file) => [`${own}/${file}`, read(path.join(beside, own, file))]))
    .filter(([file]) => !/\/lease-|\.head\.json$/.test(file)));
}

async function judged({ files, index, shown, log }) {
  const { lines, counts, verdict, level, authorities, notProved, log: read } = await check(files, index, shown, log, known);
  return { name: roundOf(files), verdict, level, authorities, notProved, counts, witnesses: read?.witnesses ?? null, lines: lines.filter((line) => line.state !== "matches") };
}

const out = [];
const brought = (name) => (name.endsWith(".zst") ? [[path.basename(name), read(name)]] : [...dropped(name)]);
for (const name of rounds) out.push(await judged(path.isAbsolute(name) ? await roundIn(brought(name)) : published(name)));
for (const { name, change, more } of changes ?? []) {
  const entries = dropped(rounds[0]);
  for (const [file, bytes] of Object.entries(change))
    if (bytes === null) entries.delete(file); else entries.set(file, Uint8Array.from(bytes));
  try {
    const { files, log } = await roundIn([...entries]);
    const { verdict, level } = await check(files, null, null, log, { ...known, ...more });
    out.push({ name, verdict, level });
  } catch (error) { out.push({ name, verdict: "failed", level: error.message }); }
}
if (packed) {
  const { bundle } = await import(path.join(site, "verify/pack.js"));
  const own = published(packed.round);
  const { log } = await check(own.files, own.index, own.shown, own.log, known);
  fs.writeFileSync(packed.file, await bundle(packed.round, own, log?.events ?? []));
}
console.log(JSON.stringify(out));
"#;

/// Whether there is a Node to run it.
pub(crate) fn node() -> bool {
    let there = Command::new("node").arg("--version").output();
    let there = there.is_ok_and(|output| output.status.success());
    let ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(there || !ci, "CI needs node");
    if !there {
        eprintln!("skipped: no node");
    }
    there
}

/// Checks rounds of a site that is there, by name, and folders by absolute path; the reader brings
/// `now`, `roots`, `key` and `since`.
pub(crate) fn look(test: &Test, reader: &Value, wanted: &[&str]) -> Vec<Value> {
    run(test, &json!({"reader": reader, "rounds": wanted}))
}

/// The same for a folder and for every change of it, each with what the reader brings more.
pub(crate) fn look_at_changes(
    test: &Test,
    reader: &Value,
    folder: &str,
    changes: &[Value],
) -> Vec<Value> {
    let order = json!({"reader": reader, "rounds": [folder], "changes": changes});
    run(test, &order)
}

/// Writes the bundle of a published round as its page hands it out.
pub(crate) fn pack(test: &Test, round: &str, file: &str) {
    let file = test.path(file).display().to_string();
    let packed = json!({"round": round, "file": file});
    run(test, &json!({"reader": {}, "rounds": [], "packed": packed}));
}

fn run(test: &Test, order: &Value) -> Vec<Value> {
    let site = test.path("site");
    fs::write(site.join("verify/package.json"), "{\"type\":\"module\"}").expect("a file");
    fs::write(test.path("run.mjs"), RUN).expect("a script");
    fs::write(test.path("order.json"), order.to_string()).expect("an order");
    let output = Command::new("node")
        .arg(test.path("run.mjs"))
        .arg(&site)
        .arg(test.path("order.json"))
        .output()
        .expect("node");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let found: Value = serde_json::from_slice(&output.stdout).expect("a report");
    found.as_array().expect("a list").clone()
}
