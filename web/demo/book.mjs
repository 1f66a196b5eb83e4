/**
 * A workbook in memory: what the page shows and what the pane's port works on. It changes only by apply, which takes a change and
 * returns those that undo it; so that changes can be undone, and made again on a newer state of the file.
 *
 * @typedef {null | number | string | boolean | {error: string}} Value
 *
 * A cell that holds a formula has its text with the =, and the value it last had. shared is the place of an unchanged text in the
 * file's table of texts; array is the range that an array formula fills. Cells are replaced, never changed.
 * @typedef {{value: Value, formula?: string, style: number, shared?: number, array?: string}} Cell
 *
 * @typedef {{cells: (Cell | undefined)[], attributes: string}} Row
 * @typedef {{row: number, column: number, rows: number, columns: number}} Area
 * @typedef {import("./reference.mjs").Shift} Shift
 *
 * text and formula are of a cell to be written; style, when left out, stays what it is, and so does an undefined cell.
 * @typedef {{value: Value, formula?: string, style?: number, shared?: number, array?: string}} NewCell
 * @typedef {{kind: "set", sheet: string, row: number, column: number, cells: (NewCell | undefined)[][]}} Set
 * @typedef {{kind: "shift"} & Shift} ShiftRows
 * @typedef {{kind: "sort", sheet: string, by: number, descending: boolean} & Area} Sort
 * @typedef {{kind: "name", name: string, reference: string | null}} Name
 * @typedef {{kind: "format", sheet: string, row: number, column: number, rows: number, columns: number, format: string}} Format
 * @typedef {{kind: "texts", texts: Map<string, string>, names: DefinedName[]}} Texts
 * @typedef {Set | ShiftRows | Sort | Format | Name | Texts} Change
 *
 * @typedef {import("./follow.mjs").DefinedName} DefinedName
 */
import { MAX_COLUMNS, fillFormula, sameName, shiftFormula } from "./reference.mjs";
import { shiftNames, shiftTexts } from "./follow.mjs";

/** One worksheet. */
export class Sheet {
  /** @param {string} name @param {string} part */
  constructor(name, part) {
    this.name = name;
    this.part = part;
    /** @type {(Row | undefined)[]} */
    this.rows = [];
    this.width = 0; // columns, as far as any was used
    /** @type {Map<number, number>} widths of columns in characters */
    this.widths = new Map();
    this.frozen = { rows: 0, columns: 0 };
    this.protected = false;
    /** @type {string[]} the parts that hold its comments, drawings and tables */
    this.parts = [];
    this.changed = false;
  }

  /** @param {number} row @param {number} column @returns {Cell | undefined} */
  cell(row, column) {
    return this.rows[row]?.cells[column];
  }

  /** @param {number} row */
  row(row) {
    return (this.rows[row] ??= { cells: [], attributes: "" });
  }
}

/** A workbook. */
export class Book {
  constructor() {
    /** @type {Sheet[]} */
    this.sheets = [];
    /** @type {DefinedName[]} */
    this.names = [];
    /** @type {Map<string, string>} parts whose references follow the rows, as text */
    this.texts = new Map();
    this.version = 0; // rises with every change
    this.namesChanged = false;
    /** @type {import("./styles.mjs").Styles | null} */
    this.styles = null;
  }

  /** @param {string} name */
  sheet(name) {
    return this.sheets.find((sheet) => sameName(sheet.name, name));
  }

  /**
   * Makes a change and returns the changes that undo it, in the order in which they are to be made.
   * @param {Change} change
   * @returns {Change[]}
   */
  apply(change) {
    this.version++;
    switch (change.kind) {
      case "set":
        return [set(this.known(change.sheet), change)];
      case "shift":
        return this.shift(change);
      case "sort":
        return [set(this.known(change.sheet), sorted(this.known(change.sheet), change))];
      case "format":
        return [set(this.known(change.sheet), this.formatted(change))];
      case "name":
        return [this.define(change)];
      case "texts":
        return [this.restore(change)];
    }
  }

