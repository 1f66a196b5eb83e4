/** Writing cells in Excel, in requests that it takes: 5 MB, all that is queued before a sync together. */
import { covers, findMark, setMark, showWithDocument } from "./marks.mjs";
import { COLUMNS, ROWS, readRows } from "./read.mjs";
import { explain, sheetOf } from "./workbook.mjs";
import { showHidden } from "./hidden.mjs";
import { PortError } from "../port.mjs";
import { changed, expected, isFormula, marksOf, partly, parts, stays, stepsOf } from "../steps.mjs";

/** @typedef {import("../port.mjs").Patch} Patch */
/** @typedef {import("../steps.mjs").Step} Step */
/** @typedef {import("../steps.mjs").Area} Area */
/** @typedef {import("../port.mjs").Standing} Standing */

const LONGEST = 32_767; // characters of a cell
const TEXT = "@"; // the format of cells that take whatever is typed as text
const GENERAL = "General";
const ERRORS = new Set(["#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A"]); // what Excel takes as errors

/**
 * Writes a patch: looks first whether all is as it was read and may be written, since Excel undoes nothing of a request that fails midway.
 * @param {Excel.RequestContext} context
 * @param {Patch} patch
 * @param {{sheet: string, placementId: string}} at
 * @param {Standing} standing
 */
export async function applyPatch(context, patch, { sheet, placementId }, standing) {
  const target = await sheetOf(context, sheet);
  const block = await findMark(context, placementId);
  const had = block.rect?.columns ?? 0;
  const steps = stepsOf(patch, had);
  checkFits(steps);
  const on = await sheetsOf(context, target, steps);
  const marks = [];
  for (const { id, area } of marksOf(patch, placementId, had)) {
    const mark = id === placementId ? block : await findMark(context, id);
    if (!standing.unmoved(id, mark.rect)) throw changed();
    marks.push({ id, mark, to: { sheet, ...area } });
  }
  for (const one of new Set(steps.map(on))) await checkProtection(context, one, steps.filter((step) => on(step) === one));
  await checkStanding(context, on, expected(standing, sheet, patch));
  const shifted = steps.filter((step) => step.do === "insert" || step.do === "delete");
  let written = false;
  try {
    for (const step of shifted) take(target, step);
    if (shifted.length > 0) await context.sync();
    written = shifted.length > 0;
    for (const part of parts(steps.slice(shifted.length))) {
      await freeOfText(context, on, part);
      for (const step of part) take(on(step), step);
      await context.sync();
      written = true;
    }
    for (const { id, mark, to } of marks) {
      const moves = shifted.length > 0 || !covers(mark.rect, to);
      const set = moves ? setMark(context, mark, to) : mark.name;
      if (id === placementId && patch.stamp && (moves || steps.length > 0)) set.comment = patch.stamp;
    }
    await context.sync();
    showWithDocument().catch(() => {}); // the block is written whatever becomes of that, and of the rows in sight
    return await showHidden(context, target, patch, block.rect).catch(() => ({}));
  } catch (error) {
    throw written ? partly(explain(error)) : error;
  } finally {
    standing.forgetWritten(sheet, patch);
  }
}

/** @typedef {(of: {sheet?: string}) => Excel.Worksheet} On the sheet of a step */

/**
 * Finds the sheets of steps.
 * @param {Excel.RequestContext} context
 * @param {Excel.Worksheet} target the block's
 * @param {Step[]} steps
 * @returns {Promise<On>}
 */
async function sheetsOf(context, target, steps) {
  target.load("name");
  await context.sync();
  const sheets = new Map([[target.name, target]]);
  for (const { sheet } of steps) {
    if (sheet !== undefined && !sheets.has(sheet)) sheets.set(sheet, await sheetOf(context, sheet));
  }
  return ({ sheet }) => (sheet === undefined ? target : /** @type {Excel.Worksheet} */ (sheets.get(sheet)));
}

