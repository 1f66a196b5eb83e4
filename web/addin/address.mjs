/** Addresses in A1 form, as the service reads and writes them (Go package placements). No dependencies; runs wherever mooring.mjs does. */

/** @typedef {{sheet: string, row: number, column: number, rows: number, columns: number}} Location from zero */

const LAST_COLUMN = 16383; // XFD, from zero
const LAST_ROW = 1048575;

/**
 * Reads Sheet1!B2, 'It''s'!$B$2:D20 or B2:D20: {sheet, row, column, rows, columns, range}, row and column of the top-left corner from
 * zero, sheet "" when none is named, range telling whether it was written as one. Throws an Error whose message is for the user.
 * @param {string} text
 * @returns {Location & {range: boolean}}
 */
export function parseLocation(text) {
  const { sheet, cells } = splitSheet(text);
  const [first, last, more] = cells.split(":");
  if (more !== undefined) throw new Error(`"${text}" has too many colons: write a range such as B2:D20.`);
  const a = parseCell(first);
  const b = last === undefined ? a : parseCell(last);
  return {
    sheet,
    row: Math.min(a.row, b.row),
    column: Math.min(a.column, b.column),
    rows: Math.abs(a.row - b.row) + 1,
    columns: Math.abs(a.column - b.column) + 1,
    range: last !== undefined,
  };
}

/**
 * The normal form of what parseLocation returns: upper case, no $, the sheet quoted only where needed.
 * @param {{sheet?: string, row: number, column: number, rows?: number, columns?: number, range?: boolean}} location
 */
export function formatLocation({ sheet = "", row, column, rows = 1, columns = 1, range = rows > 1 || columns > 1 }) {
  const corner = columnName(column) + (row + 1);
  const end = range ? ":" + columnName(column + columns - 1) + (row + rows) : "";
  return (sheet === "" ? "" : quoteSheet(sheet) + "!") + corner + end;
}

/**
 * Reads a cell such as B2 or $b$2: {row, column} from zero.
 * @param {string} text
 */
export function parseCell(text) {
  const parts = /^\$?([A-Za-z]+)\$?([1-9][0-9]*)$/.exec(text);
  if (!parts) throw new Error(`"${text}" is not a cell: write a column and a row, such as B2.`);
  const column = parts[1].length > 3 ? Infinity : columnIndex(parts[1]);
  const row = Number(parts[2]) - 1;
  if (column > LAST_COLUMN) throw new Error(`Column ${parts[1].toUpperCase()} is beyond the last one, XFD: choose a cell further left.`);
  if (row > LAST_ROW) throw new Error(`Row ${parts[2]} is beyond the last one, 1048576: choose a cell further up.`);
  return { row, column };
}

/**
 * The letters of a column counted from zero: 0 is A, 16383 is XFD.
 * @param {number} column
 */
export function columnName(column) {
  let name = "";
  for (let n = column + 1; n > 0; n = Math.floor((n - 1) / 26)) name = String.fromCharCode(65 + ((n - 1) % 26)) + name;
  return name;
}

/**
 * The number, from zero, of a column's letters.
 * @param {string} letters
 */
export function columnIndex(letters) {
  let n = 0;
  for (const letter of letters.toUpperCase()) n = n * 26 + letter.charCodeAt(0) - 64;
  return n - 1;
}

/**
 * A sheet's name as it stands before the ! of an address, in apostrophes only where needed.
 * @param {string} name
 */
export function quoteSheet(name) {
  return isPlainSheet(name) ? name : "'" + name.replace(/'/g, "''") + "'";
}

/**
 * Whether a name needs no quotes: a word that no host could take for a cell, a number or a constant.
 * @param {string} name
 */
function isPlainSheet(name) {
  const word = /^[\p{L}_][\p{L}\p{Nd}_.]*$/u.test(name);
  const cell = /^([A-Z]{0,3}[0-9]+|R[0-9]*|R?[0-9]*C[0-9]*)$/i.test(name);
  return word && !cell && !/^(true|false)$/i.test(name);
}

/** @param {string} text */
function splitSheet(text) {
  const quoted = /^'((?:[^']|'')*)'!([^]*)$/.exec(text);
  if (quoted) return named(quoted[1].replace(/''/g, "'"), quoted[2]);
  if (text.startsWith("'")) {
    throw new Error(`The apostrophe that opens the sheet name in "${text}" is never closed: write it as 'Sheet name'!B2.`);
  }
  const at = text.lastIndexOf("!");
  if (at < 0) return { sheet: "", cells: text };
  const sheet = text.slice(0, at);
  if (sheet.endsWith("'") || sheet.includes(":")) {
    throw new Error(`Put the sheet name of "${text}" in apostrophes, each apostrophe inside doubled.`);
  }
  return named(sheet, text.slice(at + 1));
}

/**
 * @param {string} sheet
 * @param {string} cells
 */
function named(sheet, cells) {
  if (sheet === "") throw new Error("The sheet name is empty: name a sheet, such as Sheet1!B2.");
  return { sheet, cells };
}
