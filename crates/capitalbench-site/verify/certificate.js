// DER and the certificates of time stamp authorities: what they may be used for, and a path to a root.
import { same, text } from "./bytes.js";

export const TAG = { BOOLEAN: 1, INTEGER: 2, BITS: 3, OCTETS: 4, OID: 6, UTC: 0x17, TIME: 0x18, SEQUENCE: 0x30, SET: 0x31, C0: 0xa0, C1: 0xa1, C3: 0xa3 };

/** Reads DER: definite, shortest lengths, never beyond the bytes it was given. */
export class Der {
  constructor(bytes, what) { this.rest = bytes; this.what = what; }
  broken() { return new Error(`${this.what} is malformed; it is not a DER time stamp of RFC 3161`); }
  get empty() { return this.rest.length === 0; }
  is(tag) { return this.rest[0] === tag; }

  element() {
    const [tag, first] = this.rest;
    if (this.rest.length < 2 || (tag & 0x1f) === 0x1f) throw this.broken();
    let head = 2, length = first;
    if (first >= 0x80) {
      const width = first & 0x7f;
      if (width === 0 || width > 4 || this.rest.length < 2 + width || this.rest[2] === 0) throw this.broken();
      length = this.rest.slice(2, 2 + width).reduce((sum, digit) => sum * 256 + digit, 0);
      if (length < 0x80) throw this.broken();
      head += width;
    }
    if (this.rest.length < head + length) throw this.broken();
    const whole = this.rest.subarray(0, head + length);
    this.rest = this.rest.subarray(head + length);
    return { tag, whole, body: whole.subarray(head) };
  }

  expect(tag) {
    const found = this.element();
    if (found.tag !== tag) throw this.broken();
    return found;
  }

  enter(tag) { return new Der(this.expect(tag).body, this.what); }
  optional(tag) { return this.is(tag) ? this.element() : null; }
  end() { if (!this.empty) throw this.broken(); }
}

/** An object identifier in dots. */
export function oid(bytes) {
  const numbers = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) { numbers.push(value); value = 0; }
  }
  const first = Math.min(2, Math.floor(numbers[0] / 40));
  return [first, numbers[0] - first * 40, ...numbers.slice(1)].join(".");
}

/** YYYYMMDDhhmmss, a fraction and Z, in milliseconds. */
export function generalized(body) {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{1,9})?Z$/.exec(text(body));
  const at = parts ? Date.parse(`${parts[1]}-${parts[2]}-${parts[3]}T${parts[4]}:${parts[5]}:${parts[6]}Z`) : NaN;
  if (Number.isNaN(at)) throw new Error("an instant of the token is malformed");
  return at + Number(parts[7] ?? 0) * 1000;
}

function validity(element) {
  if (element.tag !== TAG.UTC) return generalized(element.body);
  const year = Number(text(element.body.subarray(0, 2)));
  return generalized(Uint8Array.from([...(year < 50 ? "20" : "19")].map((c) => c.charCodeAt(0)).concat([...element.body])));
}

const WHAT = "a certificate of the token";
const CURVES = { "1.2.840.10045.3.1.7": ["P-256", 32], "1.3.132.0.34": ["P-384", 48] };
const SIGNED = {
  "1.2.840.113549.1.1.11": ["RSA", "SHA-256"], "1.2.840.113549.1.1.12": ["RSA", "SHA-384"], "1.2.840.113549.1.1.13": ["RSA", "SHA-512"],
  "1.2.840.10045.4.3.2": ["EC", "SHA-256"], "1.2.840.10045.4.3.3": ["EC", "SHA-384"],
};

export function certificate(whole) {
  const outer = new Der(whole, WHAT).enter(TAG.SEQUENCE);
  const signed = outer.expect(TAG.SEQUENCE);
  const algorithm = oid(outer.enter(TAG.SEQUENCE).expect(TAG.OID).body), signature = outer.expect(TAG.BITS).body.subarray(1);
  const fields = new Der(signed.body, WHAT);
  fields.optional(TAG.C0);
  const serial = fields.expect(TAG.INTEGER).body;
  fields.expect(TAG.SEQUENCE);
  const issuer = fields.expect(TAG.SEQUENCE).whole, dates = fields.enter(TAG.SEQUENCE);
  const [from, until] = [validity(dates.element()), validity(dates.element())];
  const subject = fields.expect(TAG.SEQUENCE), key = fields.expect(TAG.SEQUENCE).whole, extensions = new Map();
  while (!fields.empty) {
    const element = fields.element();
    if (element.tag !== TAG.C3) continue;
    for (const list = new Der(element.body, WHAT).enter(TAG.SEQUENCE); !list.empty;) {
      const entry = list.enter(TAG.SEQUENCE), name = oid(entry.expect(TAG.OID).body);
      const critical = entry.optional(TAG.BOOLEAN)?.body[0] === 0xff;
      extensions.set(name, { critical, value: entry.expect(TAG.OCTETS).body });
    }
  }
  return { whole, signed: signed.whole, algorithm, signature, serial, issuer, from, until, subject: subject.whole, name: nameOf(subject.body), key, extensions };
}

/** Common name, else organisation, for people. */
function nameOf(subject) {
  const found = new Map();
  for (const name = new Der(subject, WHAT); !name.empty;)
    for (const set = name.enter(TAG.SET); !set.empty;) {
      const pair = set.enter(TAG.SEQUENCE), kind = oid(pair.expect(TAG.OID).body);
      found.set(kind, new TextDecoder().decode(pair.element().body).replace(/\p{Cc}/gu, ""));
    }
  return found.get("2.5.4.3") ?? found.get("2.5.4.10") ?? "an authority without a name";
}

