// The page: choose a round or drop a folder, bring what you kept, watch the checks, read the verdict.
import { keptFile, roundIn } from "./brought.js";
import { text } from "./bytes.js";
import { check, roundOf } from "./check.js";
import { download, fetched } from "./published.js";
import { lines, verdict } from "./show.js";

const [form, choice, bundle, folder, kept, bring, status, result] =
  ["form", "round", "bundle", "folder", "kept", "brought", "status", "result"].map((id) => document.getElementById(`verify-${id}`));
const reader = { roots: [], since: [], key: null };
let again = null;

async function work(title, gather) {
  again = () => work(title, gather);
  form.setAttribute("aria-busy", "true");
  delete status.dataset.verdict;
  status.textContent = "Working";
  result.replaceChildren();
  try {
    const { files, index, shown, log } = await gather();
    const publicRoots = [text(await fetched("verify/roots.pem"))];
    const found = await check(files, index, shown, log, { ...reader, publicRoots });
    const { counts } = found, name = title(files);
    result.replaceChildren(verdict(name, found, reader.roots.length > 0), lines(found.lines));
    status.textContent = `${name}: ${found.level}; ${counts.matches} match, ${counts.differs} differ, ${counts.warned} warned, ${counts["not checked"]} not checked`;
    status.dataset.verdict = counts.differs ? "differs" : counts.matches ? "matches" : "nothing";
    status.dataset.level = found.level;
  } catch (error) {
    status.textContent = `Could not check: ${error.message}`;
    status.dataset.verdict = "failed";
  }
  form.removeAttribute("aria-busy");
}

const online = (id) => work(() => id, () => download(id, (words) => { status.textContent = words; }));

/** Roots, checkpoints and keys that the reader kept are remembered; everything else is a round. */
async function take(entries) {
  const rest = [];
  for (const [path, file] of entries) {
    const own = path.includes("/") || file.size > 1_000_000 ? null : keptFile(path, new Uint8Array(await file.arrayBuffer()));
    if (!own) { rest.push([path, file]); continue; }
    if (own.root) reader.roots.push(own.root);
    if (own.note) reader.since.push(own.note);
    if (own.key) reader.key = own.key;
    bring.append(Object.assign(document.createElement("li"), { textContent: own.words }));
  }
  if (rest.length) await work((files) => roundOf(files) ?? "this folder", () => roundIn(rest));
  else if (again) await again();
}

async function walk(entry, found) {
  if (entry.isFile) found.push([entry.fullPath.slice(1), await new Promise((done, failed) => entry.file(done, failed))]);
  else {
    const inside = entry.createReader();
    const some = () => new Promise((done, failed) => inside.readEntries(done, failed));
    for (let list = await some(); list.length; list = await some())
      for (const inner of list) await walk(inner, found);
  }
  return found;
}

const chosen = (input) => take([...input.files].map((file) => [file.webkitRelativePath || file.name, file]));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  history.replaceState(null, "", `?round=${encodeURIComponent(choice.value)}`);
  online(choice.value);
});
folder.webkitdirectory = true;
folder.addEventListener("change", () => chosen(folder));
bundle.addEventListener("change", () => chosen(bundle));
kept.addEventListener("change", () => chosen(kept));
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", async (event) => {
  event.preventDefault();
  const roots = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  const found = [];
  for (const entry of roots) await walk(entry, found);
  take(found);
});
form.hidden = false;
const asked = new URLSearchParams(location.search).get("round");
if (asked && !/[\\/]|^\.{1,2}$/.test(asked)) {
  // Only the newest rounds are listed.
  if (![...choice.options].some((option) => option.value === asked)) choice.append(new Option(asked, asked));
  choice.value = asked;
  online(asked);
}
