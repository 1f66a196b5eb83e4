/** Sheets, ranges and names of the fake Office.js. */
import { columnName, parseLocation, quoteSheet } from "../address.mjs";
import { Client } from "./fake-office-context.mjs";
import { typed } from "./typing.mjs";

/** @typedef {import("./fake-office-context.mjs").RequestContext} RequestContext */
/** @typedef {{sheet: import("./book.mjs").Sheet, area: import("./book.mjs").Area}} Place */

const RANGE_CELLS = 5_000_000;
const LONGEST = 32_767;
const GENERAL = "General";

export class Sheet extends Client {
  /**
   * @param {RequestContext} context
   * @param {() => import("./book.mjs").Sheet | null} find
   */
  constructor(context, find) {
    super(context, find, { name: (sheet) => sheet.title, id: (sheet) => `{${sheet.id}}` });
    return this.strict();
  }

  get protection() {
    return this.once("protection", () => new Client(this.context, () => this.target, { protected: (sheet) => sheet.protected }).strict());
  }

  /**
   * @param {number} row
   * @param {number} column
   * @param {number} rows
   * @param {number} columns
   */
  getRangeByIndexes(row, column, rows, columns) {
    return new Range(this.context, () => {
      const area = { row, column, rows, columns };
      const whole = [row, column, rows, columns].every(Number.isInteger);
      if (!whole || !this.target.fits(area)) this.context.refuse("InvalidArgument");
      return { sheet: this.target, area };
    });
  }

  /** @param {boolean} valuesOnly */
  getUsedRangeOrNullObject(valuesOnly) {
    return new Range(this.context, () => {
      if (!valuesOnly) this.context.refuse("InvalidArgument"); // what only formats fill is none of ours
      const rows = this.target.used();
      return rows ? { sheet: this.target, area: { row: 0, column: 0, rows, columns: this.target.usedColumns() } } : null;
    });
  }

  get tables() {
    return this.once("tables", () => new Tables(this.context, () => this.target));
  }

  activate() {
    this.change(() => {});
  }
}

export class Range extends Client {
  /**
   * @param {RequestContext} context
   * @param {() => Place | null} find
   */
  constructor(context, find) {
    super(context, find, {
      rowIndex: ({ area }) => area.row,
      columnIndex: ({ area }) => area.column,
      rowCount: ({ area }) => area.rows,
      columnCount: ({ area }) => area.columns,
      values: (place) => cellsOf(place, context).map((line) => line.map(({ value }) => shown(value))),
      valueTypes: (place) => cellsOf(place, context).map((line) => line.map(({ value }) => typeOf(value))),
      // A text is its own formula, without the apostrophe that may have made it one.
      formulas: (place) => cellsOf(place, context).map((line) => line.map(({ value, formula }) => formula || shown(value))),
      numberFormat: (place) => cellsOf(place, context).map((line) => line.map(({ format }) => format || GENERAL)),
      rowHidden: ({ sheet, area }) => {
        const rows = Array.from({ length: area.rows }, (_, i) => sheet.hidden.has(area.row + i));
        return rows.every((is) => is === rows[0]) ? rows[0] : null;
      },
    }, {
      rowHidden: ({ sheet, area }, hidden) => {
        if (sheet.protected) context.refuse("AccessDenied");
        for (let row = area.row; row < area.row + area.rows; row++) if (hidden) sheet.hidden.set(row, "hand"); else sheet.hidden.delete(row);
      },
      values: (place, values) => write(place, values, context),
      numberFormat: (place, formats) => format(place, formats, context),
    });
    return this.strict();
  }

  get worksheet() {
    return this.once("worksheet", () => new Sheet(this.context, () => this.target && this.target.sheet));
  }

  get format() {
    const locked = (/** @type {Place} */ place) => {
      const locks = new Set(cellsOf(place, this.context).flat().map((cell) => !cell.unlocked));
      return locks.size === 1 ? locks.has(true) : null;
    };
    return { protection: this.once("locked", () => new Client(this.context, () => this.target, { locked }).strict()) };
  }

  /** The merged areas of which some cells lie in the range; a null object for none. */
  getMergedAreasOrNullObject() {
    return new Areas(this.context, () => {
      const { sheet, area } = this.target;
      const met = sheet.merges.filter((/** @type {import("./book.mjs").Area} */ merged) => meets(merged, area));
      return met.length > 0 ? met.map((/** @type {import("./book.mjs").Area} */ merged) => ({ sheet, area: merged })) : null;
    });
  }

  /** @param {string} shift */
  insert(shift) {
    this.change(({ sheet, area }) => {
      if (shift !== "Down" || sheet.protected) this.context.refuse(sheet.protected ? "AccessDenied" : "InvalidArgument");
      if (sheet.tears(area)) this.context.refuse("InsertDeleteConflict");
      if (sheet.used() + area.rows > sheet.rows) this.context.refuse("NonBlankCellOffSheet");
      sheet.insertCells(area);
    }, shift);
    return this;
  }

