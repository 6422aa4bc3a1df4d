// Files of a round → lines that say what matches, what differs and what could not be checked.
import { csv, members, options, sha256, text } from "./read.js";
import { checkLog } from "./log.js";
import { holdings, outcome, ranks, returns, sheet, universe } from "./compute.js";

const MATCH = "matches", DIFFERS = "differs", OPEN = "not checked";

/**
 * `files` maps paths inside the round to bytes, `index` is files.json or null,
 * `shown` are the site's rows of outcomes.csv for this round or null, `log` what the site has of the
 * signed log or null.
 */
export async function check(files, index = null, shown = null, log = null) {
  const lines = [];
  const say = (area, what, state, detail = "") => lines.push({ area, what, state, detail });
  const compare = (area, what, stored, computed) => {
    const same = typeof computed === "number" && stored !== "" && stored !== null
      ? Number(stored) === computed : String(stored ?? "") === String(computed ?? "");
    say(area, what, same ? MATCH : DIFFERS, same ? `${computed ?? "none"}` : `stored ${stored}, computed ${computed}`);
  };
  const attempt = async (area, what, work) => {
    try { return await work(); } catch (error) { say(area, what, DIFFERS, error.message); return null; }
  };
  const has = (path) => files.has(path);
  const read = (path) => text(files.get(path));

  if (index) {
    const listed = new Set(index.files.map((file) => file.path));
    for (const file of index.files) {
      if (!has(file.path)) { say("index", file.path, OPEN, "the file is not here"); continue; }
      const bytes = files.get(file.path);
      const digest = await sha256(bytes);
      const same = digest === file.sha256 && bytes.length === file.bytes;
      say("index", file.path, same ? MATCH : DIFFERS, same ? digest : `listed ${file.sha256}, computed ${digest}`);
    }
    for (const path of files.keys()) if (!listed.has(path)) say("index", path, OPEN, "the site does not list it");
  }
  if (!has("hashes.json")) say("frozen", "hashes.json", OPEN, "the round is not frozen, or the file is not here");
  else await attempt("frozen", "hashes.json", async () => {
    const frozen = JSON.parse(read("hashes.json"));
    if (frozen.algorithm !== "sha256") throw new Error(`unknown algorithm ${frozen.algorithm}`);
    for (const [path, wanted] of Object.entries(frozen.files)) {
      if (!has(path)) { say("frozen", path, OPEN, "the file is not here"); continue; }
      const digest = await sha256(files.get(path));
      say("frozen", path, digest === wanted ? MATCH : DIFFERS, digest === wanted ? digest : `frozen ${wanted}, computed ${digest}`);
    }
  });

  if (log) await attempt("log", "log/checkpoint", () => checkLog(log, files, index?.round_id ?? roundOf(files),
    (area, what, holds, detail) => say(area, what, holds === null ? OPEN : holds ? MATCH : DIFFERS, detail)));
  else if (index) say("log", "log/checkpoint", OPEN, "the site has no signed log of this round");

  const found = await attempt("returns", "options and prices", () => {
    if (!has("prices/entry_prices.csv") || !has("prices/exit_prices.csv")) {
      say("returns", "all figures", OPEN, "ending prices are not public before the window is over, so nothing can be recomputed");
      return null;
    }
    const all = universe(options(read("options.yaml")));
    const entry = sheet(csv(read("prices/entry_prices.csv"))), exit = sheet(csv(read("prices/exit_prices.csv")));
    return returns(all, entry, exit);
  });
  if (found) for (const run of runs(files, index)) await checkRun(run);
  return { lines, counts: count(lines) };

  async function checkRun(run) {
    const at = (name) => `runs/${run}/${name}`;
    const returnsFile = at("results/returns.csv");
    if (has(returnsFile)) await attempt(run, returnsFile, () => {
      const placed = ranks(found);
      for (const row of csv(read(returnsFile))) {
        compare(run, `return of ${row.option_id}`, row.return, found.of.get(row.option_id));
        compare(run, `rank of ${row.option_id}`, row.rank, placed.get(row.option_id) ?? "");
      }
    });
    const decided = new Map();
    const folder = at("submissions/parsed/");
    for (const path of files.keys()) {
      if (!path.startsWith(folder) || !path.endsWith(".json")) continue;
      await attempt(run, path, () => {
        const submission = JSON.parse(read(path));
        const held = holdings(submission);
        const sum = held.reduce((total, [, bps]) => total + bps, 0);
        if (sum !== 10000) throw new Error(`the weights add up to ${sum / 100} %`);
        const list = decided.get(submission.model_id) ?? [];
        decided.set(submission.model_id, [...list, outcome(submission, found)]);
      });
    }
    const once = (model) => (decided.get(model)?.length === 1 ? decided.get(model)[0] : null);
    const board = at("results/leaderboard.csv");
    await attempt(run, board, () => {
      let above = null;
      for (const row of csv(read(board))) {
        const own = once(row.model_id);
        if (!own) {
          const why = decided.has(row.model_id) ? "repeated calls are averaged; not recomputed here" : "its parsed answer is not here";
          say(run, row.model_id, OPEN, why);
          continue;
        }
        compare(run, `return of ${row.model_id}`, row.portfolio_return || row.selected_asset_return, own.return);
        compare(run, `S&P 500 beside ${row.model_id}`, row.sp500_return, found.reference);
        compare(run, `alpha of ${row.model_id}`, row.alpha_vs_sp500, own.alpha);
        compare(run, `regret of ${row.model_id}`, row.regret_vs_best_option, own.regret ?? "");
        compare(run, `${row.model_id} above the S&P 500`, row.beats_sp500.toLowerCase(), own.beatsReference);
        compare(run, `${row.model_id} above cash`, row.beats_cash.toLowerCase(), own.beatsCash);
        const ordered = above === null || own.alpha <= above + 1e-12;
        say(run, `place of ${row.model_id}`, ordered ? MATCH : DIFFERS, ordered ? "in order of alpha" : "below a lower alpha");
        above = own.alpha;
      }
    });
    const outcomes = at("results/outcomes.json");
    if (has(outcomes)) await attempt(run, outcomes, () => {
      const stored = JSON.parse(read(outcomes));
      for (const row of stored.submissions) {
        const own = once(row.model_id);
        if (!own) { say(run, `score of ${row.model_id}`, OPEN, "repeated calls, or its answer is not here"); continue; }
        for (const name of ["return", "alpha", "regret"])
          if ("value" in row[name]) compare(run, `outcomes.json: ${name} of ${row.model_id}`, row[name].value, own[name]);
        if ("value" in row.score) compare(run, `outcomes.json: score of ${row.model_id}`, row.score.value, own.score);
        else say(run, `outcomes.json: score of ${row.model_id}`, typeof own.score === "string" ? MATCH : DIFFERS, row.score.unavailable);
      }
    });
    if (!shown || (index && index.official_run_id !== run)) return;
    for (const row of shown) {
      const own = once(row.model_id);
      if (!own) { say("site", `score of ${row.model_id}`, OPEN, "its parsed answer is not here"); continue; }
      compare("site", `return of ${row.model_id}`, row.return_fraction, own.return);
      compare("site", `alpha of ${row.model_id}`, row.alpha_fraction, own.alpha);
      compare("site", `regret of ${row.model_id}`, row.regret_fraction, own.regret ?? "");
      compare("site", `score of ${row.model_id}`, typeof own.score === "string" ? row.score_reason : row.score, own.score);
    }
  }
}

/** The runs with a result, the record first. */
function runs(files, index) {
  const found = new Set();
  for (const path of files.keys()) {
    const match = /^runs\/([^/]+)\/results\/leaderboard\.csv$/.exec(path);
    if (match) found.add(match[1]);
  }
  const record = index?.official_run_id;
  return [...found].sort((a, b) => (b === record) - (a === record) || (a < b ? -1 : 1));
}

function count(lines) {
  const counts = { [MATCH]: 0, [DIFFERS]: 0, [OPEN]: 0 };
  for (const line of lines) counts[line.state]++;
  return counts;
}

/** The id a folder of files claims. */
export const roundOf = (files) =>
  files.has("manifest.yaml") ? members(text(files.get("manifest.yaml"))).round_id ?? null : null;
