/** Checksums wherever mooring.mjs runs, also where the platform has no SHA-256: in Apps Script, and in pages of plain http. */
import { VERSION, chunksOf, platformChecksum, shortHex } from "./mooring.mjs";

/** @typedef {import("./mooring.mjs").Cell} Cell */
/** @typedef {import("./mooring.mjs").ResultChecksum} ResultChecksum */

/**
 * The ResultChecksum of a table, row 0 being the header, without waiting.
 * @param {Cell[][]} rows
 * @returns {ResultChecksum}
 */
export function checksum(rows) {
  return { v: VERSION, chunks: chunksOf(rows).map(({ from, to, bytes }) => ({ from, to, hash: shortHex(sha256(bytes)) })) };
}

/**
 * checksum by the platform's own SHA-256 where it has one, which is faster.
 * @param {Cell[][]} rows
 */
export async function checksumAsync(rows) {
  return globalThis.crypto && globalThis.crypto.subtle ? platformChecksum(rows) : checksum(rows);
}

/**
 * The number of rows that a checksum covers.
 * @param {ResultChecksum} sum
 */
export function rowCount(sum) {
  return sum.chunks.length === 0 ? 0 : sum.chunks[sum.chunks.length - 1].to;
}

// ---- SHA-256 ---------------------------------------------------------------------------------------------------

const ROUND_CONSTANTS = rootFractions(64, 1 / 3);
const INITIAL_STATE = rootFractions(8, 1 / 2);

/**
 * SHA-256 (FIPS 180-4) of a Uint8Array, as a Uint8Array.
 * @param {Uint8Array} bytes
 */
export function sha256(bytes) {
  const state = Int32Array.from(INITIAL_STATE);
  const whole = bytes.length - (bytes.length % 64);
  const words = new Int32Array(64);
  for (let at = 0; at < whole; at += 64) compress(state, words, bytes, at);
  const tail = padded(bytes.subarray(whole), bytes.length);
  for (let at = 0; at < tail.length; at += 64) compress(state, words, tail, at);
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => out.setInt32(4 * i, word));
  return new Uint8Array(out.buffer);
}

/**
 * The last, partial block of a message of that length, with its end mark and length.
 * @param {Uint8Array} rest
 * @param {number} length
 */
function padded(rest, length) {
  const tail = new Uint8Array(rest.length < 56 ? 64 : 128);
  tail.set(rest);
  tail[rest.length] = 0x80;
  const view = new DataView(tail.buffer);
  view.setUint32(tail.length - 8, Math.floor(length / 2 ** 29));
  view.setUint32(tail.length - 4, (length * 8) % 2 ** 32);
  return tail;
}

/**
 * @param {Int32Array} state
 * @param {Int32Array} words
 * @param {Uint8Array} bytes
 * @param {number} at
 */
function compress(state, words, bytes, at) {
  for (let i = 0; i < 16; i++, at += 4) {
    words[i] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
  }
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15];
    const y = words[i - 2];
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    words[i] = (words[i - 16] + s0 + words[i - 7] + s1) | 0;
  }
  let a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[i] + words[i]) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

/**
 * @param {number} word
 * @param {number} by
 */
function rotate(word, by) {
  return (word >>> by) | (word << (32 - by));
}

/**
 * The first 32 bits of the fractional parts of the roots of the first n primes: the standard's constants.
 * @param {number} n
 * @param {number} power
 */
function rootFractions(n, power) {
  const words = new Int32Array(n);
  for (let candidate = 2, i = 0; i < n; candidate++) {
    if (!isPrime(candidate)) continue;
    const root = Math.pow(candidate, power);
    words[i++] = ((root - Math.floor(root)) * 2 ** 32) | 0;
  }
  return words;
}

/** @param {number} n */
function isPrime(n) {
  for (let k = 2; k * k <= n; k++) if (n % k === 0) return false;
  return true;
}
