// The published arithmetic, written a second time: returns, alpha, regret, score, in doubles.

const clean = (value) => (typeof value === "string" && value.trim() ? value.trim() : null);
const is = (id, name) => id.toUpperCase() === name;

/** The options with their roles; the first that qualifies is the reference. */
export function universe(list) {
  const options = list.map((stored) => {
    const id = String(stored.id ?? stored.option_id ?? "");
    const cash = stored.is_cash === true || is(id, "CASH");
    const old = clean(stored.asset_symbol);
    let symbol = clean(stored.symbol) ?? old;
    if (cash && (symbol === "USD" || symbol === "CASH")) symbol = null;
    const shown = symbol ?? "CASH";
    return {
      id,
      keys: [id, symbol, clean(stored.tiingo_symbol) ?? old, shown].filter(Boolean),
      cash: cash || shown === "USD" || shown === "CASH",
      reference: stored.is_benchmark === true || is(id, "SP500") || symbol === "SPY",
    };
  });
  const reference = options.find((option) => option.reference);
  if (!reference) throw new Error("no option is the reference");
  return { options, reference };
}

/** A price sheet: what scoring uses is the adjusted close, else price, else close; or an index where closes are private. */
export function sheet(rows) {
  const prices = new Map();
  for (const row of rows) {
    const key = row.option_id || row.symbol;
    const used = row.adj_close || row.price || row.close || row.index;
    if (prices.has(key)) throw new Error(`two rows for ${key}`);
    prices.set(key, Number(used));
  }
  const find = (option) => {
    const key = option.keys.find((key) => prices.has(key));
    return key === undefined ? null : prices.get(key);
  };
  return { prices, find, indexed: rows.some((row) => row.index) };
}

/** Indexes are whole millionths, so their return has six decimals. */
function between(from, to, indexed) {
  if (!indexed) return to / from - 1;
  const [start, end] = [from, to].map((index) => Math.round(index * 1e6));
  return (end - start) / start;
}

/** exit ÷ entry − 1 for every option; the oracle only when all are priced. */
export function returns({ options, reference }, entry, exit) {
  const of = new Map();
  let whole = true;
  for (const option of options) {
    const from = entry.find(option), to = exit.find(option);
    if (from !== null && to !== null) of.set(option.id, between(from, to, entry.indexed && exit.indexed));
    else if (option.cash) of.set(option.id, 0);
    else whole = false;
  }
  const cash = options.find((option) => option.cash);
  return {
    of,
    reference: of.get(reference.id),
    cash: cash ? of.get(cash.id) : 0,
    oracle: whole ? Math.max(...of.values()) : null,
  };
}

/** Ranks from the highest return; those closer than one part in 10⁹ share one. */
export function ranks({ of, oracle }) {
  const found = new Map();
  if (oracle === null) return found;
  const order = [...of].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  let above = null;
  order.forEach(([id, value], place) => {
    const close = above && (above.value === value ||
      Math.abs(above.value - value) <= 1e-9 * Math.max(Math.abs(above.value), Math.abs(value)));
    above = { value, rank: close ? above.rank : place + 1 };
    found.set(id, above.rank);
  });
  return found;
}

/** Basis points in the order submitted. */
export function holdings(submission) {
  if (Array.isArray(submission.portfolio))
    return submission.portfolio.map((held) => [held.option_id, Math.round(held.allocation_pct * 100)]);
  return [[submission.selected_option_id, 10000]];
}

/** Added in submitted order, neither fused nor reordered. */
export function portfolio(held, of) {
  let total = 0;
  for (const [id, bps] of held) {
    if (!of.has(id)) throw new Error(`${id} has no return`);
    total += (bps / 10000) * of.get(id);
  }
  return total;
}

const ZERO = 1e-9;

/** 100 × return ÷ oracle, or the word for why there is no such number. */
export function score(value, oracle) {
  if (oracle === null) return "no_oracle";
  const matches = Math.abs(value - oracle) <= ZERO;
  if (value > oracle && !matches) throw new Error("a return above the best option");
  if (matches && oracle <= ZERO) return 100;
  if (Math.abs(oracle) <= ZERO) return "zero_oracle";
  if (oracle < 0) return "negative_oracle";
  return Math.min((100 * value) / oracle, 100);
}

/** Everything about one decision. */
export function outcome(submission, found) {
  const value = portfolio(holdings(submission), found.of);
  return {
    return: value,
    alpha: value - found.reference,
    regret: found.oracle === null ? null : found.oracle - value,
    score: score(value, found.oracle),
    beatsReference: value > found.reference,
    beatsCash: value > found.cash,
  };
}
