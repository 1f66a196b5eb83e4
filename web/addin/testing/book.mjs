/**
 * A document as spreadsheet programs keep it: sheets of cells and defined names that follow them. The fakes of Office.js and of Apps
 * Script stand on it, and people in tests edit it. The Go package refresh/host/hosttest/book is its twin.
 */
import { movedFormula, shifted } from "./reference.mjs";

/**
 * @typedef {null | number | string | boolean | {error: string}} Value
 * @typedef {{value: Value, formula: string, format: string, unlocked?: boolean}} Cell formula with its =, "" for none; format "" for
 *   the general one
 * @typedef {import("./reference.mjs").Area} Area
 */

/** @returns {Cell} */
const empty = () => ({ value: null, formula: "", format: "" });

export class Book {
  /**
   * @param {number} rows of each sheet
   * @param {number} columns
   * @param {...string} titles
   */
  constructor(rows, columns, ...titles) {
    this.revision = 0;
    this.ids = 0;
    this.date1904 = false; // numbers that stand for dates count from 1904
    /** @type {Name[]} */
    this.names = [];
    /** @type {Sheet[]} */
    this.sheets = [];
    for (const title of titles) this.addSheet(title, rows, columns);
  }

  /**
   * @param {string} title
   * @param {number} rows
   * @param {number} columns
   */
  addSheet(title, rows, columns) {
    const sheet = new Sheet(this, ++this.ids, title, rows, columns);
    this.sheets.push(sheet);
    this.revision++;
    return sheet;
  }

  /**
   * Finds a sheet, whatever the case.
   * @param {string} title
   */
  sheet(title) {
    return this.sheets.find((sheet) => sheet.title.toLowerCase() === title.toLowerCase());
  }

  /** @param {string} title */
  deleteSheet(title) {
    const gone = this.sheet(title);
    this.sheets = this.sheets.filter((sheet) => sheet !== gone);
    for (const name of this.names) if (name.sheet === gone) name.sheet = null;
    this.revision++;
  }

  /**
   * Copies a sheet as a person does: a name on it is copied too, scoped to the copy.
   * @param {string} title
   * @param {string} copy
   */
  copySheet(title, copy) {
    const from = /** @type {Sheet} */ (this.sheet(title));
    const to = this.addSheet(copy, from.rows, from.columns);
    to.cells = structuredClone(from.cells);
    for (const name of [...this.names]) {
      if (name.sheet === from) this.names.push({ ...name, area: { ...name.area }, sheet: to, scope: to });
    }
  }

  /**
   * Finds a name of the whole document, whatever the case.
   * @param {string} name
   */
  name(name) {
    return this.names.find((known) => !known.scope && known.name.toLowerCase() === name.toLowerCase());
  }

  /** A copy of the document, as a person makes one of the file. */
  clone() {
    const copy = new Book(0, 0);
    copy.ids = this.ids;
    const twins = new Map(this.sheets.map((sheet) => {
      const twin = new Sheet(copy, sheet.id, sheet.title, sheet.rows, sheet.columns);
      twin.cells = structuredClone(sheet.cells);
      twin.tables = structuredClone(sheet.tables);
      twin.protected = sheet.protected;
      return [sheet, twin];
    }));
    const twin = (/** @type {Sheet | null | undefined} */ sheet) => (sheet && twins.get(sheet)) || null;
    copy.sheets = [...twins.values()];
    copy.names = this.names.map((name) => {
      return { ...name, area: { ...name.area }, sheet: twin(name.sheet), scope: twin(name.scope) ?? undefined };
    });
    return copy;
  }

  /**
   * Has names and formulas follow the rows inserted (n > 0) or deleted at a row, where what moved covers all their columns.
   * @param {Sheet} sheet
   * @param {number} at
   * @param {number} n
   * @param {(area: Area) => boolean} covers
   */
  follow(sheet, at, n, covers) {
    this.revision++;
    const to = (/** @type {Area} */ area) => (covers(area) ? shifted(area, at, n) : area);
    for (const name of this.names) {
      if (name.sheet !== sheet) continue;
      const area = to(name.area);
      if (area) name.area = area;
      else name.sheet = null;
    }
    sheet.tables = sheet.tables.flatMap((table) => {
      const area = to(table.area);
      return area ? [{ ...table, area }] : [];
    });
    for (const on of this.sheets) {
      for (const cell of on.cells.flat()) {
        if (cell?.formula) cell.formula = movedFormula(cell.formula, on === sheet, sheet.title, to);
      }
    }
  }
}

/**
 * A defined name. Its sheet is null once the cells that it marked are gone; its scope is the sheet that alone knows it.
 * @typedef {{name: string, sheet: Sheet | null, area: Area, scope?: Sheet, visible?: boolean, comment?: string,
 *   text?: string}} Name text: the formula that it refers to in place of cells
 */

