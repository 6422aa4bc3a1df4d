// What the verify page says about a folder of rounds: node tests/prove/browser.mjs FOLDER INSTANT MARKETS.JS → {verdict, level, findings}.
// The page's own modules are run on what a site would publish of the one round in FOLDER and of its log.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const modules = path.resolve(here, "../../crates/capitalbench-site/verify");
const [rounds, now, markets] = process.argv.slice(2);
const place = fs.mkdtempSync(path.join(os.tmpdir(), "browser-"));
const bytes = (file) => new Uint8Array(fs.readFileSync(file));
const exists = (file) => fs.existsSync(path.join(rounds, file));
const walk = (root, folder = "") => fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
  const inner = folder ? `${folder}/${entry.name}` : entry.name;
  return entry.isDirectory() ? walk(root, inner) : [inner];
});

function logOf(round, own) {
  if (!exists("log")) return null;
  const file = (name) => (exists(name) ? bytes(path.join(rounds, name)) : null);
  const salts = exists(`log/salts/${round}.json`) ? JSON.parse(fs.readFileSync(path.join(rounds, `log/salts/${round}.json`), "utf8")) : {};
  return {
    vkey: file("log/vkey"), checkpoint: file("log/checkpoint"), salts, rounds: own, round,
    files: walk(path.join(rounds, "log")).map((name) => `log/${name}`), read: async (name) => bytes(path.join(rounds, name)),
  };
}

async function judged() {
  for (const file of fs.readdirSync(modules).filter((name) => name.endsWith(".js")))
    fs.copyFileSync(path.join(modules, file), path.join(place, file));
  // The closes of all markets are the one module that the program makes.
  fs.copyFileSync(markets, path.join(place, "markets.js"));
  fs.writeFileSync(path.join(place, "package.json"), '{"type":"module"}');
  const { check } = await import(path.join(place, "check.js"));
  const own = fs.readdirSync(rounds, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && exists(`${entry.name}/manifest.yaml`)).map((entry) => entry.name);
  if (!own.length) throw new Error("holds no round");
  const round = own[0], folder = path.join(rounds, round), log = logOf(round, own);
  const hidden = /(^|\/)\.|^automation\/lease-|\.head\.json$/;
  const files = new Map(walk(folder).filter((file) => !hidden.test(file)).map((file) => [file, bytes(path.join(folder, file))]));
  const publicRoots = [fs.readFileSync(path.resolve(modules, "../../capitalbench-proof/roots/public.pem"), "utf8")];
  const { lines, counts, verdict, level } = await check(files, null, null, log, { now: Date.parse(now), publicRoots });
  const findings = lines.filter((line) => line.state === "differs").map((line) => `${line.code || line.area} ${line.what}: ${line.detail}`);
  return { verdict, level, findings, log: Boolean(log), counts };
}

try {
  console.log(JSON.stringify(await judged()));
} catch (error) {
  console.log(JSON.stringify({ verdict: "does not hold", findings: [`could not check: ${error.message}`] }));
} finally {
  fs.rmSync(place, { recursive: true });
}
