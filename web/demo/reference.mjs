/**
 * Addresses in A1 notation, and how they change in formulas when rows are inserted or removed, or a formula is filled elsewhere.
 * Rows and columns count from 0.
 *
 * @typedef {import("../addin/port.mjs").Rect} Rect
 * @typedef {{row: number, column: number}} Position
 *
 * Cells of the columns from column to column+columns-1 move from row on: by rows down, or, when rows is negative, up, over the rows
 * that go.
 * @typedef {{sheet: string, row: number, rows: number, column: number, columns: number}} Shift
 */

import { columnIndex, columnName } from "../addin/address.mjs";

export const MAX_ROWS = 1048576;
export const MAX_COLUMNS = 16384;

/** @param {number} row @param {number} column */
export function cellName(row, column) {
  return columnName(column) + (row + 1);
}

/** The position that a text such as B12 or $B$12 names, or null. @param {string} name @returns {Position | null} */
export function parseCell(name) {
  const found = /^\$?([A-Za-z]{1,3})\$?([1-9]\d{0,6})$/.exec(name);
  if (!found) return null;
  const at = { row: Number(found[2]) - 1, column: columnIndex(found[1]) };
  return at.row < MAX_ROWS && at.column < MAX_COLUMNS ? at : null;
}

/** The rectangle that a text such as B2:C9 names, or null. @param {string} name */
export function parseRange(name) {
  const [from, to = from, more] = name.split(":");
  const a = parseCell(from);
  const b = parseCell(to);
  if (!a || !b || more !== undefined) return null;
  const row = Math.min(a.row, b.row);
  const column = Math.min(a.column, b.column);
  return { row, column, rows: Math.abs(a.row - b.row) + 1, columns: Math.abs(a.column - b.column) + 1 };
}

/**
 * The sheet and rectangle that a reference such as 'My sheet'!$A$1:$B$2 names, or null.
 * @param {string} reference @returns {Rect | null}
 */
export function parseReference(reference) {
  const mark = reference.lastIndexOf("!");
  const rect = parseRange(reference.slice(mark + 1));
  return mark > 0 && rect ? { sheet: unquoteSheet(reference.slice(0, mark)), ...rect } : null;
}

/** @param {Rect} rect */
export function absoluteReference(rect) {
  const absolute = (/** @type {number} */ row, /** @type {number} */ column) => "$" + columnName(column) + "$" + (row + 1);
  const last = absolute(rect.row + rect.rows - 1, rect.column + rect.columns - 1);
  return `'${rect.sheet.replaceAll("'", "''")}'!${absolute(rect.row, rect.column)}:${last}`;
}

/** @param {string} name */
export function unquoteSheet(name) {
  return name.startsWith("'") ? name.slice(1, -1).replaceAll("''", "'") : name;
}

// A text, a quoted or plain sheet's name with its !, a range of cells, whole columns or rows, a cell; a name or function is passed over.
const TOKEN = new RegExp([
  `"(?:[^"]|"")*"`,
  `((?:'(?:[^']|'')+'|[\\p{L}_][\\p{L}\\p{N}_.]*)!)?(?:` + [
    `(\\$?[A-Za-z]{1,3}\\$?[1-9]\\d{0,6}(?::\\$?[A-Za-z]{1,3}\\$?[1-9]\\d{0,6})?)(?![\\p{L}\\p{N}_.(])`,
    `(\\$?[1-9]\\d{0,6}:\\$?[1-9]\\d{0,6})(?![\\p{L}\\p{N}_.])`,
  ].join("|") + ")",
  `[\\p{L}_\\\\][\\p{L}\\p{N}_.]*`,
  `\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?`,
].join("|"), "gu");

/**
 * A formula with every reference replaced by what change returns for it.
 * @param {string} formula
 * @param {(sheet: string | null, reference: string) => string} change sheet is null where the reference names none
 */
function changeReferences(formula, change) {
  return formula.replace(TOKEN, (all, sheet, cells, rows) => {
    const reference = cells ?? rows;
    if (reference === undefined) return all;
    return (sheet ?? "") + change(sheet ? unquoteSheet(sheet.slice(0, -1)) : null, reference);
  });
}

/**
 * A formula as it reads after cells have moved.
 * @param {string} formula
 * @param {string} home the sheet of the formula
 * @param {Shift} shift
 */
export function shiftFormula(formula, home, shift) {
  return changeReferences(formula, (sheet, reference) =>
    (sameName(sheet ?? home, shift.sheet) ? shiftReference(reference, shift) : reference));
}

/** Names of sheets differ by more than case. @param {string} a @param {string} b */
export function sameName(a, b) {
  return a === b || a.toLowerCase() === b.toLowerCase();
}

/** @param {string} reference @param {Shift} shift */
export function shiftReference(reference, shift) {
  const [from, to = from] = reference.split(":");
  const a = splitReference(from);
  const b = splitReference(to);
  const whole = a.column < 0;
  if (!whole && (a.column < shift.column || b.column >= shift.column + shift.columns)) return reference;
  if (whole && shift.columns < MAX_COLUMNS) return reference;
  const rows = shiftRows(a.row, b.row, shift);
  if (!rows) return "#REF!";
  const moved = a.letters + a.dollar + (rows[0] + 1);
  return reference.includes(":") ? `${moved}:${b.letters}${b.dollar}${rows[1] + 1}` : moved;
}

/** Where the rows from first to last stand afterwards, or null if all of them go. @returns {[number, number] | null} */
export function shiftRows(/** @type {number} */ first, /** @type {number} */ last, /** @type {{row: number, rows: number}} */ shift) {
  const { row, rows } = shift;
  if (rows >= 0) return [first >= row ? first + rows : first, last >= row ? last + rows : last];
  const end = row - rows; // behind the rows that go
  if (first >= row && last < end) return null;
  const move = (/** @type {number} */ at, /** @type {number} */ within) => (at < row ? at : at >= end ? at + rows : within);
  return [move(first, row), move(last, row - 1)];
}

/** @param {string} text */
function splitReference(text) {
  const [, letters, dollar, row] = /^((?:\$?[A-Za-z]{1,3})?)(\$?)(\d+)$/.exec(text) ?? ["", "", "", "1"];
  return { letters, dollar, row: Number(row) - 1, column: letters ? columnIndex(letters.replace("$", "")) : -1 };
}

/** A formula as it reads when it is filled into a cell some rows below and columns beside. */
export function fillFormula(/** @type {string} */ formula, /** @type {number} */ rows, /** @type {number} */ columns) {
  const one = (/** @type {string} */ text) => {
    const at = splitReference(text);
    const column = at.letters.startsWith("$") || at.column < 0 ? at.letters : columnName(at.column + columns);
    const row = at.dollar ? at.row : at.row + rows;
    const outside = row < 0 || row >= MAX_ROWS || (at.column >= 0 && !at.letters.startsWith("$") && at.column + columns < 0);
    return outside ? "#REF!" : column + at.dollar + (row + 1);
  };
  return changeReferences(formula, (_, reference) => {
    const moved = reference.split(":").map(one);
    return moved.includes("#REF!") ? "#REF!" : moved.join(":");
  });
}
