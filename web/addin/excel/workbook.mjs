/** A workbook as the whole port sees it: what Mooring keeps in it, the marks that stand in it, and what Excel refuses. */
import { DOCUMENT_NAME, EXCEL_NAMES, PortError, identityOf, markedPlacement, newIdentity } from "../port.mjs";

/** @typedef {import("../port.mjs").Rect} Rect */
/** @typedef {import("../port.mjs").Mark} Mark */

const PREFIX = "mooring.";
const OLDER = "document";

/**
 * @param {Excel.RequestContext} context
 * @param {string} key
 */
export async function getSetting(context, key) {
  const setting = context.workbook.settings.getItemOrNullObject(PREFIX + key).load("value");
  await context.sync();
  return setting.isNullObject ? null : String(setting.value);
}

/**
 * @param {Excel.RequestContext} context
 * @param {string} key
 * @param {string | null} value
 */
export async function setSetting(context, key, value) {
  const setting = context.workbook.settings.getItemOrNullObject(PREFIX + key).load("value");
  await context.sync();
  if (value !== null) context.workbook.settings.add(PREFIX + key, value);
  else if (!setting.isNullObject) setting.delete();
  await context.sync();
}

/**
 * Which document a workbook says it is: in a hidden name, as agents have it do too. The id that an earlier version of the pane kept in the
 * settings counts until it is taken over, before the document is written next. Nothing is kept before.
 */
export class Identity {
  constructor() {
    this.made = ""; // here, and stands in no file yet
    this.told = ""; // the id that the pane knows
  }

  /** @param {Excel.RequestContext} context */
  async document(context) {
    context.workbook.load("name");
    const { id, nonce } = await this.load(context);
    this.told = id;
    return { id, nonce, name: context.workbook.name, fresh: this.made.startsWith(id) };
  }

  /** @param {Excel.RequestContext} context */
  async identify(context) {
    const { name, id, nonce, setting } = await this.load(context);
    const identity = this.made || newIdentity(id);
    if (!identityOf(identity)) return; // an id of another form is none of ours
    if (!nonce) keep(context, name, identity);
    if (!setting.isNullObject) setting.delete();
    await context.sync();
  }

  /** @param {Excel.RequestContext} context */
  async renew(context) {
    const { name, setting } = await this.load(context);
    keep(context, name, newIdentity());
    if (!setting.isNullObject) setting.delete();
    await context.sync();
  }

  /**
   * Refuses a write into another document than the one that the pane knows.
   * @param {Excel.RequestContext} context
   */
  async check(context) {
    const { id } = await this.load(context);
    if (this.told && this.told !== id) throw new PortError("refused", "This is another document by now: look at its blocks, then refresh again.");
  }

  /** @param {Excel.RequestContext} context */
  async load(context) {
    const name = context.workbook.names.getItemOrNullObject(DOCUMENT_NAME).load("formula");
    const setting = context.workbook.settings.getItemOrNullObject(PREFIX + OLDER).load("value");
    await context.sync();
    const said = name.isNullObject ? null : identityOf(name.formula);
    const older = setting.isNullObject ? "" : String(JSON.parse(setting.value).id ?? "");
    if (said || older) this.made = "";
    else this.made ||= newIdentity();
    const id = older || (said?.id ?? this.made.split(" ")[0]);
    return { name, setting, id, nonce: said?.id.toLowerCase() === id.toLowerCase() ? said?.nonce : undefined };
  }
}

/**
 * @param {Excel.RequestContext} context
 * @param {Excel.NamedItem} name
 * @param {string} identity
 */
function keep(context, name, identity) {
  if (name.isNullObject) context.workbook.names.add(DOCUMENT_NAME, `="${identity}"`).visible = false;
  else name.formula = `="${identity}"`;
}

/**
 * Lists the marks that stand.
 * @param {Excel.RequestContext} context
 * @returns {Promise<Mark[]>}
 */
export async function listMarks(context) {
  const names = context.workbook.names.load("items/name");
  await context.sync();
  const ours = names.items.flatMap((item) => {
    const placementId = markedPlacement(item.name, EXCEL_NAMES);
    if (placementId === null) return [];
    const range = item.getRangeOrNullObject();
    return [{ placementId, range, place: loadPlace(range) }];
  });
  await context.sync();
  return ours.filter(({ range }) => !range.isNullObject).map(({ placementId, place }) => ({ placementId, rect: place() }));
}

/**
 * Has a range tell its place with the next sync.
 * @param {Excel.Range} range
 * @returns {() => Rect}
 */
export function loadPlace(range) {
  range.load("rowIndex,columnIndex,rowCount,columnCount");
  range.worksheet.load("name");
  return () => ({
    sheet: range.worksheet.name,
    row: range.rowIndex,
    column: range.columnIndex,
    rows: range.rowCount,
    columns: range.columnCount,
  });
}

/**
 * Finds a sheet.
 * @param {Excel.RequestContext} context
 * @param {string} name
 */
export async function sheetOf(context, name) {
  const sheet = context.workbook.worksheets.getItemOrNullObject(name).load("name");
  await context.sync();
  if (sheet.isNullObject) throw new PortError("gone", `There is no sheet "${name}" any more: place the report again.`);
  return sheet;
}

// ---- errors ----------------------------------------------------------------------------------------------------

/** What Office.js refuses, as a sentence for the person. @type {Record<string, [import("../port.mjs").PortCode, string]>} */
const SENTENCES = {
  AccessDenied: ["protected", "The sheet is protected, or the workbook can only be read: unprotect it, or place the report elsewhere."],
  InvalidOperationInCellEditMode: ["busy", "A cell is being edited: finish with Enter, then refresh again."],
  InvalidSelection: ["refused", "Several ranges are selected: select one."],
  ItemNotFound: ["gone", "The sheet or the block is gone: place the report again."],
  InvalidReference: ["gone", "The sheet or the block is gone: place the report again."],
  InsertDeleteConflict: ["refused", "A table or a merged cell lies across the rows to insert: move the block or the table."],
  MergedRangeConflict: ["refused", "Merged cells lie in the way: unmerge them, or place the report elsewhere."],
  FilteredRangeConflict: ["refused", "A filter lies over the block: clear it, then refresh again."],
  PivotTableRangeConflict: ["refused", "A pivot table lies in the way: move it, or place the report elsewhere."],
  NonBlankCellOffSheet: ["too_large", "The sheet has no room for more rows: cells at its end are filled."],
  RequestPayloadSizeLimitExceeded: ["too_large", "A row is too large for Excel to take at once: let the report return shorter texts."],
  ResponsePayloadSizeLimitExceeded: ["too_large", "A row is too large for Excel to return at once: shorten its texts."],
  RangeExceedsLimit: ["too_large", "The block is larger than Excel lets an add-in handle: let the report return less."],
  OperationCellsExceedLimit: ["too_large", "The block is larger than Excel lets an add-in handle: let the report return less."],
  RequestAborted: ["busy", "Excel broke off the request: refresh again."],
  InactiveWorkbook: ["busy", "Another workbook is in front: return to this one, then refresh again."],
};

/**
 * @param {unknown} error
 * @returns {unknown} the PortError, or the error itself if it is none of Excel's
 */
export function explain(error) {
  const code = codeOf(error);
  if (error instanceof PortError || code === "") return error;
  const [kind, message] = SENTENCES[code] ?? ["refused", `Excel refused the request (${code}): reload the pane, then refresh again.`];
  return new PortError(kind, message);
}

/**
 * The code of an error of Office.js, "" for any other.
 * @param {unknown} error
 */
export function codeOf(error) {
  return typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : "";
}
