/** A patch as the steps that write it, in the sheet's own rows and columns, and in parts that a request carries. */
import { parseLocation } from "./address.mjs";
import { PortError, REQUEST_SIZE, filtersMark, statusMark } from "./port.mjs";

/** @typedef {import("./port.mjs").Cell} Cell */
/** @typedef {import("./port.mjs").Patch} Patch */
/** @typedef {import("./port.mjs").PatchCell} PatchCell */

/**
 * @typedef {{row: number, column: number, rows: number, columns: number}} Area
 * @typedef {({do: "insert" | "delete" | "clear", area: Area}
 *   | {do: "write", area: Area, cells: PatchCell[][]}
 *   | {do: "format", area: Area, format: string}) & {sheet?: string}} Step on the block's sheet unless it names one
 */

const PIECE = 200_000; // the most that one step carries, so that parts fill well

/**
 * Where a patch's block stands: the anchor's row and column.
 * @param {Patch} patch
 */
export function anchorOf(patch) {
  const { row, column } = parseLocation(patch.anchor);
  return { row, column };
}

/**
 * The rectangle that the block has after a patch; a mark covers one cell at least.
 * @param {Patch} patch
 * @returns {Area}
 */
export function extentOf(patch) {
  return { ...anchorOf(patch), rows: Math.max(patch.extent.rows, 1), columns: Math.max(patch.extent.columns, 1) };
}

/**
 * The cells outside the block that a patch writes, before its shifts.
 * @param {Patch} patch
 * @returns {{markOf: (placementId: string) => string, area: Area, text: string}[]}
 */
function sidesOf({ status, appliedFilters }) {
  const sides = [
    { markOf: statusMark, side: status },
    { markOf: filtersMark, side: appliedFilters },
  ];
  return sides.flatMap(({ markOf, side }) => {
    if (!side) return [];
    const { row, column } = parseLocation(side.cell);
    return [{ markOf, area: { row, column, rows: 1, columns: 1 }, text: side.text }];
  });
}

/**
 * How many columns the shifts of a patch move, from its anchor on.
 * @param {Patch} patch
 * @param {number} had the columns that the block had before
 */
function moving(patch, had) {
  return Math.max(extentOf(patch).columns, had, patch.beside ?? 0);
}

/**
 * A cell where the shifts of a patch move it.
 * @param {Patch} patch
 * @param {number} had the columns that the block had before
 * @param {Area} cell
 * @returns {Area}
 */
export function shifted(patch, had, cell) {
  const at = anchorOf(patch);
  if (cell.column < at.column || cell.column >= at.column + moving(patch, had)) return cell;
  let to = cell.row;
  for (const { row, rows } of patch.shifts ?? []) {
    if (to >= at.row + row) to += rows;
  }
  return { ...cell, row: to };
}

/**
 * The marks that stand after a patch, the block's first.
 * @param {Patch} patch
 * @param {string} placementId
 * @param {number} had the columns that the block had before
 * @returns {{id: string, area: Area}[]}
 */
export function marksOf(patch, placementId, had) {
  const block = { id: placementId, area: extentOf(patch) };
  return [block, ...sidesOf(patch).map(({ markOf, area }) => ({ id: markOf(placementId), area: shifted(patch, had, area) }))];
}

/**
 * The steps of a patch, in their order.
 * @param {Patch} patch
 * @param {number} had the columns that the block had before
 * @returns {Step[]}
 */
export function stepsOf(patch, had) {
  const at = anchorOf(patch);
  const { columns } = extentOf(patch);
  /** @type {Step[]} */
  const steps = [];
  for (const { row, rows } of patch.shifts ?? []) {
    const area = { row: at.row + row, column: at.column, rows: Math.abs(rows), columns: moving(patch, had) };
    steps.push({ do: rows > 0 ? "insert" : "delete", area });
  }
  for (const span of patch.rows ?? []) {
    steps.push(...formats(patch, span, at));
    steps.push(...pieces(span, at, columns));
  }
  for (const { row, column, rows, columns } of patch.clear ?? []) {
    steps.push({ do: "clear", area: { row: at.row + row, column: at.column + column, rows, columns } });
  }
  for (const { sheet, row, column, texts } of patch.formulas ?? []) {
    const cells = texts.map((formula) => [{ formula }]);
    steps.push(...pieces({ from: 0, to: cells.length, cells }, { row, column }, 1).map((step) => ({ ...step, sheet })));
  }
  for (const { area, text } of sidesOf(patch)) steps.push({ do: "write", area: shifted(patch, had, area), cells: [[text || null]] });
  return steps;
}

