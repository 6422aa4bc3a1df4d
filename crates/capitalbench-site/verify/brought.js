// What a reader brings: the folder of a round with its log beside it, a bundle as .tar.zst or .tar, and what was
// kept from before: root certificates, checkpoints, a key.
import { text } from "./bytes.js";
import { unzstd } from "./unzstd.js";

const RECORD = 512;
const depth = (path) => path.split("/").length;
const bytesOf = async (file) => (file instanceof Uint8Array ? file : new Uint8Array(await file.arrayBuffer()));

/** The files of a plain tar, as [path, bytes]. */
export function untar(archive) {
  const found = [], word = (at, length) => text(archive.subarray(at, at + length)).replace(/\0[\s\S]*$/, "");
  for (let at = 0; at + RECORD <= archive.length && archive[at];) {
    const size = parseInt(word(at + 124, 12), 8), kind = word(at + 156, 1), prefix = word(at + 345, 155), name = word(at, 100);
    const path = prefix ? `${prefix}/${name}` : name;
    if (word(at + 257, 5) !== "ustar" || !(size >= 0) || at + RECORD + size > archive.length) throw new Error("the archive is damaged or not a plain .tar");
    if (kind === "0" || kind === "") found.push([path, archive.subarray(at + RECORD, at + RECORD + size)]);
    at += RECORD + Math.ceil(size / RECORD) * RECORD;
  }
  return found;
}

/** Entries with bundles unpacked. */
async function unpacked(entries) {
  const found = [];
  for (const [path, file] of entries) {
    if (/^[^/]+\.zst$/.test(path)) found.push(...untar(unzstd(await bytesOf(file))));
    else if (/^[^/]+\.tar$/.test(path)) found.push(...untar(await bytesOf(file)));
    else found.push([path, file]);
  }
  return found;
}

/** One round: its files by paths inside of it, and the log beside it where there is one. */
export async function roundIn(given) {
  const entries = await unpacked(given), bases = entries.map(([path]) => path).filter((path) => /(^|\/)manifest\.yaml$/.test(path))
    .map((path) => path.slice(0, -"manifest.yaml".length)).sort((a, b) => depth(a) - depth(b));
  if (!bases.length) throw new Error("there is no manifest.yaml; choose the folder of one round");
  const [base] = bases;
  if (bases.filter((path) => depth(path) === depth(base)).length > 1)
    throw new Error("these are several rounds; choose the folder of one, or drop it together with the folder log");
  const files = new Map();
  for (const [path, file] of entries)
    if (path.startsWith(base) && !/(^|\/)\./.test(path.slice(base.length))) files.set(path.slice(base.length), await bytesOf(file));
  const beside = base.replace(/[^/]*\/$/, ""), all = new Map(entries);
  return { files, index: null, shown: null, log: await logIn(all, beside, base.slice(beside.length, -1)) };
}

async function logIn(entries, beside, round) {
  const of = async (path) => (entries.has(beside + path) ? bytesOf(entries.get(beside + path)) : null);
  const files = [...entries.keys()].filter((path) => path.startsWith(`${beside}log/`)).map((path) => path.slice(beside.length))
    .filter((path) => !/(^|\/)\./.test(path));
  if (!files.length) return null;
  const salts = await of(`log/salts/${round}.json`);
  return {
    round: round || null, vkey: await of("log/vkey"), checkpoint: await of("log/checkpoint"), files, salts: salts ? JSON.parse(text(salts)) : {},
    read: async (path) => { const found = await of(path); if (!found) throw new Error(`${path} is missing`); return found; },
  };
}

/** Recognises a single file that the reader kept: a root, a checkpoint or a key; null for any other file. */
export function keptFile(name, bytes) {
  let source;
  try { source = text(bytes); } catch { return null; }
  if (source.includes("-----BEGIN CERTIFICATE-----")) return { root: source, words: `root certificates ${name}` };
  if (/^[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+\s*$/.test(source)) return { key: source.trim(), words: `the key of ${source.split("+")[0]}` };
  if (/^\S+\n\d+\n\S+\n(.+\n)*\n— /.test(source)) return { note: { name, note: source }, words: `a checkpoint of ${source.split("\n")[1]} leaves` };
  return null;
}
