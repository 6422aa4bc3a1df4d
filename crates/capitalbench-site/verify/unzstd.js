// Unpacks Zstandard (RFC 8878), which browsers cannot: frames without a dictionary, every kind of block.
// Checksums of frames are not compared; the digests of the files inside are.

const LARGEST = 512 * 1024 * 1024;
const LITERALS = [4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1];
const MATCHES = [1, 4, 3, 2, 2, 2, 2, 2, 2, ...Array(37).fill(1), ...Array(7).fill(-1)];
const OFFSETS = [1, 1, 1, 1, 1, 1, 2, 2, 2, ...Array(15).fill(1), ...Array(5).fill(-1)];
const LITERAL_BITS = [...Array(16).fill(0), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const MATCH_BITS = [...Array(32).fill(0), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const bases = (bits, first) => bits.map((_, code) => first + bits.slice(0, code).reduce((sum, own) => sum + 2 ** own, 0));
const LITERAL_BASES = bases(LITERAL_BITS, 0), MATCH_BASES = bases(MATCH_BITS, 3);
const log2 = (value) => 31 - Math.clz32(value);
const bad = (what) => { throw new Error(`the bundle is damaged: ${what}`); };

/** `count` bits from bit `at` on, the lowest first. */
function bitsAt(bytes, from, at, count) {
  let value = 0;
  for (let done = 0; done < count;) {
    const place = at + done, within = place & 7, take = Math.min(8 - within, count - done);
    value += (((bytes[from + (place >>> 3)] ?? 0) >> within) & ((1 << take) - 1)) * 2 ** done;
    done += take;
  }
  return value;
}

/** Reads bits from the end towards the beginning; what lies before the beginning is zero. */
class Backwards {
  constructor(bytes, from, to) {
    if (to <= from || !bytes[to - 1]) bad("a stream does not end");
    this.bytes = bytes;
    this.from = from;
    this.left = (to - from - 1) * 8 + log2(bytes[to - 1]);
  }

  peek(count) {
    const at = this.left - count;
    if (at >= 0) return bitsAt(this.bytes, this.from, at, count);
    return this.left > 0 ? bitsAt(this.bytes, this.from, 0, this.left) * 2 ** -at : 0;
  }

  read(count) {
    const value = this.peek(count);
    this.left -= count;
    return value;
  }
}

/** The states of a table of finite state entropy. */
function states(shares, accuracy) {
  const size = 1 << accuracy, symbol = new Uint8Array(size), next = shares.map((share) => (share < 0 ? 1 : share));
  let high = size - 1, at = 0;
  shares.forEach((share, own) => { if (share < 0) symbol[high--] = own; });
  shares.forEach((share, own) => {
    for (let i = 0; i < share; i++) {
      symbol[at] = own;
      do at = (at + (size >> 1) + (size >> 3) + 3) & (size - 1); while (at > high);
    }
  });
  const bits = new Uint8Array(size), base = new Uint16Array(size);
  for (let state = 0; state < size; state++) {
    const count = next[symbol[state]]++;
    bits[state] = accuracy - log2(count);
    base[state] = (count << bits[state]) - size;
  }
  return { accuracy, symbol, bits, base };
}

/** A described table, and where its description ends. */
function described(bytes, from, most) {
  const accuracy = bitsAt(bytes, from, 0, 4) + 5, shares = [];
  if (accuracy > most) bad("a table is too large");
  let at = 4, left = 1 << accuracy;
  while (left > 0) {
    const count = log2(left + 1) + 1, value = bitsAt(bytes, from, at, count), half = (1 << (count - 1)) - 1, spare = (1 << count) - 2 - left;
    const short = (value & half) < spare;
    at += short ? count - 1 : count;
    const share = (short ? value & half : value > half ? value - spare : value) - 1;
    left -= Math.abs(share);
    shares.push(share);
    for (let more = 3; share === 0 && more === 3;) {
      more = bitsAt(bytes, from, at, 2);
      at += 2;
      for (let i = 0; i < more; i++) shares.push(0);
    }
    if (shares.length > 256) bad("a table has too many symbols");
  }
  if (left < 0) bad("the shares of a table do not add up");
  return [states(shares, accuracy), from + Math.ceil(at / 8)];
}

function weightsOf(bytes, from) {
  const head = bytes[from], weights = [];
  if (head >= 128) {
    for (let i = 0; i < head - 127; i++) weights.push((bytes[from + 1 + (i >> 1)] >> (i & 1 ? 0 : 4)) & 15);
    return [weights, from + 1 + Math.ceil((head - 127) / 2)];
  }
  const end = from + 1 + head, [table, begin] = described(bytes, from + 1, 6), stream = new Backwards(bytes, begin, end);
  const both = [stream.read(table.accuracy), stream.read(table.accuracy)];
  for (let turn = 0; weights.length < 256; turn ^= 1) {
    weights.push(table.symbol[both[turn]]);
    const count = table.bits[both[turn]];
    if (stream.left < count) { weights.push(table.symbol[both[turn ^ 1]]); return [weights, end]; }
    both[turn] = table.base[both[turn]] + stream.read(count);
  }
  return bad("a tree has too many symbols");
}

/** A Huffman tree as a table of all codes, and where its description ends. */
function tree(bytes, from) {
  const [weights, end] = weightsOf(bytes, from), sum = weights.reduce((all, own) => all + (own ? 1 << (own - 1) : 0), 0);
  const depth = log2(sum || bad("a tree is empty")) + 1, rest = (1 << depth) - sum;
  if (depth > 12 || rest & (rest - 1)) bad("the weights of a tree do not add up");
  weights.push(log2(rest) + 1);
  const symbol = new Uint8Array(1 << depth), bits = new Uint8Array(1 << depth);
  let at = 0;
  for (let weight = 1; weight <= depth; weight++)
    weights.forEach((own, code) => {
      if (own !== weight) return;
      symbol.fill(code, at, at + (1 << (weight - 1)));
      bits.fill(depth + 1 - weight, at, at + (1 << (weight - 1)));
      at += 1 << (weight - 1);
    });
  return [{ depth, symbol, bits }, end];
}

function letters(bytes, [from, to], { depth, symbol, bits }, out) {
  const stream = new Backwards(bytes, from, to);
  for (let i = 0; i < out.length; i++) {
    const code = stream.peek(depth);
    out[i] = symbol[code];
    stream.left -= bits[code];
  }
  if (stream.left) bad("a stream of letters has another length");
}

/** The literals of a block, and where they end. */
function literals(bytes, from, frame) {
  const kind = bytes[from] & 3, form = (bytes[from] >> 2) & 3;
  if (kind < 2) {
    const head = form & 1 ? (form === 1 ? 2 : 3) : 1, size = bitsAt(bytes, from, head === 1 ? 3 : 4, head * 8 - (head === 1 ? 3 : 4));
    const begin = from + head;
    return kind === 0 ? [bytes.subarray(begin, begin + size), begin + size] : [new Uint8Array(size).fill(bytes[begin]), begin + 1];
  }
  const width = [10, 10, 14, 18][form], size = bitsAt(bytes, from, 4, width), packed = bitsAt(bytes, from, 4 + width, width);
  let begin = from + [3, 3, 4, 5][form];
  const end = begin + packed, out = new Uint8Array(size);
  if (kind === 2) [frame.tree, begin] = tree(bytes, begin);
  if (!frame.tree) bad("a tree is missing");
  if (form === 0) { letters(bytes, [begin, end], frame.tree, out); return [out, end]; }
  const part = (size + 3) >> 2;
  let at = begin + 6;
  for (let i = 0; i < 4; i++) {
    const stop = i < 3 ? at + bitsAt(bytes, begin + 2 * i, 0, 16) : end;
    letters(bytes, [at, stop], frame.tree, out.subarray(part * i, i < 3 ? part * (i + 1) : size));
    at = stop;
  }
  return [out, end];
}

const single = (code) => ({ accuracy: 0, symbol: [code], bits: [0], base: [0] });

function tables(bytes, at, frame) {
  const modes = bytes[at++];
  for (const [place, shift, known, accuracy, most] of [[0, 6, LITERALS, 6, 9], [1, 4, OFFSETS, 5, 8], [2, 2, MATCHES, 6, 9]]) {
    const mode = (modes >> shift) & 3;
    if (mode === 0) frame.tables[place] = states(known, accuracy);
    if (mode === 1) frame.tables[place] = single(bytes[at++]);
    if (mode === 2) [frame.tables[place], at] = described(bytes, at, most);
    if (!frame.tables[place]) bad("a table is missing");
  }
  return at;
}

/** The distance of a match; three earlier ones have short names. */
function distance(value, length, recent) {
  const place = value > 3 ? 3 : value - 1 + (length ? 0 : 1);
  if (place === 0) return recent[0];
  const found = value > 3 ? value - 3 : place === 3 ? recent[0] - 1 : recent[place];
  recent.splice(Math.min(place, 2), 1);
  recent.unshift(found);
  return found;
}

function block(bytes, from, to, frame) {
  const [own, end] = literals(bytes, from, frame), out = frame.out;
  let at = end, used = 0, count = bytes[at++];
  if (count >= 255) { count = bytes[at] + (bytes[at + 1] << 8) + 0x7f00; at += 2; } else if (count >= 128) count = ((count - 128) << 8) + bytes[at++];
  if (count) {
    const begin = tables(bytes, at, frame), stream = new Backwards(bytes, begin, to), [first, second, third] = frame.tables;
    let [a, b, c] = [first, second, third].map((table) => stream.read(table.accuracy));
    for (let i = 0; i < count; i++) {
      const code = second.symbol[b], value = 2 ** code + stream.read(code), match = third.symbol[c], literal = first.symbol[a];
      const length = MATCH_BASES[match] + stream.read(MATCH_BITS[match]), before = LITERAL_BASES[literal] + stream.read(LITERAL_BITS[literal]);
      out.add(own.subarray(used, used += before));
      out.repeat(distance(value, before, frame.recent), length);
      if (i + 1 === count) break;
      a = first.base[a] + stream.read(first.bits[a]);
      c = third.base[c] + stream.read(third.bits[c]);
      b = second.base[b] + stream.read(second.bits[b]);
    }
    if (stream.left || used > own.length) bad("a block has another length");
  }
  out.add(own.subarray(used));
}

/** Bytes that grow. */
class Grown {
  constructor() { this.bytes = new Uint8Array(1 << 16); this.length = 0; }

  room(more) {
    if (this.length + more > LARGEST) throw new Error("the bundle unpacks to more than this page takes; use the program");
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  add(more) { this.room(more.length); this.bytes.set(more, this.length); this.length += more.length; }

  repeat(back, count) {
    if (!(back > 0 && back <= this.length)) bad("a match begins before the beginning");
    this.room(count);
    for (let i = 0; i < count; i++, this.length++) this.bytes[this.length] = this.bytes[this.length - back];
  }
}

/** The bytes that one or several frames hold. */
export function unzstd(bytes) {
  const out = new Grown();
  for (let at = 0; at < bytes.length;) {
    const magic = bitsAt(bytes, at, 0, 32);
    if (Math.floor(magic / 16) === 0x184d2a5) { at += 8 + bitsAt(bytes, at + 4, 0, 32); continue; }
    if (magic !== 0xfd2fb528) bad("it is no zstd file");
    const head = bytes[at + 4], alone = (head >> 5) & 1, sizes = [alone, 2, 4, 8][head >> 6];
    if (head & 3) bad("it needs a dictionary");
    at += 5 + (alone ? 0 : 1) + sizes;
    const frame = { tree: null, tables: [null, null, null], recent: [1, 4, 8], out };
    for (let last = 0; !last;) {
      if (at + 3 > bytes.length) bad("it ends too early");
      const own = bitsAt(bytes, at, 0, 24), kind = (own >> 1) & 3, size = own >> 3, from = at + 3;
      last = own & 1;
      at = from + (kind === 1 ? 1 : size);
      if (kind === 3 || at > bytes.length) bad("a block is too long");
      if (kind === 0) out.add(bytes.subarray(from, at));
      if (kind === 1) out.add(new Uint8Array(size).fill(bytes[from]));
      if (kind === 2) block(bytes, from, at, frame);
    }
    if (head & 4) at += 4;
  }
  return out.bytes.subarray(0, out.length);
}
