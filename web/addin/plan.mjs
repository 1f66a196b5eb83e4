/** What a plan is made from: what stands in a block, as the server asks for it. */
import { sleep } from "../ui/api.mjs";
import { fingerprint } from "./fingerprint.mjs";
import { formatLocation, parseLocation } from "./address.mjs";
import { filtersMark, statusMark } from "./port.mjs";

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Block} Block
 * @typedef {import("./port.mjs").Rect} Rect
 * @typedef {import("./port.mjs").Cell} Cell
 * @typedef {{at: {sheet: string, row: number, column: number}, marked: boolean}} Status where a cell outside a block stands, by its mark or not
 * @typedef {{status: boolean, filters: boolean}} Sides which of these cells are read, so that they may be written: filters if it has no mark yet
 * @typedef {NonNullable<import("../interface.d.ts").RunPlan["need"]>} Need what a plan lacks
 */

/** Plans that ask for more of the sheet before that is given up. */
const ROUNDS = 7;

/** Rows below a block that the server looks at too: people drag rows out there. */
const BELOW = 16;

/** Formulas that the server is told of, so that it can say how many follow when rows shift. */
const AROUND = 20_000;

/** Rows fingerprinted before others have a turn: a long task would make the pane stutter. */
const SLICE = 2000;

/**
 * Reads the block and lets the server plan. Fingerprints tell the rows; the server asks for those that it does not know, and for a larger
 * rectangle where the result is larger than what stands.
 * @param {Pane} pane
 * @param {Block} block
 * @param {{path: string, with: object, shifts?: boolean, sides?: Sides | null}} question where it is asked, with which members beside the sheet's;
 *   shifts: rows of cells may be inserted and deleted; sides: the cells outside the block that are read too
 * @param {AbortSignal} signal
 * @param {(step: "read" | "query") => void} step
 * @returns {Promise<any>}
 */
export async function planned(pane, block, { path, with: beside, shifts = false, sides = null }, signal, step) {
  const { id, statusCell } = block.placement;
  const marks = new Map((await pane.port.marks()).map(({ placementId, rect }) => [placementId, rect]));
  const marked = marks.get(id);
  const stamp = marked ? await pane.port.stamp(id) : null;
  const at = marked ?? pane.rect(block);
  let status = sides?.status && statusCell ? statusAt(marks.get(statusMark(id)), at.sheet, statusCell) : null;
  let filters = sides && filtersAt(marks.get(filtersMark(id)), at, sides.filters);
  let extent = { rows: at.rows + BELOW, columns: at.columns };
  /** @type {Need} */
  let need = { extent };
  /** @type {Cell[][]} */
  let cells = [];
  /** @type {{from: number, to: number}[]} */
  const wanted = [];
  /** @type {Record<string, unknown>} */
  let sheet = {};
  /** @type {Awaited<ReturnType<typeof import("./cells.mjs").answered>> | null} */
  let asked = null;
  const around = await formulasAround(pane, shifts);
  const table = marked ? await tableColumns(pane, shifts, marked) : 0;
  for (let round = 0; round < ROUNDS; round++) {
    if (need.status) status = statusAt(undefined, at.sheet, need.status);
    if (need.appliedFilters) filters = statusAt(undefined, at.sheet, need.appliedFilters);
    if (need.extent || need.status || need.appliedFilters) {
      step("read");
      extent = need.extent ?? extent;
      const stands = status && (await readStatus(pane, status)); // before the block, whose reading covers more
      const above = filters && (await readStatus(pane, filters));
      const standing = await pane.port.read({ ...at, ...extent });
      cells = standing.cells;
      sheet = {
        extent,
        fingerprints: await fingerprints(cells, signal),
        formulas: standing.formulas,
        ...(stands && { status: stands }),
        ...(above && { appliedFilters: above }),
      };
      step("query");
    }
    if (need.parameters) {
      const { answered } = await import("./cells.mjs");
      asked = await answered(pane.port, id, need.parameters);
    }
    wanted.push(...(need.rows ?? []));
    const rows = wanted.map(({ from, to }) => ({ from, cells: cells.slice(from, to) }));
    const answer = await pane.api.post(
      path,
      {
        ...beside,
        anchor: formatLocation({ sheet: at.sheet, row: at.row, column: at.column }),
        ...(marked && { marked: { rows: marked.rows, columns: marked.columns } }),
        ...(stamp && { stamp }),
        ...sheet,
        ...asked?.members,
        ...(around && { around }),
        ...(table > 0 && { table }),
        ...(rows.length && { rows }),
      },
      { signal, repeatable: true },
    );
    if (!answer.need) return asked ? { ...answer, named: () => asked?.named(answer.patch, { sheet: at.sheet, had: at.columns }) } : answer;
    need = answer.need;
  }
  throw new Error("the server asks for more of the sheet each time");
}

/**
 * The formulas of the document, where rows may shift and the document is small enough: the plan says which of them are to be written.
 * @param {Pane} pane
 * @param {boolean} shifts
 */
async function formulasAround({ port }, shifts) {
  if (!shifts || !port.formulas) return null;
  return port.formulas(AROUND).catch(() => null); // the plan is made without them
}

/**
 * How many columns the table has that a block is, where rows may shift; 0 for none.
 * @param {Pane} pane
 * @param {boolean} shifts
 * @param {Rect} marked
 */
async function tableColumns({ port }, shifts, marked) {
  return shifts && port.tableColumns ? port.tableColumns(marked) : 0;
}

/**
 * Where a status cell stands: where its mark does, else on the block's sheet.
 * @param {Rect | undefined} mark
 * @param {string} sheet
 * @param {string} cell
 * @returns {Status}
 */
function statusAt(mark, sheet, cell) {
  const { row, column } = mark ?? parseLocation(cell);
  return { at: { sheet: mark?.sheet ?? sheet, row, column }, marked: Boolean(mark) };
}

/**
 * Where the cell stands that says what a report is filtered by: where its mark does, else above the block; null for nowhere.
 * @param {Rect | undefined} mark
 * @param {Rect} block
 * @param {boolean} shown
 * @returns {Status | null}
 */
function filtersAt(mark, { sheet, row, column }, shown) {
  if (mark) return { at: { sheet: mark.sheet, row: mark.row, column: mark.column }, marked: true };
  return shown && row > 0 ? { at: { sheet, row: row - 1, column }, marked: false } : null;
}

/**
 * What stands in a cell outside a block, as a plan is told it: a formula's text, else what the cell shows.
 * @param {Pane} pane
 * @param {Status} status
 */
async function readStatus(pane, { at, marked }) {
  const { cells, formulas } = await pane.port.read({ ...at, rows: 1, columns: 1 });
  const [[cell]] = cells;
  const shown = typeof cell === "object" && cell !== null ? cell.error : cell;
  return { cell: formatLocation(at), marked, text: formulas[0]?.text ?? (shown === null ? null : String(shown)) };
}

/**
 * The fingerprints of rows, made in slices.
 * @param {Cell[][]} rows
 * @param {AbortSignal} signal
 */
async function fingerprints(rows, signal) {
  /** @type {string[]} */
  const all = [];
  for (const row of rows) {
    all.push(fingerprint(row));
    if (all.length % SLICE === 0) await sleep(0, signal);
  }
  return all;
}
