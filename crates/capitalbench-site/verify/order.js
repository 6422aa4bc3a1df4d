// Whether a round happened in the order that makes it evidence, and whether every slot has exactly one end.
//
//   T(freeze) < first attempt ≤ last attempt ≤ T(picks) < entry < exit ≤ T(score)
//
// T is the time of an outside clock. A late stamp proves nothing, but it is no contradiction either.
import { instant, told } from "./bytes.js";
import { SLACK } from "./events.js";
import { MARKETS } from "./markets.js";
import { REJECTIONS } from "./stored.js";

const NAMES = {
  freeze: "the freeze", first: "the first request", last: "the last answer", picks: "the picks",
  entry: "the entry close", exit: "the exit close", score: "the results",
};

/** What the clocks of a zone show at an instant, as if they hung in UTC. */
function clocks(zone, at) {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric",
  }).formatToParts(at);
  const [year, month, day, hour, minute] = ["year", "month", "day", "hour", "minute"].map((type) => Number(parts.find((part) => part.type === type).value));
  return Date.UTC(year, month - 1, day, hour, minute);
}

/** When the session of a day ends in a market, by its own clocks; null where its days are not known here. */
export function close(day, market) {
  const own = MARKETS[market], midnight = /^\d{4}-\d\d-\d\d$/.test(day ?? "") ? Date.parse(`${day}T00:00:00Z`) : NaN;
  const time = own?.unusual[day] ?? own?.hours.findLast(([from]) => from <= day)?.[1];
  if (!time || Number.isNaN(midnight)) return null;
  const [hour, minute] = time.split(":").map(Number);
  const shown = midnight + (hour * 60 + minute) * 60_000;
  // Clocks that are an hour off at the first guess are right at the second, which lies on the same side of their change.
  const guess = shown - (clocks(own.zone, shown) - shown);
  return shown - (clocks(own.zone, guess) - guess);
}

/** Which events are the steps of a round; `ofRecord` knows the run that counts. */
export function steps(events, window, ofRecord) {
  const found = { entry: close(window?.entry, window?.market), exit: close(window?.exit, window?.market) };
  for (const event of events) {
    const at = instant(event.at), mark = { first: event.leaf, last: event.leaf, at };
    if (event.event === "round.freeze") found.freeze = mark;
    if (!event.run || !ofRecord(event.run)) continue;
    switch (event.event) {
      case "attempt.begin": found.first ??= mark; break;
      case "attempt.end": found.last = { ...mark, at: Math.max(at, found.last?.at ?? at) }; break;
      case "run.accepted": case "pick.accepted": found.picks = { ...mark, first: found.picks?.first ?? mark.first }; break;
      case "score": found.score ??= mark; found.lastScore = mark; break;
    }
  }
  return found;
}

const proved = { verdict: "proved" }, open = { verdict: "open" };
const not = (text, step) => ({ verdict: "not proved", text, unstamped: step });
const unlogged = (step) => not(`${NAMES[step]}: not in the log`);
const unstamped = (step) => not(`${NAMES[step]}: stamped by no outside clock`, step);
const late = (step, before, limit) => not(`${NAMES[step]}: stamped only at ${told(before)}, which is not before ${told(limit)}`);
const noWindow = not("this page does not know the entry and exit close of the round");
const places = (one, other) => ({ verdict: "broken", kind: "places", text: `the log has ${NAMES[other]} before ${NAMES[one]}` });
const reversed = ([one, at], [other, then]) => ({
  verdict: "broken", kind: "instants", steps: [one, other], text: `${NAMES[one]} (${told(at)}) must come before ${NAMES[other]} (${told(then)})`,
});

/** No event can happen after an outside clock stamped it. */
function backdated(step, mark) {
  return mark.before !== undefined && mark.at > mark.before + SLACK ? {
    verdict: "broken", kind: "claimed", text: `${NAMES[step]}: the log says ${told(mark.at)}, and an outside clock had seen it before ${told(mark.before)}`,
  } : null;
}

function beforeAttempts({ freeze, first }) {
  if (!first) return open;
  if (!freeze) return unlogged("freeze");
  const found = backdated("freeze", freeze) ?? backdated("first", first);
  if (found) return found;
  if (freeze.last >= first.first) return places("freeze", "first");
  if (freeze.at > first.at) return reversed(["freeze", freeze.at], ["first", first.at]);
  if (freeze.before === undefined) return unstamped("freeze");
  return freeze.before >= first.at ? late("freeze", freeze.before, first.at) : proved;
}

function attempts({ first, last }) {
  if (!last) return open;
  if (!first) return unlogged("first");
  if (first.first >= last.last) return places("first", "last");
  return first.at > last.at ? reversed(["first", first.at], ["last", last.at]) : proved;
}

function beforePicks({ last, picks }) {
  if (!picks) return open;
  if (!last) return unlogged("last");
  const found = backdated("last", last) ?? backdated("picks", picks);
  if (found) return found;
  if (last.last >= picks.first) return places("last", "picks");
  if (picks.before !== undefined && last.at > picks.before + SLACK) return reversed(["last", last.at], ["picks", picks.before]);
  if (last.at > picks.at) return reversed(["last", last.at], ["picks", picks.at]);
  return picks.before === undefined ? unstamped("picks") : proved;
}

function beforeEntry({ picks, entry }) {
  if (!picks) return open;
  if (entry === null) return noWindow;
  if (picks.at >= entry) return reversed(["picks", picks.at], ["entry", entry]);
  if (picks.before === undefined) return unstamped("picks");
  return picks.before >= entry ? late("picks", picks.before, entry) : proved;
}