export class Sheet {
  /**
   * @param {Book} book
   * @param {number} id
   * @param {string} title
   * @param {number} rows
   * @param {number} columns
   */
  constructor(book, id, title, rows, columns) {
    this.book = book;
    this.id = id;
    this.title = title;
    this.rows = rows;
    this.columns = columns;
    this.protected = false;
    /** @type {Cell[][]} */
    this.cells = [];
    /** @type {Map<number, "hand" | "filter">} what hides rows */
    this.hidden = new Map();
    /** @type {Area[]} */
    this.merges = [];
    /** @type {{area: Area, headings: boolean}[]} with its headings */
    this.tables = [];
  }

  /**
   * @param {number} row
   * @param {number} column
   * @returns {Cell}
   */
  cell(row, column) {
    return this.cells[row]?.[column] ?? empty();
  }

  /**
   * Changes parts of a cell.
   * @param {number} row
   * @param {number} column
   * @param {Partial<Cell>} change
   */
  set(row, column, change) {
    const line = (this.cells[row] ??= []);
    line[column] = { ...(line[column] ?? empty()), ...change };
    this.book.revision++;
  }

  /**
   * Reports whether an area lies within the sheet.
   * @param {Area} area
   */
  fits({ row, column, rows, columns }) {
    return row >= 0 && column >= 0 && rows > 0 && columns > 0 && row + rows <= this.rows && column + columns <= this.columns;
  }

  /**
   * Reports whether cells that are inserted or deleted there move some columns of a table alone.
   * @param {Area} area
   */
  tears({ row, column, columns }) {
    return this.tables.some(({ area }) => {
      const meets = area.column < column + columns && column < area.column + area.columns && row < area.row + area.rows;
      return meets && (area.column < column || area.column + area.columns > column + columns);
    });
  }

  /** The number of rows down to the last one that holds something. */
  used() {
    for (let row = this.cells.length; row > 0; row--) {
      if (this.cells[row - 1]?.some((cell) => cell && (cell.value !== null || cell.formula))) return row;
    }
    return 0;
  }

  /** The number of columns up to the last one that holds something. */
  usedColumns() {
    return Math.max(0, ...Object.values(this.cells).map((line) => line.findLastIndex((cell) => cell && (cell.value !== null || cell.formula)) + 1));
  }

  /**
   * Inserts whole rows, as a person does; the sheet grows.
   * @param {number} at
   * @param {number} n
   */
  insertRows(at, n) {
    if (at < this.cells.length) this.cells.splice(at, 0, ...Array.from({ length: n }, () => []));
    this.rows += n;
    this.book.follow(this, at, n, () => true);
  }

  /**
   * @param {number} at
   * @param {number} n
   */
  deleteRows(at, n) {
    this.cells.splice(at, n);
    this.rows -= n;
    this.book.follow(this, at, -n, () => true);
  }

  /**
   * Inserts empty cells in an area; what stood there and below moves down. New cells have the formats of those above.
   * @param {Area} area
   */
  insertCells({ row, column, rows, columns }) {
    for (let r = this.cells.length - 1; r >= row; r--) {
      for (let c = column; c < column + columns; c++) this.move(r, r + rows, c);
    }
    for (let r = row; r < row + rows; r++) {
      for (let c = column; c < column + columns; c++) this.set(r, c, { ...empty(), format: row > 0 ? this.cell(row - 1, c).format : "" });
    }
    this.book.follow(this, row, rows, (area) => column <= area.column && area.column + area.columns <= column + columns);
  }

  /**
   * Deletes the cells of an area; what stands below moves up.
   * @param {Area} area
   */
  deleteCells({ row, column, rows, columns }) {
    for (let r = row; r < this.cells.length; r++) {
      for (let c = column; c < column + columns; c++) this.move(r + rows, r, c);
    }
    this.book.follow(this, row, -rows, (area) => column <= area.column && area.column + area.columns <= column + columns);
  }

  /**
   * @param {number} from
   * @param {number} to
   * @param {number} column
   */
  move(from, to, column) {
    if (!this.cells[from]?.[column] && !this.cells[to]?.[column]) return;
    (this.cells[to] ??= [])[column] = this.cell(from, column);
  }

  /**
   * Cuts an area and pastes it elsewhere on the sheet: names that lie in it follow.
   * @param {Area} area
   * @param {number} row
   * @param {number} column
   */
  cutTo(area, row, column) {
    const cut = [];
    for (let r = 0; r < area.rows; r++) {
      for (let c = 0; c < area.columns; c++) {
        cut.push(this.cell(area.row + r, area.column + c));
        this.set(area.row + r, area.column + c, empty());
      }
    }
    cut.forEach((cell, i) => this.set(row + Math.floor(i / area.columns), column + (i % area.columns), cell));
    for (const name of this.book.names) {
      const inside = name.sheet === this && name.area.row >= area.row && name.area.column >= area.column &&
        name.area.row + name.area.rows <= area.row + area.rows && name.area.column + name.area.columns <= area.column + area.columns;
      if (inside) name.area = { ...name.area, row: name.area.row + row - area.row, column: name.area.column + column - area.column };
    }
  }

  /** @param {string} title */
  rename(title) {
    this.title = title;
    this.book.revision++;
  }
}
