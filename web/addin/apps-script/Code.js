/**
 * Mooring beside a spreadsheet: a sidebar that frames the pane from your server, and the few calls that the pane makes. All that decides
 * stands in the pane, so that this script seldom changes. Where it does, replace all three files: without the permissions that the newer
 * appsscript.json lists, Google does not open the sidebar.
 *
 * @OnlyCurrentDoc
 */

const SERVER = "https://mooring.example.com"; // the address of your Mooring server, without a / at its end

function onInstall() {
  onOpen();
}

function onOpen() {
  SpreadsheetApp.getUi().createAddonMenu().addItem("Open", "openMooring").addToUi();
}

/** All that appsscript.json asks for. A person may have granted some of it only. */
const SCOPES = [
  "https://www.googleapis.com/auth/spreadsheets.currentonly",
  "https://www.googleapis.com/auth/script.container.ui",
  "https://www.googleapis.com/auth/userinfo.email",
];

function openMooring() {
  ScriptApp.requireScopes(ScriptApp.AuthMode.FULL, SCOPES); // asks for what was not granted
  const page = HtmlService.createTemplateFromFile("sidebar");
  page.server = SERVER;
  page.account = account_();
  page.file = SpreadsheetApp.getActive().getName();
  SpreadsheetApp.getUi().showSidebar(page.evaluate().setTitle("Mooring"));
}

/** The account that the script runs as; "" where that may not be asked. */
function account_() {
  try {
    return Session.getEffectiveUser().getEmail();
  } catch (refused) {
    return "";
  }
}

/** Whether the person has not granted all that the script needs. */
function lacksConsent_() {
  const app = /** @type {any} */ (ScriptApp); // whose types do not know the scopes yet
  return app.getAuthorizationInfo(app.AuthMode.FULL, SCOPES).getAuthorizationStatus() === app.AuthorizationStatus.REQUIRED;
}

const LOOKED_THROUGH = 400000; // cells of a spreadsheet, for its formulas

/** @typedef {{row: number, column: number, rows: number, columns: number}} Area counts from 0 */

/** @type {Record<string, (...args: any[]) => unknown>} */
const CALLS = {
  document: document_, selection: selection_, read: read_, formulas: formulas_, marks: marks_, write: write_, reveal: reveal_,
  hidden: hidden_, show: show_, cells: cells_,
  setting: setting_,
};

/**
 * Answers a call of the pane. Texts go both ways, since google.script.run has rules of its own for other values. In a browser that is signed
 * in to several accounts it may run as another one than that which opened the sidebar: then nothing is done.
 * @param {string} text
 * @param {string} [opener] the account that opened the sidebar
 */
function mooring(text, opener) {
  try {
    const account = opener ? account_() : "";
    if (account && account !== opener) throw new Error("mooring:account " + account);
    const { call, args } = JSON.parse(text);
    if (!Object.prototype.hasOwnProperty.call(CALLS, call)) throw new Error("There is no call " + call);
    const result = CALLS[call](...args);
    return JSON.stringify({ result: result === undefined ? null : result });
  } catch (error) {
    const message = String(error instanceof Error ? error.message : error);
    return JSON.stringify({ error: /permission|authoriz/i.test(message) && lacksConsent_() ? "mooring:consent" : message });
  }
}

function document_() {
  const book = SpreadsheetApp.getActive();
  return { id: book.getId(), name: book.getName() };
}

/** What is selected, and what its first cell says: by that the pane sees that a person changed it. */
function selection_() {
  const range = SpreadsheetApp.getActive().getActiveRange();
  if (!range) return null;
  const place = place_(range);
  return { ...place, says: String(values_(range_(sheet_(place.sheet), { ...place, rows: 1, columns: 1 }))[0][0]) };
}

/**
 * What stands in a rectangle, as far as the sheet reaches: values, "" for none, dates as serial days, and [row, column, formula].
 * @param {string} name
 * @param {Area} area
 */
