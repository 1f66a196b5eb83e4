/**
 * What a person copies, cuts and pastes: as text for other programs, and with formulas and formats within the grid.
 *
 * @typedef {import("./grid.mjs").Grid} Grid
 * @typedef {import("./book.mjs").NewCell} NewCell
 */
import { filled } from "./hands.mjs";
import { shownValue, typedCell } from "./number.mjs";
import { MAX_COLUMNS, MAX_ROWS, fillFormula } from "./reference.mjs";

const MAX_PASTE = 200_000; // cells

export class Clipboard {
  /** @param {Grid} grid @param {import("./hands.mjs").Hands} hands */
  constructor(grid, hands) {
    this.grid = grid;
    this.hands = hands;
    /** @type {{text: string, cells: NewCell[][], row: number, column: number} | null} what was copied here */
    this.copied = null;
    grid.element.addEventListener("copy", (event) => this.copy(event));
    grid.element.addEventListener("cut", (event) => this.cut(event));
    grid.element.addEventListener("paste", (event) => this.paste(event));
  }

  /** @param {ClipboardEvent} event */
  copy(event) {
    if (event.target instanceof HTMLInputElement) return;
    const { sheet } = this.grid;
    const { row, column, rows, columns } = this.grid.selection();
    const last = Math.min(rows, sheet.rows.length - row + 1);
    const cells = filled(last, columns, (i, k) => sheet.cell(row + i, column + k) ?? { value: null, style: 0 });
    const shown = (/** @type {import("./book.mjs").Cell} */ cell) =>
      shownValue(this.grid.document.value(sheet.name, cell), this.grid.document.book.styles?.style(cell.style).format);
    const text = cells.map((line) => line.map((cell) => quoted(shown(cell))).join("\t")).join("\n");
    event.clipboardData?.setData("text/plain", text);
    this.copied = { text, cells, row, column };
    event.preventDefault();
  }

  /** @param {ClipboardEvent} event */
  cut(event) {
    this.copy(event);
    this.hands.clear();
  }

  /** @param {ClipboardEvent} event */
  paste(event) {
    if (event.target instanceof HTMLInputElement) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    event.preventDefault();
    if (!text) return;
    const at = this.grid.selection();
    const { copied } = this;
    const cells = copied?.text === text
      ? copied.cells.map((line) => line.map((cell) => moved(cell, at.row - copied.row, at.column - copied.column)))
      : pastedRows(text).map((line) => line.map(typedCell));
    const rows = Math.min(cells.length, MAX_ROWS - at.row);
    const columns = Math.min(Math.max(...cells.map((line) => line.length)), MAX_COLUMNS - at.column);
    if (rows * columns > MAX_PASTE) return;
    this.hands.set(at.row, at.column, cells.slice(0, rows).map((line) => line.slice(0, columns)));
    this.grid.select(at.row, at.column, { row: at.row + rows - 1, column: at.column + columns - 1 });
  }
}

/** @param {NewCell} cell @param {number} rows @param {number} columns @returns {NewCell} */
function moved(cell, rows, columns) {
  return cell.formula ? { ...cell, formula: fillFormula(cell.formula, rows, columns), array: undefined } : cell;
}

/** A text as spreadsheet programs put it on the clipboard. @param {string} text */
function quoted(text) {
  return /[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The cells of a text from the clipboard: tabs between columns, and quotes around what holds tabs or lines. @param {string} text */
function pastedRows(text) {
  const rows = [[""]];
  const pattern = /"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]+)|(\t)|(\r\n|\r|\n)/gy;
  for (let found; (found = pattern.exec(text));) {
    const row = rows[rows.length - 1];
    const [, inQuotes, plain, tab, line] = found;
    if (tab) row.push("");
    else if (line) rows.push([""]);
    else row[row.length - 1] += plain ?? inQuotes.replaceAll('""', '"');
  }
  if (rows.length > 1 && rows[rows.length - 1].length === 1 && rows[rows.length - 1][0] === "") rows.pop();
  return rows;
}
