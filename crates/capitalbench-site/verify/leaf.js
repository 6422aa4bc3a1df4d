// One leaf of the log: canonical JSON, of a known kind, every member known and of its form.
import { canonical, isDigest, text } from "./bytes.js";

const isText = (value) => typeof value === "string" && value !== "";
const isNumber = (value) => Number.isSafeInteger(value) && value >= 0;
const isSmall = (value) => isNumber(value) && value < 2 ** 32;
const isTexts = (value) => Array.isArray(value) && value.every((item) => typeof item === "string");
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isFiles = (value) => isObject(value) && Object.values(value).every(isDigest);
const optional = (form) => Object.assign((value) => value === undefined || form(value), { optional: true });

/** An instant has one form: UTC, with a fraction that does not end in zero. */
function isInstant(value) {
  const parts = typeof value === "string" && /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{0,8}[1-9])?Z$/.exec(value);
  if (!parts || Number(parts[2]) > 23 || Number(parts[3]) > 59 || Number(parts[4]) > 59) return false;
  const day = new Date(`${parts[1]}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toJSON().startsWith(parts[1]);
}

const PLACE = { run: isText, model: isText, replicate: isSmall, attempt: isSmall, sealed_record: isDigest };
const SHEET = { session: isText, files: isFiles };
const KINDS = {
  "round.freeze": { inputs: isFiles, deadline: optional(isInstant), roster: isTexts },
  methodology: { label: isText, program: isText },
  "roster.slots": { run: isText, kind: isText, calls: isText, models: isTexts, replicates: isSmall, max_retries: isSmall, plan_sha256: isDigest },
  "attempt.begin": { ...PLACE, input_sha256: isDigest },
  "attempt.end": { ...PLACE, status: isText, reason: optional(isText), sealed_answer: optional(isDigest) },
  "run.repaired": { run: isText, number: isNumber, model: isText, from: isText, to: isText, reason: isText, sealed_record: isDigest },
  "run.accepted": { run: isText, submissions: isNumber, supersedes: optional(isText), sealed_record: isDigest },
  "pick.accepted": { run: isText, file: isText, sealed_submission: isDigest },
  "round.ended": { ending: isText, reason: isText, sealed_record: isDigest },
  "round.explained": { number: isNumber, reason: isText, sealed_record: isDigest },
  "prices.entry": SHEET,
  "prices.exit": SHEET,
  score: { run: isText, results: isFiles },
  correction: { run: optional(isText), number: isNumber, reason: isText, replaced: isFiles, results: isFiles },
  "round.files": { number: isNumber, bodies: isFiles, gone: isTexts },
  claim: { statement: isText, files: isFiles },
  "agent.asked": { entrant: isText, for_round: isText, question_sha256: isDigest },
  "agent.answered": { entrant: isText, for_round: isText, outcome: isText, sealed_answer: optional(isDigest), sealed_transcript: optional(isDigest) },
  "claim.registered": {
    claim: isText, first: isText, second: isText, track: isText, side: isText, alpha: isText, scale: isText, spread: isText,
    first_day: isText, last_day: optional(isText), season: isText, family: isNumber, method: isText, files: isFiles,
  },
  "entrant.registered": { entrant: isText, files: isFiles },
  "entry.sealed": { entrant: isText, key: isText, for_round: isText, commitment: isDigest, files: isFiles },
  "entry.opened": { entrant: isText, key: isText, for_round: isText, files: isFiles },
};
const EVERY = { version: (value) => value === 1, event: isText, round: isText, at: isInstant };

/** The event of a leaf; throws what is wrong with it. */
export function event(bytes) {
  const source = text(bytes);
  const found = JSON.parse(source);
  if (!isObject(found)) throw new Error("is not an object");
  if (canonical(found) !== source) throw new Error("is not in canonical form (RFC 8785)");
  if (!Object.hasOwn(KINDS, found.event)) throw new Error(`event: ${found.event} is of a kind that is not known here`);
  const members = { ...EVERY, ...KINDS[found.event] };
  for (const [name, form] of Object.entries(members))
    if (!form(found[name])) throw new Error(`${name}: is missing or not of its form`);
  const unknown = Object.keys(found).find((name) => !Object.hasOwn(members, name));
  if (unknown) throw new Error(`${unknown}: is not a member of this event`);
  return found;
}

/** The identity of an event: its members without instant, program and sealed digests. */
export function identity(found) {
  const kept = Object.entries(found).filter(([name, value]) =>
    value !== undefined && value !== null && name !== "at" && name !== "program" && !name.startsWith("sealed_"));
  return canonical(Object.fromEntries(kept));
}

/** The kind of an event that a later one replaces; null for those that all stay true. */
export function replacedKind(found) {
  if (["prices.entry", "prices.exit", "round.freeze", "methodology"].includes(found.event)) return found.event;
  if (found.event === "score") return `score ${found.run}`;
  return found.event === "claim" ? `claim ${found.statement}` : null;
}

/** An event in words. */
export function words(found) {
  const name = found.event;
  switch (name) {
    case "roster.slots": case "run.accepted": case "score": return `${name} of ${found.run}`;
    case "attempt.begin": case "attempt.end":
      return `${name} ${found.attempt} of ${found.model}, replicate ${found.replicate}, in ${found.run}`;
    case "pick.accepted": return `${name} ${found.file} of ${found.run}`;
    case "run.repaired": return `${name} ${found.number} of ${found.run}`;
    case "round.explained": return `${name} ${found.number}`;
    case "correction": return `${name} ${found.number} of ${found.run ?? "the prices"}`;
    case "prices.entry": case "prices.exit": return `${name} of ${found.session}`;
    case "entrant.registered": return `${name} ${found.entrant}`;
    case "entry.sealed": case "entry.opened": return `${name} of ${found.entrant} for ${found.for_round}`;
    case "claim.registered": return `${name} ${found.claim}`;
    case "claim": return `${name} "${found.statement}"`;
    default: return name;
  }
}
