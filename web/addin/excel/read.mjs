/** Reading cells in Excel, in requests that it can answer: 5 MB, all that is queued before a sync together. */
import { codeOf, loadPlace, sheetOf } from "./workbook.mjs";
import { officeCells } from "../mooring.mjs";
import { columnsOfTable } from "../steps.mjs";

/** @typedef {import("../port.mjs").Rect} Rect */
/** @typedef {import("../steps.mjs").Area} Area */
/** @typedef {import("../port.mjs").Standing} Standing */

export const ROWS = 1048576;
export const COLUMNS = 16384;
const READ_CELLS = 20_000; // a request
const LOOKED_THROUGH = 400_000; // cells of a workbook, for its formulas

/**
 * Reads properties of a rectangle's cells, as far as the sheet reaches.
 * @param {Excel.RequestContext} context
 * @param {Excel.Worksheet} sheet
 * @param {Area} rect
 * @param {string} properties
 * @returns {Promise<Record<string, any[][]>>} by property
 */
export async function readRows(context, sheet, rect, properties) {
  const columns = Math.min(rect.columns, COLUMNS - rect.column);
  const end = Math.min(rect.row + rect.rows, ROWS);
  /** @type {Record<string, any[][]>} */
  const read = Object.fromEntries(properties.split(",").map((property) => [property, []]));
  let most = Math.max(1, Math.floor(READ_CELLS / Math.max(columns, 1)));
  for (let row = rect.row; row < end && columns > 0; ) {
    const rows = Math.min(most, end - row);
    const range = sheet.getRangeByIndexes(row, rect.column, rows, columns).load(properties);
    try {
      await context.sync();
    } catch (error) {
      if (codeOf(error) !== "ResponsePayloadSizeLimitExceeded" || rows === 1) throw error;
      most = Math.ceil(rows / 2);
      continue;
    }
    for (const property of Object.keys(read)) {
      for (const line of /** @type {any} */ (range)[property]) read[property].push(line);
    }
    row += rows;
  }
  return read;
}

/**
 * Reads what stands in a rectangle.
 * @param {Excel.RequestContext} context
 * @param {Rect} rect
 * @param {Standing} standing
 * @returns {Promise<import("../port.mjs").Content>}
 */
export async function read(context, rect, standing) {
  const sheet = await sheetOf(context, rect.sheet);
  const rows = await readRows(context, sheet, rect, "values,valueTypes,formulas");
  const formulas = formulasIn(rows);
  standing.keep(rect, rows.formulas);
  const filled = officeCells(rows.values, rows.valueTypes).map((line) => line.map((cell) => (cell === "" ? null : cell)));
  const cells = filled.map((line) => padded(line, rect.columns));
  while (cells.length < rect.rows) cells.push(padded([], rect.columns));
  return { cells, formulas };
}

/**
 * The formulas among what was read.
 * @param {Record<string, any[][]>} rows values and formulas
 */
function formulasIn({ values, formulas }) {
  /** @type {import("../port.mjs").Formula[]} */
  const list = [];
  formulas.forEach((line, row) => line.forEach((text, column) => {
    // A text that looks like a formula is shown as its own formula.
    if (typeof text === "string" && text.startsWith("=") && text !== values[row][column]) list.push({ row, column, text });
  }));
  return list;
}

/**
 * The formulas of the workbook, sheet by sheet; null where it holds more than most, or more cells than are looked through.
 * @param {Excel.RequestContext} context
 * @param {number} most
 */
export async function formulasOf(context, most) {
  const sheets = context.workbook.worksheets.load("items/name");
  await context.sync();
  const used = sheets.items.map((sheet) => {
    const range = sheet.getUsedRangeOrNullObject(true);
    return { sheet, range, place: loadPlace(range) };
  });
  await context.sync();
  const areas = used.map(({ sheet, range, place }) => ({ sheet, rect: range.isNullObject ? null : place() }));
  if (areas.reduce((cells, { rect }) => cells + (rect ? rect.rows * rect.columns : 0), 0) > LOOKED_THROUGH) return null;
  const found = [];
  let left = most;
  for (const { sheet, rect } of areas) {
    const list = rect ? formulasIn(await readRows(context, sheet, rect, "values,formulas")) : [];
    left -= list.length;
    if (left < 0) return null;
    const [top, side] = [rect?.row ?? 0, rect?.column ?? 0];
    found.push({ sheet: sheet.name, formulas: list.map(({ row, column, text }) => ({ row: top + row, column: side + column, text })) });
  }
  return found;
}

/**
 * How many columns the table has whose headings begin a block, 0 for none.
 * @param {Excel.RequestContext} context
 * @param {Rect} rect the block's
 */
export async function tableColumns(context, rect) {
  const tables = (await sheetOf(context, rect.sheet)).tables.load("items/showHeaders");
  await context.sync();
  const places = tables.items.filter(({ showHeaders }) => showHeaders).map((table) => loadPlace(table.getRange()));
  await context.sync();
  return columnsOfTable(places.map((place) => place()), rect);
}

/**
 * @param {import("../mooring.mjs").Cell[]} line
 * @param {number} columns
 * @returns {import("../port.mjs").Cell[]}
 */
function padded(line, columns) {
  return Array.from({ length: columns }, (_, i) => /** @type {import("../port.mjs").Cell} */ (line[i] ?? null));
}