const TIME_STAMPING = "1.3.6.1.5.5.7.3.8";

function purposes(own) {
  const usage = own.extensions.get("2.5.29.37");
  if (!usage) return null;
  const found = [];
  for (const list = new Der(usage.value, WHAT).enter(TAG.SEQUENCE); !list.empty;) found.push(oid(list.expect(TAG.OID).body));
  return found;
}

/** RFC 3161, 2.3: the only purpose, and marked critical. */
export const isForStampsAlone = (own) =>
  own.extensions.get("2.5.29.37")?.critical === true && purposes(own).length === 1 && purposes(own)[0] === TIME_STAMPING;

export const hasKeyId = (own, id) => {
  const value = own.extensions.get("2.5.29.14")?.value;
  return value !== undefined && same(new Der(value, WHAT).expect(TAG.OCTETS).body, id);
};

/** Whether a certificate's key made this signature over these bytes with this digest. */
export async function signedBy(own, digest, bytes, signature) {
  const parts = new Der(own.key, WHAT).enter(TAG.SEQUENCE).enter(TAG.SEQUENCE), kind = oid(parts.expect(TAG.OID).body);
  if (kind === "1.2.840.113549.1.1.1") {
    const how = { name: "RSASSA-PKCS1-v1_5", hash: digest };
    const key = await crypto.subtle.importKey("spki", own.key, how, false, ["verify"]);
    const { modulusLength } = key.algorithm;
    return modulusLength >= 2048 && modulusLength <= 8192 && crypto.subtle.verify(how.name, key, signature, bytes);
  }
  const [curve, width] = kind === "1.2.840.10045.2.1" ? CURVES[oid(parts.expect(TAG.OID).body)] ?? [] : [];
  if (!curve || digest === "SHA-512") return false;
  const key = await crypto.subtle.importKey("spki", own.key, { name: "ECDSA", namedCurve: curve }, false, ["verify"]);
  const pair = new Der(signature, "a signature").enter(TAG.SEQUENCE), plain = new Uint8Array(2 * width);
  for (const place of [1, 2]) {
    const number = pair.expect(TAG.INTEGER).body, digits = number[0] === 0 ? number.subarray(1) : number;
    if (digits.length > width) return false;
    plain.set(digits, place * width - digits.length);
  }
  return crypto.subtle.verify({ name: "ECDSA", hash: digest }, key, plain, bytes);
}

async function isSignedBy(own, issuer) {
  const [kind, digest] = SIGNED[own.algorithm] ?? [];
  try { return Boolean(kind) && await signedBy(issuer, digest, own.signed, own.signature); } catch { return false; }
}

const isAuthority = (own) => {
  const basic = own.extensions.get("2.5.29.19");
  return basic !== undefined && new Der(basic.value, WHAT).enter(TAG.SEQUENCE).optional(TAG.BOOLEAN)?.body[0] === 0xff;
};

/** basicConstraints with CA, a key usage that may sign certificates, and a usage that does not exclude stamps. */
function mayIssue(own, below) {
  if (!isAuthority(own)) return false;
  const fields = new Der(own.extensions.get("2.5.29.19").value, WHAT).enter(TAG.SEQUENCE);
  fields.optional(TAG.BOOLEAN);
  const limit = fields.optional(TAG.INTEGER)?.body;
  if (limit && limit[limit.length - 1] < below) return false;
  const usage = own.extensions.get("2.5.29.15");
  if (usage && !(new Der(usage.value, WHAT).expect(TAG.BITS).body[1] & 0x04)) return false;
  const wanted = purposes(own);
  return wanted === null || wanted.includes(TIME_STAMPING);
}

const KNOWN = ["2.5.29.15", "2.5.29.17", "2.5.29.19", "2.5.29.30", "2.5.29.31", "2.5.29.37"];
const strange = (own) => [...own.extensions].some(([name, { critical }]) => critical && !KNOWN.includes(name));
const day = (at) => new Date(at).toISOString().slice(0, 10);

/** Null when a path leads from the signer to a root, everything valid at the instant; else why not. */
export async function pathProblem(signer, between, roots, at, depth = 0) {
  if (at > signer.until) return `expired certificate: ${signer.name} was valid until ${day(signer.until)}, the token says ${day(at)}`;
  if (at < signer.from) return `certificate not yet valid: ${signer.name} is valid from ${day(signer.from)}, the token says ${day(at)}`;
  if (depth === 0 && isAuthority(signer)) return `${signer.name} is the certificate of an authority over others, not of a clock`;
  if (strange(signer)) return `${signer.name} has a critical extension that is not known here`;
  for (const root of roots)
    if (same(root.subject, signer.issuer) && await isSignedBy(signer, root)) return null;
  let problem = `untrusted root: no path from "${signer.name}" to a given root certificate`;
  if (depth > 5) return problem;
  for (const next of between) {
    if (!same(next.subject, signer.issuer) || next === signer || !mayIssue(next, depth) || !await isSignedBy(signer, next)) continue;
    const found = await pathProblem(next, between.filter((own) => own !== next), roots, at, depth + 1);
    if (found === null) return null;
    problem = found;
  }
  return problem;
}

/** All certificates of a PEM file. */
export function fromPem(pem) {
  const found = [...pem.matchAll(/-----BEGIN CERTIFICATE-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE-----/g)];
  if (!found.length) throw new Error("the file holds no certificate in PEM form");
  return found.map(([, base64]) => certificate(Uint8Array.from(atob(base64.replace(/\s/g, "")), (c) => c.charCodeAt(0))));
}
