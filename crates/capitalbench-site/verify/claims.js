// A registered claim, computed again: its terms as the log's file has them, its evidence from its daily differences.
const BETS = 8, CLIP = 5, BOLDEST = 0.5, RISKED = 0.9, ROUNDING = 1e-12, LARGEST = 1e200;
const TERMS = ["claim", "method", "first", "second", "track", "side", "first_day", "last_day", "season", "family"];

/** The evidence after each day; `broken` is the first day beyond the bound, after which nothing counts. */
export function followed({ side, scale, spread, days }) {
  const above = Array(BETS).fill(1), below = Array(BETS).fill(1), evidence = [];
  let broken = null;
  const bet = (stakes, gain, bound) => {
    const x = Math.min(gain, CLIP * scale) / scale;
    let bold = Math.min(BOLDEST, RISKED * scale / bound);
    for (let place = 0; place < BETS; place++) {
      stakes[place] = Math.min(stakes[place] * (1 + bold * x), LARGEST);
      bold *= Math.SQRT1_2;
    }
  };
  const value = (stakes) => stakes.reduce((sum, own) => sum + own, 0) / BETS;
  for (const { day, difference, distance } of days) {
    const bound = spread * distance;
    if (broken === null && Math.abs(difference) > bound + ROUNDING) broken = day;
    if (broken === null) {
      bet(above, difference, bound);
      bet(below, -difference, bound);
    }
    evidence.push(side === "above" ? value(above) : (value(above) + value(below)) / 2);
  }
  return { evidence, broken };
}

/** What differs between a claim of the site and what its terms and days give; empty where nothing does. */
export function differences(claim, entry) {
  const found = [];
  if (entry) {
    for (const name of TERMS)
      if ((claim[name] ?? null) !== (entry[name] ?? null)) found.push(`${name}: the page has ${claim[name]}, the log's file has ${entry[name]}`);
    for (const name of ["alpha", "scale", "spread"])
      if (claim[name] !== Number(entry[name])) found.push(`${name}: the page has ${claim[name]}, the log's file has ${entry[name]}`);
  }
  const { evidence } = followed(claim);
  claim.days.forEach(({ day, evidence: shown }, place) => {
    if (!(Math.abs(evidence[place] - shown) <= 1e-9 * Math.max(1, Math.abs(shown)))) found.push(`${day}: the page has ${shown}, the days give ${evidence[place]}`);
  });
  const settled = claim.days.filter((own) => own.settled).length;
  const last = settled ? evidence[settled - 1] : 1;
  if (!(Math.abs(last - claim.evidence) <= 1e-9 * Math.max(1, Math.abs(last)))) found.push(`evidence: the page has ${claim.evidence}, the settled days give ${last}`);
  return found;
}

/** Computes the claim of this page again and says what came out. */
async function page(place) {
  const json = async (url) => {
    const answer = await fetch(url);
    return answer.ok ? answer.json() : null;
  };
  const claim = await json(place.dataset.claim), entry = await json(place.dataset.entry);
  if (!claim) return "The file of this claim cannot be read.";
  const found = differences(claim, entry);
  const terms = entry ? "the terms are those of the log's file" : "the log's file is not here, so the terms were not compared";
  if (!found.length) return `Computed again in your browser: ${claim.days.length} of ${claim.days.length} days match, and ${terms}.`;
  return `Computed again in your browser: this does not hold. ${found.join("; ")}.`;
}

if (typeof document !== "undefined") {
  const place = document.getElementById("claim-again");
  if (place) page(place).then((text) => { place.textContent = text; }, (error) => { place.textContent = `Not computed again: ${error.message}.`; });
}
