// What this site publishes of a round: its files, the rows of its tables, the signed log.
import { text } from "./bytes.js";
import { csv } from "./read.js";

const root = new URL("../", import.meta.url);
const address = (path) => new URL(path.split("/").map(encodeURIComponent).join("/"), root);

export async function fetched(path) {
  const url = address(path), answer = await fetch(url, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${url.pathname}: ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

const json = async (path) => JSON.parse(text(await fetched(path)));

/** Everything the site has of a round, a few files at a time; `tell` is told how far it is. */
export async function download(id, tell) {
  const index = await json(`rounds/${id}/files.json`);
  const files = new Map(), waiting = [...index.files];
  const worker = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      files.set(file.path, await fetched(`rounds/${id}/files/${file.path}`));
      tell(`${files.size} of ${index.files.length} files`);
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  const rows = index.state === "resolved" ? csv(text(await fetched("data/outcomes.csv"))) : [];
  return { files, index, shown: rows.filter((row) => row.round_id === id), log: await logOf(id, tell) };
}

/** The signed log of the site; null if the site has none. */
async function logOf(id, tell) {
  const signed = await json("verify/signed.json");
  if (!signed.length) return null;
  tell("Reading the log");
  return {
    vkey: await fetched("log/vkey"), checkpoint: await fetched("log/checkpoint"), read: fetched, files: (await json("verify/log.json")).files,
    salts: signed.includes(id) ? await json(`log/salts/${id}.json`) : {},
  };
}
