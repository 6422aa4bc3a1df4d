// Compares one round with the signed log: files, events, order, slots, the promise, and who vouches for the stamps.
import { hashOf, hex, instant, isDigest, text, told, unhex } from "./bytes.js";
import { fromPem } from "./certificate.js";
import { SLACK, about, contradictions } from "./events.js";
import { identity, replacedKind, words } from "./leaf.js";
import { claimedSize, continues, verifier, wholeLog } from "./log.js";
import { close, codeOf, isProved, judge, slots, steps } from "./order.js";
import { stampsOf } from "./stamps.js";
import { toldEvents } from "./told.js";
import { witnessesOf } from "./witnesses.js";

const TOP = ["README.md", "briefing.md", "given_instants.jsonl", "hashes.json", "manifest.yaml", "model_input.md", "official_selection.yaml", "options.yaml",
  "prompt.md", "submission_schema.json", "tombstone.json", "universe_validation_report.json", "universe_validation_report.md"];
const IN_RUN = ["acceptance.json", "run_log.jsonl", "run_manifest.yaml", "slots.json", "validation_summary.json"];

/** From when on a file is public: public, record, result or never. */
export function audience(path) {
  const parts = path.split("/"), [first, second, third] = parts;
  if (parts.some((part) => part.startsWith("."))) return "never";
  if (path === "round_summary.md") return "result";
  if (parts.length === 1) return TOP.includes(path) ? "public" : "never";
  if (path === "market_data/source_histories.csv") return "never";
  if (first === "research" || first === "market_data" || path === "automation/resolution_job.yaml") return "public";
  if (first === "exceptions") return parts.length === 2 ? "public" : "never";
  if (first === "prices" && parts.includes("vendor")) return "never";
  if (first === "prices") return ["prices/entry_prices.csv", "prices/weekly_prices.csv"].includes(path) ? "public" : "result";
  if (first !== "runs" || parts.length < 3) return "never";
  const inside = parts.slice(2).join("/"), depth = parts.length - 2;
  if (inside === "results/weekly_performance.csv") return "record";
  if (third === "results" || inside === "corrections.jsonl") return "result";
  if (third === "attempts" && inside.endsWith(".head.json")) return "never";
  if (depth === 1) return IN_RUN.includes(inside) ? "record" : "never";
  if (third === "submissions") return depth === 3 && ["raw", "parsed"].includes(parts[3]) ? "record" : "never";
  return depth === 2 && ["attempts", "repairs", "raw_responses", "controls"].includes(third) ? "record" : "never";
}

/** Whether inventories list a file: they leave out locks and leases, which only say who works on a round. */
export const isTold = (path) => !path.startsWith("automation/lease-") && !/(^|\/)(\.lock|\.capitalbench-[^/]*)$/.test(path);

const DATED = ["roster.slots", "attempt.begin", "attempt.end", "run.repaired", "run.accepted", "pick.accepted", "round.ended", "round.explained", "correction"];

/** Checks the log itself and reports faults to `find(code, place, text)`. Throws if nothing can be checked. */
export async function readLog(source, reader, find) {
  const since = reader.since ?? [];
  const log = await wholeLog(source, since.map(({ note }) => claimedSize(note)));
  for (const [place, problem] of log.problems) find("log-broken", place, problem);
  const own = reader.key ? await verifier(reader.key) : log.key;
  if (own.text !== log.key.text) find("log-history-differs", "log/vkey", `is not the key of ${own.name} that was given`);
  let continued = 0;
  for (const { name, note } of since)
    try { await continues(note, log, own); continued++; } catch (error) { find("log-history-differs", "log/checkpoint", `${name}: ${error.message}`); }
  const vouched = (reader.roots?.length ? reader.roots : reader.publicRoots ?? []).flatMap(fromPem);
  const { stamps, problems, unread } = await stampsOf(log, source.files ?? [], source.read, vouched, reader.now);
  for (const [place, problem] of problems) find("stamp-invalid", place, problem);
  const witnesses = await witnessesOf(log, source, reader.now);
  for (const [place, problem] of witnesses.problems) find("cosignature-invalid", place, problem);
  return { ...log, stamps, unread, continued, witnesses };
}

/** Every file must be in the log and every file of the log must exist. True if a file that records events is withheld. */
async function compareFiles(events, files, salts, find, match) {
  const told = new Map(), shown = { public: true, record: false, result: false, never: false };
  let number = 0, opened = 0, withheld = 0, hidden = false;
  for (const event of events) {
    shown.record ||= event.event === "run.accepted";
    shown.result ||= event.event === "score";
    if (event.event !== "round.files") continue;
    if (event.number !== number + 1) find("event-missing", `log/leaf ${event.leaf}`, "is an inventory, but the one before it is missing");
    number = event.number;
    for (const path of event.gone) told.delete(path);
    for (const [path, seal] of Object.entries(event.bodies)) told.set(path, seal);
  }
  for (const [path, salt] of Object.entries(salts)) {
    if (!isDigest(salt)) find("salt-missing", path, "the list of salts has something else than a salt");
    if (!told.has(path)) find("salt-missing", path, "has a salt, but is not in the log");
  }
  for (const [path, seal] of told) {
    const bytes = files.get(path), salt = salts[path], visible = shown[audience(path)];
    if (!bytes && !visible) { withheld++; hidden ||= audience(path) !== "never"; }
    else if (!bytes) find("logged-file-missing", path, "is missing");
    else if (isDigest(salt)) {
      const digest = hex(await hashOf(unhex(salt), bytes));
      if (digest === seal) { opened++; match(path, "as it was signed"); }
      else find("logged-file-differs", path, `its bytes are not those that the log signed: signed ${seal}, computed ${digest}`);
    } else if (visible) find("salt-missing", path, "its salt is not published, so it cannot be compared with the log");
    else withheld++;
  }
  for (const path of files.keys()) if (isTold(path) && !told.has(path)) find("file-not-logged", path, "the log does not know it");
  return { opened, withheld, hidden };
}

