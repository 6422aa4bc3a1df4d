// Files of a round and its signed log → lines that say what matches, what differs and what could not be checked,
// and how far the round is proved.
import { sha256, text } from "./bytes.js";
import { unkept } from "./order.js";
import { audience, level, notProved, prove, readLog } from "./proof.js";
import { members } from "./read.js";
import { allReturns, checkRun, scoredRuns } from "./results.js";
import { checkFiles, isAsked, manifestOf } from "./runs.js";
import { witnessWords } from "./witnesses.js";

const MATCH = "matches", DIFFERS = "differs", WARNED = "warned", OPEN = "not checked";
const WARNINGS = ["order-unproved", "report-replaced", "price-source-replaced", "provider-host-differs", "prices-unproved", "attempt-unseen", "quorum-missing"];

/** Checks that only the program makes. */
export const NOT_CHECKED = [
  "the rules for prices (dates, sources, adjustment), the text that models were sent, and what control entrants hold",
  "averages of repeated calls, stability and intervals",
  "OpenTimestamps files, and headers of providers, which are never published",
];

/**
 * `files` maps paths inside the round to bytes, `index` is files.json or null, `shown` are the site's rows of
 * outcomes.csv for this round or null. `log` is { vkey, checkpoint, salts, files, read, rounds } or null: `files`
 * lists the paths of the log, `rounds` every round beside this one where all of them are here. `reader` brings
 * { now, key, since: [{ name, note }], roots: [PEM], publicRoots: [PEM] }.
 */
export async function check(files, index = null, shown = null, log = null, reader = {}) {
  const lines = [];
  const add = (area, what, state, detail = "", code = "") => lines.push({ area, what, state, detail, code });
  const say = (area, what, holds, detail) => add(area, what, holds === null ? OPEN : holds ? MATCH : DIFFERS, detail);
  const figures = { matches: 0, all: 0 };
  const compare = (area, what, stored, computed) => {
    const equal = typeof computed === "number" && stored !== "" && stored !== null
      ? Number(stored) === computed : String(stored ?? "") === String(computed ?? "");
    figures.all++;
    figures.matches += equal ? 1 : 0;
    add(area, what, equal ? MATCH : DIFFERS, equal ? `${computed ?? "none"}` : `stored ${stored}, computed ${computed}`, equal ? "" : "result-differs");
  };
  const attempt = async (area, what, work) => {
    try { return await work(); } catch (error) { add(area, what, DIFFERS, error.message, "unreadable-file"); return null; }
  };
  const finder = (area) => (code, place, detail) => add(area, place, WARNINGS.includes(code) ? WARNED : DIFFERS, detail, code);
  const matcher = (area) => (place, detail) => add(area, place, MATCH, detail);

  if (index) await listed(files, index, add);
  await attempt("frozen", "hashes.json", () => frozen(files, add));
  const round = index?.round_id ?? log?.round ?? roundOf(files);
  const manifest = await attempt("files", "manifest.yaml", () => manifestOf(files)) ?? { promise: "none", window: null };
  await checkFiles(files, round, finder("files"), matcher("files"));
  const found = await attempt("returns", "options and prices", () => allReturns(files));
  if (found) for (const run of scoredRuns(files, index?.official_run_id)) {
    const rows = index && index.official_run_id !== run ? null : shown;
    await checkRun(run, files, found, rows, { say, compare, attempt });
  } else add("returns", "all figures", OPEN, "ending prices are not public before the window is over, so nothing can be recomputed");

  if (found && manifest.withheld) add("returns", "prices", OPEN, "returns are the operator's word: closes are not published", "closes-not-published");

  const told = await signed(files, round, manifest, log, reader, { add, finder, matcher });
  const counts = { [MATCH]: 0, [DIFFERS]: 0, [WARNED]: 0, [OPEN]: 0 };
  for (const line of lines) counts[line.state]++;
  const broken = counts[DIFFERS] > 0, proof = told?.proof ?? null;
  return {
    lines, counts, figures, proof, verdict: broken ? "does not hold" : "holds", level: level(proof, broken), log: told?.log ?? null,
    authorities: proof?.authorities ?? [], notProved: proof ? notProved(proof, told.log) : [], notChecked: NOT_CHECKED,
  };
}