  /** @param {string} shift */
  delete(shift) {
    this.change(({ sheet, area }) => {
      if (shift !== "Up" || sheet.protected) this.context.refuse(sheet.protected ? "AccessDenied" : "InvalidArgument");
      if (sheet.tears(area)) this.context.refuse("InsertDeleteConflict");
      sheet.deleteCells(area);
    }, shift);
  }

  /** @param {string} applyTo */
  clear(applyTo) {
    this.change((place) => {
      if (applyTo !== "Contents") this.context.refuse("InvalidArgument");
      each(place, this.context, (sheet, row, column) => sheet.set(row, column, { value: null, formula: "" }));
    }, applyTo);
  }

  select() {
    this.change((place) => {
      this.context.fake.selected = place;
    });
  }
}

/**
 * @param {import("./book.mjs").Area} a
 * @param {import("./book.mjs").Area} b
 */
function meets(a, b) {
  return a.row < b.row + b.rows && b.row < a.row + a.rows && a.column < b.column + b.columns && b.column < a.column + a.columns;
}

/** Several rectangles. */
class Areas extends Client {
  /**
   * @param {RequestContext} context
   * @param {() => Place[] | null} find
   */
  constructor(context, find) {
    super(context, find, { areaCount: (places) => places.length });
    return this.strict();
  }

  get areas() {
    return this.once("areas", () => new Ranges(this.context, () => this.target ?? []));
  }
}

class Ranges extends Client {
  /**
   * @param {RequestContext} context
   * @param {() => Place[]} find
   */
  constructor(context, find) {
    super(context, find, {});
    /** @type {Range[] | undefined} */
    this.list = undefined;
    return this.strict();
  }

