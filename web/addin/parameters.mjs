/**
 * Cells that parameters of reports take their values from: what all spreadsheets have in common of reading and following them. It is loaded
 * where a placement has such cells. Go's refresh/host says the same to agents.
 */
import { anchorOf, shifted } from "./steps.mjs";

/**
 * @typedef {import("./port.mjs").Rect} Rect
 * @typedef {import("./port.mjs").Port} Port
 * @typedef {import("./port.mjs").ParameterCells} ParameterCells
 * @typedef {import("./port.mjs").ParameterCell} ParameterCell
 * @typedef {import("./port.mjs").FoundParameter} FoundParameter
 */

/** The most cells that a list may have, blank ones too. */
export const MOST = 10_000;

/**
 * The id under which the cells of a placement's parameter are marked.
 * @param {string} placementId
 * @param {number} number
 */
export function parameterMark(placementId, number) {
  return `p_${placementId}_${number}`;
}

/**
 * The marks of a placement's parameters among all.
 * @param {import("./port.mjs").Mark[]} marks
 * @param {string} placementId
 */
export function parameterMarks(marks, placementId) {
  const begins = parameterMark(placementId, 0).slice(0, -1);
  return marks.map((one) => one.placementId).filter((id) => id.startsWith(begins) && /^\d+$/.test(id.slice(begins.length)));
}

/**
 * The setting of a document in which lost names cannot be told from those that were never given: it says that cells were refused one.
 * @param {string} id of the cells of a parameter
 */
export const unnamedKey = (id) => `unnamed.${id}`;

/**
 * Why a rectangle is none of a parameter's, "" if it may be.
 * @param {{rows: number, columns: number}} size
 * @param {boolean} list
 * @returns {"" | "shape" | "large"}
 */
export function misfit({ rows, columns }, list) {
  if (rows > 1 && columns > 1) return "shape";
  if (!list && rows * columns > 1) return "shape";
  return rows * columns > MOST ? "large" : "";
}

/**
 * What was found of cells that are not read.
 * @param {Rect} rect
 * @param {boolean} marked
 * @param {FoundParameter["fault"]} fault
 * @returns {FoundParameter}
 */
export function unread(rect, marked, fault) {
  return { rect, marked, date1904: false, cells: [], fault };
}

/**
 * Which cells of a rectangle merged ones cover, row by row.
 * @param {Rect} rect
 * @param {{row: number, column: number, rows: number, columns: number}[]} merged
 */
export function covered({ row, column, rows, columns }, merged) {
  return Array.from({ length: rows * columns }, (_, i) => {
    const [r, c] = [row + Math.floor(i / columns), column + (i % columns)];
    return merged.some((area) => {
      const inside = r >= area.row && r < area.row + area.rows && c >= area.column && c < area.column + area.columns;
      return inside && (r > area.row || c > area.column);
    });
  });
}

/**
 * Reports whether a number format shows a number as a date or a time.
 * @param {string} format
 */
export function isDateFormat(format) {
  const plain = format.replace(/"[^"]*"|[\\_*]./g, "").replace(/\[[^\]]{3,}\]/g, "");
  return /[ymdhs]/i.test(plain.replace(/General/gi, ""));
}

/**
 * Has the document follow cells by names from then on, once a block's patch is written: those that were found without one. It makes no
 * difference to the block whether that succeeds: cells without a name are read where they were last.
 * @param {Port} port
 * @param {import("./port.mjs").Patch} patch
 * @param {{sheet: string, had: number}} block its sheet, and how many columns it had before
 * @param {{id: string, rect: Rect}[]} cells where they stood before the patch's shifts
 */
export async function follow(port, patch, { sheet, had }, cells) {
  for (const { id, rect } of cells) {
    const to = rect.sheet.toLowerCase() === sheet.toLowerCase() ? moved(patch, had, rect) : rect;
    const given = await port.mark(id, to).then(() => true, () => false); // the next write tries again
    if (port.kind === "sheets") await port.settings.set(unnamedKey(id), given ? null : "1").catch(() => {});
  }
}

/**
 * Where a patch's shifts bring cells. Those of a row of which only some move stay, as a program leaves a name; and a list that rows are inserted
 * into has them too.
 * @param {import("./port.mjs").Patch} patch
 * @param {number} had
 * @param {Rect} rect
 * @returns {Rect}
 */
function moved(patch, had, rect) {
  const one = { rows: 1, columns: 1 };
  const first = shifted(patch, had, { row: rect.row, column: rect.column, ...one });
  const last = shifted(patch, had, { row: rect.row + rect.rows - 1, column: rect.column + rect.columns - 1, ...one });
  const all = rect.columns === 1 || (first.row !== rect.row && last.row !== rect.row);
  if (!all || rect.row < anchorOf(patch).row) return rect;
  return { ...rect, row: first.row, rows: last.row - first.row + 1 };
}
