// The row of a round's page: recomputes its figures here, and hands out the round as one file.
import { text } from "./bytes.js";
import { check } from "./check.js";
import { bundle } from "./pack.js";
import { download, fetched } from "./published.js";
import { facts } from "./show.js";

/** What was downloaded and found, once for both buttons. */
let known = null;

async function look(id, tell) {
  const round = await download(id, tell);
  tell("Computing");
  const publicRoots = [text(await fetched("verify/roots.pem"))];
  return { round, found: await check(round.files, round.index, round.shown, round.log, { publicRoots }) };
}

const SAID = {
  PROVED: "PROVED: outside clocks on the public list saw the freeze before the first call and the picks before the starting close.",
  STAMPED: "STAMPED: outside clocks saw the freeze and the picks; only the operator vouches for these clocks.",
  SIGNED: "SIGNED: every step is in the operator's signed log; the instants are the operator's word.",
  UNSIGNED: "UNSIGNED: no log shows when anything was written.",
};

/** The result in one or two sentences. */
export function said({ figures, counts, level }) {
  const recomputed = figures.all
    ? `${figures.matches} of ${figures.all} figures recomputed in your browser.`
    : "No figure can be recomputed before the ending close.";
  const broken = counts.differs === 1 ? "One check does not hold." : `${counts.differs} checks do not hold.`;
  return counts.differs ? `${recomputed} ${broken}` : `${recomputed} ${SAID[level] ?? level}`;
}

export async function act(row, wish) {
  const id = row.dataset.round, told = row.querySelector("output");
  const tell = (words) => { told.textContent = words; };
  row.setAttribute("aria-busy", "true");
  tell("Working");
  try {
    known ??= await look(id, tell);
    if (wish === "bundle") {
      const bytes = await bundle(id, known.round, known.found.log?.events ?? []);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([bytes], { type: "application/zstd" }));
      link.download = `${id}.tar.zst`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      tell(`${link.download}: ${bytes.length} bytes; check it with capitalbench verify ${link.download}`);
    } else {
      tell(said(known.found));
      row.dataset.verdict = known.found.counts.differs ? "differs" : "matches";
      const broken = known.found.lines.filter((line) => line.state === "differs").slice(0, 5);
      const list = document.createElement("ul");
      list.append(...broken.map(({ what, detail }) => Object.assign(document.createElement("li"), { textContent: `${what}: ${detail}` })));
      for (const old of row.querySelectorAll("ul, dl")) old.remove();
      if (known.found.proof) row.append(facts(known.found.proof, known.found.log));
      if (broken.length) row.append(list);
    }
  } catch (error) {
    known = null;
    tell(`Could not look: ${error.message}`);
    row.dataset.verdict = "failed";
  }
  row.removeAttribute("aria-busy");
}