  /** @param {string} names */
  load(names) {
    this.context.queue(() => {
      this.list = this.target.map((/** @type {Place} */ place) => {
        const item = new Range(this.context, () => place);
        item.target = place;
        for (const property of names.split(",")) item.take(property.trim().replace(/^items\//, ""));
        return item;
      });
    }, names);
    return this;
  }

  get items() {
    return this.list ?? this.context.refuse("PropertyNotLoaded");
  }
}

/** The tables of a sheet. */
class Tables extends Client {
  /**
   * @param {RequestContext} context
   * @param {() => import("./book.mjs").Sheet} find
   */
  constructor(context, find) {
    super(context, find, {});
    /** @type {Table[] | undefined} */
    this.list = undefined;
    return this.strict();
  }

  /** @param {string} names */
  load(names) {
    this.context.queue(() => {
      const sheet = this.target;
      this.list = sheet.tables.map((/** @type {import("./book.mjs").Sheet["tables"][0]} */ table) => {
        const item = new Table(this.context, () => ({ sheet, ...table }));
        item.target = { sheet, ...table };
        for (const property of names.split(",")) item.take(property.trim().replace(/^items\//, ""));
        return item;
      });
    }, names);
    return this;
  }

  get items() {
    return this.list ?? this.context.refuse("PropertyNotLoaded");
  }
}

class Table extends Client {
  /**
   * @param {RequestContext} context
   * @param {() => Place & {headings: boolean}} find
   */
  constructor(context, find) {
    super(context, find, { showHeaders: ({ headings }) => headings });
    return this.strict();
  }

  getRange() {
    return new Range(this.context, () => this.target);
  }
}

export class Names extends Client {
  /** @param {RequestContext} context */
  constructor(context) {
    super(context, () => context.fake.book, { name: () => null });
    /** @type {NamedItem[] | undefined} */
    this.list = undefined;
    return this.strict();
  }

  /** @param {string} names */
  load(names) {
    this.context.queue(() => {
      const { book } = this.context.fake;
      this.list = book.names.filter(({ scope }) => !scope).map((name) => {
        const item = new NamedItem(this.context, () => name);
        item.target = name;
        for (const property of names.split(",")) item.take(property.trim().replace(/^items\//, ""));
        return item;
      });
    }, names);
    return this;
  }

  get items() {
    return this.list ?? this.context.refuse("PropertyNotLoaded");
  }

  /** @param {string} name */
  getItemOrNullObject(name) {
    return new NamedItem(this.context, () => this.context.fake.book.name(name) ?? null);
  }

  /**
   * @param {string} name
   * @param {string} formula
   * @param {string} [comment]
   */
  add(name, formula, comment) {
    this.context.queue(() => {
      const { book } = this.context.fake;
      if (book.name(name)) this.context.refuse("ItemAlreadyExists");
      if (!/^[\p{L}_\\][\p{L}\p{Nd}_.\\?]{0,254}$/u.test(name)) this.context.refuse("InvalidArgument");
      book.names.push({ name, ...placeOf(formula, this.context), visible: true, comment });
      book.revision++;
    }, [name, formula, comment]);
    return this.getItemOrNullObject(name);
  }
}

class NamedItem extends Client {
  /**
   * @param {RequestContext} context
   * @param {() => import("./book.mjs").Name | null} find
   */
  constructor(context, find) {
    super(context, find, {
      name: ({ name }) => name,
      visible: ({ visible }) => visible,
      type: ({ sheet, text }) => (text ? "String" : sheet ? "Range" : "Error"),
      comment: ({ comment }) => comment ?? "",
      formula: ({ sheet, area, text }) => text ?? (sheet ? formulaOf(sheet, area) : "=#REF!"),
    }, {
      formula: (name, formula) => {
        Object.assign(name, placeOf(formula, context));
        context.fake.book.revision++;
      },
      visible: (name, visible) => {
        name.visible = visible;
      },
      comment: (name, comment) => {
        if (comment.length > 255) context.refuse("InvalidArgument");
        name.comment = comment;
        context.fake.book.revision++;
      },
    });
    return this.strict();
  }

  getRangeOrNullObject() {
    return new Range(this.context, () => (this.target?.sheet ? { sheet: this.target.sheet, area: { ...this.target.area } } : null));
  }

  delete() {
    this.change((name) => {
      const { book } = this.context.fake;
      book.names = book.names.filter((known) => known !== name);
      book.revision++;
    });
  }
}

/**
 * @param {Place} place
 * @param {RequestContext} context
 */
function cellsOf({ sheet, area }, context) {
  if (area.rows * area.columns > RANGE_CELLS) context.refuse("RangeExceedsLimit");
  const { row, column, rows, columns } = area;
  return Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, k) => sheet.cell(row + i, column + k)));
}

/**
 * @param {Place} place
 * @param {RequestContext} context
 * @param {(sheet: import("./book.mjs").Sheet, row: number, column: number, i: number, k: number) => void} act
 */
function each({ sheet, area }, context, act) {
  if (area.rows * area.columns > RANGE_CELLS) context.refuse("RangeExceedsLimit");
  for (let i = 0; i < area.rows; i++) {
    for (let k = 0; k < area.columns; k++) {
      // Over a locked cell even a null is refused.
      if (sheet.protected && !sheet.cell(area.row + i, area.column + k).unlocked) context.refuse("AccessDenied");
      act(sheet, area.row + i, area.column + k, i, k);
    }
  }
}

/**
 * @param {Place} place
 * @param {unknown[][]} values
 * @param {RequestContext} context
 */
function write(place, values, context) {
  checkSize(place, values, context);
  if (values.flat().some((value) => typeof value === "string" && value.length > LONGEST + 1)) context.refuse("InvalidArgument");
  each(place, context, (sheet, row, column, i, k) => {
    const value = values[i][k];
    if (value === null) return;
    if (typeof value === "string") sheet.set(row, column, typed(value, { format: sheet.cell(row, column).format, signs: true }));
    else if (typeof value === "number" || typeof value === "boolean") writePlain(sheet, row, column, value);
    else context.refuse("InvalidArgument");
  });
}

/**
 * A number in a cell of text becomes text.
 * @param {import("./book.mjs").Sheet} sheet
 * @param {number} row
 * @param {number} column
 * @param {number | boolean} value
 */
function writePlain(sheet, row, column, value) {
  const text = sheet.cell(row, column).format === "@";
  sheet.set(row, column, { value: text ? String(value) : value, formula: "" });
}

/**
 * @param {Place} place
 * @param {string | (string | null)[][]} formats one holds for all cells
 * @param {RequestContext} context
 */
function format(place, formats, context) {
  if (typeof formats !== "string") checkSize(place, formats, context);
  each(place, context, (sheet, row, column, i, k) => {
    const format = typeof formats === "string" ? formats : formats[i][k];
    if (format !== null) sheet.set(row, column, { format: format === GENERAL ? "" : format });
  });
}

/**
 * @param {Place} place
 * @param {unknown[][]} matrix
 * @param {RequestContext} context
 */
function checkSize({ area }, matrix, context) {
  const wide = (/** @type {unknown} */ line) => Array.isArray(line) && line.length === area.columns;
  if (!Array.isArray(matrix) || matrix.length !== area.rows || !matrix.every(wide)) context.refuse("InvalidArgument");
}

/**
 * @param {import("./book.mjs").Value} value
 */
function shown(value) {
  if (value === null) return "";
  return typeof value === "object" ? value.error : value;
}

/**
 * @param {import("./book.mjs").Value} value
 */
function typeOf(value) {
  if (value === null) return "Empty";
  if (typeof value === "object") return "Error";
  if (typeof value === "string") return "String";
  return typeof value === "number" ? "Double" : "Boolean";
}

/**
 * @param {string} formula
 * @param {RequestContext} context
 */
function placeOf(formula, context) {
  if (formula.startsWith('="')) return { sheet: null, area: { row: 0, column: 0, rows: 0, columns: 0 }, text: formula };
  const { sheet: title, row, column, rows, columns } = parseLocation(formula.replace(/^=/, ""));
  const sheet = context.fake.book.sheet(title) ?? context.refuse("InvalidArgument");
  return { sheet, area: { row, column, rows, columns } };
}

/**
 * @param {import("./book.mjs").Sheet} sheet
 * @param {import("./book.mjs").Area} area
 */
function formulaOf(sheet, { row, column, rows, columns }) {
  return `=${quoteSheet(sheet.title)}!$${columnName(column)}$${row + 1}:$${columnName(column + columns - 1)}$${row + rows}`;
}
