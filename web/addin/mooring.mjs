/**
 * The add-in's half of Mooring's arithmetic: it makes the same bytes and digests as the service does (Go package checksum), so that
 * an add-in can tell which rows of a result changed without asking for all of them. No dependencies; runs in browsers, in Node, and,
 * bundled as a plain script by bundle.mjs together with address.mjs, in Apps Script.
 *
 * A cell is what a spreadsheet holds: null, undefined or "" (empty), a number, a string, a boolean, a Date (its serial day number by
 * its own wall time), a bigint, or {error: "#N/A"}.
 *
 * A refresh by an add-in that keeps the rows it has, as arrays of cells, the first one being the header:
 *
 *     import { checksum } from "./mooring.mjs";
 *
 *     const have = checksum(rows);
 *     const answer = await fetch(`${base}/api/v1/deployments/${deployment}/reports/${report}/result`, {
 *       method: "POST",
 *       headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
 *       body: JSON.stringify({ have }),
 *     });
 *     const { writes, clear, rowCount, columnCount, resultChecksum } = await answer.json();
 *
 * writes are the rows to put in place, [{from, to, rows}]; clear says what to empty below and beside them. resultChecksum then is the
 * block's, to send with connect-workbook or refresh. In Apps Script the same functions are members of the global object Mooring.
 */

/**
 * @typedef {null | undefined | string | number | boolean | bigint | Date | {error: string}} Cell
 * @typedef {{from: number, to: number, hash: string}} Chunk
 * @typedef {{v: number, chunks: Chunk[]}} ResultChecksum
 */

/** The version of the checksums made here. */
export const VERSION = 2;

const MAX_CHUNKS = 512;
const SMALLEST_CHUNK = 16;
const NOT_A_NUMBER = "#NUM!";
const EXACT_INTEGER = 2 ** 53; // the largest magnitude up to which a double holds every integer

// ---- cells and rows --------------------------------------------------------------------------------------------

/**
 * The canonical encoding of a row of cells, as a Uint8Array.
 * @param {Cell[]} cells
 */
export function encodeRow(cells) {
  const out = new ByteList();
  appendRow(out, cells);
  return out.bytes();
}

/**
 * The serial day number of a Date's own wall time: days since 1899-12-30, the time of day as the fraction.
 * @param {Date} date
 */
export function serialDay(date) {
  const DAY = 86400000;
  const midnight = new Date(0);
  midnight.setUTCFullYear(date.getFullYear(), date.getMonth(), date.getDate()); // Date.UTC takes years below 100 for 19xx
  const ofDay = ((date.getHours() * 60 + date.getMinutes()) * 60 + date.getSeconds()) * 1000 + date.getMilliseconds();
  return midnight.getTime() / DAY + 25569 + ofDay / DAY;
}

/**
 * Office.js returns an error as text and says so in valueTypes: cells from a range's values and valueTypes.
 * @param {any[][]} values
 * @param {string[][]} valueTypes
 * @returns {Cell[][]}
 */
export function officeCells(values, valueTypes) {
  return values.map((row, i) => row.map((value, k) => (valueTypes[i][k] === "Error" ? { error: value } : value)));
}

/**
 * @param {ByteList} out
 * @param {Cell[]} cells
 */
function appendRow(out, cells) {
  let count = cells.length;
  while (count > 0 && isEmpty(cells[count - 1])) count--;
  out.uvarint(count);
  for (let i = 0; i < count; i++) appendCell(out, cells[i]);
}

/**
 * @param {Cell} cell
 * @returns {cell is null | undefined | ""}
 */
function isEmpty(cell) {
  return cell === null || cell === undefined || cell === "";
}

/**
 * @param {ByteList} out
 * @param {Cell} cell
 * @returns {void}
 */
function appendCell(out, cell) {
  if (isEmpty(cell)) return out.byte(0);
  switch (typeof cell) {
    case "number":
      return appendNumber(out, cell);
    case "string":
      return appendText(out, 2, cell);
    case "boolean":
      return out.byte(cell ? 3 : 4);
    case "bigint":
      if (cell < -EXACT_INTEGER || cell > EXACT_INTEGER) return appendText(out, 2, String(cell));
      return appendNumber(out, Number(cell));
  }
  if ("error" in cell && typeof cell.error === "string") return appendText(out, 5, cell.error);
  if (isDate(cell)) return appendNumber(out, serialDay(cell));
  throw new TypeError("no spreadsheet cell holds " + Object.prototype.toString.call(cell));
}

/**
 * Reports whether a value is a Date, also one of another window.
 * @param {unknown} value
 * @returns {value is Date}
 */
function isDate(value) {
  return Object.prototype.toString.call(value) === "[object Date]";
}

/**
 * @param {ByteList} out
 * @param {number} value
 * @returns {void}
 */
function appendNumber(out, value) {
  if (!Number.isFinite(value)) return appendText(out, 5, NOT_A_NUMBER);
  out.byte(1);
  out.double(value === 0 ? 0 : value); // −0 is 0
}

/**
 * @param {ByteList} out
 * @param {number} kind
 * @param {string} text
 */
function appendText(out, kind, text) {
  const bytes = utf8(text.replace(/\r\n?/g, "\n"));
  out.byte(kind);
  out.uvarint(bytes.length);
  out.append(bytes);
}

