// Files that must not change after the event that fixed them.
//
// Salts follow from the round and the path, so an unchanged file has one sealed digest for ever: events
// can be compared with each other without opening a seal, even for files that are not public yet.

const isBelow = (path, folder) => path.startsWith(`${folder}/`);
const isResearch = (path) => isBelow(path, "research");
const insideRun = (path) => /^runs\/([^/]+)\/(.+)$/.exec(path)?.slice(1) ?? [null, ""];
const ERRORS = "submissions/raw/_validation_errors.json";
const DERIVED = ["validation_summary.json", ERRORS, "corrections.jsonl"];
const isException = (path) => ["cross_check_acceptance", "unproved_acceptance", "source_exception", "move_exception"].some((name) => path === `prices/${name}.json`);
const stem = (model) => model.replace(/[^\p{Alphabetic}\p{N}._-]/gu, "_");

/** The path of a file of an attempt inside the round. */
export function attemptPath({ run, model, replicate, attempt }, replicates, ending) {
  const slot = replicates > 1 ? `${stem(model)}__replicate_${String(replicate).padStart(3, "0")}` : stem(model);
  return `runs/${run}/attempts/${slot}__${String(attempt).padStart(3, "0")}.${ending}`;
}

/** Submissions of an accepted run; nothing may add one later. */
function isSubmissionOf(path, runs) {
  const [run, inside] = insideRun(path);
  return runs.has(run) && inside !== ERRORS && (isBelow(inside, "submissions/raw") || isBelow(inside, "submissions/parsed"));
}

/** Whether a file of one of these runs says who was asked and what was decided; results follow later. */
function isDecidedIn(path, runs) {
  const [run, inside] = insideRun(path);
  return runs.has(run) && !DERIVED.includes(inside) && !isBelow(inside, "results");
}

/** Files that are written once: the ledger, and copies of files that were replaced. */
function isFixedAtOnce(path) {
  const [, inside] = insideRun(path);
  return inside === "slots.json" || ["attempts", "repairs", "results/superseded"].some((folder) => isBelow(inside, folder))
    || ["prices/replaced", "prices/listing_changes"].some((folder) => isBelow(path, folder));
}

const pathsOf = ({ bodies, gone }) => [...Object.keys(bodies), ...gone];

export class FixedFiles {
  fixed = new Map(); // path → { leaf, seal }
  named = new Set(); // those that an event of an attempt or an acceptance names
  told = new Map(); // every file as the inventories tell it
  replicates = new Map();
  rehearsals = new Set();
  justAccepted = new Set();
  accepted = new Set();
  inputs = new Set();
  inputsAre = "open";
  isAsked = false;
  isScored = false;
  found = [];

  batch = null; // the inventories of one append, which share an instant and name each file once

  take(event) {
    const { leaf } = event;
    if (!this.continues(event)) this.endOfBatch();
    switch (event.event) {
      case "round.freeze": if (!this.isAsked) this.freeze(event.inputs); break;
      case "roster.slots":
        this.replicates.set(event.run, event.replicates);
        if (event.calls === "mock") this.rehearsals.add(event.run);
        break;
      case "attempt.begin":
        this.isAsked ||= !this.rehearsals.has(event.run);
        this.attempt(event, { "begun.json": event.sealed_record });
        break;
      case "attempt.end": this.attempt(event, { "ended.json": event.sealed_record, answer: event.sealed_answer }); break;
      case "run.repaired": this.name(leaf, `runs/${event.run}/repairs/${String(event.number).padStart(3, "0")}.json`, event.sealed_record); break;
      case "run.accepted":
        this.justAccepted.add(event.run);
        this.name(leaf, `runs/${event.run}/acceptance.json`, event.sealed_record);
        break;
      case "pick.accepted": this.name(leaf, `runs/${event.run}/${event.file}`, event.sealed_submission); break;
      case "round.ended": this.name(leaf, "tombstone.json", event.sealed_record); break;
      case "round.explained": this.name(leaf, `exceptions/${String(event.number).padStart(3, "0")}.json`, event.sealed_record); break;
      case "score": this.isScored = true; break;
      case "correction":
        // Other prices and results need other exceptions.
        for (const path of [...this.fixed.keys()].filter(isException)) this.fixed.delete(path);
        this.isScored = false;
        break;
      case "round.files":
        this.batch ??= { at: event.at, paths: new Set() };
        for (const path of pathsOf(event)) this.batch.paths.add(path);
        this.inventory(event);
        break;
    }
  }

  freeze(inputs) {
    this.found = this.found.filter(({ about }) => !isResearch(about) && !this.inputs.has(about));
    // A later freeze may find other inputs than the one before it.
    for (const path of [...this.fixed.keys()]) if (this.isInput(path)) this.fixed.delete(path);
    this.inputs = new Set([...Object.keys(inputs), "hashes.json", "model_input.md"]);
    this.inputsAre = "freezing";
  }

  isInput(path) { return isResearch(path) || this.inputs.has(path); }

  attempt(event, seals) {
    for (const [ending, seal] of Object.entries(seals))
      if (seal) this.name(event.leaf, attemptPath(event, this.replicates.get(event.run) ?? 1, ending), seal);
  }

  name(leaf, path, seal) {
    this.fix(path, { leaf, seal });
    this.named.add(path);
  }

  fix(path, now) {
    const then = this.fixed.get(path);
    if (!then) this.fixed.set(path, now);
    else if (then.seal !== now.seal) this.report(now.leaf, path, `was fixed by leaf ${then.leaf} with other bytes`);
  }

  inventory({ leaf, bodies, gone }) {
    for (const path of gone) {
      this.told.delete(path);
      const then = this.fixed.get(path);
      if (then) this.report(leaf, path, `was fixed by leaf ${then.leaf} and is missing`);
    }
    for (const [path, seal] of Object.entries(bodies)) {
      const now = { leaf, seal };
      this.told.set(path, now);
      if (isFixedAtOnce(path) || this.fixed.has(path)) this.fix(path, now);
      else if (this.isInput(path) && this.inputsAre === "frozen") this.report(leaf, path, "was added after the freeze");
      else if (isSubmissionOf(path, this.accepted)) this.report(leaf, path, "was added after its run was accepted");
    }
  }

  /** Whether an event belongs to the batch of inventories before it. */
  continues(event) {
    if (!this.batch) return true;
    return event.event === "round.files" && this.batch.at === event.at && !pathsOf(event).some((path) => this.batch.paths.has(path));
  }

  /** A batch of inventories gives the state that the freezes, acceptances and results before it fix. */
  endOfBatch() {
    if (!this.batch) return;
    this.batch = null;
    const accepted = this.justAccepted, freezes = this.inputsAre === "freezing";
    this.justAccepted = new Set();
    if (freezes) this.inputsAre = "frozen";
    for (const run of accepted) this.accepted.add(run);
    for (const [path, told] of this.told)
      if ((freezes && this.isInput(path)) || isDecidedIn(path, accepted)
        || (this.isScored && isException(path) && !this.fixed.has(path))) this.fix(path, told);
    // Files that events name and inventories leave out were never listed completely.
    for (const path of this.named)
      if (!this.told.has(path) && this.fixed.has(path))
        this.report(this.fixed.get(path).leaf, path, "is in no inventory that follows its event");
    this.named = new Set();
  }

  report(leaf, about, text) { this.found.push({ code: "fixed-file-changed", leaf, about, text }); }
}
