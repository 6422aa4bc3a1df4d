// The result as a reader sees it: how far the round is proved and by whom, what is not proved, then every line.
import { told } from "./bytes.js";
import { witnessWords } from "./witnesses.js";

function made(tag, content, name) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...[content ?? ""].flat());
  return element;
}

const names = (authorities, vouched) => authorities.filter((own) => own.vouched === vouched).map((own) => `“${own.name}”`).join(" and ");

/** One sentence under the word. */
function sentence({ level, counts, authorities, proof }, ownRoots) {
  switch (level) {
    case "PROVED": return `Everything holds. ${names(authorities, true)} stamped the freeze before the first call and the picks before the entry close. `
      + (ownRoots ? "You vouch for this authority: you gave its root certificate." : "Its root is on the list of public authorities that this page loads.");
    case "STAMPED": return `Everything holds. ${names(authorities, false)} stamped the freeze and the picks: an authority you have not vouched for. `
      + "Only the operator vouches for it; if you trust it, add its root certificate above.";
    case "SIGNED": return "Everything holds. The operator signed it; no outside clock shows that it was in time.";
    case "UNSIGNED": return "Files and figures hold. Nothing is signed, so only the operator says when they were written.";
    default: return `${counts.differs} ${counts.differs === 1 ? "thing does" : "things do"} not hold; the table below names all of them first.`
      + (proof ? "" : " There is no signed log for this round.");
  }
}

function moment(mark, proof) {
  const before = proof.stamped(mark);
  return `${told(mark.at)}, ${before === undefined ? "by the operator's clock" : `seen before ${told(before)} by an outside clock`}`;
}

/** When the steps of the round happened. */
export function facts(proof, log) {
  const rows = [], { freeze, first, picks, lastScore, entry } = proof.steps;
  if (freeze) rows.push(["Inputs frozen", moment(freeze, proof)]);
  if (first) rows.push(["First call", `${told(first.at)}, ${freeze && freeze.last < first.first ? "after" : "not after"} the freeze`]);
  if (proof.slots) {
    const { slots, valid, invalid, failed, open, retries } = proof.slots;
    rows.push(["Slots", `${slots}: ${valid} valid, ${invalid} invalid, ${failed} failed, ${open} open, ${retries} repeated`]);
  }
  if (picks) {
    const before = proof.stamped(picks) ?? picks.at;
    rows.push(["Picks committed", moment(picks, proof) + (entry === null ? "" : `; ${before < entry ? "before" : "after"} the entry close ${told(entry)}`)]);
  }
  if (lastScore) {
    const earlier = proof.steps.score.first !== lastScore.first ? `, in place of a result of ${told(proof.steps.score.at)}` : "";
    rows.push(["Scores", `${told(lastScore.at)}${proof.corrections ? `, corrections: ${proof.corrections}` : ""}${earlier}`]);
  }
  rows.push(["Files", `${proof.opened} of ${proof.opened + proof.withheld} compared with the log`]);
  rows.push(["Log", `${log.state.origin}, ${log.state.size} leaves, all read${log.continued ? `; continues ${log.continued} you kept` : ""}`]);
  const witnesses = witnessWords(log.witnesses, log.state.size);
  if (witnesses) rows.push(["Witnesses", witnesses]);
  return made("dl", rows.flatMap(([name, value]) => [made("dt", name), made("dd", value)]));
}

/** The box names at most this many faults; the table below it names all. */
const MOST = 5;

const items = (title, list) => [made("h3", title), made("ul", list.map((own) => made("li", own)))];

/** The box on top: the verdict, then the reasons. */
export function verdict(title, result, ownRoots) {
  const box = made("section", [made("h2", [made("span", title), " ", made("strong", result.level)]), made("p", sentence(result, ownRoots))], "verdict");
  box.dataset.level = result.level.toLowerCase().replace(" ", "-");
  const broken = result.lines.filter((line) => line.state === "differs");
  const said = ({ area, what, code, detail }) => `${what}: ${detail} (${code || area})`;
  if (broken.length) box.append(...items("Does not hold", broken.slice(0, MOST).map(said)));
  if (result.proof) box.append(facts(result.proof, result.log));
  if (result.notProved.length) box.append(...items("Not proved", result.notProved));
  box.append(...items("Not checked here; the program does", result.notChecked));
  return box;
}

const MARKS = { differs: "✗ differs", warned: "! warning", "not checked": "– not checked", matches: "✓ matches" };

/** What does not match in a table, and everything else folded below it. */
export function lines(list) {
  const open = list.filter((line) => line.state !== "matches"), rest = list.filter((line) => line.state === "matches");
  const fold = document.createElement("details");
  fold.append(made("summary", `${rest.length} ${rest.length === 1 ? "line matches" : "lines match"}`));
  // The rows are made when somebody looks: there are hundreds.
  fold.addEventListener("toggle", () => { if (fold.open && fold.childElementCount === 1) fold.append(table(rest)); });
  const box = document.createElement("div");
  if (open.length) box.append(table(open));
  box.append(fold);
  return box;
}

function table(list) {
  const order = Object.keys(MARKS), late = { frozen: 1, index: 2 };
  const key = (line) => order.indexOf(line.state) * 3 + (late[line.area] ?? 0);
  const whole = document.createElement("table");
  whole.innerHTML = "<thead><tr><th scope=col>Result<th scope=col>Where<th scope=col>What<th scope=col>Detail</thead>";
  const body = whole.createTBody();
  for (const line of [...list].sort((a, b) => key(a) - key(b))) {
    const row = body.insertRow();
    row.dataset.state = line.state;
    const detail = line.code ? `${line.code}: ${line.detail}` : line.detail;
    row.append(made("td", MARKS[line.state]), made("td", line.area), made("td", line.what, "w"), made("td", detail, "w"));
  }
  const box = made("div", [whole], "scroll");
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "Lines of the check");
  return box;
}