  /** @param {string} name */
  known(name) {
    const sheet = this.sheet(name);
    if (!sheet) throw new Error(`there is no sheet ${name}`);
    return sheet;
  }

  /** @param {Format} change @returns {Set} */
  formatted({ sheet, format, ...area }) {
    const { styles } = this;
    const cells = cellsOf(this.known(sheet), area).map((row) =>
      row.map((cell) => (styles ? { ...cell, style: styles.withFormat(cell.style, format) } : cell)));
    return { kind: "set", sheet, row: area.row, column: area.column, cells };
  }

  /** @param {Name} change @returns {Change} */
  define({ name, reference }) {
    const old = this.names.find((n) => sameName(n.name, name));
    this.names = this.names.filter((n) => n !== old);
    if (reference !== null) this.names.push({ name, reference, attributes: old?.attributes ?? ' hidden="1"', home: old?.home ?? null });
    this.namesChanged = true;
    return { kind: "name", name, reference: old?.reference ?? null };
  }

  /** @param {Texts} change @returns {Texts} */
  restore({ texts, names }) {
    /** @type {Texts} */
    const before = { kind: "texts", texts: this.texts, names: this.names };
    this.texts = texts;
    this.names = names;
    this.namesChanged = true;
    return before;
  }

  /** @param {ShiftRows} change @returns {Change[]} */
  shift(change) {
    const sheet = this.known(change.sheet);
    /** @type {Change[]} */
    const undo = [{ ...change, rows: -change.rows, row: change.row }];
    if (change.rows < 0) undo.push(...this.lost(sheet, change));
    moveCells(sheet, change);
    for (const other of this.sheets) shiftFormulas(other, change);
    this.texts = shiftTexts(this, sheet, change);
    this.names = shiftNames(this.names, sheet.name, change);
    this.namesChanged = true;
    return undo;
  }

  /**
   * What has to be put back when rows that go come back: their cells, the formulas that looked at them, and the other parts.
   * @param {Sheet} sheet @param {ShiftRows} change @returns {Change[]}
   */
  lost(sheet, change) {
    const { row, column } = change;
    const area = { row, rows: -change.rows, column, columns: Math.max(0, Math.min(change.columns, sheet.width - column)) };
    /** @type {Change[]} */
    const back = [{ kind: "set", sheet: sheet.name, row: area.row, column: area.column, cells: cellsOf(sheet, area) }];
    for (const other of this.sheets) {
      for (const { row, column, cell } of formulas(other)) {
        if (cell.formula !== shiftFormula(cell.formula ?? "", other.name, change)) {
          back.push({ kind: "set", sheet: other.name, row, column, cells: [[cell]] });
        }
      }
    }
    return [...back, { kind: "texts", texts: this.texts, names: this.names }];
  }
}

/**
 * The cells of an area, for a change that puts them back: an empty cell is one with the value null.
 * @param {Sheet} sheet @param {Area} area
 */
export function cellsOf(sheet, area) {
  return Array.from({ length: area.rows }, (_, i) =>
    Array.from({ length: area.columns }, (_, k) => sheet.cell(area.row + i, area.column + k) ?? { value: null, style: 0 }));
}

/** @param {Sheet} sheet @param {Set} change @returns {Set} */
function set(sheet, change) {
  const before = change.cells.map((cells, i) => {
    const row = sheet.row(change.row + i);
    return cells.map((cell, k) => (cell ? put(row, change.column + k, cell) : undefined));
  });
  sheet.width = Math.max(sheet.width, ...change.cells.map((cells) => change.column + cells.length));
  sheet.changed = true;
  return { ...change, cells: before };
}

/** @param {Row} row @param {number} column @param {NewCell} cell @returns {Cell} what stood there */
function put(row, column, cell) {
  const old = row.cells[column];
  row.cells[column] = { ...cell, style: cell.style ?? old?.style ?? 0 };
  return old ?? { value: null, style: 0 };
}