/** The events that the files record must be those of the log. */
async function compareFacts(events, files, round, find) {
  let derived;
  try { derived = await toldEvents(files, round); }
  catch (error) { return find("event-contradicts-files", "the round", error.message); }
  const logged = new Map(events.map((event) => [about(event), event])), said = new Set();
  for (const { event, at } of derived) {
    const own = identity(event), other = logged.get(own);
    said.add(own);
    if (!other) find("event-missing", "log", `the files record ${words(event)}, but the log does not`);
    else if (DATED.includes(event.event) && Math.abs(instant(other.at) - at) > 0.001)
      find("event-contradicts-files", `log/leaf ${other.leaf}`, `${words(event)} was at ${other.at} by the log and at ${told(at)} by the files`);
  }
  // The files hold only the latest prices, results and reports.
  const last = new Map(events.map((event) => [replacedKind(event) ?? words(event), event.leaf]));
  for (const event of events)
    if (event.event !== "round.files" && !said.has(about(event)) && last.get(replacedKind(event) ?? words(event)) === event.leaf)
      find("event-contradicts-files", `log/leaf ${event.leaf}`, `${words(event)} does not follow from the files`);
}

/** When each step happened, and which steps cannot have happened in this order. */
function moments(log, events, manifest, reader, find) {
  for (const { code, leaf, about: what, text: problem } of contradictions(events))
    code === "fixed-file-changed" ? find(code, what, `log/leaf ${leaf}: ${problem}`) : find(code, `log/leaf ${leaf}`, `${what} ${problem}`);
  const before = (leaf, only) => log.stamps.filter((stamp) => stamp.size > leaf && (!only || stamp.vouched))
    .reduce((least, stamp) => (least === undefined || stamp.before < least ? stamp.before : least), undefined);
  for (const event of events) {
    const seen = before(event.leaf), at = instant(event.at);
    if (seen !== undefined && at - seen > SLACK)
      find("log-order-broken", `log/leaf ${event.leaf}`, `${event.event} says ${told(at)}, but an outside clock stamped it before ${told(seen)}`);
  }
  // Exit prices do not exist before the exit close.
  const exit = close(manifest.window?.exit, manifest.window?.market);
  for (const event of events)
    if (event.event === "prices.exit" && exit !== null && instant(event.at) < exit)
      find("log-order-broken", `log/leaf ${event.leaf}`, `prices.exit says ${event.at}, before the exit close ${told(exit)}`);
  const record = events.findLast((event) => event.event === "run.accepted")?.run;
  const mock = new Set(events.filter((event) => event.calls === "mock").map((event) => event.run));
  const found = steps(events, manifest.window, (run) => (record === undefined ? !mock.has(run) : run === record));
  const order = judge(found, (mark) => before(mark.last)), vouched = judge(found, (mark) => before(mark.last, true));
  for (const line of order.filter(({ verdict }) => verdict === "broken"))
    find(codeOf(line, manifest.promise !== "none"), line.leaf === undefined || line.leaf === null ? "manifest.yaml" : `log/leaf ${line.leaf}`, line.text);
  const counted = record === undefined ? null : slots(record, events, manifest.goesOn);
  for (const problem of counted?.unseen ?? []) find("attempt-unseen", `runs/${record}`, problem);
  for (const problem of counted?.problems ?? []) find("slot-unaccounted", `runs/${record}`, problem);
  const covering = (mark) => (mark ? log.stamps.filter((stamp) => stamp.size > mark.last) : []);
  const authorities = new Map([...covering(found.freeze), ...covering(found.picks)].map((stamp) => [`${stamp.authority}|${stamp.vouched}`, stamp]));
  return {
    steps: found, order, vouched, promised: reader.roots?.length ? vouched : order, slots: counted?.counted ?? null,
    authorities: [...authorities.values()].map(({ authority, vouched: own }) => ({ name: authority, vouched: own })),
    stamped: (mark) => mark && before(mark.last),
    corrections: events.filter((event) => event.event === "correction").length,
  };
}

/** What the log proves about a round; null if the log does not contain it. */
export async function prove(log, round, { files, salts, manifest, reader }, find, match) {
  const events = log.events.filter((event) => event.round === round);
  if (!events.length) return null;
  const { opened, withheld, hidden } = await compareFiles(events, files, salts, find, match);
  if (!hidden) await compareFacts(events, files, round, find);
  return { ...moments(log, events, manifest, reader, find), events: events.length, opened, withheld };
}

/** How far a round is proved, and by whom. */
export function level(proof, broken) {
  if (broken) return "NOT PROVED";
  if (!proof) return "UNSIGNED";
  return isProved(proof.vouched) ? "PROVED" : isProved(proof.order) ? "STAMPED" : "SIGNED";
}

/** What this log cannot prove, even if the operator is honest. */
export function notProved(proof, log) {
  const found = [
    "that the provider served the model it named",
    "that nobody was asked outside of this log, on a copy of the folder and its key",
    "that universe and roster were chosen with no outcome in mind; they are fixed by the freeze",
  ];
  if (!log.continued) found.push("that this is the only log of its name; keep its checkpoint and give it to this page");
  if (proof.steps.score) found.push("that prices are those of the market; the operator chose the vendor");
  if (!isProved(proof.order)) found.push("the instants: they are the operator's word; only their order is proved");
  else if (!isProved(proof.vouched)) found.push("the instants: the operator chose the clocks; you vouch for none of them");
  if (proof.withheld) found.push("that withheld files are what the log sealed");
  return found;
}