function read_(name, area) {
  const sheet = sheet_(name);
  const rows = Math.min(area.rows, sheet.getMaxRows() - area.row);
  const columns = Math.min(area.columns, sheet.getMaxColumns() - area.column);
  if (rows < 1 || columns < 1) return { values: [], formulas: [] };
  const range = range_(sheet, { row: area.row, column: area.column, rows, columns });
  return { values: values_(range), formulas: formulasIn_(range) };
}

/**
 * The formulas of a range as [row, column, formula], from its corner.
 * @param {GoogleAppsScript.Spreadsheet.Range} range
 */
function formulasIn_(range) {
  return range.getFormulas().flatMap((line, row) => line.flatMap((text, column) => (text ? [[row, column, text]] : [])));
}

/**
 * The formulas of the spreadsheet, by sheets; null where it holds more than most, or more cells than are looked through.
 * @param {number} most
 */
function formulas_(most) {
  const sheets = SpreadsheetApp.getActive().getSheets().filter((sheet) => sheet.getType() === SpreadsheetApp.SheetType.GRID);
  const cells = sheets.reduce((sum, sheet) => sum + sheet.getLastRow() * sheet.getLastColumn(), 0);
  if (cells > LOOKED_THROUGH) return null;
  const found = sheets.map((sheet) => ({ name: sheet.getName(), list: formulasIn_(sheet.getDataRange()) }));
  return found.reduce((sum, { list }) => sum + list.length, 0) > most ? null : found.map(({ name, list }) => [name, list]);
}

/**
 * What stands in rectangles, wherever they are, and what it means: as read_ has it, with which values are dates, and the merged cells that lie
 * there. In place of one that is not there it says what is missing: its "sheet", or that its cells were "deleted".
 * @param {[string, Area][]} places
 */
function cells_(places) {
  return places.map(([name, area]) => {
    const sheet = SpreadsheetApp.getActive().getSheetByName(name);
    if (!sheet) return "sheet";
    if (area.row + area.rows > sheet.getMaxRows() || area.column + area.columns > sheet.getMaxColumns()) return "deleted";
    const range = range_(sheet, area);
    const dates = range.getValues().map((line) => line.map((value) => Object.prototype.toString.call(value) === "[object Date]"));
    const merged = range.getMergedRanges().map(place_);
    return { sheet: sheet.getName(), values: values_(range), formulas: formulasIn_(range), dates, merged };
  });
}

/** The named ranges that mark something, as [name, place]. */
function marks_() {
  return SpreadsheetApp.getActive().getNamedRanges().flatMap((named) => {
    if (!named.getName().toLowerCase().startsWith("_mooring_")) return [];
    try {
      return [[named.getName(), place_(named.getRange())]];
    } catch (gone) {
      return []; // its cells were deleted
    }
  });
}

/**
 * Takes steps one after the other, or none if something is not as the pane saw it.
 * @param {string} name of the block's sheet, which is that of all that names none
 * @param {{name: string, place: unknown}[]} marks where marks must stand
 * @param {(Area & {digest: number, sheet?: string})[]} expected
 * @param {any[]} steps
 */
function write_(name, marks, expected, steps) {
  const lock = LockService.getDocumentLock();
  if (!lock.tryLock(20000)) throw new Error("mooring:busy");
  try {
    const sheet = sheet_(name);
    const on = (/** @type {{sheet?: string}} */ one) => (one.sheet === undefined ? sheet : sheet_(one.sheet));
    const stand = new Map(marks_().map(([mark, place]) => [mark, JSON.stringify(place)]));
    if (marks.some((mark) => stand.get(mark.name) !== JSON.stringify(mark.place))) throw new Error("mooring:changed");
    if (expected.some((area) => digest_(JSON.stringify(typed_(range_(on(area), area)))) !== area.digest)) throw new Error("mooring:changed");
    if (steps.some((step) => step.area && !editable_(on(step), step.area))) throw new Error("mooring:protected");
    makeRoom_(sheet, steps.filter((step) => step.sheet === undefined));
    steps.forEach((step) => take_(on(step), step));
    SpreadsheetApp.flush();
  } finally {
    lock.releaseLock();
  }
}

