// Reads stored files as objects and refuses unknown members: ignoring one could mean ignoring a restriction.
import { isDigest, text } from "./bytes.js";
import { members } from "./read.js";

const split = (names) => names.split(" ");
const ALL = []; // no member may be missing

/** Path → its members, those that may be missing where the others may not, and members of the objects inside it. */
const FORMS = [
  [/^(research\/research_)?hashes\.json$/, split("algorithm files")],
  [/^runs\/[^/]+\/acceptance\.json$/, split("round_id run_id accepted_at_utc run_log_sha256 submissions hashes_json_sha256 supersedes reason without_answer"), ["without_answer"],
    { without_answer: split("model_id reason") }],
  [/^tombstone\.json$/, split("round_id ending ended_at_utc reason"), ALL],
  [/^exceptions\/[^/]+\.json$/, split("round_id number noted_at_utc reason"), ALL],
  [/^runs\/[^/]+\/slots\.json$/, split("version run_id round_id run_type replicates mock synthetic created_at_utc models_config_file models_config_sha256 pricing_path price_cards prices controls seed max_retries model_input_sha256 skipped_models slots"), null,
    { slots: split("model_id provider api_model_name replicate_index settings display_name continues"), price_cards: split("name as_of sha256"),
      prices: split("provider api_model_name card input cached cache_write output reasoning") }],
  [/^runs\/[^/]+\/attempts\/[^/]+\.begun\.json$/, split("model_id replicate_index attempt started_at_utc input_sha256 base_url asked"), ["base_url", "asked"],
    { asked: split("api_model_name schema_mode temperature reasoning max_output_tokens time_limit_seconds service_tier routing extra_fields body_sha256") }],
  [/^runs\/[^/]+\/attempts\/[^/]+\.ended\.json$/, split("status reason problems ended_at_utc latency_seconds text object parse_path served_model request_id input_tokens cached_tokens cache_write_tokens output_tokens reasoning_tokens cost_usd billed_usd card_usd service_tier answered_by")],
  [/^runs\/[^/]+\/repairs\/[^/]+\.json$/, split("number model_id from to reason repaired_at_utc price price_cards"), ALL],
  [/^prices\/provenance\.json$/, split("format_version round_id source stored_label close_basis purpose coverage from to program answers files warnings replaced"), null,
    { answers: split("option_id symbol address fetched_at_utc body_sha256 rows requests") }],
  [/^prices\/cross_check\.json$/, split("format_version source tolerance_bps units beyond_tolerance rows"), null,
    { rows: split("option_id return other_return apart_bps unavailable") }],
  [/^prices\/cross_check_acceptance\.json$/, split("format_version cross_check_sha256 reason accepted_at_utc"), ALL],
  [/^prices\/source_exception\.json$/, split("format_version departure reason accepted_at_utc"), ALL],
  [/^prices\/listing_changes\/[^/]+\.json$/, split("format_version option_id renamed_to on reason recorded_at_utc"), ALL],
  [/^prices\/move_exception\.json$/, split("format_version moves reason accepted_at_utc"), ALL],
  [/^prices\/unproved_acceptance\.json$/, split("format_version entry_prices_sha256 exit_prices_sha256 reason accepted_at_utc"), ALL],
];
const REASONS = split("transport unreachable timeout rate_limit server overloaded quota key no_model request unreadable truncated empty malformed schema rules refusal filter tool other_model deadline");

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function only(value, names) {
  if (!isObject(value)) throw new Error("is not an object");
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown) throw new Error(`unknown field ${unknown}; remove it`);
}

/** JSON of a file that must be an object of its form. */
export function json(files, path) {
  try {
    if (!files.has(path)) throw new Error("is not here");
    const value = JSON.parse(text(files.get(path)));
    if (!isObject(value)) throw new Error("is not an object");
    const [, names, loose, inner] = FORMS.find(([place]) => place.test(path)) ?? [];
    if (names) only(value, names);
    const gone = loose && names.find((name) => !(name in value) && !loose.includes(name));
    if (gone) throw new Error(`${gone}: is missing`);
    for (const [name, own] of Object.entries(inner ?? {})) for (const item of [value[name] ?? []].flat()) only(item, own);
    return value;
  } catch (error) { throw new Error(`${path}: ${error.message}`); }
}

/** The lines of a file, one object each. */
export const jsonLines = (files, path) => (files.has(path) ? text(files.get(path)).split("\n") : [])
  .filter((line) => line.trim()).map((line) => JSON.parse(line));

/** The members of a YAML file; empty where there is none. */
export const yaml = (files, path) => (files.has(path) ? members(text(files.get(path))) : {});

/** Runs in the order of their names. */
export const runsOf = (files) => [...new Set([...files.keys()].map((path) => /^runs\/([^/]+)\//.exec(path)?.[1]).filter(Boolean))].sort();

/** Submissions of a folder: JSON files whose names do not begin with an underline. */
export const submissionsOf = (files, folder) => [...files.keys()].filter((path) => path.startsWith(folder) && /^[^_/][^/]*\.json$/.test(path.slice(folder.length)));

/** The acceptance of a run; null if there is none. */
export function acceptance(files, run) {
  const path = `runs/${run}/acceptance.json`;
  if (!files.has(path)) return null;
  const own = json(files, path);
  for (const digest of [own.run_log_sha256, own.hashes_json_sha256, ...Object.values(own.submissions)])
    if (!isDigest(digest)) throw new Error(`${path}: ${digest} is not a digest`);
  return own;
}

/** What is turned away before anything is generated uses up no retry. */
export const REJECTIONS = split("unreachable rate_limit overloaded quota key no_model request");

/** The repairs of a run in their order: models that got another name. */
export function repairsOf(files, run) {
  const found = [], folder = `runs/${run}/repairs/`;
  const paths = [...files.keys()].filter((path) => path.startsWith(folder)).sort();
  for (const path of paths) {
    const own = json(files, path);
    if (path !== `${folder}${String(found.length + 1).padStart(3, "0")}.json` || own.number !== found.length + 1) throw new Error(`${path}: is not the next repair`);
    found.push({ path, own });
  }
  return found;
}

/** Why the round ended without a record; null where it did not. */
export function tombstone(files) {
  if (!files.has("tombstone.json")) return null;
  const own = json(files, "tombstone.json");
  if (!["voided", "abandoned"].includes(own.ending)) throw new Error(`tombstone.json: ending must be voided or abandoned, not ${own.ending}`);
  if (!own.reason.trim()) throw new Error("tombstone.json: the reason is blank");
  return own;
}

/** The operator's explanations of a round with a record, in their order. */
export function exceptionsOf(files) {
  const paths = [...files.keys()].filter((path) => path.startsWith("exceptions/")).sort();
  return paths.map((path, place) => {
    const own = json(files, path);
    if (path !== `exceptions/${String(place + 1).padStart(3, "0")}.json` || own.number !== place + 1) throw new Error(`${path}: is not the next explanation`);
    return { path, own };
  });
}

/** What became of an attempt: a status, and a known word for every attempt without a decision. */
export function ended(files, path) {
  const own = json(files, path);
  if (!["valid", "invalid", "failed"].includes(own.status)) throw new Error(`${path}: status must be valid, invalid or failed, not ${own.status}`);
  if ((own.status === "valid") === Boolean(own.reason)) throw new Error(`${path}: its reason does not go with its status`);
  if (own.reason && !REASONS.includes(own.reason)) throw new Error(`${path}: the reason ${own.reason} is not known here`);
  return own;
}
