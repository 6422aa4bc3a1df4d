// The ledger of a run: each attempt must agree with its stored answer, and raw answers must follow from it.
import { text } from "./bytes.js";
import { attemptPath } from "./fixed.js";
import { lists } from "./read.js";
import { acceptance, ended as endOf, json, submissionsOf, yaml } from "./stored.js";

const RUN_FIELDS = ["run_type", "replicate_index", "replicate_count", "is_official_score", "usage", "cost_usd"];

/** Whether two values are equal, in any order of their members. */
export function alike(one, other) {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) return one === other;
  const names = Object.keys(one);
  return Array.isArray(one) === Array.isArray(other) && names.length === Object.keys(other).length
    && names.every((name) => Object.hasOwn(other, name) && alike(one[name], other[name]));
}

/** The object in a reply: the whole of it, or what lies between the first and the last brace. */
export function objectIn(reply) {
  const whole = reply.trim(), cut = whole.slice(whole.indexOf("{"), whole.lastIndexOf("}") + 1);
  for (const source of [whole, `${whole}}`, cut])
    try { const found = JSON.parse(source); if (found && typeof found === "object" && !Array.isArray(found)) return found; } catch { /* the next form */ }
  return null;
}

/** What a model decided, without what the runner adds. */
export const decided = (object) => Object.fromEntries(Object.entries(object).filter(([name]) => !RUN_FIELDS.includes(name)));

/** Whether an answer of a provider says a text: in one of its strings, or in several that follow each other. */
function says(answer, wanted) {
  const pieces = [];
  const walk = (value) => {
    if (typeof value === "string") pieces.push(value);
    else if (value && typeof value === "object") Object.values(value).forEach(walk);
  };
  try { walk(JSON.parse(answer)); } catch { return false; }
  const reached = new Set([0]);
  for (const piece of pieces.filter(Boolean))
    for (const at of [...reached]) if (wanted.startsWith(piece, at)) reached.add(at + piece.length);
  return reached.has(wanted.length);
}

/** Why the ledger disagrees with the answer of an attempt; null if they agree. */
function unfounded(ended, answer) {
  if (ended.text && answer === null) return "has a reply, but its answer is missing";
  if (ended.text && !says(answer, ended.text)) return "has a reply that is not in the answer";
  if (ended.object === null || ended.object === undefined) return ended.status === "valid" ? "is valid, but has no object" : null;
  const said = objectIn(ended.text ?? "");
  return said && !alike(said, ended.object) ? "has an object that is not the one in its reply" : null;
}

const hostOf = (address) => /^[^:]*:\/\/(?:[^/?#]*@)?([^/?#]+)/.exec(address ?? "")?.[1].toLowerCase() ?? null;

/** Every attempt of a slot, in order. */
function attemptsOf(files, place, replicates) {
  const found = [];
  for (let attempt = 1; ; attempt++) {
    const path = (ending) => attemptPath({ ...place, attempt }, replicates, ending);
    if (!files.has(path("begun.json"))) return found;
    const begun = json(files, path("begun.json")), answer = path("answer");
    if (begun.model_id !== place.model || begun.replicate_index !== place.replicate || begun.attempt !== attempt)
      throw new Error(`${path("begun.json")}: does not match the name of the file`);
    found.push({ begun, path, ended: files.has(path("ended.json")) ? endOf(files, path("ended.json")) : null, answer: files.has(answer) ? text(files.get(answer)) : null });
  }
}

/** The models without a valid answer in the order of the plan, each with how its last attempt ended. */
export function withoutAnswer(files, run) {
  if (!files.has(`runs/${run}/slots.json`)) return [];
  const plan = json(files, `runs/${run}/slots.json`), found = [];
  for (const { model_id, replicate_index } of plan.slots) {
    const attempts = attemptsOf(files, { run, model: model_id, replicate: replicate_index }, plan.replicates);
    if (attempts.some(({ ended }) => ended?.status === "valid") || found.at(-1)?.model_id === model_id) continue;
    const last = attempts.at(-1);
    found.push({ model_id, reason: !last ? "deadline" : last.ended ? last.ended.reason : "unknown" });
  }
  return found;
}

/** Answer → reply → raw answer, for runs that have a ledger. */
export async function ledger(files, run, find, match) {
  const at = (path) => `runs/${run}/${path}`, own = yaml(files, at("run_manifest.yaml"));
  if (!files.has(at("slots.json"))) return;
  const plan = json(files, at("slots.json")), hosts = lists(text(files.get("manifest.yaml"))).provider_hosts;
  const finished = Boolean(own.completed_at_utc) || acceptance(files, run) !== null;
  const raws = new Set(submissionsOf(files, at("submissions/raw/")));
  for (const slot of plan.slots) {
    const place = { run, model: slot.model_id, replicate: slot.replicate_index };
    const attempts = attemptsOf(files, place, plan.replicates), last = attempts.at(-1);
    for (const { begun, path, ended, answer } of attempts) {
      const problem = ended && unfounded(ended, answer);
      if (problem) find("answer-differs", path("ended.json"), problem);
      const host = hostOf(begun.base_url);
      if (hosts && !plan.mock && host !== null && !hosts.includes(host)) find("provider-host-differs", path("begun.json"), `asked ${host}, which the manifest did not freeze`);
    }
    const stem = attemptPath({ ...place, attempt: 1 }, plan.replicates, "x").slice(at("attempts/").length).replace(/__001\.x$/, "");
    const raw = at(`submissions/raw/${stem}.json`), reply = at(`raw_responses/${stem}.txt`), said = last?.ended?.text ?? "";
    raws.delete(raw);
    const problem = rawProblem(files.has(raw) ? json(files, raw) : null, last, said, finished);
    if (problem) find("raw-submission-differs", raw, problem);
    else if (last) match(raw, "follows from the attempts in the ledger");
    if (last && files.has(reply) && text(files.get(reply)) !== said) find("raw-submission-differs", reply, "is not the text of the last attempt in the ledger");
  }
  for (const raw of raws) find("raw-submission-differs", raw, "belongs to no slot of the run");
}

function rawProblem(raw, last, said, finished) {
  if (!raw && !last) return null;
  if (!raw) return finished ? "is missing, although the ledger has its answer" : null;
  if (!last) return "has no attempt in the ledger";
  const cost = last.ended?.cost_usd ?? null;
  const follows = "raw_text" in raw ? raw.raw_text === said : alike(decided(raw), decided(last.ended?.object ?? {}));
  return follows && (cost === null || raw.cost_usd === cost) ? null : "does not follow from the attempts in the ledger";
}