const HIDDEN_ROWS = 2000; // that are looked at one by one

/**
 * The hidden rows from a block's first on, down to the last of the sheet that holds something, as [row, whether a filter hides it, whether
 * the block's columns hold something there].
 * @param {string} name
 * @param {Area} block
 */
function hidden_(name, block) {
  const sheet = sheet_(name);
  const end = Math.min(Math.max(block.row + block.rows, sheet.getLastRow()), block.row + HIDDEN_ROWS, sheet.getMaxRows());
  const columns = Math.min(block.columns, sheet.getMaxColumns() - block.column);
  const rows = [];
  for (let row = block.row; row < end; row++) {
    const byFilter = sheet.isRowHiddenByFilter(row + 1);
    if (!byFilter && !sheet.isRowHiddenByUser(row + 1)) continue;
    const [values] = typed_(range_(sheet, { row, column: block.column, rows: 1, columns }));
    rows.push([row, byFilter, values.some((value) => value !== "")]);
  }
  return rows;
}

/**
 * Shows runs of rows, [first, how many].
 * @param {string} name
 * @param {[number, number][]} runs
 */
function show_(name, runs) {
  runs.forEach(([row, rows]) => sheet_(name).showRows(row + 1, rows));
}

/**
 * @param {GoogleAppsScript.Spreadsheet.Sheet} sheet
 * @param {any} step
 */
function take_(sheet, step) {
  if (step.do === "unmark") return unmark_(step.name);
  const range = range_(sheet, step.area);
  switch (step.do) {
    case "insert":
      return void range.insertCells(SpreadsheetApp.Dimension.ROWS);
    case "delete":
      return void range.deleteCells(SpreadsheetApp.Dimension.ROWS);
    case "clear":
      return void range.clearContent();
    case "format":
      return void range.setNumberFormat(step.format);
    case "write":
      freeOfText_(range);
      return void range.setValues(step.cells);
    case "mark":
      return mark_(step.names, range);
  }
}

/**
 * Marks a range by the first name that can be had: one whose cells were deleted stays taken, though it marks nothing.
 * @param {string[]} names
 * @param {GoogleAppsScript.Spreadsheet.Range} range
 */
function mark_(names, range) {
  try {
    SpreadsheetApp.getActive().setNamedRange(names[0], range);
  } catch (taken) {
    SpreadsheetApp.getActive().setNamedRange(names[1], range);
  }
}

/** @param {string} name */
function unmark_(name) {
  SpreadsheetApp.getActive().getNamedRanges().filter((named) => named.getName() === name).forEach((named) => named.remove());
}

/**
 * Takes the format of text from cells to write, in which whatever is written would stay text, apostrophe included.
 * @param {GoogleAppsScript.Spreadsheet.Range} range
 */
function freeOfText_(range) {
  range.getNumberFormats().forEach((line, row) => line.forEach((format, column) => {
    if (format === "@") range.getCell(row + 1, column + 1).setNumberFormat("General");
  }));
}

/**
 * Reports whether the person may edit an area, as far as the sheet reaches.
 * @param {GoogleAppsScript.Spreadsheet.Sheet} sheet
 * @param {Area} area
 */
function editable_(sheet, area) {
  const rows = Math.min(area.rows, sheet.getMaxRows() - area.row);
  const columns = Math.min(area.columns, sheet.getMaxColumns() - area.column);
  return rows < 1 || columns < 1 || range_(sheet, { row: area.row, column: area.column, rows, columns }).canEdit();
}

/**
 * Makes the sheet large enough for steps; inserted cells must not push others off its end.
 * @param {GoogleAppsScript.Spreadsheet.Sheet} sheet
 * @param {{do: string, area?: Area}[]} steps
 */
