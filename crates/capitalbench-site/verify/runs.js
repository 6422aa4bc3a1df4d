// Files of a round against each other: frozen inputs, research, answers, acceptances, the record of prices, interim rows.
import { sha256, text } from "./bytes.js";
import { holdings, portfolio, universe } from "./compute.js";
import { attemptPath } from "./fixed.js";
import { alike, decided, ledger, objectIn, withoutAnswer } from "./ledger.js";
import { csv, lists, members, options } from "./read.js";
import { acceptance, exceptionsOf, json, jsonLines, runsOf, submissionsOf, tombstone, yaml } from "./stored.js";

const RESEARCH = ["briefing_audit_report.md", "final_briefing.md", "market_fact_report.md", "research_manifest.yaml"].map((name) => `research/${name}`);
const OURS = ["single_pick-v1.1", "portfolio-v1.1", "single_pick-v1.2", "portfolio-v1.2"];
const FETCHED = ["entry_prices.csv", "exit_prices.csv", "window.csv", "cross_check.json", "source_exception.json", "move_exception.json"].map((name) => `prices/${name}`);

/** What the manifest promises and frames. */
export function manifestOf(files) {
  const own = yaml(files, "manifest.yaml");
  // From v1.2 on a round goes on without models that gave no valid answer, if the manifest says so and names its models.
  const source = files.has("manifest.yaml") ? text(files.get("manifest.yaml")) : "";
  // A market of the operator's own stands in the manifest in full, and this page does not read it.
  const market = own.market ?? (/^own_market:/m.test(source) ? null : "XNYS");
  const window = own.entry_date && own.exit_date ? { entry: own.entry_date, exit: own.exit_date, market } : null;
  const goesOn = (own.methodology_version ?? "").endsWith("-v1.2") && /^failure_policy:/m.test(source) && Boolean(lists(source).expected_model_ids);
  const withheld = /^publish:\r?\n {2}prices: returns$/m.test(source);
  return { withheld, round: own.round_id ?? null, promise: own.proof ?? "none", window, label: own.methodology_version ?? null, goesOn };
}

/** Whether a provider was asked; rehearsals with invented answers do not count. */
export function isAsked(files) {
  return runsOf(files).some((run) => {
    const own = yaml(files, `runs/${run}/run_manifest.yaml`);
    return !(own.mock === true && own.synthetic !== true);
  });
}

/** Runs every check of this module; reports faults to `find(code, place, text)` and matches to `match(place, text)`. */
export async function checkFiles(files, round, find, match) {
  const parts = [
    ["research", () => research(files, find, match)], ["manifest.yaml", () => roster(files, round, find, match)],
    ["prices", () => published(files, find)], ["prices/provenance.json", () => priceRecord(files, round, find, match)], ["automation/resolution_job.yaml", () => job(files, round, find)], ["tombstone.json", () => endings(files, round, find)],
    ...runsOf(files).flatMap((run) => [
      [`runs/${run}/acceptance.json`, () => accepted(files, round, run, find, match)], [`runs/${run}/submissions`, () => decisions(files, run, find, match)],
      [`runs/${run}/run_log.jsonl`, () => replies(files, run, find, match)], [`runs/${run}/attempts`, () => ledger(files, run, find, match)],
      [`runs/${run}/results/weekly_performance.csv`, () => interim(files, run, find, match)],
    ]),
  ];
  for (const [place, part] of parts)
    try { await part(); } catch (error) { find("unreadable-file", place, error.message); }
}

async function research(files, find, match) {
  if (![...files.keys()].some((path) => path.startsWith("research/"))) return;
  const stored = json(files, "research/research_hashes.json").files ?? {};
  for (const path of new Set([...Object.keys(stored), ...RESEARCH.filter((own) => files.has(own))])) {
    const digest = files.has(path) ? await sha256(files.get(path)) : null;
    if (digest === stored[path]) match(path, "has its digest of research_hashes.json");
    else find("research-hash-mismatch", path, digest === null ? "is missing" : stored[path] ? "changed after it was hashed" : "is in no list of digests");
  }
  const [briefing, final] = ["briefing.md", "research/final_briefing.md"].map((path) => (files.has(path) ? text(files.get(path)) : null));
  if (briefing !== final) find("briefing-differs", "briefing.md", "differs from research/final_briefing.md");
}