/** The signed log and what it proves of the round; null where there is none that can be read. */
async function signed(files, round, manifest, source, given, { add, finder, matcher }) {
  const find = finder("log"), reader = { now: Date.now(), ...given };
  let log = null, proof = null;
  if (source) {
    try { log = await readLog(source, reader, find); } catch (error) { find("log-broken", "log/checkpoint", error.message); }
  } else if (reader.key || reader.since?.length) find("log-history-differs", "log", "there is no log, although a key or a checkpoint of one was given");
  else add("log", "log/checkpoint", OPEN, "there is no signed log of this round");
  if (log) {
    add("log", "log/checkpoint", MATCH, `${log.state.size} leaves, signed by ${log.state.origin}; every leaf was read`);
    for (const { size, before, authority } of log.stamps)
      add("stamps", `log/checkpoints/${size}`, MATCH, `seen before ${new Date(before).toISOString()} by ${authority}`);
    const witnesses = log.witnesses, place = "log/witnesses", words = witnessWords(witnesses, log.state.size);
    if (witnesses.missing) find("quorum-missing", place, witnesses.missing);
    else if (words) add("witnesses", place, MATCH, words);
    for (const name of witnesses.strangers) add("witnesses", name, OPEN, "a cosignature by a key that nobody names as a witness");
    for (const name of log.unread) add("stamps", name, OPEN, "OpenTimestamps files are for the program");
    const here = source.rounds ? new Set(source.rounds) : null;
    for (const name of new Set(log.events.map((event) => event.round)))
      if (here && !["claims", "entries"].includes(name) && !here.has(name)) find("logged-file-missing", name, "is in the log, but there is no such round here");
    proof = await prove(log, round, { files, salts: source.salts ?? {}, manifest, reader }, find, matcher("log"));
    if (!proof) add("log", "log", OPEN, "no event of the log is about this round");
  }
  if (manifest.promise !== "none" && (proof?.steps.first || isAsked(files)))
    for (const missing of unkept(manifest.promise, proof, reader.now))
      find("promise-not-kept", "manifest.yaml", `promises \`proof: ${manifest.promise}\`: ${missing}`);
  return { log, proof };
}

async function listed(files, index, add) {
  const names = new Set(index.files.map((file) => file.path));
  for (const file of index.files) {
    if (!files.has(file.path)) { add("index", file.path, OPEN, "the file is not here"); continue; }
    const bytes = files.get(file.path), digest = await sha256(bytes);
    const same = digest === file.sha256 && bytes.length === file.bytes;
    add("index", file.path, same ? MATCH : DIFFERS, same ? digest : `listed ${file.sha256}, computed ${digest}`);
  }
  for (const path of files.keys()) if (!names.has(path)) add("index", path, OPEN, "the site does not list it");
}

async function frozen(files, add) {
  if (!files.has("hashes.json")) return add("frozen", "hashes.json", OPEN, "the round is not frozen, or the file is not here");
  const stored = JSON.parse(text(files.get("hashes.json")));
  if (!Object.keys(stored).length) return add("frozen", "hashes.json", OPEN, "the round is not frozen");
  if (stored.algorithm !== "sha256") throw new Error(`unknown algorithm ${stored.algorithm}`);
  for (const [path, wanted] of Object.entries(stored.files)) {
    if (!files.has(path) && audience(path) === "never") { add("frozen", path, OPEN, "the file is private and not here"); continue; }
    const digest = files.has(path) ? await sha256(files.get(path)) : "none: the file is not here", same = digest === wanted;
    add("frozen", path, same ? MATCH : DIFFERS, same ? digest : `frozen ${wanted}, computed ${digest}`, same ? "" : "input-hash-mismatch");
  }
}

/** The id a folder of files claims. */
export const roundOf = (files) =>
  files.has("manifest.yaml") ? members(text(files.get("manifest.yaml"))).round_id ?? null : null;
