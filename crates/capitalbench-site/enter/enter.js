// A person's entry: a key, a portfolio under the round's rules, a signed and sealed file. Nothing is sent
// anywhere. A plain script without modules, so that a saved page works from the disk too.
(() => {
  const utf8 = (text) => new TextEncoder().encode(text);
  const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = (bytes) => btoa(String.fromCharCode(...bytes));
  const unbase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const digest = async (bytes, kind = "SHA-256") => new Uint8Array(await crypto.subtle.digest(kind, bytes));
  const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
  const isName = (text) => text.length <= 40 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);

  // Ed25519 (RFC 8032) for browsers that have none.
  const P = 2n ** 255n - 19n, L = 2n ** 252n + 27742317777372353535851937790883648493n;
  const mod = (value, by = P) => ((value % by) + by) % by;
  function power(base, exponent) {
    let found = 1n;
    for (let b = mod(base), e = exponent; e > 0n; e >>= 1n, b = mod(b * b)) if (e & 1n) found = mod(found * b);
    return found;
  }
  const inverse = (value) => power(value, P - 2n);
  const D = mod(-121665n * inverse(121666n));
  const BASE = (() => {
    const y = mod(4n * inverse(5n)), square = mod((y * y - 1n) * inverse(D * y * y + 1n));
    let x = power(square, (P + 3n) / 8n);
    if (mod(x * x - square) !== 0n) x = mod(x * power(2n, (P - 1n) / 4n));
    if (x & 1n) x = P - x;
    return [x, y, 1n, mod(x * y)];
  })();
  function add([x1, y1, z1, t1], [x2, y2, z2, t2]) {
    const a = mod((y1 - x1) * (y2 - x2)), b = mod((y1 + x1) * (y2 + x2)), c = mod(2n * t1 * t2 * D), d = mod(2n * z1 * z2);
    const [e, f, g, h] = [b - a, d - c, d + c, b + a];
    return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
  }
  function times(scalar) {
    let found = [0n, 1n, 1n, 0n];
    for (let point = BASE, rest = scalar; rest > 0n; rest >>= 1n, point = add(point, point)) if (rest & 1n) found = add(found, point);
    const z = inverse(found[2]), x = mod(found[0] * z), y = mod(found[1] * z);
    return little(y | ((x & 1n) << 255n));
  }
  const little = (value) => Uint8Array.from({ length: 32 }, (_, place) => Number((value >> BigInt(8 * place)) & 255n));
  const number = (bytes) => [...bytes].reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  async function plain(seed) {
    const h = await digest(seed, "SHA-512"), prefix = h.slice(32);
    const a = (number(h.slice(0, 32)) & ((1n << 254n) - 8n)) | (1n << 254n), open = times(a);
    return {
      open, kind: "plain", sign: async (bytes) => {
        const r = mod(number(await digest(joined(prefix, bytes), "SHA-512")), L), R = times(r);
        const k = mod(number(await digest(joined(R, open, bytes), "SHA-512")), L);
        return joined(R, little(mod(r + k * a, L)));
      },
    };
  }
  const HEAD = Uint8Array.from("302e020100300506032b657004220420".match(/../g), (two) => parseInt(two, 16));
  /** The signer of 32 random bytes: the browser's own Ed25519, else the one above. */
  async function signer(seed) {
    try {
      const key = await crypto.subtle.importKey("pkcs8", joined(HEAD, seed), { name: "Ed25519" }, true, ["sign"]);
      const { x } = await crypto.subtle.exportKey("jwk", key);
      const open = unbase64(x.replace(/-/g, "+").replace(/_/g, "/"));
      return { open, kind: "browser", sign: async (bytes) => new Uint8Array(await crypto.subtle.sign("Ed25519", key, bytes)) };
    } catch { return plain(seed); }
  }

  /** A key as the program keeps it: PRIVATE+KEY+name+hash+base64. */
  async function keyOf(name, seed, by = signer) {
    if (!isName(name)) throw new Error("the name of a key has lower-case letters, digits and hyphens, at most 40");
    const own = await by(seed), hash = (await digest(joined(utf8(`${name}\n`), [1], own.open))).slice(0, 4);
    const form = (bytes) => `${name}+${hex(hash)}+${base64(joined([1], bytes))}`;
    return {
      ...own, name, vkey: form(own.open), file: `PRIVATE+KEY+${form(seed)}\n`,
      note: async (text) => `${text}\n\u2014 ${name} ${base64(joined(hash, await own.sign(utf8(text))))}\n`,
    };
  }
  async function keyIn(text) {
    const parts = /^PRIVATE\+KEY\+([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text.trim());
    const bytes = parts && unbase64(parts[3]);
    if (!bytes || bytes.length !== 33 || bytes[0] !== 1) throw new Error("the file is no key of an entrant");
    const key = await keyOf(parts[1], bytes.slice(1));
    if (key.file.trim() !== text.trim()) throw new Error("the hash in the key does not fit");
    return key;
  }

  /** Every rule of the round that a portfolio breaks. */
  function problems({ rules, options, single }, held) {
    const found = [], known = new Map(options.map(([id, , cluster]) => [id, cluster])), exposure = new Map();
    if (single && !(held.length === 1 && held[0][1] === 100)) found.push("this round asks for one option with 100 %");
    if (!single && (held.length < rules.fewest || held.length > rules.most)) found.push(`has ${held.length} holdings; ${rules.fewest} to ${rules.most} are allowed`);
    for (const [place, [id, percent]] of held.entries()) {
      if (!known.has(id)) { found.push(`${id} may not be held in this round`); continue; }
      if (held.findIndex(([other]) => other === id) !== place) found.push(`${id} is held twice`);
      if (!Number.isInteger(percent) || percent < 1 || percent > 100) { found.push(`${id}: a weight is a whole number of percent`); continue; }
      if (!single && percent < rules.least) found.push(`${id}: ${percent} % is below ${rules.least} %`);
      if (!single && percent % rules.step) found.push(`${id}: ${percent} % is no multiple of ${rules.step} %`);
      const cluster = known.get(id);
      if (cluster) exposure.set(cluster, (exposure.get(cluster) ?? 0) + percent);
    }
    const sum = held.reduce((all, [, percent]) => all + percent, 0);
    if (!single && sum !== 100) found.push(`allocations add up to ${sum}%, not 100%`);
    for (const [cluster, percent] of exposure)
      if (rules.cap !== null && percent > rules.cap) found.push(`${cluster} has ${percent} %, more than one exposure may have`);
    return found;
  }

  /** Both files of an entry: the signed one to deliver, and the opening, which stays secret until the entry close. */
  async function sealed(round, key, held, salt) {
    const portfolio = held.map(([id, percent]) => ({ allocation_pct: percent, option_id: id }));
    const secret = JSON.stringify({
      format: "capitalbench opening v1", inputs: round.inputs, key: key.vkey, league: round.league, portfolio, round: round.round, salt: hex(salt),
    });
    const commitment = hex(await digest(utf8(secret)));
    const text = `capitalbench entry v1\nleague ${round.league}\nround ${round.round}\ninputs ${round.inputs}\nkey ${key.vkey}\ncommitment ${commitment}\n`;
    return { secret, sealed: await key.note(text) };
  }
  function registration(round, key, { entrant, name, contact, method }) {
    if (!isName(entrant)) throw new Error("your short name has lower-case letters, digits and hyphens, at most 40");
    if ([name, contact, method].some((value) => !value || value !== value.trim())) throw new Error("fill in all four fields");
    return key.note(`capitalbench registration v1\nleague ${round.league}\nentrant ${entrant}\nname ${name}\nkind person\ncontact ${contact}\nmethod ${method}\nkey ${key.vkey}\n`);
  }

  if (typeof document === "undefined") { globalThis.entering = { plain, signer, keyOf, keyIn, problems, sealed, registration }; return; }
  const at = (id) => document.getElementById(`enter-${id}`), form = at("form");
  const round = JSON.parse(form.dataset.round), [who, rows, sum, told] = ["who", "rows", "sum", "told"].map(at);
  let key = null;
  function save(name, text) {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text])), download: name, textContent: name });
    const item = document.createElement("li");
    item.append(link);
    at("files").append(item);
    link.click();
  }
  const acting = (work) => async (event) => {
    event.preventDefault();
    try { await work(event); delete told.dataset.failed; } catch (error) { told.textContent = error.message; told.dataset.failed = "yes"; }
  };
  function use(made) {
    key = made;
    const how = key.kind === "browser" ? "This browser signs with its own Ed25519 (WebCrypto)."
      : "This browser has no Ed25519, so a plain implementation in this page signs: the signature is the same, but it is not hardened against programs on this machine that measure it.";
    who.textContent = `${key.vkey} ${how}`;
    who.dataset.kind = key.kind;
  }
  const now = () => new Date().toISOString();
  function row() {
    const line = document.createElement("p"), choice = document.createElement("select"), weight = document.createElement("input");
    choice.setAttribute("aria-label", "Option");
    choice.append(new Option("choose an option", ""), ...round.options.map(([id, name]) => new Option(`${name} (${id})`, id)));
    Object.assign(weight, { type: "number", min: 0, max: 100, step: round.rules.step, value: round.single ? 100 : "" });
    weight.setAttribute("aria-label", "Percent");
    line.append(choice, " ", weight, " %");
    rows.append(line);
  }
  const held = () => [...rows.children].map((line) => [line.querySelector("select").value, Number(line.querySelector("input").value)]).filter(([id]) => id);
  rows.addEventListener("input", () => { sum.textContent = problems(round, held()).join("; ") || "follows the rules of the round"; });
  at("add").addEventListener("click", () => { if (rows.children.length < (round.single ? 1 : round.rules.most)) row(); });
  at("make").addEventListener("click", acting(async () => {
    use(await keyOf(at("name").value, crypto.getRandomValues(new Uint8Array(32))));
    save(`${key.name}.key`, key.file);
    told.textContent = "Keep the file of your key where nobody else reads it.";
  }));
  at("key").addEventListener("change", acting(async (event) => use(await keyIn(await event.target.files[0].text()))));
  const needed = () => { if (!key) throw new Error("make a key first, or choose the file of yours"); return key; };
  at("register").addEventListener("click", acting(async () => {
    const given = Object.fromEntries(["entrant", "person", "contact", "method"].map((name) => [name, at(name).value]));
    save(`${given.entrant}.registration`, await registration(round, needed(), { ...given, name: given.person }));
    told.textContent = "Send the registration to the operator of the league.";
  }));
  form.addEventListener("submit", acting(async () => {
    const found = problems(round, held());
    if (found.length) throw new Error(found.join("; "));
    if (now() >= round.deadline) throw new Error(`the deadline ${round.deadline} has passed`);
    const made = await sealed(round, needed(), held(), crypto.getRandomValues(new Uint8Array(32)));
    save(`${round.round}.${key.name}.secret`, made.secret);
    save(`${round.round}.${key.name}.sealed`, made.sealed);
    told.textContent = `Deliver the sealed file before ${round.deadline}. Keep the secret one: without it nobody can open the entry.`;
  }));
  at("secret").addEventListener("change", acting(async (event) => {
    const text = await event.target.files[0].text(), own = JSON.parse(text);
    if (own.round !== round.round || own.inputs !== round.inputs) throw new Error("this secret is of another round");
    if (now() < round.opens) throw new Error(`nothing may be opened before the entry close ${round.opens}`);
    if (now() >= round.closes) throw new Error(`the next session began at ${round.closes}, so the entry counts as cash`);
    save(`${round.round}.${own.key.split("+")[0]}.opening`, text);
    told.textContent = `Deliver the opening before ${round.closes}.`;
  }));
  row();
  form.hidden = false;
})();