async function roster(files, round, find, match) {
  if (!files.has("manifest.yaml")) return;
  const source = text(files.get("manifest.yaml")), own = members(source), ids = lists(source).expected_model_ids;
  if (round && own.round_id !== round) find("round-id-mismatch", "manifest.yaml", `names the round ${own.round_id}`);
  if (!ids) return;
  const digest = (await sha256(new TextEncoder().encode([...ids].sort().join("\n")))).slice(0, 12);
  if (own.model_roster_version?.endsWith(`-${digest}`)) match("manifest.yaml", "the roster's version follows from its models");
  else find("roster-version-mismatch", "manifest.yaml", `is ${own.model_roster_version}; the ids give …-${digest}`);
}

/** The sheets are those that the record of their fetch describes. */
async function priceRecord(files, round, find, match) {
  const path = "prices/provenance.json";
  const sheets = FETCHED.slice(0, 2);
  for (const word of ["prices/cross_check_acceptance.json", "prices/unproved_acceptance.json", "prices/source_exception.json", "prices/move_exception.json"])
    if (files.has(word) && json(files, word).format_version !== 1) throw new Error(`${word}: format_version must be 1`);
  const word = "prices/unproved_acceptance.json";
  if (files.has(word) && manifestOf(files).promise !== "none")
    find("prices-unproved", word, `there is no record of a fetch; the operator says: ${json(files, word).reason}`);
  if (!files.has(path)) {
    if (OURS.includes(yaml(files, "manifest.yaml").methodology_version) && sheets.every((file) => files.has(file))) await unproved(files, sheets, find);
    return;
  }
  const record = json(files, path);
  if (round && record.round_id !== round) find("price-record-differs", path, `is of the round ${record.round_id}`);
  if (record.purpose === "informational" && files.has("prices/exit_prices.csv"))
    find("price-record-differs", path, "the entry sheet is informational and the exit sheet comes from another fetch");
  origin(files, record, find);
  for (const file of FETCHED) {
    const digest = files.has(file) ? await sha256(files.get(file)) : null, wanted = record.files[file] ?? null;
    if (digest === wanted) { if (wanted) match(file, "is the file that was fetched"); }
    else find("price-record-differs", file, digest === null ? "is missing" : wanted ? "changed after it was fetched" : "does not belong to the last fetch");
  }
}

/** A round publishes closes or indexes, as its manifest says. */
function published(files, find) {
  const { withheld } = manifestOf(files);
  for (const name of ["entry_prices", "exit_prices", "weekly_prices", "window"]) {
    const path = `prices/${name}.csv`, header = files.has(path) ? text(files.get(path)).split(/\r?\n/, 1)[0].split(",") : null;
    if (header && header.includes("index") !== withheld)
      find("not-as-published", path, withheld ? "holds closes; the manifest publishes returns only" : "holds indexes; the manifest publishes closes");
  }
}

/** A source other than the frozen one needs the operator's reason, which the warning shows. */
function origin(files, record, find) {
  const frozen = yaml(files, "manifest.yaml"), path = "prices/source_exception.json", parts = [];
  const compared = files.has("prices/cross_check.json") ? json(files, "prices/cross_check.json").source : null;
  const second = record.purpose === "informational" ? frozen.second_price_source : compared;
  if (frozen.price_source && frozen.price_source !== record.source) parts.push(`prices come from ${record.source}; the manifest froze ${frozen.price_source}`);
  if (frozen.second_price_source && frozen.second_price_source !== second)
    parts.push(`they are compared with ${second ?? "nothing"}; the manifest froze ${frozen.second_price_source}`);
  if (!parts.length) return;
  const departure = parts.join("; "), told = files.has(path) ? json(files, path) : null;
  if (told?.departure === departure) find("price-source-replaced", "prices", `${departure}: ${told.reason}`);
  else find("price-record-differs", "prices/provenance.json", `${departure}, but no reason for it is recorded`);
}

/** Sheets without a record of a fetch count only if the operator accepted exactly these sheets. */
async function unproved(files, sheets, find) {
  const path = "prices/unproved_acceptance.json", own = files.has(path) ? json(files, path) : {};
  const [entry, exit] = await Promise.all(sheets.map((file) => sha256(files.get(file))));
  if (own.entry_prices_sha256 !== entry || own.exit_prices_sha256 !== exit)
    find("price-record-differs", "prices", "no record of a fetch proves these sheets, and nobody accepted them");
}