/**
 * The change that sorts an area by one of its columns. A formula is filled to where it comes to stand.
 * @param {Sheet} sheet @param {Sort} sort @returns {Set}
 */
function sorted(sheet, { sheet: name, by, descending, ...area }) {
  const rows = cellsOf(sheet, area).map((cells, at) => ({ cells, at }));
  rows.sort((a, b) => compareCells(a.cells[by - area.column].value, b.cells[by - area.column].value, descending));
  const cells = rows.map(({ cells, at }, i) =>
    cells.map((cell) => (cell.formula ? { ...cell, formula: fillFormula(cell.formula, i - at, 0) } : cell)));
  return { kind: "set", sheet: name, row: area.row, column: area.column, cells };
}

/** Numbers come before texts, these before truth values and errors; empty cells come last in either direction. */
function compareCells(/** @type {Value} */ a, /** @type {Value} */ b, /** @type {boolean} */ descending) {
  const [rankA, rankB] = [rank(a), rank(b)];
  if (rankA === EMPTY || rankB === EMPTY) return rankA - rankB;
  let order = rankA - rankB;
  if (order === 0 && typeof a === "number") order = a - Number(b);
  if (order === 0 && typeof a === "string") order = COLLATOR.compare(a, String(b));
  return descending ? -order : order;
}

const COLLATOR = new Intl.Collator("en");
const EMPTY = 4;

/** @param {Value} value */
function rank(value) {
  if (value === null || value === "") return EMPTY;
  const order = ["number", "string", "boolean", "object"];
  return order.indexOf(typeof value);
}

/** @param {Sheet} sheet @param {Shift} shift */
function moveCells(sheet, { row, rows, column, columns }) {
  sheet.changed = true;
  if (column === 0 && columns >= MAX_COLUMNS) {
    if (rows < 0) sheet.rows.splice(row, -rows);
    else if (row < sheet.rows.length) sheet.rows.splice(row, 0, ...blankRows(sheet.rows[row - 1], rows));
    return;
  }
  const to = Math.min(column + columns, sheet.width);
  const length = sheet.rows.length;
  const at = (/** @type {number} */ i) => sheet.rows[i]?.cells.slice(column, to) ?? [];
  const below = Array.from({ length: Math.max(0, length - row) }, (_, i) => at(row + i));
  const moved = rows >= 0
    ? [...Array.from({ length: rows }, () => styled(at(row - 1))), ...below]
    : [...below.slice(-rows), ...Array.from({ length: Math.min(-rows, below.length) }, () => [])];
  moved.forEach((cells, i) => {
    const target = sheet.row(row + i);
    for (let k = column; k < to; k++) target.cells[k] = cells[k - column];
  });
}

/** Rows that look as the one above them. @param {Row | undefined} above @param {number} count @returns {Row[]} */
function blankRows(above, count) {
  return Array.from({ length: count }, () => ({ cells: styled(above?.cells ?? []), attributes: above?.attributes ?? "" }));
}

/** @param {(Cell | undefined)[]} cells @returns {(Cell | undefined)[]} */
function styled(cells) {
  return Array.from(cells, (cell) => (cell?.style ? { value: null, style: cell.style } : undefined));
}

/** @param {Sheet} sheet @param {Shift} shift */
function shiftFormulas(sheet, shift) {
  for (const { row, column, cell } of formulas(sheet)) {
    const formula = shiftFormula(cell.formula ?? "", sheet.name, shift);
    const array = cell.array && sameName(sheet.name, shift.sheet) ? shiftFormula(cell.array, sheet.name, shift) : cell.array;
    if (formula === cell.formula && array === cell.array) continue;
    sheet.row(row).cells[column] = { ...cell, formula, array };
    sheet.changed = true;
  }
}

/** Every cell of a sheet that holds a formula. @param {Sheet} sheet */
export function* formulas(sheet) {
  for (const [row, line] of sheet.rows.entries()) {
    if (!line) continue;
    for (const [column, cell] of line.cells.entries()) {
      if (cell?.formula !== undefined) yield { row, column, cell };
    }
  }
}
