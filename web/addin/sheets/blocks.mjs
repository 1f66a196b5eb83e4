/** Blocks in a spreadsheet: reading, writing and marking them. */
import { moves, runsOf, uncovered } from "../hidden.mjs";
import { SHEETS_NAMES, markName, stampMark } from "../port.mjs";
import { cellsOf, digest, typedOf, writable } from "./cells.mjs";
import { anchorOf, changed, expected, marksOf, partly, parts, stepsOf } from "../steps.mjs";

/** @typedef {import("../port.mjs").Rect} Rect */
/** @typedef {import("../port.mjs").Patch} Patch */
/** @typedef {{name: string, generation: number, rect: Rect}} Named a mark by its name */
/** @typedef {{relay: {call(name: string, ...args: unknown[]): Promise<any>}, standing: import("../port.mjs").Standing, named(): Promise<Map<string, Named>>}} Spreadsheet as far as blocks need it */

/**
 * @param {Spreadsheet} spreadsheet
 * @param {Rect} rect
 */
export async function read(spreadsheet, rect) {
  const { sheet, ...area } = rect;
  const { values, formulas } = await spreadsheet.relay.call("read", sheet, area);
  spreadsheet.standing.keep(rect, typedOf(values, formulas));
  return cellsOf(values, formulas, rect);
}

/**
 * The formulas of the document. A script that was copied before it knew of them refuses.
 * @param {Spreadsheet} spreadsheet
 * @param {number} most
 * @returns {Promise<import("../port.mjs").SheetFormulas[] | null>}
 */
export async function formulasOf({ relay }, most) {
  /** @type {[string, [number, number, string][]][] | null} */
  const found = await relay.call("formulas", most);
  return found && found.map(([sheet, list]) => ({ sheet, formulas: list.map(([row, column, text]) => ({ row, column, text })) }));
}

/**
 * @param {Spreadsheet} spreadsheet
 * @param {Patch} patch
 * @param {{sheet: string, placementId: string}} at
 */
export async function apply(spreadsheet, patch, { sheet, placementId }) {
  const { relay, standing } = spreadsheet;
  const named = await spreadsheet.named();
  const before = named.get(await markName(placementId, SHEETS_NAMES))?.rect;
  const had = before?.columns ?? 0;
  const steps = writable(stepsOf(patch, had));
  const stood = expected(standing, sheet, patch).map(({ typed, ...area }) => ({ ...area, digest: digest(JSON.stringify(typed)) }));
  const stands = [];
  for (const { id, area } of marksOf(patch, placementId, had)) {
    const found = named.get(await markName(id, SHEETS_NAMES));
    if (!standing.unmoved(id, found?.rect ?? null)) throw changed();
    if (found) stands.push({ name: found.name, place: found.rect });
    const moved = patch.shifts?.length || !found || JSON.stringify(found.rect) !== JSON.stringify({ sheet, ...area });
    if (moved) steps.push(await markStep(id, found, area));
  }
  if (steps.length === 0) return {};
  const all = parts(steps);
  standing.forgetWritten(sheet, patch);
  for (const [i, part] of all.entries()) {
    try {
      await (i === 0 ? relay.call("write", sheet, stands, stood, part) : relay.call("write", sheet, [], [], part));
    } catch (error) {
      throw i === 0 ? error : partly(error);
    }
  }
  if (patch.stamp) await relay.call("setting", await stampKey(placementId), patch.stamp);
  return showHidden(spreadsheet, patch, sheet, before).catch(() => ({})); // the block is written; a script may be older than that call
}

/**
 * Shows the hidden rows that a patch, which is written, has moved something into that was in sight.
 * @param {Spreadsheet} spreadsheet
 * @param {Patch} patch
 * @param {string} sheet
 * @param {Rect | undefined} before
 * @returns {Promise<import("../port.mjs").Uncovered>}
 */
async function showHidden({ relay }, patch, sheet, before) {
  if (!before || !moves(patch, before.rows)) return {};
  const { row, column } = anchorOf(patch);
  const columns = Math.max(patch.extent.columns, before.columns, patch.beside ?? 0);
  /** @type {[row: number, byFilter: boolean, filled: boolean][]} */
  const hidden = await relay.call("hidden", sheet, { row, column, rows: patch.extent.rows, columns });
  const { block, below } = uncovered(patch, before.rows, hidden.map(([one]) => one));
  const found = new Set([...block, ...below.filter((one) => hidden.some(([other, , filled]) => other === one && filled))]);
  const rowsOf = (/** @type {boolean} */ filter) => hidden.flatMap(([one, byFilter]) => (byFilter === filter && found.has(one) ? [one] : []));
  const [shown, vanished] = [rowsOf(false), rowsOf(true)];
  if (shown.length > 0) await relay.call("show", sheet, runsOf(shown));
  return { ...(shown.length > 0 && { shown }), ...(vanished.length > 0 && { vanished }) };
}

/**
 * The key under which a stamp is kept in the spreadsheet, as agents know it.
 * @param {string} placementId
 */
function stampKey(placementId) {
  return markName(stampMark(placementId), SHEETS_NAMES);
}

/**
 * @param {Spreadsheet} spreadsheet
 * @param {string} placementId
 * @returns {Promise<string | null>}
 */
export async function stampOf({ relay }, placementId) {
  return relay.call("setting", await stampKey(placementId));
}

/**
 * @param {Spreadsheet} spreadsheet
 * @param {string} placementId
 * @param {Rect} rect
 */
export async function mark(spreadsheet, placementId, { sheet, ...area }) {
  const found = (await spreadsheet.named()).get(await markName(placementId, SHEETS_NAMES));
  await spreadsheet.relay.call("write", sheet, [], [], [await markStep(placementId, found, area)]);
  spreadsheet.standing.marks?.set(placementId, { sheet, ...area });
}

/**
 * @param {Spreadsheet} spreadsheet
 * @param {string} placementId
 */
export async function unmark(spreadsheet, placementId) {
  const found = (await spreadsheet.named()).get(await markName(placementId, SHEETS_NAMES));
  if (found) await spreadsheet.relay.call("write", found.rect.sheet, [], [], [{ do: "unmark", name: found.name }]);
  spreadsheet.standing.marks?.delete(placementId);
}

/**
 * The step that marks an area: under the name that stands, else under the first that can be had.
 * @param {string} placementId
 * @param {Named | undefined} found
 * @param {import("../steps.mjs").Area} area
 * @returns {Promise<any>} a step that only the script knows
 */
async function markStep(placementId, found, area) {
  const name = await markName(placementId, SHEETS_NAMES);
  return { do: "mark", names: [found?.name ?? name, `${name}_g${Math.floor(Date.now() / 1000)}`], area };
}