function job(files, round, find) {
  const path = "automation/resolution_job.yaml";
  if (!files.has(path)) return;
  const own = yaml(files, path), scored = files.has(`runs/${own.run_id}/results/leaderboard.csv`);
  if (round && own.round_id !== round) find("round-id-mismatch", path, `belongs to ${own.round_id}`);
  if (own.status === "succeeded" && !scored) find("job-contradicts-result", path, `says that ${own.run_id} was scored, but it has no leaderboard`);
  if (["scheduled", "running", "failed"].includes(own.status) && scored)
    find("job-contradicts-result", path, `says ${own.status}; ${own.run_id} has a leaderboard`);
  const chosen = recordOf(files);
  if (chosen && chosen !== own.run_id) find("job-contradicts-result", path, `names ${own.run_id}, but the record is ${chosen}`);
}

/** The accepted run that no later acceptance withdrew; null if there is none or more than one. */
export function recordOf(files) {
  const found = new Map();
  for (const run of runsOf(files)) try { const own = acceptance(files, run); if (own) found.set(run, own); } catch { return null; }
  for (const own of [...found.values()]) found.delete(own.supersedes);
  return found.size === 1 ? [...found.keys()][0] : null;
}

/** An acceptance describes the run it lies in. */
async function accepted(files, round, run, find, match) {
  const own = acceptance(files, run), at = (path) => `runs/${run}/${path}`;
  if (!own) return;
  const differs = (place, problem) => find("acceptance-differs", place, problem);
  if (own.run_id !== run || (round && own.round_id !== round)) differs(at("acceptance.json"), `names ${own.run_id} of ${own.round_id}`);
  const digest = async (path) => (files.has(path) ? sha256(files.get(path)) : null);
  if (await digest(at("run_log.jsonl")) !== own.run_log_sha256) differs(at("run_log.jsonl"), "changed after it was accepted");
  if (await digest("hashes.json") !== own.hashes_json_sha256) differs("hashes.json", `changed after ${run} was accepted`);
  const without = withoutAnswer(files, run), listed = own.without_answer ?? [];
  if (files.has(at("slots.json")) && !alike(without, listed))
    find("missing-answers-differ", at("acceptance.json"), `lists [${named(listed)}] without a valid answer; the ledger gives [${named(without)}]`);
  const left = new Set(listed.map(({ model_id }) => attemptPath({ run, model: model_id, attempt: 1 }, 1, "x").replace("/attempts/", "/submissions/raw/").replace(/__001\.x$/, ".json")));
  const raw = submissionsOf(files, at("submissions/raw/")).filter((path) => !left.has(path));
  for (const path of new Set([...raw, ...Object.keys(own.submissions).map(at)])) {
    const now = await digest(path), then = own.submissions[path.slice(at("").length)] ?? null;
    if (now === then) match(path, "is what was accepted");
    else differs(path, now === null ? "was accepted, but is missing" : then ? "changed after it was accepted" : "was added after the acceptance");
  }
}

const named = (models) => models.map(({ model_id, reason }) => `${model_id} (${reason})`).join(", ");

/** A tombstone or an explanation describes the round it lies in, and a record has no tombstone. */
function endings(files, round, find) {
  const end = tombstone(files), differs = (place, problem) => find("ending-differs", place, problem);
  if (end && round && end.round_id !== round) differs("tombstone.json", `names the round ${end.round_id}`);
  if (end) for (const run of runsOf(files)) if (files.has(`runs/${run}/acceptance.json`)) differs("tombstone.json", `stands beside ${run}, which was accepted`);
  for (const { path, own } of exceptionsOf(files)) if (round && own.round_id !== round) differs(path, `names the round ${own.round_id}`);
}

/** Parsed answers follow from the raw ones, and there are as many as the run says. */
async function decisions(files, run, find, match) {
  const folder = `runs/${run}/submissions/`, raw = submissionsOf(files, `${folder}raw/`), parsed = submissionsOf(files, `${folder}parsed/`);
  for (const path of parsed) {
    const source = path.replace("/parsed/", "/raw/");
    if (!files.has(source)) { find("parsed-without-raw", path, "has no raw file"); continue; }
    const [own, said] = [json(files, path), json(files, source)];
    const strange = Object.keys(own).find((name) => Object.hasOwn(said, name) && !follows(own[name], said[name]));
    if (strange) find("parsed-submission-differs", path, `${strange} does not follow from the raw file`);
    else match(path, "follows from the raw answer");
  }
  const own = yaml(files, `runs/${run}/run_manifest.yaml`);
  const counts = [["valid_submissions", parsed.length], ["invalid_submissions", raw.length - parsed.length]];
  for (const [name, count] of counts)
    if (own[name] !== undefined && own[name] !== null && Number(own[name]) !== count)
      find("run-counts-differ", `runs/${run}/run_manifest.yaml`, `${name} is ${own[name]}; the files give ${count}`);
  const summary = `runs/${run}/validation_summary.json`;
  if (files.has(summary)) {
    const told = json(files, summary);
    for (const [name, count] of [["raw_count", raw.length], ["valid_count", parsed.length]])
      if (name in told && told[name] !== count) find("run-counts-differ", summary, `${name} is ${told[name]}; the files give ${count}`);
  }
}