/** @param {Step[]} steps */
function checkFits(steps) {
  for (const step of steps) {
    const { row, column, rows, columns } = step.area;
    if (row + rows > ROWS || column + columns > COLUMNS) {
      throw new PortError("too_large", "The block would reach beyond the end of the sheet: place it further up or left.");
    }
    if (step.do !== "write") continue;
    if (!step.cells.flat().some((cell) => typeof cell === "string" && cell.length > LONGEST)) continue;
    throw new PortError("too_large", `A text has more than the ${LONGEST} characters that a cell of Excel holds: shorten it.`);
  }
}

/**
 * @param {Excel.RequestContext} context
 * @param {Excel.Worksheet} sheet
 * @param {Step[]} steps
 */
async function checkProtection(context, sheet, steps) {
  sheet.protection.load("protected");
  await context.sync();
  if (!sheet.protection.protected) return;
  const locks = steps.map(({ area }) => rangeOf(sheet, area).format.protection.load("locked"));
  await context.sync();
  const moved = steps.some((step) => step.do === "insert" || step.do === "delete" || step.do === "format");
  if (moved || locks.some(({ locked }) => locked !== false)) {
    const where = `The sheet "${sheet.name}" is protected`;
    throw new PortError("protected", `${where} and cells to write are locked: unlock them, or move the report.`);
  }
}

/**
 * @param {Excel.RequestContext} context
 * @param {On} on
 * @param {import("../port.mjs").Expected[]} expected
 */
async function checkStanding(context, on, expected) {
  for (const { sheet, row, column, rows, columns, typed } of expected) {
    const now = await readRows(context, on({ sheet }), { row, column, rows, columns }, "formulas");
    if (JSON.stringify(now.formulas) !== JSON.stringify(typed)) throw changed();
  }
}

/**
 * Queues the general format for cells to write whose format is that of text: whatever is written there would stay text.
 * @param {Excel.RequestContext} context
 * @param {On} on
 * @param {Step[]} part
 */
async function freeOfText(context, on, part) {
  for (const step of part) {
    if (step.do !== "write") continue;
    const { numberFormat } = await readRows(context, on(step), step.area, "numberFormat");
    const text = numberFormat.map((line, i) => line.map((format, k) => format === TEXT && !stays(step.cells[i][k])));
    if (!text.some((line) => line.includes(true))) continue;
    rangeOf(on(step), step.area).numberFormat = text.map((line) => line.map((is) => (is ? GENERAL : null)));
  }
}

/**
 * Queues a step.
 * @param {Excel.Worksheet} sheet
 * @param {Step} step
 */
function take(sheet, step) {
  const range = rangeOf(sheet, step.area);
  switch (step.do) {
    case "insert":
      range.insert("Down");
      return;
    case "delete":
      range.delete("Up");
      return;
    case "clear":
      range.clear("Contents");
      return;
    case "format":
      range.numberFormat = /** @type {any} */ (step.format); // one value holds for all cells
      return;
    case "write":
      range.values = step.cells.map((line) => line.map(typed));
  }
}

/**
 * What to type for a cell. Excel reads strings as if a person had typed them; the apostrophe keeps text text. null leaves a cell alone.
 * @param {import("../port.mjs").PatchCell} cell
 */
function typed(cell) {
  if (cell === null) return "";
  if (typeof cell === "string") return cell === "" ? "" : "'" + cell;
  if (typeof cell !== "object") return cell;
  if (stays(cell)) return null;
  if (isFormula(cell)) return cell.formula;
  const { error } = /** @type {{error: string}} */ (cell);
  return ERRORS.has(error) ? error : "'" + error;
}

/**
 * @param {Excel.Worksheet} sheet
 * @param {Area} area
 */
function rangeOf(sheet, { row, column, rows, columns }) {
  return sheet.getRangeByIndexes(row, column, rows, columns);
}
