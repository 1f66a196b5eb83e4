/** The people at a Book: the editor that the suite asks for. */
import { parseCell } from "../address.mjs";
import { areaOf } from "./conformance.mjs";

/** @typedef {import("./book.mjs").Book} Book */

/**
 * @param {Book} book
 * @param {(event: string) => void} [tell] what is told of a change
 * @returns {import("./conformance.mjs").Editor}
 */
export function bookEditor(book, tell = () => {}) {
  const sheetOf = (/** @type {string} */ title) => {
    const sheet = book.sheet(title);
    if (!sheet) throw new Error(`no sheet ${title}`);
    return sheet;
  };
  return {
    set(sheet, cell, { value, formula = "", format }) {
      const { row, column } = parseCell(cell);
      sheetOf(sheet).set(row, column, { ...(value === undefined ? {} : { value, formula }), ...(format === undefined ? {} : { format }) });
      tell("changed");
    },
    get(sheet, cell) {
      const { row, column } = parseCell(cell);
      const { value, formula, format } = sheetOf(sheet).cell(row, column);
      return { value, formula, format };
    },
    hideRows(sheet, row, n) {
      for (let i = 0; i < n; i++) sheetOf(sheet).hidden.set(row - 1 + i, "hand");
    },
    hidden: (sheet, row) => sheetOf(sheet).hidden.has(row - 1),
    insertRows: (sheet, row, n) => sheetOf(sheet).insertRows(row - 1, n),
    deleteRows: (sheet, row, n) => sheetOf(sheet).deleteRows(row - 1, n),
    renameSheet: (sheet, name) => sheetOf(sheet).rename(name),
    deleteSheet(sheet) {
      book.deleteSheet(sheet);
      tell("deleted");
    },
    cut(sheet, from, to) {
      const { row, column } = parseCell(to);
      sheetOf(sheet).cutTo(areaOf(from), row, column);
    },
    merge: (sheet, range) => sheetOf(sheet).merges.push(areaOf(range)),
    copySheet: (sheet, name) => book.copySheet(sheet, name),
    table(sheet, range, headings = true) {
      sheetOf(sheet).tables.push({ area: areaOf(range), headings });
    },
    protect(sheet) {
      sheetOf(sheet).protected = true;
    },
    unlock(sheet, range) {
      const { row, column, rows, columns } = areaOf(range);
      for (let i = 0; i < rows; i++) for (let k = 0; k < columns; k++) sheetOf(sheet).set(row + i, column + k, { unlocked: true });
    },
  };
}
