// Reads the stored files: CSV, and the part of YAML that options.yaml and manifests use.

/** RFC 4180 with a header: a list of objects. */
export function csv(source) {
  const rows = [];
  let row = [], cell = "", quoted = false, any = false;
  const endCell = () => { row.push(cell); cell = ""; any = true; };
  const endRow = () => { if (any || cell) { endCell(); rows.push(row); } row = []; any = false; };
  for (let i = 0; i < source.length; i++) {
    const c = source[i];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (source[i + 1] === '"') { cell += '"'; i++; }
      else quoted = false;
    } else if (c === '"') { quoted = true; any = true; }
    else if (c === ",") endCell();
    else if (c === "\n") endRow();
    else if (c !== "\r") cell += c;
  }
  if (quoted) throw new Error("a quoted cell does not end");
  endRow();
  const header = rows.shift() ?? [];
  return rows.map((cells, place) => {
    if (cells.length !== header.length)
      throw new Error(`row ${place + 2} has ${cells.length} cells, the header ${header.length}`);
    return Object.fromEntries(header.map((name, i) => [name, cells[i]]));
  });
}

function scalar(raw) {
  const value = raw.trim();
  if (value.startsWith('"')) return JSON.parse(value);
  if (value.startsWith("'")) {
    if (!/^'(?:[^']|'')*'$/.test(value)) throw new Error(`not read: ${value}`);
    return value.slice(1, -1).replaceAll("''", "'");
  }
  const plain = value.replace(/\s+#.*$/, "");
  if (/^[[{&*|>!%@`]/.test(plain)) return undefined;
  if (plain === "" || plain === "~" || plain === "null") return null;
  if (plain === "true" || plain === "false") return plain === "true";
  return plain;
}

/** The members of the first level that hold one value. */
export function members(source) {
  const found = {};
  for (const line of source.split(/\r?\n/)) {
    const match = /^([A-Za-z_]\w*):(?:\s+(.*))?$/.exec(line);
    if (match) found[match[1]] = scalar(match[2] ?? "");
  }
  return found;
}

/** The members of the first level that hold a list of texts, one item a line or all in brackets. */
export function lists(source) {
  const found = {};
  let name = null;
  for (const line of source.split(/\r?\n/)) {
    const [, item] = /^\s*-\s+(.*)$/.exec(line) ?? [];
    if (name && item !== undefined) { (found[name] ??= []).push(scalar(item)); continue; }
    const [, own, rest] = /^([A-Za-z_]\w*):(?:\s+(.*))?$/.exec(line) ?? [];
    if (own === undefined) continue;
    name = rest ? null : own;
    if (rest?.startsWith("[") && rest.endsWith("]"))
      found[own] = rest.slice(1, -1).split(",").filter((part) => part.trim()).map(scalar);
  }
  return found;
}

/** A list of flat mappings, bare or below `options:`. */
export function options(source) {
  const found = [];
  let indent = -1;
  for (const line of source.split(/\r?\n/)) {
    if (!line.trim() || line.trim().startsWith("#")) continue;
    const item = /^(\s*)-\s+(.*)$/.exec(line);
    const starts = item && (indent < 0 || item[1].length === indent);
    if (starts) { indent = item[1].length; found.push({}); }
    const own = starts ? item[2] : line.length - line.trimStart().length === indent + 2 ? line.trim() : null;
    const match = own && found.length ? /^([A-Za-z_]\w*):(?:\s+(.*))?$/.exec(own) : null;
    if (!match) continue;
    const last = found[found.length - 1];
    if (match[1] in last) throw new Error(`${match[1]} is given twice`);
    last[match[1]] = scalar(match[2] ?? "");
  }
  if (!found.length) throw new Error("no options were found");
  return found;
}
