/** A drawing of some cells of a sheet: what is new and what is in the way is told by colour and by word. */
import { h } from "../ui/dom.mjs";
import { cellText } from "../ui/text.mjs";
import { columnName } from "./address.mjs";

/** What it says, in English. */
const words = {
  kinds: { new: "new", way: "in the way" },
  legend: { new: "New cells", way: "In the way", own: "The block" },
};

/**
 * @typedef {import("./port.mjs").Rect} Rect
 * @typedef {import("./port.mjs").Cell} Cell
 * @typedef {{row: number, column: number}} Spot
 * @typedef {"own" | "new" | "way" | ""} Kind
 */

/** Rows and columns that are drawn. */
export const ROWS = 5;
export const COLUMNS = 4;

/**
 * The part of a sheet that is drawn.
 * @param {string} sheet
 * @param {Spot} from the cell in its corner, where all fits
 * @param {Spot} shown a cell that has to be seen
 * @returns {Rect}
 */
export function windowOn(sheet, from, shown) {
  const row = Math.max(0, from.row, shown.row - ROWS + 2);
  const column = Math.max(0, from.column, shown.column - COLUMNS + 2);
  return { sheet, row, column, rows: ROWS, columns: COLUMNS };
}

/**
 * Whether a rectangle has a cell, whatever its sheet is called.
 * @param {Rect} rect
 * @param {Spot} cell
 */
export const holds = ({ row, column, rows, columns }, cell) =>
  cell.row >= row && cell.row < row + rows && cell.column >= column && cell.column < column + columns;

/**
 * @param {string} label what is drawn
 * @param {Rect} part of the sheet
 * @param {Cell[][]} cells what stands there; none where it cannot be read
 * @param {(cell: Spot, filled: boolean) => Kind} kindOf
 */
export function drawing(label, part, cells, kindOf) {
  /** @type {Set<Kind>} */
  const seen = new Set();
  const range = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => i);
  const row = (/** @type {number} */ r) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, part.row + r + 1),
      range(part.columns).map((c) => {
        const shown = cellText(cells[r]?.[c]);
        const kind = kindOf({ row: part.row + r, column: part.column + c }, shown !== "");
        seen.add(kind);
        const word = kind === "new" || kind === "way" ? h("span", { class: "spoken" }, ` ${words.kinds[kind]}`) : null;
        return h("td", { class: kind && `cell-${kind}` }, shown, word);
      }),
    );
  const body = range(part.rows).map(row);
  const kinds = /** @type {("own" | "new" | "way")[]} */ (["own", "new", "way"]).filter((kind) => seen.has(kind));
  return h(
    "figure",
    { class: "drawing" },
    h(
      "div",
      { class: "table", tabindex: 0, role: "region", "aria-label": label },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, h("td", {}), range(part.columns).map((c) => h("th", { scope: "col" }, columnName(part.column + c))))),
        h("tbody", {}, body),
      ),
    ),
    h("figcaption", { class: "hint" }, kinds.map((kind) => h("span", { class: `key cell-${kind}` }, words.legend[kind]))),
  );
}
