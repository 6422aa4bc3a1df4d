// Bytes, their texts and digests, and instants.

export const text = (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
export const utf8 = (string) => new TextEncoder().encode(string);
export const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
export const unhex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (two) => parseInt(two, 16));
export const isDigest = (value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

/** Standard base64 with its padding, and nothing else. */
export function unbase64(string) {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(string)) throw new Error("not base64");
  return Uint8Array.from(atob(string), (c) => c.charCodeAt(0));
}

export function joined(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
}

export const same = (one, other) => one.length === other.length && one.every((byte, place) => byte === other[place]);

const digestOf = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

/** SHA-256 as hexadecimal digits. */
export const sha256 = async (bytes) => hex(await digestOf(bytes));

/** SHA-256 of several parts, as bytes. */
export const hashOf = (...parts) => digestOf(joined(...parts));

/** The canonical JSON of a value (RFC 8785); numbers are whole. */
export function canonical(value) {
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new Error(`the number ${value} is not whole`);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

/** Milliseconds of an instant with its zone, fractions included; null if the text is not an instant. */
export function instant(string) {
  const parts = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:?\d\d)$/.exec(String(string ?? "").trim());
  if (!parts) return null;
  const [, day, time, fraction, zone] = parts;
  const offset = /^[Zz]$/.test(zone) ? "Z" : zone.replace(/^(...)(\d)/, "$1:$2");
  const at = Date.parse(`${day}T${time}${offset}`);
  const exists = new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day);
  return Number.isNaN(at) || !exists ? null : at + Number(fraction ?? 0) * 1000;
}

/** An instant for people, to the second. */
export const told = (at) => (at === null || at === undefined ? "never" : new Date(at).toISOString().replace(/\.\d+Z$/, "Z"));