function makeRoom_(sheet, steps) {
  let rows = 0;
  let columns = 0;
  let inserted = 0;
  steps.forEach(({ do: what, area }) => {
    if (!area) return;
    rows = Math.max(rows, area.row + area.rows);
    columns = Math.max(columns, area.column + area.columns);
    if (what === "insert") inserted += area.rows;
  });
  const lastRow = sheet.getMaxRows();
  const lastColumn = sheet.getMaxColumns();
  if (inserted > 0) rows = Math.max(rows, sheet.getLastRow() + inserted);
  if (rows > lastRow) sheet.insertRowsAfter(lastRow, rows - lastRow);
  if (columns > lastColumn) sheet.insertColumnsAfter(lastColumn, columns - lastColumn);
}

/**
 * @param {string} name
 * @param {Area} area
 */
function reveal_(name, area) {
  SpreadsheetApp.setActiveRange(range_(sheet_(name), area));
}

/**
 * A text kept in the document; with a value, sets it, and null takes it away.
 * @param {string} key
 * @param {string | null} [value]
 */
function setting_(key, value) {
  const book = SpreadsheetApp.getActive();
  const kept = book.getDeveloperMetadata().filter((metadata) => metadata.getKey() === key);
  if (value === undefined) return kept.length > 0 ? kept[0].getValue() : null;
  kept.forEach((metadata) => metadata.remove());
  if (value !== null) book.addDeveloperMetadata(key, value);
  return null;
}

/** @param {string} name */
function sheet_(name) {
  const sheet = SpreadsheetApp.getActive().getSheetByName(name);
  if (!sheet) throw new Error("mooring:gone");
  return sheet;
}

/**
 * @param {GoogleAppsScript.Spreadsheet.Sheet} sheet
 * @param {Area} area
 */
function range_(sheet, { row, column, rows, columns }) {
  return sheet.getRange(row + 1, column + 1, rows, columns);
}

/** @param {GoogleAppsScript.Spreadsheet.Range} range */
function place_(range) {
  return {
    sheet: range.getSheet().getName(),
    row: range.getRow() - 1,
    column: range.getColumn() - 1,
    rows: range.getNumRows(),
    columns: range.getNumColumns(),
  };
}

/**
 * @param {GoogleAppsScript.Spreadsheet.Range} range
 * @returns {(string | number | boolean)[][]}
 */
function values_(range) {
  const zone = SpreadsheetApp.getActive().getSpreadsheetTimeZone();
  /** @type {Record<number, number>} */
  const offsets = {};
  return range.getValues().map((line) => line.map((value) => {
    return Object.prototype.toString.call(value) === "[object Date]" ? serialDay_(value, zone, offsets) : value;
  }));
}

/**
 * What was typed into cells: a formula, else the value.
 * @param {GoogleAppsScript.Spreadsheet.Range} range
 */
function typed_(range) {
  const formulas = range.getFormulas();
  return values_(range).map((line, row) => line.map((value, column) => formulas[row][column] || value));
}

/**
 * The serial day of a date by the spreadsheet's own clock; formatting is slow, so that a quarter of an hour's offset is asked for once.
 * @param {Date} date
 * @param {string} zone
 * @param {Record<number, number>} offsets
 */
function serialDay_(date, zone, offsets) {
  const DAY = 86400000;
  const time = date.getTime();
  const quarter = Math.floor(time / 900000);
  if (!(quarter in offsets)) offsets[quarter] = Date.parse(Utilities.formatDate(date, zone, "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")) - time;
  const wall = time + offsets[quarter];
  const day = Math.floor(wall / DAY);
  return day + 25569 + (wall - day * DAY) / DAY;
}

/**
 * A number that differs where texts differ; the pane makes the same one.
 * @param {string} text
 */
function digest_(text) {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x9e3779b1);
    b = Math.imul(b ^ text.charCodeAt(i), 0x5f356495);
  }
  return (b >>> 11) * 4294967296 + (a >>> 0);
}
