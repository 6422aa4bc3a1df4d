// Finds contradictions between the events of one round: fixed files that changed, prices and results that were
// replaced without a correction, events in an impossible order, instants that run backwards.
import { instant, told } from "./bytes.js";
import { FixedFiles } from "./fixed.js";
import { identity, replacedKind } from "./leaf.js";
import { REJECTIONS } from "./stored.js";

/** Two honest clocks differ by at most this many milliseconds. */
export const SLACK = 60_000;

/** Every contradiction between the events of one round, in the order of the log. */
export function contradictions(events) {
  const files = new FixedFiles(), others = [new Replacements(), new Instants(), new Places()];
  for (const event of events) for (const part of [files, ...others]) part.take(event);
  files.endOfBatch();
  others[0].endOfWaiting();
  return [files, ...others].flatMap((part) => part.found);
}

class Part {
  found = [];
  report(event, text, code = "log-order-broken", about = event.event) {
    this.found.push({ code, leaf: event.leaf, about, text });
  }
}

/** From the first exit prices on the outcome is known, so replacing prices or results needs a reason. */
class Replacements extends Part {
  exit = null;
  score = null;
  lastScore = null;
  last = new Map();
  corrections = [];
  waiting = [];

  take(event) {
    switch (event.event) {
      case "run.accepted": {
        const [step, then] = this.exit !== null ? ["the exit prices", this.exit] : ["a result", this.score];
        if (then !== null) this.report(event, `${event.run} was accepted after ${step} of leaf ${then}`);
        break;
      }
      case "correction":
        this.waiting = [];
        this.corrections.push(event);
        break;
      case "prices.entry": case "prices.exit": {
        const before = this.replaced(event);
        if (before) this.priced(event, before);
        if (event.event === "prices.exit") this.exit ??= event.leaf;
        break;
      }
      case "score": this.scored(event); break;
      case "claim": {
        const newest = this.lastScore, before = this.replaced(event);
        if (before && (newest === null || newest < before.leaf))
          this.report(event, `replaces the report of leaf ${before.leaf}, and no result changed`, "report-replaced");
        break;
      }
    }
  }

  scored(event) {
    this.endOfWaiting();
    this.score ??= event.leaf;
    this.lastScore = event.leaf;
    if (this.exit === null) this.report(event, `${event.run} was scored before its exit prices were in the log`);
    const before = this.replaced(event);
    if (!before) return;
    const own = this.corrections.findLast((one) => one.leaf > before.leaf && one.run === event.run);
    if (own && tells(own, before.files, event.results)) return;
    const why = own ? `, and the correction of leaf ${own.leaf} names other files` : " without a correction";
    this.report(event, `replaces the result of leaf ${before.leaf}${why}`, "replaced-unexplained", `score of ${event.run}`);
  }

  /** Prices are explained by a correction of prices that names them; programs before 1.2 corrected only the results, afterwards. */
  priced(event, before) {
    const later = this.corrections.filter((one) => one.leaf > before.leaf), own = later.findLast((one) => !one.run);
    if (own && !tells(own, before.files, event.files))
      this.report(event, `replaces the prices of leaf ${before.leaf}, and the correction of leaf ${own.leaf} names other files`, "replaced-unexplained");
    if (!later.length) this.waiting.push([event, before.leaf]);
  }

  /** The earlier event, if it differs and the outcome was already known. */
  replaced(event) {
    const kind = replacedKind(event), own = about(event), before = this.last.get(kind);
    this.last.set(kind, { leaf: event.leaf, own, files: event.files ?? event.results });
    return before && before.own !== own && this.exit !== null ? before : null;
  }

  endOfWaiting() {
    for (const [event, before] of this.waiting)
      this.report(event, `replaces the prices of leaf ${before} without a correction`, "replaced-unexplained");
    this.waiting = [];
  }
}

