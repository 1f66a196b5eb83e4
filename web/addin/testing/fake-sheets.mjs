/**
 * Google Sheets over a Book, as Apps Script sees it: the classes that apps-script/Code.js uses, as strict as the service. Strings are
 * read as if a person had typed them, dates come back as Date, ranges must lie within the sheet, and an execution ends after a time.
 */
import vm from "node:vm";

import { Range, Refusal, wallTime } from "./fake-sheets-range.mjs";

/** @typedef {import("./book.mjs").Book} Book */
/** @typedef {import("./book.mjs").Sheet} BookSheet */

const CELLS = 10_000_000;

export class FakeSpreadsheet {
  /**
   * @param {Book} book
   * @param {string} code the script
   * @param {{id?: string, metadata?: {key: string, value: string}[], zone?: string}} [file]
   */
  constructor(book, code, { id = "sheet-1", metadata = [], zone = "Europe/Berlin" } = {}) {
    Object.assign(this, { book, code });
    this.book = book;
    this.code = code;
    this.id = id;
    this.metadata = metadata;
    this.zone = zone;
    this.locked = false; // another execution holds the document's lock
    this.budget = 3_000_000; // cells that an execution can read or write in its six minutes
    this.largest = 0; // characters of a call
    this.account = "ana@example.com"; // that scripts run as
    /** @type {Set<string>} */
    this.refused = new Set(); // scopes that the account has not granted
    this.closed = false; // to the account: Google does not even begin the script
    this.denial = "We're sorry, a server error occurred while reading from storage. Error code PERMISSION_DENIED."; // of one that is closed
    /** @type {string[]} */
    this.menu = []; // what the editor's menu of add-ons has
    /** @type {Record<string, string> | null} */
    this.sidebar = null; // the values of its page
    /** @type {{sheet: BookSheet, area: import("./book.mjs").Area}} */
    this.selected = { sheet: book.sheets[0], area: { row: 0, column: 0, rows: 1, columns: 1 } };
  }

  /**
   * Calls a function of the script as google.script.run does: in an execution of its own, whose globals are new.
   * @param {string} name
   * @param {...string} args
   * @returns {Promise<string>}
   */
  async run(name, ...args) {
    await new Promise((resolve) => setImmediate(resolve));
    this.largest = Math.max(this.largest, ...args.map(({ length }) => length));
    if (name.endsWith("_")) throw new Error(`Script function not found: ${name}`);
    if (this.closed) throw new Error(this.denial);
    return this.execute(name, args);
  }

  /**
   * @param {string} name
   * @param {string[]} [args]
   */
  execute(name, args = []) {
    const execution = new Execution(this);
    const world = vm.createContext(execution.globals());
    vm.runInContext(this.code, world);
    return vm.runInContext(name, world)(...args);
  }

  /**
   * Opens the spreadsheet and chooses what the script put into the menu.
   * @returns {Record<string, string>} the values of the sidebar's page
   */
  open() {
    this.menu = [];
    this.execute("onOpen");
    for (const name of this.menu) this.execute(name);
    if (!this.sidebar) throw new Error("there is no sidebar");
    return this.sidebar;
  }

  /**
   * Ends an execution that does something for which a scope was not granted.
   * @param {string} what
   * @param {string} scope
   */
  need(what, scope) {
    const address = `https://www.googleapis.com/auth/${scope}`;
    if (this.refused.has(address)) throw new Error(`You do not have permission to call ${what}. Required permissions: ${address}`);
  }
}

/** One execution of the script. */
export class Execution {
  /** @param {FakeSpreadsheet} file */
  constructor(file) {
    this.file = file;
    this.spent = 0;
    this.holds = false;
  }

  /**
   * Counts the cells that were touched.
   * @param {number} cells
   */
  spend(cells) {
    this.spent += cells;
    if (this.spent > this.file.budget) throw new Refusal("Exceeded maximum execution time");
  }

  /** @param {string[]} scopes */
  lacks(scopes) {
    return scopes.some((scope) => this.file.refused.has(scope));
  }

