// Time stamps of outside clocks (RFC 3161): the query, the reply, the signer, and who vouches for the authority.
import { hex, same, sha256, text, told } from "./bytes.js";
import { Der, TAG, certificate, fromPem, generalized, hasKeyId, isForStampsAlone, oid, pathProblem, signedBy } from "./certificate.js";

const DIGESTS = { "2.16.840.1.101.3.4.2.1": "SHA-256", "2.16.840.1.101.3.4.2.2": "SHA-384", "2.16.840.1.101.3.4.2.3": "SHA-512" };
const SIGNED_DATA = "1.2.840.113549.1.7.2", TST_INFO = "1.2.840.113549.1.9.16.1.4";
const CONTENT_TYPE = "1.2.840.113549.1.9.3", MESSAGE_DIGEST = "1.2.840.113549.1.9.4";
const SIGNING_CERTIFICATE = "1.2.840.113549.1.9.16.2.12", SIGNING_CERTIFICATE_V2 = "1.2.840.113549.1.9.16.2.47";
const SLACK = 60_000;
const digest = async (name, bytes) => new Uint8Array(await crypto.subtle.digest(name, bytes));

/** A number that is not negative and fits into 64 bits. */
function number(body) {
  if (!body.length || body[0] >= 0x80) return null;
  const digits = body[0] === 0 ? body.subarray(1) : body;
  return digits.length > 8 ? null : digits.reduce((sum, digit) => sum * 256n + BigInt(digit), 0n);
}

function imprint(fields) {
  const own = fields.enter(TAG.SEQUENCE);
  if (DIGESTS[oid(own.enter(TAG.SEQUENCE).expect(TAG.OID).body)] !== "SHA-256")
    throw new Error("the message imprint uses an algorithm that is not accepted");
  return hex(own.expect(TAG.OCTETS).body);
}

/** A stored query, in exactly the form in which it is written. */
export function query(bytes) {
  const outer = new Der(bytes, "the time stamp query"), fields = outer.enter(TAG.SEQUENCE);
  outer.end();
  fields.expect(TAG.INTEGER);
  const asked = { digest: imprint(fields), nonce: null };
  const nonce = fields.optional(TAG.INTEGER);
  if (nonce) asked.nonce = number(nonce.body);
  if (nonce && asked.nonce === null) throw new Error("wrong nonce: the reply does not belong to this question");
  const rest = fields.expect(TAG.BOOLEAN);
  if (rest.body[0] !== 0xff || !fields.empty) throw fields.broken();
  return asked;
}

function read(reply) {
  const outer = new Der(reply, "the time stamp reply"), fields = outer.enter(TAG.SEQUENCE);
  outer.end();
  const status = number(fields.enter(TAG.SEQUENCE).expect(TAG.INTEGER).body);
  if (status === null || status > 1n) throw new Error(`the authority gave no time stamp: status ${status}`);
  const content = new Der(fields.expect(TAG.SEQUENCE).body, "the time stamp token");
  fields.end();
  if (oid(content.expect(TAG.OID).body) !== SIGNED_DATA) throw content.broken();
  const data = content.enter(TAG.C0).enter(TAG.SEQUENCE);
  content.end();
  data.expect(TAG.INTEGER);
  data.expect(TAG.SET);
  const encapsulated = data.enter(TAG.SEQUENCE);
  if (oid(encapsulated.expect(TAG.OID).body) !== TST_INFO) throw data.broken();
  const statement = encapsulated.enter(TAG.C0).expect(TAG.OCTETS).body, certificates = [];
  const set = data.optional(TAG.C0);
  if (set) for (const list = new Der(set.body, "the time stamp token"); !list.empty;) certificates.push(certificate(list.expect(TAG.SEQUENCE).whole));
  data.optional(TAG.C1);
  const signers = data.enter(TAG.SET);
  data.end();
  const signer = signerOf(signers.enter(TAG.SEQUENCE));
  signers.end();
  return { statement, certificates, signer, ...info(statement) };
}

function signerOf(fields) {
  fields.expect(TAG.INTEGER);
  const id = fields.element(), algorithm = DIGESTS[oid(fields.enter(TAG.SEQUENCE).expect(TAG.OID).body)];
  const attributes = fields.expect(TAG.C0);
  fields.expect(TAG.SEQUENCE);
  const signature = fields.expect(TAG.OCTETS).body;
  fields.optional(TAG.C1);
  fields.end();
  if (!algorithm) throw new Error("the signature uses an algorithm that is not accepted");
  return { id, algorithm, attributes, signature };
}

function info(statement) {
  const outer = new Der(statement, "the time stamp's content"), fields = outer.enter(TAG.SEQUENCE);
  outer.end();
  fields.expect(TAG.INTEGER);
  fields.expect(TAG.OID);
  const stamped = imprint(fields);
  fields.expect(TAG.INTEGER);
  const at = generalized(fields.expect(TAG.TIME).body);
  let micros = 0n;
  const accuracy = fields.optional(TAG.SEQUENCE), own = accuracy && new Der(accuracy.body, "the time stamp's accuracy");
  for (const [tag, unit] of own ? [[TAG.INTEGER, 1_000_000n], [0x80, 1000n], [0x81, 1n]] : []) {
    const part = own.optional(tag);
    if (part) micros += (number(part.body) ?? 0n) * unit;
  }
  fields.optional(TAG.BOOLEAN);
  const nonce = fields.optional(TAG.INTEGER);
  return { stamped, at, before: at + Number(micros) / 1000, nonce: nonce && number(nonce.body) };
}