/** Whether a correction names every file that changed, as it was and as it is. */
const tells = (own, old, now) => [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((path) => old[path] !== now[path])
  .every((path) => own.replaced[path] === old[path] && own.results[path] === now[path]);

/** The identity of an event, without its place in the log. */
export function about(event) {
  const { leaf, ...members } = event;
  return identity(members);
}

/** Instants are the operator's word, but inside one slot, and from asking to results, they run forwards. */
class Instants extends Part {
  planned = new Map();
  slots = new Map();
  answered = new Map();
  accepted = null;
  entry = null;
  exit = null;

  take(event) {
    const at = instant(event.at);
    if (at === null) return this.report(event, "has an instant that is out of range");
    switch (event.event) {
      case "roster.slots": this.planned.set(event.run, at); break;
      case "attempt.begin":
        this.follows(event, at, "its run was planned", this.planned.get(event.run));
        this.inSlot(event, at);
        break;
      case "attempt.end":
        this.inSlot(event, at);
        this.answered.set(event.run, Math.max(at, this.answered.get(event.run) ?? at));
        break;
      case "run.repaired": {
        const own = [...this.slots.keys()].filter((slot) => { const [run, model] = JSON.parse(slot); return run === event.run && model === event.model; });
        this.follows(event, at, "the attempt before it was", own.length ? Math.max(...own.map((slot) => this.slots.get(slot))) : null);
        for (const slot of own) this.slots.set(slot, Math.max(at, this.slots.get(slot)));
        break;
      }
      case "run.accepted":
        this.follows(event, at, "the last answer of its run came", this.answered.get(event.run));
        this.follows(event, at, "the entry prices before it were fetched", this.entry);
        this.accepted = Math.max(at, this.accepted ?? at);
        break;
      case "prices.entry": this.entry ??= at; break;
      case "prices.exit":
        this.follows(event, at, "the run was accepted", this.accepted);
        this.exit ??= at;
        break;
      case "score": this.follows(event, at, "the exit prices were fetched", this.exit); break;
    }
  }

  inSlot(event, at) {
    const slot = JSON.stringify([event.run, event.model, event.replicate]);
    this.follows(event, at, "the step before it in its slot was", this.slots.get(slot));
    this.slots.set(slot, at);
  }

  follows(event, at, step, earlier) {
    if (earlier !== undefined && earlier !== null && earlier - at > SLACK)
      this.report(event, `says ${told(at)}, which is before ${told(earlier)}, when ${step}`);
  }
}

/** A model gets another name only while nothing can have been generated under the one before. */
class Repairs {
  planned = new Set();
  accepted = new Set();
  count = new Map();
  names = new Map();
  underWay = new Map(); // model → attempts without an end
  generated = new Map(); // model → whether an attempt may have generated something

  take(event) {
    const own = JSON.stringify([event.run, event.model]), attempt = JSON.stringify([event.replicate, event.attempt]);
    switch (event.event) {
      case "roster.slots": for (const model of event.models) this.planned.add(JSON.stringify([event.run, model])); break;
      case "attempt.begin":
        this.underWay.set(own, (this.underWay.get(own) ?? new Set()).add(attempt));
        this.generated.set(own, this.generated.get(own) ?? false);
        break;
      case "attempt.end":
        this.underWay.get(own)?.delete(attempt);
        this.generated.set(own, (this.generated.get(own) ?? false) || !REJECTIONS.includes(event.reason));
        break;
      case "run.accepted": this.accepted.add(event.run); break;
      case "run.repaired": return this.repaired(event, own);
    }
    return null;
  }

  repaired({ run, number, model, from, to }, own) {
    const next = (this.count.get(run) ?? 0) + 1, name = this.names.get(own);
    this.count.set(run, next);
    this.names.set(own, to);
    if (next !== number) return `has number ${number}, and the next is ${next}`;
    if (!this.planned.has(own)) return `renames ${model} in ${run}, where it was not planned`;
    if (this.accepted.has(run)) return `renames ${model} in ${run}, which was accepted before`;
    if (name !== undefined && name !== from) return `renames ${model} from ${from}, which was not its name`;
    const open = this.underWay.get(own)?.size > 0;
    return open || (this.generated.get(own) ?? true) ? `renames ${model}, which was not asked, or may have been answered, before` : null;
  }
}

/** No event happens twice, before its plan or after its end. */
class Places extends Part {
  planned = new Map();
  accepted = new Set();
  isAsked = false;
  told = new Set();
  last = new Map();
  corrections = new Map();

  ended = null;

  repairs = new Repairs();

  take(event) {
    this.repeated(event);
    this.end(event);
    const misplaced = this.repairs.take(event);
    if (misplaced) this.report(event, misplaced);
    switch (event.event) {
      case "roster.slots":
        if (this.planned.has(event.run)) this.report(event, `plans ${event.run} a second time`);
        this.planned.set(event.run, event.calls === "mock");
        break;
      case "attempt.begin":
        if (!this.planned.has(event.run)) this.report(event, `asks in ${event.run}, which was not planned`);
        else this.isAsked ||= !this.planned.get(event.run);
        if (this.accepted.has(event.run)) this.report(event, `asks in ${event.run}, which was accepted before`);
        break;
      case "run.accepted":
        if (this.accepted.has(event.run)) this.report(event, `accepts ${event.run} a second time`);
        this.accepted.add(event.run);
        break;
      case "round.freeze":
        if (this.isAsked) this.report(event, "freezes other inputs after a provider was asked");
        break;
      case "correction": {
        const count = (this.corrections.get(event.run ?? null) ?? 0) + 1;
        this.corrections.set(event.run ?? null, count);
        if (count !== event.number) this.report(event, `has number ${event.number}, and the next is ${count}`);
        break;
      }
    }
  }

  /** Nothing is frozen, asked or accepted after the end of a round, and a record has no such end. */
  end(event) {
    if (event.event === "round.ended") {
      if (this.accepted.size) this.report(event, `ends the round after ${[...this.accepted].sort()[0]} was accepted`);
      if (this.ended !== null) this.report(event, `ends the round that leaf ${this.ended} ended`);
      this.ended = event.leaf;
    } else if (this.ended !== null && ["round.freeze", "roster.slots", "attempt.begin", "run.accepted"].includes(event.event))
      this.report(event, `comes after leaf ${this.ended}, which ended the round`);
  }

  repeated(event) {
    // Until the first call, the same inputs may be frozen again with other research.
    if (event.event === "round.freeze" && !this.isAsked) return;
    const kind = replacedKind(event), own = about(event);
    const twice = kind === null ? this.told.has(own) : this.last.get(kind) === own;
    if (kind === null) this.told.add(own); else this.last.set(kind, own);
    if (twice) this.report(event, "stands in the log twice");
  }
}
