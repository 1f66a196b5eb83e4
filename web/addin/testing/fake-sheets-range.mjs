/** Ranges of the fake Apps Script. */
import { typed } from "./typing.mjs";

/** @typedef {{file: {zone: string}, holds: boolean, spend(cells: number): void}} Execution of a script, as far as ranges need it */
/** @typedef {import("./book.mjs").Sheet} Sheet */
/** @typedef {import("./book.mjs").Area} Area */

const LONGEST = 50_000;
const DAY = 86_400_000;
const DATES = /[ydhs]/i; // in a number format

/** An error as Apps Script throws it. */
export class Refusal extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "Exception";
  }
}

export class Range {
  /**
   * @param {Execution} execution
   * @param {Sheet} sheet
   * @param {Area} area
   */
  constructor(execution, sheet, area) {
    this.execution = execution;
    this.sheet = sheet;
    this.area = area;
  }

  getSheet() {
    return { getName: () => this.sheet.title };
  }

  getRow() {
    return this.area.row + 1;
  }

  getColumn() {
    return this.area.column + 1;
  }

  getNumRows() {
    return this.area.rows;
  }

  getNumColumns() {
    return this.area.columns;
  }

  /**
   * Counts from 1, within the range.
   * @param {number} row
   * @param {number} column
   */
  getCell(row, column) {
    const area = { row: this.area.row + row - 1, column: this.area.column + column - 1, rows: 1, columns: 1 };
    return new Range(this.execution, this.sheet, area);
  }

  getValues() {
    const { zone } = this.execution.file;
    return this.map(({ value, format }) => {
      if (value === null) return "";
      if (typeof value === "object") return value.error;
      return typeof value === "number" && DATES.test(format) ? dateOf(value, zone) : value;
    });
  }

  getFormulas() {
    return this.map(({ formula }) => formula);
  }

  /** Those of which some cells lie in the range. */
  getMergedRanges() {
    const { row, column, rows, columns } = this.area;
    const met = this.sheet.merges.filter((area) =>
      area.row < row + rows && row < area.row + area.rows && area.column < column + columns && column < area.column + area.columns);
    return met.map((area) => new Range(this.execution, this.sheet, area));
  }

  getNumberFormats() {
    return this.map(({ format }) => format || "General");
  }

  canEdit() {
    return !this.map((cell) => this.sheet.protected && !cell.unlocked).flat().includes(true);
  }

  /** @param {unknown[][]} values */
  setValues(values) {
    const { rows, columns } = this.area;
    if (values.length !== rows) refuseSize("rows", values.length, rows);
    for (const line of values) if (line.length !== columns) refuseSize("columns", line.length, columns);
    if (values.flat().some((value) => typeof value === "string" && value.replace(/^'/, "").length > LONGEST)) {
      throw new Refusal("Your input contains more than the maximum of 50000 characters in a single cell.");
    }
    this.each((row, column, i, k) => {
      const value = values[i][k];
      const { format } = this.sheet.cell(row, column);
      if (typeof value === "string") this.sheet.set(row, column, typed(value, { format, signs: true }));
      else if (typeof value === "number" || typeof value === "boolean") this.sheet.set(row, column, plain(value, format));
      else throw new Refusal("Cannot convert the value to a cell.");
    });
    return this;
  }

  /** @param {string} format */
  setNumberFormat(format) {
    this.each((row, column) => this.sheet.set(row, column, { format: format === "General" ? "" : format }));
    return this;
  }

  clearContent() {
    this.each((row, column) => this.sheet.set(row, column, { value: null, formula: "" }));
    return this;
  }

  /** @param {string} dimension */
  insertCells(dimension) {
    this.shift(dimension);
    this.sheet.insertCells(this.area);
    if (this.sheet.used() > this.sheet.rows) throw new Error("cells fell off the sheet's end");
    return this;
  }

  /** @param {string} dimension */
  deleteCells(dimension) {
    this.shift(dimension);
    this.sheet.deleteCells(this.area);
  }

  /** @param {string} dimension */
  shift(dimension) {
    if (dimension !== "ROWS") throw new Error("only rows are shifted");
    if (!this.canEdit()) refuseProtected();
  }

  /**
   * @template T
   * @param {(cell: import("./book.mjs").Cell) => T} of
   * @returns {T[][]}
   */
  map(of) {
    const { row, column, rows, columns } = this.area;
    this.execution.spend(rows * columns);
    return Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, k) => of(this.sheet.cell(row + i, column + k))));
  }

  /** @param {(row: number, column: number, i: number, k: number) => void} act */
  each(act) {
    if (!this.execution.holds) throw new Error("the script writes without the document's lock");
    if (!this.canEdit()) refuseProtected();
    const { row, column, rows, columns } = this.area;
    for (let i = 0; i < rows; i++) for (let k = 0; k < columns; k++) act(row + i, column + k, i, k);
  }
}

/** @returns {never} */
function refuseProtected() {
  throw new Refusal("You are trying to edit a protected cell or object. " +
    "Please contact the spreadsheet owner to remove protection if you need to edit.");
}

/**
 * @param {string} what
 * @param {number} data
 * @param {number} range
 * @returns {never}
 */
function refuseSize(what, data, range) {
  throw new Refusal(`The number of ${what} in the data does not match the number of ${what} in the range. ` +
    `The data has ${data} but the range has ${range}.`);
}

/**
 * A number in a cell of text becomes text.
 * @param {number | boolean} value
 * @param {string} format
 */
function plain(value, format) {
  return { value: format === "@" ? String(value) : value, formula: "" };
}

/**
 * The moment, to the millisecond, when a clock in a zone shows a serial day.
 * @param {number} serial
 * @param {string} zone
 */
function dateOf(serial, zone) {
  const wall = Math.round((serial - 25569) * DAY);
  const guess = wall - (wallTime(wall, zone) - wall);
  return new Date(wall - (wallTime(guess, zone) - guess));
}

/**
 * What a clock in a zone shows at a time, as if it were UTC.
 * @param {number} time ms
 * @param {string} zone
 */
export function wallTime(time, zone) {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric",
    hour: "numeric", minute: "numeric", second: "numeric", fractionalSecondDigits: 3,
  });
  const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second, part.fractionalSecond);
}
