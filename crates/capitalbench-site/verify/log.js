// The whole signed log: every leaf, the tree above them (RFC 6962, C2SP tiles), every checkpoint that was kept.
import { hashOf, hex, joined, same, text, unbase64, utf8 } from "./bytes.js";
import { event } from "./leaf.js";

const WIDTH = 256;
const LEAF = new Uint8Array([0]), NODE = new Uint8Array([1]);

/** A public key in its text form `name+hash+base64`. */
export async function verifier(vkey) {
  const [name, hash, ...rest] = vkey.trim().split("+");
  const key = unbase64(rest.join("+"));
  if (!name || key[0] !== 1 || key.length !== 33) throw new Error("log/vkey is not an Ed25519 key");
  const own = (await hashOf(utf8(`${name}\n`), key)).slice(0, 4);
  if (hex(own) !== hash) throw new Error("log/vkey: the hash in the key does not fit its name and bytes");
  const imported = await crypto.subtle.importKey("raw", key.slice(1), { name: "Ed25519" }, false, ["verify"]);
  return { name, hash, imported, text: vkey.trim() };
}

/** Origin, size, root and further lines of a note, once its signature by the key holds. */
export async function opened(note, key, place = "log/checkpoint") {
  const end = note.lastIndexOf("\n\n") + 1;
  if (!end || !note.endsWith("\n")) throw new Error(`${place} has no signature`);
  const signed = note.slice(0, end);
  let holds = false;
  for (const line of note.slice(end + 1, -1).split("\n")) {
    const parts = /^— (\S+) (\S+)$/.exec(line);
    if (!parts) throw new Error(`${place}: a signature line is broken`);
    const bytes = unbase64(parts[2]);
    if (parts[1] !== key.name || hex(bytes.slice(0, 4)) !== key.hash) continue;
    holds = await crypto.subtle.verify("Ed25519", key.imported, bytes.slice(4), utf8(signed));
    if (!holds) throw new Error(`the signature of ${place} does not hold`);
  }
  if (!holds) throw new Error(`${place} is not signed by ${key.name}`);
  const [origin, size, root, ...more] = signed.slice(0, -1).split("\n");
  if (origin !== key.name) throw new Error(`${place} is the checkpoint of ${origin}, not of ${key.name}`);
  if (!/^(0|[1-9]\d*)$/.test(size)) throw new Error(`${place}: the second line is not a size`);
  return { origin, size: Number(size), root: hex(unbase64(root)), more };
}

/** The tree while it grows: roots of complete subtrees, the largest first. */
class Edge {
  constructor() { this.size = 0; this.parts = []; }

  /** Adds the hash of a leaf; `complete(level, hash)` sees every subtree that becomes complete. */
  async add(leaf, complete) {
    let hash = leaf;
    complete(0, hash);
    for (let rest = this.size, level = 1; rest % 2 === 1; rest = Math.floor(rest / 2), level++) {
      hash = await hashOf(NODE, this.parts.pop(), hash);
      complete(level, hash);
    }
    this.parts.push(hash);
    this.size++;
  }

  async root() {
    if (!this.parts.length) return hex(await hashOf());
    let above = this.parts.at(-1);
    for (const part of this.parts.slice(0, -1).reverse()) above = await hashOf(NODE, part, above);
    return hex(above);
  }
}

/** The path of a tile below the log when its level holds `count` items. */
export function tilePath(kind, index, count) {
  let number = String(index % 1000).padStart(3, "0");
  for (let rest = Math.floor(index / 1000); rest; rest = Math.floor(rest / 1000))
    number = `x${String(rest % 1000).padStart(3, "0")}/${number}`;
  const width = Math.min(WIDTH, count - index * WIDTH);
  return `log/tile/${kind}/${number}${width < WIDTH ? `.p/${width}` : ""}`;
}

/** The leaves of one bundle. */
export function leavesOf(bundle, place) {
  const found = [];
  for (let at = 0; at < bundle.length;) {
    const end = at + 2 + bundle[at] * 256 + bundle[at + 1];
    if (!(end <= bundle.length)) throw new Error(`${place} is not whole`);
    found.push(bundle.subarray(at + 2, end));
    at = end;
  }
  return found;
}

/**
 * Reads the log by `read(path)`; `files` lists its files where that is known. Gives the state that was
 * signed, every event with its leaf, roots at every size that was asked for, and problems as [place, text].
 */
export async function wholeLog({ vkey, checkpoint, read, files }, sizes = []) {
  const problems = [], events = [];
  for (const [name, bytes] of Object.entries({ vkey, checkpoint })) if (!bytes) throw new Error(`log/${name} is missing, so nothing can be checked`);
  const key = await verifier(text(vkey));
  const state = await opened(text(checkpoint), key);
  const names = files ? new Set(files) : null;
  const kept = await keptCheckpoints(names, read, state, key, problems);
  const roots = new Map(), rows = new Map(), edge = new Edge();
  const note = (level, hash) => {
    if (level % 8) return;
    if (!rows.has(level / 8)) rows.set(level / 8, []);
    rows.get(level / 8).push(hash);
  };
  for (let index = 0; index * WIDTH < state.size; index++) {
    const path = tilePath("entries", index, state.size);
    const leaves = leavesOf(await read(path), path);
    if (leaves.length !== Math.min(WIDTH, state.size - index * WIDTH)) throw new Error(`${path} is not whole`);
    for (const leaf of leaves) {
      const place = edge.size;
      try { events.push({ leaf: place, ...event(leaf) }); }
      catch (error) { problems.push([`log/leaf ${place}`, error.message]); }
      await edge.add(await hashOf(LEAF, leaf), note);
      if (kept.has(edge.size) || sizes.includes(edge.size)) roots.set(edge.size, await edge.root());
    }
  }
  if (await edge.root() !== state.root)
    problems.push(["log/checkpoint", "signs another root than the leaves give: leaves were changed or moved"]);
  chain(kept, roots, state, problems, names !== null);
  await tiles(rows, state, kept, names, read, problems);
  return { state, key, events, kept, roots, problems };
}