/**
 * UTF-8 by hand, since Apps Script has no TextEncoder. A lone surrogate becomes U+FFFD, as everywhere.
 * @param {string} text
 * @returns {ArrayLike<number>}
 */
function utf8(text) {
  if (typeof TextEncoder === "function") return new TextEncoder().encode(text);
  const out = [];
  for (const character of text) {
    let c = /** @type {number} */ (character.codePointAt(0));
    if (c >= 0xd800 && c <= 0xdfff) c = 0xfffd;
    if (c < 0x80) out.push(c);
    else if (c < 0x800) out.push(0xc0 | (c >> 6), 0x80 | (c & 63));
    else if (c < 0x10000) out.push(0xe0 | (c >> 12), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
    else out.push(0xf0 | (c >> 18), 0x80 | ((c >> 12) & 63), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
  }
  return out;
}

/** A list of bytes that grows by doubling. */
class ByteList {
  constructor() {
    this.data = new Uint8Array(1024);
    this.view = new DataView(this.data.buffer);
    this.length = 0;
  }

  /** @param {number} n */
  room(n) {
    if (this.length + n <= this.data.length) return;
    const larger = new Uint8Array(Math.max(2 * this.data.length, this.length + n));
    larger.set(this.bytes());
    this.data = larger;
    this.view = new DataView(larger.buffer);
  }

  /** @param {number} value */
  byte(value) {
    this.room(1);
    this.data[this.length++] = value;
  }

  /** @param {number} value */
  double(value) {
    this.room(8);
    this.view.setFloat64(this.length, value);
    this.length += 8;
  }

  /** @param {number} value */
  uvarint(value) {
    for (; value >= 0x80; value = Math.floor(value / 128)) this.byte((value % 128) | 0x80);
    this.byte(value);
  }

  /** @param {ArrayLike<number>} bytes */
  append(bytes) {
    this.room(bytes.length);
    this.data.set(bytes, this.length);
    this.length += bytes.length;
  }

  bytes() {
    return this.data.subarray(0, this.length);
  }
}

// ---- chunks and checksums --------------------------------------------------------------------------------------

/**
 * How many rows a chunk of a table of that many rows has.
 * @param {number} rows
 */
export function chunkRows(rows) {
  let size = SMALLEST_CHUNK;
  while (Math.ceil(rows / size) > MAX_CHUNKS) size *= 2;
  return size;
}

/**
 * The ResultChecksum of a table, row 0 being the header. Works everywhere, without waiting.
 * @param {Cell[][]} rows
 * @returns {ResultChecksum}
 */
export function checksum(rows) {
  return { v: VERSION, chunks: chunksOf(rows).map(({ from, to, bytes }) => ({ from, to, hash: shortHex(sha256(bytes)) })) };
}

/**
 * checksum by the platform's own SHA-256 where it has one, which is faster.
 * @param {Cell[][]} rows
 * @returns {Promise<ResultChecksum>}
 */
export async function checksumAsync(rows) {
  const subtle = globalThis.crypto && globalThis.crypto.subtle;
  if (!subtle) return checksum(rows);
  const hashed = chunksOf(rows).map(async ({ from, to, bytes }) => {
    const hash = shortHex(new Uint8Array(await subtle.digest("SHA-256", bytes)));
    return { from, to, hash };
  });
  return { v: VERSION, chunks: await Promise.all(hashed) };
}

/** @param {Cell[][]} rows */
function chunksOf(rows) {
  const chunks = [];
  const size = chunkRows(rows.length);
  for (let from = 0; from < rows.length; from += size) {
    const to = Math.min(from + size, rows.length);
    const out = new ByteList();
    for (let i = from; i < to; i++) appendRow(out, rows[i]);
    chunks.push({ from, to, bytes: out.bytes() });
  }
  return chunks;
}

/** @param {Uint8Array} hash */
function shortHex(hash) {
  return Array.from(hash.subarray(0, 16), (b) => b.toString(16).padStart(2, "0")).join("");
}

/**
 * Whether two checksums say the same, chunk by chunk.
 * @param {ResultChecksum} a
 * @param {ResultChecksum} b
 */
export function equalChecksums(a, b) {
  return a.v === b.v && a.chunks.length === b.chunks.length && a.chunks.every((chunk, i) => sameChunk(chunk, b.chunks[i]));
}

/**
 * Which rows of the table that now is a checksum of may differ from the table that have is one of: [{from, to}], from zero.
 * @param {ResultChecksum} now
 * @param {ResultChecksum | null | undefined} have
 */
export function changedRows(now, have) {
  const known = have && have.v === now.v ? have.chunks : [];
  const spans = [];
  let at = 0;
  for (const chunk of now.chunks) {
    while (at < known.length && known[at].to < chunk.to) at++;
    if (at < known.length && sameChunk(chunk, known[at])) continue;
    const last = spans[spans.length - 1];
    if (last && last.to === chunk.from) last.to = chunk.to;
    else spans.push({ from: chunk.from, to: chunk.to });
  }
  return spans;
}

/**
 * The number of rows that a checksum covers.
 * @param {ResultChecksum} sum
 */
export function rowCount(sum) {
  return sum.chunks.length === 0 ? 0 : sum.chunks[sum.chunks.length - 1].to;
}

/**
 * @param {Chunk} a
 * @param {Chunk} b
 */
function sameChunk(a, b) {
  return a.from === b.from && a.to === b.to && a.hash === b.hash;
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
