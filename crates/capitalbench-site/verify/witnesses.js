// Witnesses of the log (C2SP tlog-cosignature): who cosigned which checkpoint, and whether as many did as the rule asks for.
import { hashOf, hex, text, told, unbase64, utf8 } from "./bytes.js";

const SLACK = 60_000, COSIGNATURE = 4;

/** The rule in `log/witnesses`: a key a line, and `quorum N`. */
async function ruleOf(source) {
  const keys = [];
  let quorum = null;
  for (const line of source.split("\n").map((own) => own.trim())) {
    if (!line || line.startsWith("#")) continue;
    const number = /^quorum (0|[1-9]\d*)$/.exec(line)?.[1];
    if (number && quorum !== null) throw new Error("says twice how many must cosign");
    if (number) { quorum = Number(number); continue; }
    const [name, hash, ...rest] = line.split("+"), key = unbase64(rest.join("+"));
    const own = hex((await hashOf(utf8(`${name}\n`), key)).slice(0, 4));
    if (!name || key[0] !== COSIGNATURE || key.length !== 33 || own !== hash) throw new Error(`${line} is not the key of a witness`);
    if (keys.some((other) => other.key === hex(key))) throw new Error(`${name} is named twice`);
    keys.push({ name, hash, key: hex(key), imported: await crypto.subtle.importKey("raw", key.slice(1), { name: "Ed25519" }, false, ["verify"]) });
  }
  if (quorum !== null && !(quorum >= 1 && quorum <= keys.length)) throw new Error(`${quorum} of ${keys.length} witnesses can never cosign`);
  return { keys, quorum };
}

/** What the signature lines under a checkpoint say: { name, at } of every named witness; throws where one does not hold. */
async function cosigned(signed, lines, keys, now) {
  const found = [];
  for (const line of lines) {
    const parts = /^— (\S+) (\S+)$/.exec(line);
    if (!parts) throw new Error("is not a signature line");
    const bytes = unbase64(parts[2]), key = keys.find((own) => own.name === parts[1] && own.hash === hex(bytes.slice(0, 4)));
    if (!key) continue;
    if (bytes.length !== 76) throw new Error(`the cosignature of ${key.name} does not hold`);
    const seconds = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(4);
    const holds = await crypto.subtle.verify("Ed25519", key.imported, bytes.slice(12), utf8(`cosignature/v1\ntime ${seconds}\n${signed}`));
    if (!holds) throw new Error(`the cosignature of ${key.name} does not hold: it is of another checkpoint, or was changed`);
    const at = Number(seconds) * 1000;
    if (at > now + SLACK) throw new Error(`${key.name} signed at ${told(at)}, which is later than now`);
    found.push({ name: key.name, at });
  }
  return found;
}

const parts = (note) => {
  const end = note.lastIndexOf("\n\n") + 1;
  return [note.slice(0, end), note.slice(end + 1, -1).split("\n")];
};

/**
 * The witnesses of a log: `seen` are cosignatures that hold, `newest` the last one of each witness, `quorumAt` the largest
 * size that enough of them cosigned or null, `missing` why the newest state shown to others lacks its quorum or null.
 * `problems` are [place, text], `strangers` files of keys that nobody names.
 */
export async function witnessesOf(log, source, now) {
  const problems = [], strangers = [], seen = [], names = source.files ?? [];
  let rule = { keys: [], quorum: null };
  if (names.includes("log/witnesses"))
    try { rule = await ruleOf(text(await source.read("log/witnesses"))); } catch (error) { problems.push(["log/witnesses", error.message]); }
  const add = (size, own) => { if (!seen.some((other) => other.size === size && other.name === own.name)) seen.push({ size, ...own }); };
  const shown = [];
  for (const name of names) {
    const [, folder, file] = /^log\/anchors\/([^/]+)\/(.+)$/.exec(name) ?? [], size = Number(folder), kept = log.kept.get(size);
    if (!kept || String(size) !== folder) continue;
    shown.push(size);
    if (!file.endsWith(".cosig")) continue;
    try {
      const lines = text(await source.read(name));
      if (!lines.endsWith("\n")) throw new Error("is not a signature line");
      const found = await cosigned(parts(text(kept.note))[0], lines.slice(0, -1).split("\n"), rule.keys, now);
      if (!found.length) strangers.push(name);
      for (const own of found) add(size, own);
    } catch (error) { problems.push([name, error.message]); }
  }
  try { for (const own of await cosigned(...parts(text(source.checkpoint)), rule.keys, now)) add(log.state.size, own); }
  catch (error) { problems.push(["log/checkpoint", error.message]); }
  const at = (size) => seen.filter((own) => own.size === size), enough = (size) => at(size).length >= rule.quorum;
  const last = shown.length ? Math.max(...shown) : log.state.size, sizes = seen.map((own) => own.size).filter(enough);
  const newest = rule.keys.map(({ name }) => ({ name, last: seen.filter((own) => own.name === name).sort((a, b) => b.size - a.size || b.at - a.at)[0] ?? null }));
  const missing = rule.quorum !== null && !enough(last)
    ? `${rule.quorum} of ${rule.keys.length} witnesses must cosign the log at size ${last}, and ${at(last).length ? `only ${at(last).map((own) => own.name).join(" and ")} did` : "none of them did"}` : null;
  return { quorum: rule.quorum, newest, quorumAt: rule.quorum === null || !sizes.length ? null : Math.max(...sizes), missing, problems, strangers };
}

/** One sentence about the rule and one about each witness, for people; null where nobody names a witness. */
export function witnessWords({ quorum, newest, quorumAt }, size) {
  if (!newest.length) return null;
  const rule = quorum === null ? `${newest.length} named, and nobody says how many must cosign`
    : `${quorum} of ${newest.length} must cosign${quorumAt === null ? ", and never so many did" : `, and did up to entry ${quorumAt} of ${size}`}`;
  const each = newest.map(({ name, last }) => last ? `${name} cosigned ${last.size} entries at ${told(last.at)}` : `${name} never cosigned`);
  return [`${rule} (the operator names them)`, ...each].join("; ");
}
