// The signed log: the checkpoint's signature, and leaves of a round in its tree (RFC 6962, C2SP tiles).
import { sha256, text } from "./read.js";

const WIDTH = 256;
const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytes = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (two) => parseInt(two, 16));
const joined = (...parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
};
const leafHash = (leaf) => sha256(joined([0], leaf));

/** The root above some hashes; the last one may be that of a smaller tree. */
async function rootOf(hashes) {
  if (hashes.length === 1) return hashes[0];
  let half = 1;
  while (half * 2 < hashes.length) half *= 2;
  const [left, right] = [await rootOf(hashes.slice(0, half)), await rootOf(hashes.slice(half))];
  return sha256(joined([1], bytes(left), bytes(right)));
}

/** Size and root of a note, once its signature by the key holds. */
export async function opened(note, vkey) {
  const [name, , ...rest] = vkey.trim().split("+");
  const key = bytesOf(rest.join("+"));
  if (key[0] !== 1 || key.length !== 33) throw new Error("log/vkey is not an Ed25519 key");
  const end = note.indexOf("\n\n") + 1;
  if (!end) throw new Error("log/checkpoint has no signature");
  const line = note.slice(end + 1).split("\n").find((one) => one.startsWith(`— ${name} `));
  if (!line) throw new Error(`log/checkpoint is not signed by ${name}`);
  const imported = await crypto.subtle.importKey("raw", key.slice(1), { name: "Ed25519" }, false, ["verify"]);
  const signature = bytesOf(line.split(" ")[2]).slice(4), signed = new TextEncoder().encode(note.slice(0, end));
  if (!await crypto.subtle.verify("Ed25519", imported, signature, signed))
    throw new Error("the signature of log/checkpoint does not hold");
  const [origin, size, root] = note.split("\n");
  return { origin, size: Number(size), root: hex(bytesOf(root)) };
}

/** Reads tiles by `read(path)` and says of leaves whether the signed root is above them. */
export async function tree({ size, root }, read) {
  const kept = new Map();
  const tile = (kind, index, count) => {
    const width = Math.min(WIDTH, count - index * WIDTH);
    let number = String(index % 1000).padStart(3, "0");
    for (let rest = Math.floor(index / 1000); rest; rest = Math.floor(rest / 1000))
      number = `x${String(rest % 1000).padStart(3, "0")}/${number}`;
    const path = `log/tile/${kind}/${number}${width < WIDTH ? `.p/${width}` : ""}`;
    if (!kept.has(path)) kept.set(path, read(path));
    return kept.get(path);
  };
  const at = (level) => Math.floor(size / WIDTH ** level);
  const hashes = async (level, index) => {
    const found = hex(await tile(level, index, at(level))).match(/.{64}/g) ?? [];
    if (found.length !== Math.min(WIDTH, at(level) - index * WIDTH)) throw new Error(`tile ${level}/${index} is not whole`);
    return found;
  };
  let above = null;
  for (let level = 0; at(level); level++) {
    if (at(level) % WIDTH === 0) continue;
    const edge = await hashes(level, Math.floor(at(level) / WIDTH));
    above = await rootOf(above ? [...edge, above] : edge);
  }
  if (above !== root) throw new Error("the tiles do not give the root that was signed");
  return async (place) => {
    let entries = await tile("entries", Math.floor(place / WIDTH), size);
    for (let skip = place % WIDTH; skip; skip--) entries = entries.slice(2 + entries[0] * 256 + entries[1]);
    const leaf = entries.slice(2, 2 + entries[0] * 256 + entries[1]);
    let hash = await leafHash(leaf), index = place;
    for (let level = 0; ; level++) {
      const own = await hashes(level, Math.floor(index / WIDTH));
      if (own[index % WIDTH] !== hash) throw new Error(`leaf ${place} is not in the tree that was signed`);
      // A tile at the edge is part of the root itself.
      if (own.length < WIDTH) return JSON.parse(text(leaf));
      [hash, index] = [await rootOf(own), Math.floor(index / WIDTH)];
    }
  };
}

/** Lines about a round: signature, its leaves, its files against their seals. */
export async function checkLog({ vkey, checkpoint, leaves, salts, read }, files, round, say) {
  const state = await opened(text(checkpoint), text(vkey));
  say("log", "log/checkpoint", true, `${state.size} leaves, signed by ${state.origin}`);
  const look = await tree(state, read);
  const sealed = new Map();
  for (const place of leaves) {
    const event = await look(place);
    const own = event.round === round;
    say("log", `leaf ${place}`, own, own ? `${event.event} at ${event.at}` : `is about ${event.round}`);
    if (event.event !== "round.files") continue;
    for (const [path, seal] of Object.entries(event.bodies)) sealed.set(path, seal);
    for (const path of event.gone ?? []) sealed.delete(path);
  }
  for (const [path, content] of files) {
    const salt = salts[path], seal = sealed.get(path);
    if (!salt || !seal) { say("log", path, null, seal ? "its salt is not told" : "no leaf names it"); continue; }
    const digest = await sha256(joined(bytes(salt), content));
    say("log", path, digest === seal, digest === seal ? "as it was signed" : `signed ${seal}, computed ${digest}`);
  }
}
