/**
 * The add-in's half of Mooring's arithmetic: it makes the same bytes and digests as the service does (Go package checksum), so that
 * an add-in can tell which rows of a result changed without asking for all of them. No dependencies; runs in browsers, in Node, and,
 * bundled as a plain script by bundle.mjs together with checksum.mjs, address.mjs and utf8.mjs, in Apps Script.
 *
 * A cell is what a spreadsheet holds: null, undefined or "" (empty), a number, a string, a boolean, a Date (its serial day number by
 * its own wall time), a bigint, or {error: "#N/A"}.
 *
 * A refresh by an add-in that keeps the rows it has, as arrays of cells, the first one being the header:
 *
 *     import { checksum } from "./checksum.mjs";
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
  line.length = 0;
  appendRow(line, cells);
  return line.bytes().slice();
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
  out.byte(kind);
  // Plain text needs no encoder, and nearly all is plain.
  const bytes = /^[\0-\f\x0e-\x7f]*$/.test(text) ? null : new TextEncoder().encode(text.replace(/\r\n?/g, "\n"));
  const size = (bytes ?? text).length;
  out.uvarint(size);
  for (let i = 0; i < size; i++) out.byte(bytes ? bytes[i] : text.charCodeAt(i));
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

  bytes() {
    return this.data.subarray(0, this.length);
  }
}

/** Where a row is encoded, so that no row needs room of its own. */
const line = new ByteList();

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
 * The ResultChecksum of a table, row 0 being the header, by the platform's own SHA-256. Browsers have one in pages of https and of this
 * device only; checksum.mjs works everywhere.
 * @param {Cell[][]} rows
 * @returns {Promise<ResultChecksum>}
 */
export async function platformChecksum(rows) {
  const hashed = chunksOf(rows).map(async ({ from, to, bytes }) => {
    const hash = shortHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
    return { from, to, hash };
  });
  return { v: VERSION, chunks: await Promise.all(hashed) };
}

/**
 * The chunks of a table, each with the bytes that its hash is of.
 * @param {Cell[][]} rows
 */
export function chunksOf(rows) {
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

/**
 * A hash as a checksum has it.
 * @param {Uint8Array} hash
 */
export function shortHex(hash) {
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
 * @param {Chunk} a
 * @param {Chunk} b
 */
function sameChunk(a, b) {
  return a.from === b.from && a.to === b.to && a.hash === b.hash;
}