/** Parsing may trim texts and drop unknown members; figures and choices must not change. */
function follows(own, said) {
  if (typeof own === "string") return own === String(said).trim() || own.toLowerCase() === String(said).trim().toLowerCase();
  if (typeof own === "number") return own === Number(said);
  if (Array.isArray(own)) return Array.isArray(said) && own.length === said.length && own.every((item, place) => follows(item, said[place]));
  if (own === null || typeof own !== "object") return own === said || said === undefined || said === null;
  return said !== null && typeof said === "object" && Object.keys(own).every((name) => !Object.hasOwn(said, name) || follows(own[name], said[name]));
}

/** Where the text of a reply is stored, it has the digest of the run's log, and the raw answer is its object. */
async function replies(files, run, find, match) {
  const at = (path) => `runs/${run}/${path}`, log = jsonLines(files, at("run_log.jsonl"));
  const answered = new Set();
  for (const path of submissionsOf(files, at("submissions/raw/"))) {
    const raw = json(files, path);
    answered.add(raw.model_id);
    const lines = log.filter((line) => line.model_id === raw.model_id && (line.replicate_index ?? 1) === (raw.replicate_index ?? 1));
    if (files.has(at("run_log.jsonl")) && raw.model_id !== undefined && !lines.length) find("run-log-differs", at("run_log.jsonl"), `has no line for ${path}`);
    const stored = [...new Set(lines.map((line) => line.raw_response_path).filter((own) => own && files.has(at(own))))];
    const wanted = lines.map((line) => line.raw_response_sha256).filter(Boolean);
    if (!stored.length || !wanted.length) continue;
    let own = null;
    for (const reply of stored) if (wanted.includes(await sha256(files.get(at(reply))))) own = text(files.get(at(reply)));
    if (own === null) find("reply-digest-mismatch", path, "the stored reply does not have the digest in the run log");
    else if (!("raw_text" in raw) && !alike(decided(objectIn(own) ?? {}), decided(raw))) find("raw-submission-differs", path, "is not the object of the stored reply");
    else match(path, "is what the stored reply says");
  }
  for (const line of log)
    if (!answered.has(line.model_id)) find("run-log-differs", at("run_log.jsonl"), `names ${line.model_id}, which has no raw file`);
}

/** Interim rows follow from the parsed answers and the interim prices. */
async function interim(files, run, find, match) {
  const path = `runs/${run}/results/weekly_performance.csv`, differs = (problem) => find("interim-differs", path, problem);
  if (!files.has(path)) return;
  if (!files.has("prices/weekly_prices.csv")) return differs("there is no prices/weekly_prices.csv");
  const days = new Map(), { reference } = universe(options(text(files.get("options.yaml"))));
  for (const row of csv(text(files.get("prices/weekly_prices.csv")))) {
    if (!days.has(row.target_date)) days.set(row.target_date, new Map());
    days.get(row.target_date).set(row.option_id, Number(row.price ?? row.index));
  }
  const order = [...days.keys()].sort(), entry = days.get(order[0]), decided = new Map();
  for (const own of submissionsOf(files, `runs/${run}/submissions/parsed/`)) {
    const submission = json(files, own);
    decided.set(submission.model_id, [...decided.get(submission.model_id) ?? [], submission]);
  }
  const rows = csv(text(files.get(path))), wanted = order.length * [...decided.values()].reduce((sum, list) => sum + list.length, 0);
  if (rows.length !== wanted) differs(`has ${rows.length} rows; computed ${wanted}`);
  for (const row of rows) {
    const now = days.get(row.target_date), list = decided.get(row.model_id);
    if (row.run_id !== run) differs(`a row is of ${row.run_id}`);
    if (!now || !list) { differs(`has a row of ${row.model_id} on ${row.target_date}`); continue; }
    if (list.length > 1) continue;
    const of = new Map([...now].map(([id, price]) => [id, price / entry.get(id) - 1]));
    const value = portfolio(holdings(list[0]), of), base = of.get(reference.id), place = `${row.model_id} on ${row.target_date}`;
    if (Number(row.model_return) !== value || Number(row.sp500_return) !== base || Number(row.alpha_vs_sp500) !== value - base)
      differs(`${place}: return ${row.model_return}; computed ${value}`);
    else match(path, `${place} follows from the interim prices`);
  }
}
