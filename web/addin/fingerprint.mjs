/**
 * Fingerprints of rows, as Go package checksum makes them: XXH3-64 without a seed over a row's bytes, its numbers rounded to the 15
 * significant digits that spreadsheet programs keep. A row that did not change need not be sent to be compared.
 */
import { encodeRow } from "./mooring.mjs";

/** @typedef {import("./port.mjs").Cell} Cell */

const SECRET =
  "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221" +
  "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8" +
  "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb" +
  "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e";

const P32_1 = 0x9e3779b1n;
const P32_2 = 0x85ebca77n;
const P32_3 = 0xc2b2ae3dn;
const P64_1 = 0x9e3779b185ebca87n;
const P64_2 = 0xc2b2ae3d27d4eb4fn;
const P64_3 = 0x165667b19e3779f9n;
const P64_4 = 0x85ebca77c2b2ae63n;
const P64_5 = 0x27d4eb2f165667c5n;
const MASK = 0xffffffffn;

const STRIPE = 64;
const BLOCK = 1024;

const secret = new DataView(Uint8Array.from({ length: 192 }, (_, i) => parseInt(SECRET.slice(2 * i, 2 * i + 2), 16)).buffer);

/** @param {bigint} n */
const u64 = (n) => BigInt.asUintN(64, n);

/** @param {number} at */
const key = (at) => secret.getBigUint64(at, true);

/**
 * The fingerprint of a row, 16 hex digits.
 * @param {Cell[]} cells
 */
export function fingerprint(cells) {
  return hash(encodeRow(cells.map((cell) => (typeof cell === "number" ? rounded(cell) : cell))))
    .toString(16)
    .padStart(16, "0");
}

/**
 * The number with 15 significant digits, rounded from the shortest decimal that means it; half is rounded away from zero.
 * @param {number} n
 */
export function rounded(n) {
  if (!Number.isFinite(n) || (Number.isInteger(n) && Math.abs(n) < 1e15)) return n;
  const millionths = Math.round(n * 1e6);
  if (Math.abs(millionths) < 1e15 && millionths / 1e6 === n) return n; // no more than 15 digits mean it
  const [mantissa, exponent] = Math.abs(n).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  if (digits.length <= 15) return n;
  const unit = 10n ** BigInt(digits.length - 15);
  const near = Number(`${(BigInt(digits) + unit / 2n) / unit}e${Number(exponent) - 14}`);
  return Number.isFinite(near) ? Math.sign(n) * near : n;
}

/**
 * XXH3-64 of bytes.
 * @param {Uint8Array} bytes
 * @returns {bigint}
 */
export function hash(bytes) {
  const input = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length > 240) return hashLong(input);
  if (bytes.length > 128) return hashMiddle(input);
  if (bytes.length > 16) return hashShort(input);
  return hashTiny(input, bytes);
}

/**
 * Up to 16 bytes.
 * @param {DataView} input
 * @param {Uint8Array} bytes
 */
function hashTiny(input, bytes) {
  const size = bytes.length;
  if (size > 8) {
    const low = input.getBigUint64(0, true) ^ key(24) ^ key(32);
    const high = input.getBigUint64(size - 8, true) ^ key(40) ^ key(48);
    return avalanche(BigInt(size) + swapped(low) + high + folded(low, high));
  }
  if (size >= 4) {
    const both = BigInt(input.getUint32(size - 4, true)) + (BigInt(input.getUint32(0, true)) << 32n);
    let h = both ^ key(8) ^ key(16);
    h = u64((h ^ rotated(h, 49n) ^ rotated(h, 24n)) * 0x9fb21c651e98df25n);
    h = u64((h ^ ((h >> 35n) + BigInt(size))) * 0x9fb21c651e98df25n);
    return h ^ (h >> 28n);
  }
  if (size === 0) return scattered(key(56) ^ key(64));
  const joined = ((bytes[0] << 16) | (bytes[size >> 1] << 24) | bytes[size - 1] | (size << 8)) >>> 0;
  return scattered(BigInt(joined) ^ (BigInt(secret.getUint32(0, true) ^ secret.getUint32(4, true)) & MASK));
}

