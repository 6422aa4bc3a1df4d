// Files → one file in the form that `capitalbench bundle` writes: a zstd frame around a plain tar. The frame holds its
// blocks as they are: browsers have no zstd, and a bundle need not be small.
import { utf8 } from "./bytes.js";

const RECORD = 512, BLOCK = 128 << 10, NAME = 100, PREFIX = 155;

/** A long name as what stands before one of its slashes, and after it. */
function split(name) {
  if (utf8(name).length <= NAME) return ["", name];
  for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1))
    if (utf8(name.slice(0, at)).length <= PREFIX && utf8(name.slice(at + 1)).length <= NAME) return [name.slice(0, at), name.slice(at + 1)];
  throw new Error(`${name} has a name that is too long for a bundle`);
}

function header(name, size) {
  const head = new Uint8Array(RECORD), [prefix, last] = split(name);
  const put = (at, value) => head.set(typeof value === "string" ? utf8(value) : value, at);
  const octal = (value, digits) => value.toString(8).padStart(digits, "0");
  put(0, last);
  put(100, "0000644\0");
  put(108, "0000000\0");
  put(116, "0000000\0");
  put(124, octal(size, 11));
  put(136, "00000000000\0");
  put(148, "        ");
  put(156, "0");
  put(257, "ustar\x0000");
  put(345, prefix);
  put(148, `${octal(head.reduce((sum, byte) => sum + byte, 0), 6)}\0 `);
  return head;
}

/** The tar of a Map of files, in order of their names. */
export function tar(files) {
  const names = [...files.keys()].sort((a, b) => (a < b ? -1 : 1));
  const room = (size) => RECORD + Math.ceil(size / RECORD) * RECORD;
  const whole = new Uint8Array(names.reduce((sum, name) => sum + room(files.get(name).length), 2 * RECORD));
  let at = 0;
  for (const name of names) {
    const bytes = files.get(name);
    whole.set(header(name, bytes.length), at);
    whole.set(bytes, at + RECORD);
    at += room(bytes.length);
  }
  return whole;
}

/** One frame that holds these bytes. */
export function zstd(bytes) {
  const blocks = Math.max(1, Math.ceil(bytes.length / BLOCK));
  const whole = new Uint8Array(10 + blocks * 3 + bytes.length), view = new DataView(whole.buffer);
  view.setUint32(0, 0xfd2fb528, true);
  // No checksum, no dictionary, a window of a block, the size of the content in four bytes.
  whole.set([0x80, (17 - 10) << 3], 4);
  view.setUint32(6, bytes.length, true);
  let at = 10;
  for (let block = 0; block < blocks; block++) {
    const own = bytes.subarray(block * BLOCK, (block + 1) * BLOCK), last = block === blocks - 1 ? 1 : 0;
    const head = own.length << 3 | last;
    whole.set([head & 0xff, head >> 8 & 0xff, head >> 16], at);
    whole.set(own, at + 3);
    at += 3 + own.length;
  }
  return whole;
}

/** What the log sealed of a round and these files do not show. */
function withheld(files, events, round) {
  const told = new Set();
  for (const event of events) {
    if (event.event !== "round.files" || event.round !== round) continue;
    for (const path of event.gone) told.delete(path);
    for (const path of Object.keys(event.bodies)) told.add(path);
  }
  return [...told].filter((path) => !files.has(path)).sort((a, b) => (a < b ? -1 : 1));
}

/** The bundle of a published round; `events` are those of its log. */
export async function bundle(round, { files, log }, events) {
  const all = new Map([...files].map(([path, bytes]) => [`${round}/${path}`, bytes]));
  const isShared = (path) => path.startsWith("log/") && !path.startsWith("log/salts/");
  const wanted = log?.files.filter(isShared) ?? [];
  if (Object.keys(log?.salts ?? {}).length) wanted.push(`log/salts/${round}.json`);
  for (const path of wanted) all.set(path, await log.read(path));
  const manifest = { bundle: 1, round, withheld: withheld(files, events, round) };
  all.set("bundle.json", utf8(`${JSON.stringify(manifest, null, 2)}\n`));
  return zstd(tar(all));
}
