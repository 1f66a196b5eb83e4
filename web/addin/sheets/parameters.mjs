/**
 * Cells of parameters in a spreadsheet. The service lists no name whose cells were deleted: cells that were given one, which is not listed, were.
 */
import { cellsOf } from "./cells.mjs";
import { covered, misfit, unnamedKey, unread } from "../parameters.mjs";
import { PortError, SHEETS_NAMES, markName } from "../port.mjs";

/** @typedef {import("../port.mjs").ParameterCells} ParameterCells */
/** @typedef {import("../port.mjs").FoundParameter} FoundParameter */
/** @typedef {import("../port.mjs").Rect} Rect */

/**
 * Reads cells by their names, or else where they were last, if no name could be given to them.
 * @param {import("./blocks.mjs").Spreadsheet} spreadsheet
 * @param {ParameterCells[]} list
 * @returns {Promise<FoundParameter[]>}
 */
export async function parametersOf(spreadsheet, list) {
  const named = await spreadsheet.named();
  const places = await Promise.all(list.map(async ({ id, rect: last, list: several }) => {
    const mark = id ? named.get((await markName(id, SHEETS_NAMES)).toLowerCase()) : undefined;
    const rect = mark?.rect ?? last;
    return { rect, marked: Boolean(mark), fault: misfit(rect, several) };
  }));
  const asked = places.filter(({ fault }) => !fault);
  const answers = asked.length === 0 ? [] : await spreadsheet.relay.call("cells", asked.map(({ rect: { sheet, ...area } }) => [sheet, area])).catch(older);
  const all = places.map(({ rect, marked, fault }) => (fault ? unread(rect, marked, fault) : found(rect, marked, answers.shift())));
  return Promise.all(all.map(async (one, i) => {
    const { id } = list[i];
    if (!id || one.marked || one.fault) return one;
    const unnamed = await spreadsheet.relay.call("setting", `mooring.${unnamedKey(id)}`);
    return unnamed === null ? unread(one.rect, false, "deleted") : one;
  }));
}

/**
 * Says what to do about a script that was copied before it knew of such cells.
 * @param {unknown} error
 * @returns {never}
 */
function older(error) {
  if (!/There is no call/.test(String(error))) throw error;
  throw new PortError("refused", "The script in this spreadsheet is older than reports that take values from cells: copy its three files again.");
}

/**
 * @param {Rect} rect
 * @param {boolean} marked
 * @param {"sheet" | "deleted" | {sheet: string, values: any[][], formulas: [number, number, string][], dates: boolean[][], merged: Rect[]}} answer
 * @returns {FoundParameter}
 */
function found(rect, marked, answer) {
  if (typeof answer === "string") return unread(rect, marked, answer);
  const hidden = covered(rect, answer.merged);
  const dates = answer.dates.flat();
  const texts = new Set(answer.formulas.map(([row, column]) => row * rect.columns + column)); // an empty text is only told by its formula
  const cells = cellsOf(answer.values, answer.formulas, rect).cells.flat().map((value, i) => ({
    value: value === null && texts.has(i) ? "" : value,
    ...(dates[i] && { date: true }),
    ...(hidden[i] && { covered: true }),
  }));
  return { rect: { ...rect, sheet: answer.sheet }, marked, date1904: false, cells };
}
