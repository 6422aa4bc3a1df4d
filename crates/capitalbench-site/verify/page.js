// The page: choose a round or drop a folder, watch the checks, read the lines.
import { check, roundOf } from "./check.js";
import { csv } from "./read.js";

const element = (id) => document.getElementById(id);
const [form, choice, folder, drop, status, result] =
  ["verify-form", "verify-round", "verify-folder", "verify-drop", "verify-status", "verify-result"].map(element);
const root = new URL("../", location.href);
const address = (path) => new URL(path.split("/").map(encodeURIComponent).join("/"), root);

async function fetched(url) {
  const answer = await fetch(url, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${url.pathname}: ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

const parsed = (bytes) => new TextDecoder().decode(bytes);

/** Everything the site has of a round, a few files at a time. */
async function download(id) {
  const index = JSON.parse(parsed(await fetched(address(`rounds/${id}/files.json`))));
  const files = new Map(), waiting = [...index.files];
  const worker = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      files.set(file.path, await fetched(address(`rounds/${id}/files/${file.path}`)));
      status.textContent = `${files.size} of ${index.files.length} files`;
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  const rows = index.state === "resolved" ? csv(parsed(await fetched(address("data/outcomes.csv")))) : [];
  return { files, index, shown: rows.filter((row) => row.round_id === id), log: await logOf(id) };
}

/** What the site has of the signed log about a round; nothing where nothing is signed. */
async function logOf(id) {
  const read = (path) => fetched(address(path));
  if (!JSON.parse(parsed(await read("verify/signed.json"))).includes(id)) return null;
  const { leaves } = JSON.parse(parsed(await read(`rounds/${id}/log.json`)));
  const salts = JSON.parse(parsed(await read(`log/salts/${id}.json`)));
  return { vkey: await read("log/vkey"), checkpoint: await read("log/checkpoint"), leaves, salts, read };
}

function cell(row, value, name) {
  const made = document.createElement("td");
  made.textContent = value;
  if (name) made.className = name;
  row.append(made);
}

function show(title, { lines, counts }) {
  status.textContent = `${title}: ${counts.matches} match, ${counts.differs} differ, ${counts["not checked"]} not checked`;
  status.dataset.verdict = counts.differs ? "differs" : counts.matches ? "matches" : "nothing";
  const order = { differs: 0, "not checked": 1, matches: 2 };
  const table = document.createElement("table");
  table.innerHTML = "<thead><tr><th scope=col>Result<th scope=col>Where<th scope=col>What<th scope=col>Detail</thead>";
  const body = table.createTBody();
  const mark = { matches: "✓ matches", differs: "✗ differs", "not checked": "– not checked" };
  const late = { frozen: 1, index: 2 };
  const key = (line) => order[line.state] * 3 + (late[line.area] ?? 0);
  for (const line of [...lines].sort((a, b) => key(a) - key(b))) {
    const row = body.insertRow();
    row.dataset.state = line.state;
    cell(row, mark[line.state]);
    cell(row, line.area);
    cell(row, line.what);
    cell(row, line.detail, "digest");
  }
  const box = document.createElement("div");
  box.className = "scroll";
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "Lines of the check");
  box.append(table);
  result.replaceChildren(box);
}

async function work(title, gather) {
  form.setAttribute("aria-busy", "true");
  delete status.dataset.verdict;
  status.textContent = "Working";
  result.replaceChildren();
  try {
    const { files, index, shown, log } = await gather();
    show(title(files), await check(files, index, shown, log));
  } catch (error) {
    status.textContent = `Could not check: ${error.message}`;
    status.dataset.verdict = "failed";
  }
  form.removeAttribute("aria-busy");
}

const online = (id) => work(() => id, () => download(id));

const depth = (path) => path.split("/").length;

/** Paths inside the round: what stands above manifest.yaml is cut off. */
async function local(entries) {
  const base = entries.map(([path]) => path).filter((path) => /(^|\/)manifest\.yaml$/.test(path))
    .map((path) => path.slice(0, -"manifest.yaml".length)).sort((a, b) => depth(a) - depth(b));
  if (!base.length) throw new Error("there is no manifest.yaml; choose the folder of one round");
  if (base.filter((path) => depth(path) === depth(base[0])).length > 1)
    throw new Error("these are several rounds; choose the folder of one");
  const files = new Map();
  for (const [path, file] of entries)
    if (path.startsWith(base[0]) && !/(^|\/)\./.test(path))
      files.set(path.slice(base[0].length), new Uint8Array(await file.arrayBuffer()));
  return { files, index: null, shown: null };
}

const offline = (entries) => work((files) => roundOf(files) ?? "this folder", () => local(entries));

async function walk(entry, found) {
  if (entry.isFile) found.push([entry.fullPath.slice(1), await new Promise((done, failed) => entry.file(done, failed))]);
  else {
    const reader = entry.createReader();
    const some = () => new Promise((done, failed) => reader.readEntries(done, failed));
    for (let list = await some(); list.length; list = await some())
      for (const inner of list) await walk(inner, found);
  }
  return found;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  history.replaceState(null, "", `?round=${encodeURIComponent(choice.value)}`);
  online(choice.value);
});
folder.addEventListener("change", () =>
  offline([...folder.files].map((file) => [file.webkitRelativePath || file.name, file])));
drop.addEventListener("dragover", (event) => event.preventDefault());
drop.addEventListener("drop", async (event) => {
  event.preventDefault();
  const roots = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  const found = [];
  for (const entry of roots) await walk(entry, found);
  offline(found);
});
form.hidden = false;
const asked = new URLSearchParams(location.search).get("round");
if (asked && !/[\\/]|^\.{1,2}$/.test(asked)) {
  // Only the newest rounds are listed.
  if (![...choice.options].some((option) => option.value === asked)) choice.append(new Option(asked, asked));
  choice.value = asked;
  online(asked);
}
