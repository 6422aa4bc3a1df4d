// Derives from the files of a round the events that the log must hold.
import { instant, sha256, text } from "./bytes.js";
import { attemptPath } from "./fixed.js";
import { lists, members } from "./read.js";
import { acceptance, ended as endOf, exceptionsOf, json, jsonLines, repairsOf, runsOf, tombstone } from "./stored.js";

export const RESULTS = ["returns.csv", "allocations.csv", "leaderboard.csv", "stability.csv", "controls.csv", "price_warnings.json", "outcomes.json"]
  .map((name) => `results/${name}`);
function at(path, name, value) {
  const found = instant(value);
  if (found === null) throw new Error(`${path}: ${name} is not an instant`);
  return found;
}

/** Every event, with the instant in milliseconds where the files say when it was. */
export async function toldEvents(files, round) {
  const events = [], runs = runsOf(files);
  const add = (event, when = null) => events.push({ event: { version: 1, round, ...event }, at: when });
  frozen(files, add);
  for (const run of runs) await asked(files, run, add);
  for (const run of runs) await accepted(files, run, add);
  endings(files, add);
  await priced(files, add);
  for (const run of runs) await scored(files, run, add);
  return events;
}

function frozen(files, add) {
  const stored = files.has("hashes.json") ? json(files, "hashes.json").files : null;
  if (!stored || !Object.keys(stored).length) return;
  const manifest = text(files.get("manifest.yaml")), own = members(manifest);
  const deadline = own.decision_deadline ? instant(own.decision_deadline) : null;
  add({ event: "round.freeze", inputs: stored, deadline: deadline === null ? null : shortest(deadline), roster: lists(manifest).expected_model_ids ?? [] });
  add({ event: "methodology", label: own.methodology_version ?? "unnamed" });
}

/** An instant in its shortest text, as the log has it. */
const shortest = (ms) => new Date(ms).toISOString().replace(/\.?0*Z$/, "Z");

async function asked(files, run, add) {
  const path = `runs/${run}/slots.json`;
  if (!files.has(path)) return;
  const plan = json(files, path), models = [...new Set(plan.slots.map((slot) => slot.model_id))];
  const calls = !plan.mock ? "real" : plan.synthetic ? "synthetic" : "mock";
  add({ event: "roster.slots", run, kind: plan.run_type, calls, models, replicates: plan.replicates, max_retries: plan.max_retries,
    plan_sha256: await sha256(files.get(path)) }, at(path, "created_at_utc", plan.created_at_utc));
  for (const slot of plan.slots) {
    const place = { run, model: slot.model_id, replicate: slot.replicate_index };
    for (let attempt = 1; ; attempt++) {
      const file = (ending) => attemptPath({ ...place, attempt }, plan.replicates, ending);
      if (!files.has(file("begun.json"))) break;
      const begun = json(files, file("begun.json"));
      add({ event: "attempt.begin", ...place, attempt, input_sha256: begun.input_sha256 }, at(file("begun.json"), "started_at_utc", begun.started_at_utc));
      if (!files.has(file("ended.json"))) continue;
      const ended = endOf(files, file("ended.json"));
      add({ event: "attempt.end", ...place, attempt, status: ended.status, reason: ended.reason }, at(file("ended.json"), "ended_at_utc", ended.ended_at_utc));
    }
  }
  for (const { path: file, own } of repairsOf(files, run))
    add({ event: "run.repaired", run, number: own.number, model: own.model_id, from: own.from, to: own.to, reason: own.reason }, at(file, "repaired_at_utc", own.repaired_at_utc));
}

async function accepted(files, run, add) {
  const own = acceptance(files, run);
  if (!own) return;
  const when = at(`runs/${run}/acceptance.json`, "accepted_at_utc", own.accepted_at_utc);
  add({ event: "run.accepted", run, submissions: Object.keys(own.submissions).length, supersedes: own.supersedes }, when);
  for (const [path, digest] of Object.entries(own.submissions)) {
    const bytes = files.get(`runs/${run}/${path}`);
    if (!bytes || await sha256(bytes) !== digest) throw new Error(`runs/${run}/${path} changed after it was accepted`);
    add({ event: "pick.accepted", run, file: path }, when);
  }
}

function endings(files, add) {
  const end = tombstone(files);
  if (end) add({ event: "round.ended", ending: end.ending, reason: end.reason }, at("tombstone.json", "ended_at_utc", end.ended_at_utc));
  for (const { path, own } of exceptionsOf(files))
    add({ event: "round.explained", number: own.number, reason: own.reason }, at(path, "noted_at_utc", own.noted_at_utc));
}

async function digests(files, folder, paths) {
  const found = {};
  for (const path of paths) if (files.has(folder + path)) found[path] = await sha256(files.get(folder + path));
  return found;
}

function corrections(files, path, run, add) {
  jsonLines(files, path).forEach((line, place) => {
    const side = (name) => Object.fromEntries(Object.entries(line.files).filter(([, pair]) => pair[name]).map(([file, pair]) => [file, pair[name]]));
    add({ event: "correction", run, number: place + 1, reason: line.reason, replaced: side("old_sha256"), results: side("new_sha256") },
      at(path, "corrected_at_utc", line.corrected_at_utc));
  });
}

async function priced(files, add) {
  const record = files.has("prices/provenance.json") ? json(files, "prices/provenance.json") : null;
  const own = members(text(files.get("manifest.yaml")));
  const [entry, exit] = record ? [record.from, record.to] : [own.entry_date, own.exit_date];
  corrections(files, "prices/corrections.jsonl", null, add);
  const sheets = async (event, session, paths) => {
    const found = await digests(files, "", paths);
    if (found[paths[0]]) add({ event, session: session ?? "unnamed", files: found });
  };
  await sheets("prices.entry", entry, ["prices/entry_prices.csv", "prices/provenance.json"]);
  await sheets("prices.exit", exit, ["prices/exit_prices.csv", "prices/provenance.json", "prices/window.csv", "prices/cross_check.json"]);
}

async function scored(files, run, add) {
  const folder = `runs/${run}/`;
  corrections(files, `${folder}corrections.jsonl`, run, add);
  const results = await digests(files, folder, RESULTS);
  if (results["results/outcomes.json"]) add({ event: "score", run, results });
  const report = await digests(files, folder, ["results/report.md", "results/report.svg"]);
  if (report["results/report.md"]) add({ event: "claim", statement: `report of ${run}`, files: report });
}