/**
 * 17 to 128 bytes.
 * @param {DataView} input
 */
function hashShort(input) {
  const size = input.byteLength;
  let h = BigInt(size) * P64_1;
  for (let i = (size - 1) >> 5; i >= 0; i--) {
    h += mixed(input, 16 * i, 32 * i) + mixed(input, size - 16 * (i + 1), 32 * i + 16);
  }
  return avalanche(h);
}

/**
 * 129 to 240 bytes.
 * @param {DataView} input
 */
function hashMiddle(input) {
  const size = input.byteLength;
  let h = BigInt(size) * P64_1;
  for (let i = 0; i < 8; i++) h += mixed(input, 16 * i, 16 * i);
  h = avalanche(h);
  for (let i = 8; i < size >> 4; i++) h += mixed(input, 16 * i, 16 * (i - 8) + 3);
  return avalanche(h + mixed(input, size - 16, 136 - 17));
}

/**
 * More than 240 bytes.
 * @param {DataView} input
 */
function hashLong(input) {
  const size = input.byteLength;
  const lanes = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1];
  for (let at = 0, n = 0; at + STRIPE < size; at += STRIPE) {
    accumulate(lanes, input, at, 8 * n);
    if (++n < BLOCK / STRIPE) continue;
    n = 0;
    if (at + STRIPE < size) scramble(lanes);
  }
  accumulate(lanes, input, size - STRIPE, 192 - STRIPE - 7);
  let h = BigInt(size) * P64_1;
  for (let i = 0; i < 4; i++) h += folded(lanes[2 * i] ^ key(11 + 16 * i), lanes[2 * i + 1] ^ key(19 + 16 * i));
  return avalanche(h);
}

/**
 * @param {bigint[]} lanes
 * @param {DataView} input
 * @param {number} at
 * @param {number} secretAt
 */
function accumulate(lanes, input, at, secretAt) {
  for (let i = 0; i < 8; i++) {
    const data = input.getBigUint64(at + 8 * i, true);
    const keyed = data ^ key(secretAt + 8 * i);
    lanes[i ^ 1] = u64(lanes[i ^ 1] + data);
    lanes[i] = u64(lanes[i] + (keyed & MASK) * (keyed >> 32n));
  }
}

/** @param {bigint[]} lanes */
function scramble(lanes) {
  for (let i = 0; i < 8; i++) lanes[i] = u64((lanes[i] ^ (lanes[i] >> 47n) ^ key(192 - STRIPE + 8 * i)) * P32_1);
}

/**
 * @param {DataView} input
 * @param {number} at
 * @param {number} secretAt
 */
function mixed(input, at, secretAt) {
  return folded(input.getBigUint64(at, true) ^ key(secretAt), input.getBigUint64(at + 8, true) ^ key(secretAt + 8));
}

/**
 * Both halves of the product.
 * @param {bigint} a
 * @param {bigint} b
 */
function folded(a, b) {
  const product = a * b;
  return u64(product) ^ (product >> 64n);
}

/** @param {bigint} h */
function avalanche(h) {
  h = u64(h);
  h = u64((h ^ (h >> 37n)) * 0x165667919e3779f9n);
  return h ^ (h >> 32n);
}

/** @param {bigint} h */
function scattered(h) {
  h = u64((h ^ (h >> 33n)) * P64_2);
  h = u64((h ^ (h >> 29n)) * P64_3);
  return h ^ (h >> 32n);
}

/**
 * @param {bigint} n
 * @param {bigint} by
 */
function rotated(n, by) {
  return u64(n << by) | (n >> (64n - by));
}

/** @param {bigint} n */
function swapped(n) {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, n);
  return view.getBigUint64(0, true);
}