  globals() {
    const spreadsheet = new Spreadsheet(this);
    return {
      SpreadsheetApp: {
        getActive: () => {
          this.file.need("SpreadsheetApp.getActive", "spreadsheets.currentonly");
          return spreadsheet;
        },
        getUi: () => new Ui(this.file),
        setActiveRange: (/** @type {Range} */ range) => {
          this.file.selected = { sheet: range.sheet, area: range.area };
          return range;
        },
        flush: () => {},
        Dimension: { ROWS: "ROWS", COLUMNS: "COLUMNS" },
        SheetType: { GRID: "GRID", OBJECT: "OBJECT", DATASOURCE: "DATASOURCE" },
      },
      ScriptApp: {
        AuthMode: { FULL: "FULL" },
        AuthorizationStatus: { REQUIRED: "REQUIRED", NOT_REQUIRED: "NOT_REQUIRED" },
        requireScopes: (/** @type {string} */ _mode, /** @type {string[]} */ scopes) => {
          if (this.lacks(scopes)) throw new Error("Authorization is required to perform that action.");
        },
        getAuthorizationInfo: (/** @type {string} */ _mode, /** @type {string[]} */ scopes) => ({
          getAuthorizationStatus: () => (this.lacks(scopes) ? "REQUIRED" : "NOT_REQUIRED"),
        }),
      },
      Session: {
        getEffectiveUser: () => {
          this.file.need("Session.getEffectiveUser", "userinfo.email");
          return { getEmail: () => this.file.account };
        },
      },
      HtmlService: {
        createTemplateFromFile: (/** @type {string} */ name) => {
          if (name !== "sidebar") throw new Error(`No HTML file named ${name} was found.`);
          const page = { evaluate: () => ({ setTitle: () => page }) };
          return page;
        },
      },
      LockService: { getDocumentLock: () => new Lock(this) },
      Utilities: { formatDate },
    };
  }
}

/** The editor beside the script: only menus of add-ons, which a script has whether it is published or the spreadsheet's own. */
class Ui {
  /** @param {FakeSpreadsheet} file */
  constructor(file) {
    this.file = file;
  }

  createAddonMenu() {
    /** @type {string[]} */
    const items = [];
    const menu = {
      addItem: (/** @type {string} */ _caption, /** @type {string} */ name) => {
        items.push(name);
        return menu;
      },
      addToUi: () => void (this.file.menu = items),
    };
    return menu;
  }

  /** @param {Record<string, any>} page */
  showSidebar({ evaluate: _evaluate, ...values }) {
    this.file.need("Ui.showSidebar", "script.container.ui");
    this.file.sidebar = values;
  }
}

class Lock {
  /** @param {Execution} execution */
  constructor(execution) {
    this.execution = execution;
  }

  tryLock() {
    this.execution.holds = !this.execution.file.locked;
    return this.execution.holds;
  }

  releaseLock() {
    this.execution.holds = false;
  }
}

class Spreadsheet {
  /** @param {Execution} execution */
  constructor(execution) {
    this.execution = execution;
    this.file = execution.file;
  }

  getId() {
    return this.file.id;
  }

  getName() {
    return "Board";
  }

  getSpreadsheetTimeZone() {
    return this.file.zone;
  }

  getActiveRange() {
    return new Range(this.execution, this.file.selected.sheet, this.file.selected.area);
  }

  getSheets() {
    return this.file.book.sheets.map((sheet) => new Sheet(this.execution, sheet));
  }

  /** @param {string} name */
  getSheetByName(name) {
    const sheet = this.file.book.sheet(name);
    return sheet ? new Sheet(this.execution, sheet) : null;
  }

  /** Names whose cells are gone are not listed; a copied sheet's are, with the sheet before them. */
  getNamedRanges() {
    return this.file.book.names.filter(({ sheet }) => sheet).map((name) => new NamedRange(this.execution, name));
  }

  /**
   * @param {string} name
   * @param {Range} range
   */
  setNamedRange(name, range) {
    const { book } = this.file;
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,249}$/.test(name)) throw new Refusal("The name of the range is invalid.");
    const known = book.name(name);
    // The name of one whose cells are gone stays taken.
    if (known && !known.sheet) throw new Refusal(`Cannot add named range with name: ${name}, a named range with that name already exists`);
    if (known) Object.assign(known, { sheet: range.sheet, area: range.area });
    else book.names.push({ name, sheet: range.sheet, area: range.area });
    book.revision++;
  }

  getDeveloperMetadata() {
    return this.file.metadata.map((kept) => ({
      getKey: () => kept.key,
      getValue: () => kept.value,
      remove: () => {
        this.file.metadata = this.file.metadata.filter((other) => other !== kept);
      },
    }));
  }

  /**
   * @param {string} key
   * @param {string} value
   */
  addDeveloperMetadata(key, value) {
    if (key.length + value.length > 30_000) throw new Refusal("The developer metadata is too large.");
    this.file.metadata = [...this.file.metadata, { key, value }];
  }
}