/** The only value of a signed attribute; null if it is missing. */
function attribute(token, name) {
  let found = null;
  for (const list = new Der(token.signer.attributes.body, "the signed attributes"); !list.empty;) {
    const entry = list.enter(TAG.SEQUENCE), own = oid(entry.expect(TAG.OID).body), value = entry.enter(TAG.SET);
    if (own === name && found) throw list.broken();
    if (own === name) found = value;
  }
  return found;
}

const UNFIT = "the signature of the token does not fit its content";

/** The signed attributes name content, digest and certificate; the signature covers them. */
async function checkSignature(token, signer) {
  const content = attribute(token, CONTENT_TYPE), message = attribute(token, MESSAGE_DIGEST);
  if (!content || oid(content.expect(TAG.OID).body) !== TST_INFO || !message
    || !same(message.expect(TAG.OCTETS).body, await digest(token.signer.algorithm, token.statement))) throw new Error(UNFIT);
  const second = attribute(token, SIGNING_CERTIFICATE_V2), named = second ?? attribute(token, SIGNING_CERTIFICATE);
  if (!named) throw new Error("the signed attributes do not name the certificate");
  const first = named.enter(TAG.SEQUENCE).enter(TAG.SEQUENCE).enter(TAG.SEQUENCE);
  const how = second ? first.optional(TAG.SEQUENCE) : null;
  const name = !second ? "SHA-1" : how ? DIGESTS[oid(new Der(how.body, "the signed attributes").expect(TAG.OID).body)] : "SHA-256";
  if (!name || !same(first.expect(TAG.OCTETS).body, await digest(name, signer.whole))) throw new Error(UNFIT);
  // Signed as a SET OF, stored as [0].
  const covered = token.signer.attributes.whole.slice();
  covered[0] = TAG.SET;
  if (!await signedBy(signer, token.signer.algorithm, covered, token.signer.signature)) throw new Error(UNFIT);
}

function signingCertificate(token) {
  const { id } = token.signer;
  const found = token.certificates.find((own) => {
    if (id.tag === 0x80) return hasKeyId(own, id.body);
    if (id.tag !== TAG.SEQUENCE) return false;
    const names = new Der(id.body, "the signer's name");
    return same(names.expect(TAG.SEQUENCE).whole, own.issuer) && same(names.expect(TAG.INTEGER).body, own.serial);
  });
  if (!found) throw new Error("the token does not enclose the certificate of its signer");
  return found;
}

/** What a reply proves: before when the document existed, by whom, and the first set of roots that has a path to them. */
export async function checked(reply, asked, sets, now) {
  const token = read(reply);
  if (token.stamped !== asked.digest) throw new Error(`wrong hash: the token stamps ${token.stamped}, this document is ${asked.digest}`);
  if (asked.nonce !== null && token.nonce !== asked.nonce) throw new Error("wrong nonce: the reply does not belong to this question");
  if (token.at > now + SLACK) throw new Error(`future time: the token says ${told(token.at)}, and it is ${told(now)}`);
  const signer = signingCertificate(token);
  if (!isForStampsAlone(signer)) throw new Error("the signer's certificate is not one for time stamping alone");
  await checkSignature(token, signer);
  let problem = "no root certificate is given";
  for (const [set, roots] of sets.entries()) {
    problem = await pathProblem(signer, token.certificates, roots, token.at);
    if (problem === null) return { before: token.before, authority: signer.name, set };
  }
  throw new Error(problem);
}

/**
 * Every stamp of the log: `stamps` are those that hold, by size, with whether the reader vouches for the
 * authority; `problems` are [place, text]. `own` are roots that the reader vouches for.
 */
export async function stampsOf(log, names, read, own, now) {
  const stamps = [], problems = [], shipped = [], unread = [];
  for (const name of names.filter((path) => /^log\/roots\/[^/]+\.pem$/.test(path)))
    try { shipped.push(...fromPem(text(await read(name)))); } catch (error) { problems.push([name, error.message]); }
  for (const name of names) {
    const [, folder, file] = /^log\/anchors\/([^/]+)\/(.+)$/.exec(name) ?? [];
    if (!folder) continue;
    const kept = log.kept.get(Number(folder)), size = Number(folder);
    if (!kept || String(size) !== folder) { problems.push([name, "is of a checkpoint that the log does not have"]); continue; }
    if (file.endsWith(".ots")) unread.push(name);
    if (file.endsWith(".tsq") && !names.includes(name.replace(/q$/, "r"))) problems.push([name, "has no reply"]);
    if (!file.endsWith(".tsr")) continue;
    try {
      const asked = query(await read(name.replace(/r$/, "q"))), document = await sha256(kept.note);
      if (asked.digest !== document) throw new Error(`wrong hash: the question is about ${asked.digest}, this checkpoint is ${document}`);
      const { before, authority, set } = await checked(await read(name), asked, [own, shipped], now);
      stamps.push({ size, before, authority, vouched: set === 0 });
    } catch (error) { problems.push([name, error.message]); }
  }
  return { stamps: stamps.sort((a, b) => a.size - b.size || a.before - b.before), problems, unread };
}
