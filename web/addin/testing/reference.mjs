/** References in formulas, as far as the tests write them: A1 and A1:B2, with dollars, on a sheet of their own or on the formula's. */
import { columnName, parseCell } from "../address.mjs";

/** @typedef {{row: number, column: number, rows: number, columns: number}} Area */

const CELL = String.raw`\$?[A-Z]{1,3}\$?[0-9]+`;
const REFERENCE = new RegExp(String.raw`"[^"]*"|(?:('(?:[^']|'')*'|[A-Za-z_][A-Za-z0-9_.]*)!)?(${CELL})(?::(${CELL}))?\b`, "g");

/**
 * An area after rows were inserted (n > 0) or deleted at a row; null if all its rows were deleted.
 * @param {Area} area
 * @param {number} at
 * @param {number} n
 * @returns {Area | null}
 */
export function shifted(area, at, n) {
  const end = area.row + area.rows;
  if (n > 0) {
    if (at <= area.row) return { ...area, row: area.row + n };
    return at < end ? { ...area, rows: area.rows + n } : area;
  }
  const before = (/** @type {number} */ row) => Math.max(0, Math.min(row, at - n) - at);
  const row = area.row - before(area.row);
  const rows = end - before(end) - row;
  return rows > 0 ? { ...area, row, rows } : null;
}

/**
 * A formula with its references to a sheet moved.
 * @param {string} formula
 * @param {boolean} same it stands on that sheet
 * @param {string} title
 * @param {(area: Area) => Area | null} to
 */
export function movedFormula(formula, same, title, to) {
  return formula.replace(REFERENCE, (text, sheet, first, last) => {
    if (!first) return text; // a text
    const named = sheet?.replace(/^'|'$/g, "").replace(/''/g, "'");
    if (named === undefined ? !same : named.toLowerCase() !== title.toLowerCase()) return text;
    const a = parseCell(first);
    const z = parseCell(last ?? first);
    const moved = to({ row: a.row, column: a.column, rows: z.row - a.row + 1, columns: z.column - a.column + 1 });
    if (!moved) return "#REF!";
    const end = last ? ":" + like(last, moved.row + moved.rows - 1, moved.column + moved.columns - 1) : "";
    return (sheet ? sheet + "!" : "") + like(first, moved.row, moved.column) + end;
  });
}

/**
 * A cell with the dollars that another has.
 * @param {string} cell
 * @param {number} row
 * @param {number} column
 */
function like(cell, row, column) {
  const letters = (cell.startsWith("$") ? "$" : "") + columnName(column);
  return letters + (cell.slice(1).includes("$") ? "$" : "") + (row + 1);
}