class NamedRange {
  /**
   * @param {Execution} execution
   * @param {import("./book.mjs").Name} name
   */
  constructor(execution, name) {
    this.execution = execution;
    this.name = name;
  }

  getName() {
    const { name, scope } = this.name;
    return scope ? `'${scope.title}'!${name}` : name;
  }

  getRange() {
    return new Range(this.execution, /** @type {BookSheet} */ (this.name.sheet), { ...this.name.area });
  }

  remove() {
    const { book } = this.execution.file;
    book.names = book.names.filter((known) => known !== this.name);
    book.revision++;
  }
}

class Sheet {
  /**
   * @param {Execution} execution
   * @param {BookSheet} sheet
   */
  constructor(execution, sheet) {
    this.execution = execution;
    this.sheet = sheet;
  }

  getName() {
    return this.sheet.title;
  }

  getMaxRows() {
    return this.sheet.rows;
  }

  getMaxColumns() {
    return this.sheet.columns;
  }

  getLastRow() {
    return this.sheet.used();
  }

  getLastColumn() {
    return this.sheet.usedColumns();
  }

  getType() {
    return "GRID";
  }

  /** @param {number} row from 1 */
  isRowHiddenByUser(row) {
    return this.sheet.hidden.get(row - 1) === "hand";
  }

  /** @param {number} row from 1 */
  isRowHiddenByFilter(row) {
    return this.sheet.hidden.get(row - 1) === "filter";
  }

  /**
   * Shows rows, but none that a filter hides.
   * @param {number} row from 1
   * @param {number} rows
   */
  showRows(row, rows) {
    for (let i = row - 1; i < row - 1 + rows; i++) if (this.sheet.hidden.get(i) === "hand") this.sheet.hidden.delete(i);
  }

  /** From the first cell on; of an empty sheet that cell alone. */
  getDataRange() {
    return this.getRange(1, 1, Math.max(this.getLastRow(), 1), Math.max(this.getLastColumn(), 1));
  }

  /**
   * Counts from 1.
   * @param {number} row
   * @param {number} column
   * @param {number} rows
   * @param {number} columns
   */
  getRange(row, column, rows, columns) {
    const area = { row: row - 1, column: column - 1, rows, columns };
    if (rows < 1) throw new Refusal("The number of rows in the range must be at least 1.");
    if (columns < 1) throw new Refusal("The number of columns in the range must be at least 1.");
    if (!this.sheet.fits(area)) throw new Refusal("The coordinates of the range are outside the dimensions of the sheet.");
    return new Range(this.execution, this.sheet, area);
  }

  /**
   * @param {number} after
   * @param {number} count
   */
  insertRowsAfter(after, count) {
    this.grow(this.sheet.rows + count, this.sheet.columns);
    this.sheet.insertRows(after, count);
  }

  /**
   * Only after the last one.
   * @param {number} _after
   * @param {number} count
   */
  insertColumnsAfter(_after, count) {
    this.grow(this.sheet.rows, this.sheet.columns + count);
    this.sheet.columns += count;
  }

  /**
   * @param {number} rows
   * @param {number} columns
   */
  grow(rows, columns) {
    const others = this.execution.file.book.sheets.filter((sheet) => sheet !== this.sheet);
    const cells = others.reduce((sum, sheet) => sum + sheet.rows * sheet.columns, rows * columns);
    if (cells > CELLS) {
      throw new Refusal(`This action would increase the number of cells in the workbook above the limit of ${CELLS} cells.`);
    }
  }
}

/**
 * @param {Date} date
 * @param {string} zone
 * @param {string} pattern
 */
function formatDate(date, zone, pattern) {
  if (pattern !== "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'") throw new Error(`the fake knows no pattern ${pattern}`);
  return new Date(wallTime(date.getTime(), zone)).toISOString();
}