/** Every checkpoint that was kept, by its size; `note` is what outside clocks stamp. */
async function keptCheckpoints(names, read, state, key, problems) {
  const kept = new Map();
  for (const name of names ?? []) {
    const number = /^log\/checkpoints\/(.*)$/.exec(name)?.[1];
    if (number === undefined) continue;
    const size = Number(number);
    if (String(size) !== number || size < 1) problems.push([name, "is not a file of the log"]);
    else if (size > state.size) problems.push([name, `signs more leaves than the log has (${state.size})`]);
    else {
      try {
        const note = await read(name);
        const own = await opened(text(note), key, name);
        if (own.size !== size) problems.push([name, `has the size ${own.size}`]);
        else kept.set(size, { ...own, note });
      } catch (error) { problems.push([name, error.message]); }
    }
  }
  return kept;
}

/** Each one signs the root of its leaves and names the one before, so that none can be dropped. */
function chain(kept, roots, state, problems, listed) {
  if (listed && !kept.has(state.size)) problems.push([`log/checkpoints/${state.size}`, "is missing"]);
  let last = 0;
  for (const size of [...kept.keys()].sort((a, b) => a - b)) {
    const own = kept.get(size), place = `log/checkpoints/${size}`;
    if (own.root !== roots.get(size)) {
      problems.push([place, "signs another root than these leaves give: history was changed"]);
      kept.delete(size);
      continue;
    }
    if (!own.more.includes(`previous ${last}`)) problems.push([place, `does not name ${last} as the one before it: a checkpoint in between is missing`]);
    last = size;
  }
}

/** Tiles of hashes are those of the leaves, and older partial ones are beginnings of them. */
async function tiles(rows, state, kept, names, read, problems) {
  const levels = new Map([...rows].map(([number, row]) => [number, joined(...row)]));
  const present = new Set();
  for (const [number, row] of rows)
    for (let index = 0; index * WIDTH < row.length; index++) present.add(tilePath(number, index, row.length));
  for (let index = 0; index * WIDTH < state.size; index++) present.add(tilePath("entries", index, state.size));
  // Partial tiles of sizes that were signed stay until the full one is there.
  const counts = (size) => [["entries", size, state.size], ...[...rows].map(([number, row]) => [number, Math.floor(size / WIDTH ** number), row.length])];
  const partial = [...kept.keys()].flatMap((size) => counts(size).filter(([, count, now]) =>
    count % WIDTH && now - Math.floor(count / WIDTH) * WIDTH < WIDTH).map(([kind, count]) => tilePath(kind, Math.floor(count / WIDTH), count)));
  for (const path of new Set([...present, ...partial])) if (names && !names.has(path)) problems.push([path, "is missing"]);
  for (const path of names ?? []) {
    if (!path.startsWith("log/tile/")) continue;
    const parts = /^log\/tile\/(entries|\d+)\/((?:x\d{3}\/)*)(\d{3})(?:\.p\/(\d+))?$/.exec(path);
    if (!parts) { problems.push([path, "is not a file of the log"]); continue; }
    const index = Number(parts[2].replace(/[x/]/g, "") + parts[3]), width = Number(parts[4] ?? WIDTH);
    const count = parts[1] === "entries" ? state.size : rows.get(Number(parts[1]))?.length ?? 0;
    if (index * WIDTH + width > count || width < 1) { problems.push([path, "is beyond the signed leaves"]); continue; }
    if (parts[1] === "entries") {
      if (present.has(path)) continue;
      const now = await read(tilePath("entries", index, state.size)), old = await read(path);
      if (leavesOf(old, path).length !== width || !same(old, now.subarray(0, old.length)))
        problems.push([path, "is not the beginning of the tile that it became"]);
    } else {
      const from = index * WIDTH * 32, wanted = levels.get(Number(parts[1])).subarray(from, from + width * 32);
      if (!same(await read(path), wanted)) problems.push([path, "does not hold the hashes that the leaves give"]);
    }
  }
}

/** The log must continue a checkpoint that the reader kept; throws the reason if it does not. */
export async function continues(note, log, key = log.key) {
  const old = await opened(note, key, "the checkpoint that was given");
  if (old.size > log.state.size)
    throw new Error(`the log had ${old.size} leaves then and has ${log.state.size} now: leaves were removed`);
  const empty = old.size === 0;
  if (!empty && old.root !== log.roots.get(old.size))
    throw new Error(`the first ${old.size} leaves are not those of that checkpoint: history was changed`);
}

/** The size that a note claims, before anything is checked. */
export const claimedSize = (note) => Number(note.split("\n")[1]);
