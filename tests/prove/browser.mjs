// What the verify page says about a folder of rounds: node tests/prove/browser.mjs FOLDER [KEPT_KEY] → {verdict, findings}.
// The page's own modules are run on what a site would publish of the one round in FOLDER and of its log.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const modules = path.resolve(here, "../../crates/capitalbench-site/verify");
const [rounds, kept] = process.argv.slice(2);
const place = fs.mkdtempSync(path.join(os.tmpdir(), "browser-"));
const bytes = (file) => new Uint8Array(fs.readFileSync(file));
const exists = (file) => fs.existsSync(path.join(rounds, file));
const walk = (root, folder = "") => fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
  const inner = folder ? `${folder}/${entry.name}` : entry.name;
  return entry.isDirectory() ? walk(root, inner) : [inner];
});

/** Every entry of the log as the tiles hold it; the page gets the places of the round's own. */
function entries(size) {
  const found = [];
  for (let index = 0; index * 256 < size; index++) {
    const width = Math.min(256, size - index * 256), name = String(index).padStart(3, "0");
    let rest = fs.readFileSync(path.join(rounds, `log/tile/entries/${name}${width < 256 ? `.p/${width}` : ""}`));
    while (rest.length) {
      const length = rest.readUInt16BE(0);
      found.push(rest.subarray(2, 2 + length));
      rest = rest.subarray(2 + length);
    }
  }
  return found;
}

function logOf(round) {
  if (!exists("log/checkpoint") || !exists("log/vkey")) return null;
  const size = Number(fs.readFileSync(path.join(rounds, "log/checkpoint"), "utf8").split("\n")[1]);
  const about = (entry) => { try { return JSON.parse(entry.toString()).round === round; } catch { return true; } };
  const leaves = entries(size).flatMap((entry, place) => (about(entry) ? [place] : []));
  const salts = exists(`log/salts/${round}.json`) ? JSON.parse(fs.readFileSync(path.join(rounds, `log/salts/${round}.json`), "utf8")) : {};
  return {
    vkey: bytes(path.join(rounds, "log/vkey")), checkpoint: bytes(path.join(rounds, "log/checkpoint")), leaves, salts,
    kept: kept ? bytes(kept) : null, files: walk(path.join(rounds, "log")).map((file) => `log/${file}`),
    read: async (file) => bytes(path.join(rounds, file)),
  };
}

async function judged() {
  for (const file of fs.readdirSync(modules).filter((name) => name.endsWith(".js")))
    fs.copyFileSync(path.join(modules, file), path.join(place, file));
  fs.writeFileSync(path.join(place, "package.json"), '{"type":"module"}');
  const { check } = await import(path.join(place, "check.js"));
  const own = fs.readdirSync(rounds, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && exists(`${entry.name}/manifest.yaml`)).map((entry) => entry.name);
  if (!own.length) throw new Error("holds no round");
  const round = own[0], folder = path.join(rounds, round), log = logOf(round);
  const hidden = /(^|\/)\.|^automation\/lease-|\.head\.json$/;
  const files = new Map(walk(folder).filter((file) => !hidden.test(file)).map((file) => [file, bytes(path.join(folder, file))]));
  const { lines, counts } = await check(files, null, null, log);
  const findings = lines.filter((line) => line.state === "differs").map((line) => `${line.area}: ${line.what}: ${line.detail}`);
  return { verdict: counts.differs ? "does not hold" : "holds", findings, log: Boolean(log), counts };
}

try {
  console.log(JSON.stringify(await judged()));
} catch (error) {
  console.log(JSON.stringify({ verdict: "does not hold", findings: [`could not check: ${error.message}`] }));
} finally {
  fs.rmSync(place, { recursive: true });
}
