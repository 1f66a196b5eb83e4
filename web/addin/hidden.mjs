/**
 * Hidden rows: a row's hiding is of the whole row and stays when cells shift, so that a row of the block, or of what stands below it, may
 * come to stand out of sight.
 */
import { anchorOf } from "./steps.mjs";

/** @typedef {import("./port.mjs").Patch} Patch */
/** @typedef {import("./port.mjs").Uncovered} Uncovered */

/**
 * Whether a patch gives the block rows, or moves some.
 * @param {Patch} patch
 * @param {number} had the rows that the block had
 */
export function moves(patch, had) {
  return (patch.shifts ?? []).length > 0 || (had > 0 && patch.extent.rows > had);
}

/**
 * The hidden rows in which something comes to stand that was not hidden: of the block, and, with the row where it stood, of what may stand
 * below it.
 * @param {Patch} patch
 * @param {number} had the rows that the block had
 * @param {number[]} hidden rows of the sheet
 */
export function uncovered(patch, had, hidden) {
  const top = anchorOf(patch).row;
  const shifts = patch.shifts ?? [];
  const known = new Set(hidden);
  const gained = shifts.length > 0 ? Infinity : top + had;
  /** @type {number[]} */
  const block = [];
  /** @type {number[]} */
  const below = [];
  for (const row of hidden) {
    const was = stood(row, top, shifts);
    const moved = was !== row && !known.has(was);
    if (row < top + patch.extent.rows) {
      if (row >= top && (row >= gained || moved)) block.push(row);
    } else if (moved && was >= 0) below.push(row);
  }
  return { block, below };
}

/**
 * Where a row's cells stood before shifts; -1 for one inserted.
 * @param {number} row
 * @param {number} top
 * @param {{row: number, rows: number}[]} shifts
 */
function stood(row, top, shifts) {
  for (const shift of [...shifts].reverse()) {
    const at = top + shift.row;
    if (row < at) continue;
    if (row < at + shift.rows) return -1;
    row -= shift.rows;
  }
  return row;
}

/**
 * Rows as runs of them, [first, how many].
 * @param {number[]} rows ascending
 */
export function runsOf(rows) {
  /** @type {[number, number][]} */
  const runs = [];
  for (const row of rows) {
    const last = runs.at(-1);
    if (last && last[0] + last[1] === row) last[1]++;
    else runs.push([row, 1]);
  }
  return runs;
}