/**
 * The rows of the block that a patch writes over, as they stand before it; all of them when rows move.
 * @param {Patch} patch
 * @returns {{from: number, to: number}[]}
 */
function rowsOver(patch) {
  if (patch.shifts?.length) return [{ from: 0, to: Infinity }];
  const spans = (patch.rows ?? []).map(({ from, to }) => ({ from, to }));
  for (const { row, rows } of patch.clear ?? []) spans.push({ from: row, to: row + rows });
  return spans;
}

/**
 * What must stand where a patch writes over it, as far as it was read, and the formulas around the block that it changes.
 * @param {import("./port.mjs").Standing} standing
 * @param {string} sheet
 * @param {Patch} patch
 */
export function expected(standing, sheet, patch) {
  const rows = standing.expectedRows({ sheet, ...anchorOf(patch) }, rowsOver(patch));
  const formulas = (patch.formulas ?? []).flatMap(({ sheet: on, column, was }) =>
    was ? [{ sheet: on, row: was.row, column, rows: 1, columns: 1, typed: [[was.text]] }] : []);
  return [...rows, ...sidesOf(patch).flatMap(({ area }) => standing.expectedCell(sheet, area)), ...formulas];
}

/**
 * Puts steps into parts that a request carries each.
 * @param {Step[]} steps
 * @returns {Step[][]} one part at least
 */
export function parts(steps) {
  /** @type {Step[][]} */
  const list = [[]];
  let room = REQUEST_SIZE;
  for (const step of steps) {
    const size = JSON.stringify(step).length;
    if (size > room) {
      list.push([]);
      room = REQUEST_SIZE;
    }
    list[list.length - 1].push(step);
    room -= size;
  }
  return list;
}

/**
 * Reports whether a cell of a patch stays as it stands.
 * @param {PatchCell} cell
 */
export function stays(cell) {
  return typeof cell === "object" && cell !== null && "keep" in cell && cell.keep;
}

/**
 * Reports whether a cell of a patch is a formula to write.
 * @param {PatchCell} cell
 * @returns {cell is {formula: string}}
 */
export function isFormula(cell) {
  return typeof cell === "object" && cell !== null && "formula" in cell;
}

/**
 * @param {Patch} patch
 * @param {{from: number, to: number}} span
 * @param {{row: number, column: number}} at
 * @returns {Step[]}
 */
function formats(patch, { from, to }, at) {
  const first = Math.max(from, 1);
  if (first >= to) return [];
  return (patch.formats ?? []).flatMap((format, column) => {
    if (!format) return [];
    return [{ do: "format", area: { row: at.row + first, column: at.column + column, rows: to - first, columns: 1 }, format }];
  });
}

/**
 * Rows to write, in pieces of a bounded size.
 * @param {{from: number, to: number, cells: PatchCell[][]}} span
 * @param {{row: number, column: number}} at
 * @param {number} columns
 * @returns {Step[]}
 */
function pieces({ from, to, cells }, at, columns) {
  if (cells.length !== to - from) throw new PortError("refused", "The server sent rows that do not match their numbers: refresh again.");
  /** @type {Step[]} */
  const steps = [];
  for (let i = 0; i < cells.length; ) {
    const start = i;
    /** @type {PatchCell[][]} */
    const rows = [];
    for (let size = 0; i < cells.length && (size === 0 || size < PIECE); i++) {
      const row = Array.from({ length: columns }, (_, k) => cells[i][k] ?? null);
      size += JSON.stringify(row).length;
      rows.push(row);
    }
    steps.push({ do: "write", area: { row: at.row + from + start, column: at.column, rows: rows.length, columns }, cells: rows });
  }
  return steps;
}

/** What a person is told where cells are not as they were read. */
export function changed() {
  return new PortError("busy", "Cells of the block changed while it was being refreshed: refresh again.");
}

/**
 * What a person is told where a write ended midway.
 * @param {unknown} cause
 */
export function partly(cause) {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PortError("busy", `The block was written in part. ${why} Refresh again to write the rest.`);
}

/**
 * How many columns the table has whose headings begin a block, 0 for none.
 * @param {(Area | null)[]} tables
 * @param {Area} block
 */
export function columnsOfTable(tables, { row, column, columns }) {
  const own = tables.find((table) => table && table.row === row && table.column === column);
  return own && own.columns >= columns ? own.columns : 0;
}