function inWindow({ entry, exit }) {
  if (entry === null || exit === null) return noWindow;
  return entry < exit ? proved : reversed(["entry", entry], ["exit", exit]);
}

function beforeScore({ picks, exit, score }) {
  if (!score) return open;
  if (exit === null) return noWindow;
  const found = backdated("score", score);
  if (found) return found;
  if (!picks) return unlogged("picks");
  if (picks.last >= score.first) return places("picks", "score");
  if (score.before !== undefined && score.before < exit) return reversed(["exit", exit], ["score", score.before]);
  if (score.at < exit) return reversed(["exit", exit], ["score", score.at]);
  return score.before === undefined ? unstamped("score") : proved;
}

const LINES = {
  "freeze-before-attempts": [beforeAttempts, "freeze"], "attempts-in-order": [attempts, "first"], "attempts-before-picks": [beforePicks, "last"],
  "picks-before-entry": [beforeEntry, "picks"], "entry-before-exit": [inWindow, null], "exit-before-score": [beforeScore, "score"],
};

/** Every line of the order; `before(mark)` is the earliest outside stamp over a step. */
export function judge(found, before) {
  const seen = { ...found };
  for (const step of ["freeze", "first", "last", "picks", "score"])
    if (seen[step]) seen[step] = { ...seen[step], before: before(seen[step]) };
  return Object.entries(LINES).map(([line, [look, step]]) => ({ line, leaf: step && seen[step]?.last, ...look(seen) }));
}

/** Whether a round that promises stamps may not go on; results are stamped after they are made. */
export const refuses = ({ verdict, line }) => verdict === "broken" || (verdict === "not proved" && line !== "exit-before-score");

export function isProved(order) {
  const holds = (name) => order.some(({ line, verdict }) => line === name && verdict === "proved");
  return holds("freeze-before-attempts") && holds("picks-before-entry") && !order.some(refuses);
}

/** Events in the wrong order break the log; for a missed window there is only the operator's clock. */
export function codeOf({ kind, steps: [one, other] = [] }, promised) {
  if (kind !== "instants") return "log-order-broken";
  const closes = [one, other].some((step) => step === "entry" || step === "exit");
  return (one === "freeze" && !promised) || closes ? "order-unproved" : "log-order-broken";
}

const MOST_SLOTS = 200_000;

/** How the slots of a run ended, and what is wrong with them; null when the log announces none. */
export function slots(run, events, goesOn = false) {
  const plan = events.find((event) => event.event === "roster.slots" && event.run === run);
  if (!plan) return null;
  const problems = [], unseen = [], places = new Map(), counted = { slots: 0, valid: 0, invalid: 0, failed: 0, open: 0, retries: 0 };
  const count = plan.models.length * plan.replicates;
  if (count > MOST_SLOTS) return { unseen, problems: [`announces ${count} slots; at most ${MOST_SLOTS} are counted`], counted };
  for (const model of plan.models)
    for (let replicate = 1; replicate <= plan.replicates; replicate++)
      places.set(JSON.stringify([model, replicate]), { name: `${model}, replicate ${replicate}`, begun: [], ended: new Map(), rejected: new Set() });
  for (const event of events) {
    if (event.run !== run || !event.event.startsWith("attempt.")) continue;
    const slot = places.get(JSON.stringify([event.model, event.replicate]));
    if (!slot) { problems.push(`leaf ${event.leaf} belongs to a slot that was not planned`); continue; }
    const wrong = (text) => problems.push(`${slot.name}: leaf ${event.leaf} ${text}`);
    const { attempt } = event;
    if (event.event === "attempt.begin") {
      if (slot.begun.length + 1 !== attempt) wrong(`begins attempt ${attempt} out of turn`);
      if (slot.ended.get(attempt - 1) === "valid") wrong("asks again after a valid answer");
      slot.begun.push(attempt);
    } else {
      if (!slot.begun.includes(attempt)) wrong(`ends attempt ${attempt} before it begins`);
      if (slot.ended.has(attempt)) wrong(`ends attempt ${attempt} again`);
      slot.ended.set(attempt, event.status);
      if (REJECTIONS.includes(event.reason)) slot.rejected.add(attempt);
    }
  }
  for (const { name, begun, ended, rejected } of places.values()) {
    counted.slots++;
    counted.retries += Math.max(0, begun.length - 1);
    // What was turned away before anything was generated uses up no retry.
    const asked = begun.filter((attempt) => !rejected.has(attempt)).length;
    if (asked > plan.max_retries + 1) problems.push(`${name}: has ${asked} attempts, but only ${plan.max_retries} retries are allowed`);
    for (const attempt of begun) if (!ended.has(attempt)) (goesOn ? unseen : problems).push(`${name}: attempt ${attempt} has no end`);
    const last = ended.get(Math.max(...ended.keys()));
    // The acceptance lists a model without an answer, and the round goes on without it.
    if (last === undefined && goesOn) counted.failed++;
    else if (last === undefined) { counted.open++; problems.push(`${name}: has no end`); }
    else counted[["valid", "invalid"].includes(last) ? last : "failed"]++;
  }
  return { problems, unseen, counted };
}

/** Every part of the manifest's promise that is missing; picks may wait for their stamp until the entry close. */
export function unkept(promise, proof, now) {
  if (!proof) return ["no event of a signed log is about this round"];
  const missing = proof.steps.freeze ? [] : ["the freeze is not in the log"];
  if (promise !== "anchored") return missing;
  const over = proof.steps.entry === null || now >= proof.steps.entry || Boolean(proof.steps.score);
  const due = proof.promised.filter(refuses).filter((line) => over || line.unstamped !== "picks");
  return [...missing, ...due.map(({ text }) => text)];
}
