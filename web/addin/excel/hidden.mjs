/** Hidden rows in Excel, which tells of rows together whether all of them are hidden, none or some. */
import { moves, runsOf, uncovered } from "../hidden.mjs";
import { readRows } from "./read.mjs";
import { anchorOf, extentOf } from "../steps.mjs";

/** @typedef {import("../port.mjs").Patch} Patch */

const LOOKS = 12; // requests that look for hidden rows; what is not known then is taken for shown
const PARTS = 20; // that rows of which some are hidden are divided into

/**
 * Shows the hidden rows that a patch, which is written, has moved something into that was in sight.
 * @param {Excel.RequestContext} context
 * @param {Excel.Worksheet} sheet
 * @param {Patch} patch
 * @param {{rows: number, columns: number} | null} had
 * @returns {Promise<import("../port.mjs").Uncovered>}
 */
export async function showHidden(context, sheet, patch, had) {
  if (!moves(patch, had?.rows ?? 0)) return {};
  const { row, column, rows, columns } = { ...extentOf(patch), ...anchorOf(patch) };
  let end = row + rows;
  if (patch.shifts?.length) {
    const used = sheet.getUsedRangeOrNullObject(true).load("rowIndex,rowCount");
    await context.sync();
    if (!used.isNullObject) end = Math.max(end, used.rowIndex + used.rowCount);
  }
  const { block, below } = uncovered(patch, had?.rows ?? 0, await hiddenRows(context, sheet, row, end));
  const shown = [...block, ...(await filled(context, sheet, below, { column, columns: Math.max(columns, had?.columns ?? 0, patch.beside ?? 0) }))];
  const runs = runsOf(shown.sort((a, b) => a - b));
  for (const [first, n] of runs) sheet.getRangeByIndexes(first, 0, n, 1).rowHidden = false;
  if (runs.length > 0) await context.sync();
  return shown.length > 0 ? { shown } : {};
}

/**
 * @param {Excel.RequestContext} context
 * @param {Excel.Worksheet} sheet
 * @param {number} from
 * @param {number} to
 */
async function hiddenRows(context, sheet, from, to) {
  let pending = [{ from, to }];
  /** @type {number[]} */
  const hidden = [];
  for (let look = 0; look < LOOKS && pending.length > 0; look++) {
    const now = pending.splice(0, PARTS * PARTS);
    const ranges = now.map((rows) => sheet.getRangeByIndexes(rows.from, 0, rows.to - rows.from, 1).load("rowHidden"));
    await context.sync();
    now.forEach((rows, i) => {
      if (ranges[i].rowHidden) for (let row = rows.from; row < rows.to; row++) hidden.push(row);
      if (ranges[i].rowHidden !== null) return;
      const size = Math.ceil((rows.to - rows.from) / PARTS);
      for (let row = rows.from; row < rows.to; row += size) pending.push({ from: row, to: Math.min(row + size, rows.to) });
    });
  }
  return hidden.sort((a, b) => a - b);
}

/**
 * Those of some rows that hold something in the columns that shift.
 * @param {Excel.RequestContext} context
 * @param {Excel.Worksheet} sheet
 * @param {number[]} rows
 * @param {{column: number, columns: number}} band
 */
async function filled(context, sheet, rows, band) {
  if (rows.length === 0) return [];
  const row = rows[0];
  const { formulas } = await readRows(context, sheet, { row, rows: rows[rows.length - 1] - row + 1, ...band }, "formulas");
  return rows.filter((one) => formulas[one - row]?.some((text) => text !== ""));
}
