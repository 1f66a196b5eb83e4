/** The marks of blocks in Excel: hidden names of the workbook, which move with their cells. */
import { columnName, quoteSheet } from "../address.mjs";
import { loadPlace } from "./workbook.mjs";
import { EXCEL_NAMES, markName } from "../port.mjs";

/** @typedef {import("../port.mjs").Rect} Rect */
/** @typedef {{name: Excel.NamedItem, called: string, rect: Rect | null}} Found a name as it was looked up, and what it is called */

const COMMENT = "Marks the block of a report. Deleting it loses track of the block.";

/**
 * Finds the mark of a block; rect is null where none stands.
 * @param {Excel.RequestContext} context
 * @param {string} placementId
 * @returns {Promise<Found>}
 */
export async function findMark(context, placementId) {
  const called = await markName(placementId, EXCEL_NAMES);
  const name = context.workbook.names.getItemOrNullObject(called).load("name");
  const range = name.getRangeOrNullObject();
  const place = loadPlace(range);
  await context.sync();
  return { name, called, rect: name.isNullObject || range.isNullObject ? null : place() };
}

/**
 * Reports whether a mark covers a block exactly.
 * @param {Rect | null} mark
 * @param {Rect} block
 */
export function covers(mark, block) {
  if (mark === null || mark.sheet.toLowerCase() !== block.sheet.toLowerCase()) return false;
  return mark.row === block.row && mark.column === block.column && mark.rows === block.rows && mark.columns === block.columns;
}

/**
 * Queues what makes a block's mark cover a rectangle. It is hidden, as the agents' own are.
 * @param {Excel.RequestContext} context
 * @param {Found} mark
 * @param {Rect} rect
 */
export function setMark(context, { name, called }, rect) {
  if (!name.isNullObject) {
    name.formula = reference(rect);
    return name;
  }
  const added = context.workbook.names.add(called, reference(rect), COMMENT);
  added.visible = false;
  return added;
}

/**
 * What is kept beside a mark: its comment.
 * @param {Excel.RequestContext} context
 * @param {string} placementId
 */
export async function stampOf(context, placementId) {
  const name = context.workbook.names.getItemOrNullObject(await markName(placementId, EXCEL_NAMES)).load("comment");
  await context.sync();
  return name.isNullObject || name.comment === COMMENT ? null : name.comment;
}

/**
 * Marks a rectangle.
 * @param {Excel.RequestContext} context
 * @param {string} placementId
 * @param {Rect} rect
 */
export async function mark(context, placementId, rect) {
  setMark(context, await findMark(context, placementId), rect);
  await context.sync();
}

/**
 * Takes a mark away.
 * @param {Excel.RequestContext} context
 * @param {string} placementId
 */
export async function unmark(context, placementId) {
  const { name } = await findMark(context, placementId);
  if (!name.isNullObject) name.delete();
  await context.sync();
}

/**
 * A rectangle as a name refers to it.
 * @param {Rect} rect
 */
function reference({ sheet, row, column, rows, columns }) {
  const corner = (/** @type {number} */ r, /** @type {number} */ c) => `$${columnName(c)}$${r + 1}`;
  return `=${quoteSheet(sheet)}!${corner(row, column)}:${corner(row + rows - 1, column + columns - 1)}`;
}

// ---- the pane --------------------------------------------------------------------------------------------------

/** The setting of a file that opens with its pane, and the pane's id in the add-in's manifest. */
const SETTING = "Office.AutoShowTaskpaneWithDocument";

/** Keeps in the file that it opens with its pane. */
export async function showWithDocument() {
  const { settings } = Office.context.document;
  if (settings.get(SETTING) === true) return;
  // All settings are kept at once, as the add-in read them last: others' have to be read first.
  const { status } = await new Promise((/** @type {(result: any) => void} */ told) => settings.refreshAsync(told));
  if (status !== "succeeded") return;
  settings.set(SETTING, true);
  settings.saveAsync();
}
