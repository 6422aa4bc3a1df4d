// Returns, places and scores, computed again from the price sheets and the parsed answers.
import { text } from "./bytes.js";
import { holdings, outcome, ranks, returns, sheet, universe } from "./compute.js";
import { csv, options } from "./read.js";

/** Every option's return; null where there are no ending prices. */
export function allReturns(files) {
  const read = (path) => text(files.get(path));
  if (!files.has("prices/entry_prices.csv") || !files.has("prices/exit_prices.csv")) return null;
  const all = universe(options(read("options.yaml")));
  return returns(all, sheet(csv(read("prices/entry_prices.csv"))), sheet(csv(read("prices/exit_prices.csv"))));
}

/** The runs with a result, the record first. */
export function scoredRuns(files, record) {
  const found = [...files.keys()].map((path) => /^runs\/([^/]+)\/results\/leaderboard\.csv$/.exec(path)?.[1]).filter(Boolean);
  return [...new Set(found)].sort((a, b) => (b === record) - (a === record) || (a < b ? -1 : 1));
}

/** One run: `said` says and compares, `shown` are the site's rows of it or null. */
export async function checkRun(run, files, found, shown, { say, compare, attempt }) {
  const at = (name) => `runs/${run}/${name}`, read = (path) => text(files.get(path)), has = (path) => files.has(path);
  await attempt(run, at("results/returns.csv"), () => {
    if (!has(at("results/returns.csv"))) return;
    const placed = ranks(found);
    for (const row of csv(read(at("results/returns.csv")))) {
      compare(run, `return of ${row.option_id}`, row.return, found.of.get(row.option_id));
      compare(run, `rank of ${row.option_id}`, row.rank, placed.get(row.option_id) ?? "");
    }
  });
  const models = await outcomes(at("submissions/parsed/")), controls = await outcomes(at("controls/"));
  const once = (own, model) => (own.get(model)?.length === 1 ? own.get(model)[0] : null);
  await attempt(run, at("results/leaderboard.csv"), () => board(csv(read(at("results/leaderboard.csv"))), models, true));
  await attempt(run, at("results/controls.csv"), () => {
    if (has(at("results/controls.csv"))) board(csv(read(at("results/controls.csv"))), controls, false);
  });
  await attempt(run, at("results/allocations.csv"), () => { if (has(at("results/allocations.csv"))) allocations(csv(read(at("results/allocations.csv")))); });
  await attempt(run, at("results/outcomes.json"), () => { if (has(at("results/outcomes.json"))) stored(JSON.parse(read(at("results/outcomes.json")))); });
  for (const row of shown ?? []) {
    const own = once(models, row.model_id);
    if (!own) { say("site", `score of ${row.model_id}`, null, "its parsed answer is not here"); continue; }
    compare("site", `return of ${row.model_id}`, row.return_fraction, own.return);
    compare("site", `alpha of ${row.model_id}`, row.alpha_fraction, own.alpha);
    compare("site", `regret of ${row.model_id}`, row.regret_fraction, own.regret ?? "");
    compare("site", `score of ${row.model_id}`, typeof own.score === "string" ? row.score_reason : row.score, own.score);
  }

  async function outcomes(folder) {
    const decided = new Map();
    for (const path of files.keys()) {
      if (!path.startsWith(folder) || !path.endsWith(".json")) continue;
      await attempt(run, path, () => {
        const submission = JSON.parse(read(path));
        // A control without the data that its rule needs holds nothing and has no row.
        if (!submission.portfolio && !submission.selected_option_id && folder.endsWith("controls/")) return;
        const held = holdings(submission);
        const sum = held.reduce((total, [, bps]) => total + bps, 0);
        if (sum !== 10000) throw new Error(`the weights add up to ${sum / 100} %`);
        decided.set(submission.model_id, [...decided.get(submission.model_id) ?? [], { ...outcome(submission, found), held }]);
      });
    }
    return decided;
  }

  function board(rows, entrants, ordered) {
    let above = null;
    for (const row of rows) {
      const own = once(entrants, row.model_id);
      if (!own) {
        const why = entrants.has(row.model_id) ? "repeated calls are averaged; not recomputed here" : "its parsed answer is not here";
        say(run, row.model_id, null, why);
        continue;
      }
      compare(run, `return of ${row.model_id}`, row.portfolio_return || row.selected_asset_return, own.return);
      compare(run, `reference beside ${row.model_id}`, row.sp500_return, found.reference);
      compare(run, `alpha of ${row.model_id}`, row.alpha_vs_sp500, own.alpha);
      compare(run, `regret of ${row.model_id}`, row.regret_vs_best_option, own.regret ?? "");
      compare(run, `${row.model_id} above the reference`, row.beats_sp500.toLowerCase(), own.beatsReference);
      compare(run, `${row.model_id} above cash`, row.beats_cash.toLowerCase(), own.beatsCash);
      const inOrder = !ordered || above === null || own.alpha <= above + 1e-12;
      if (ordered) say(run, `place of ${row.model_id}`, inOrder, inOrder ? "in order of alpha" : "below a lower alpha");
      above = own.alpha;
    }
    const listed = new Set(rows.map((row) => row.model_id));
    for (const model of entrants.keys()) if (!listed.has(model)) say(run, model, false, "was decided and has no row in the results");
  }

  function allocations(rows) {
    const told = new Map();
    for (const row of rows) {
      compare(run, `return of ${row.option_id} held by ${row.model_id}`, row.option_return, found.of.get(row.option_id));
      told.set(row.model_id, [...told.get(row.model_id) ?? [], `${row.option_id} ${row.allocation_bps}`]);
    }
    for (const [model, held] of told) {
      const own = once(models, model);
      if (own) compare(run, `allocations of ${model}`, held.sort().join(", "), own.held.map(([id, bps]) => `${id} ${bps}`).sort().join(", "));
    }
  }

  function stored(file) {
    compare(run, "outcomes.json: run", file.run_id, run);
    for (const row of file.submissions) {
      const own = once(models, row.model_id);
      if (!own) { say(run, `score of ${row.model_id}`, null, "repeated calls, or its answer is not here"); continue; }
      for (const name of ["return", "alpha", "regret"])
        if ("value" in row[name]) compare(run, `outcomes.json: ${name} of ${row.model_id}`, row[name].value, own[name]);
      if ("value" in row.score) compare(run, `outcomes.json: score of ${row.model_id}`, row.score.value, own.score);
      else say(run, `outcomes.json: score of ${row.model_id}`, typeof own.score === "string", row.score.unavailable);
    }
  }
}
