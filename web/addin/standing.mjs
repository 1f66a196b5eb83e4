/**
 * What a port saw of a sheet, kept until it writes there: a patch is planned on what was read, and must not be applied to something else.
 * A row is kept as what was typed into its cells, its formulas and plain values: what a formula shows changes by itself.
 */

import { anchorOf, rowsOver, statusOf } from "./steps.mjs";

/** @typedef {import("./port.mjs").Rect} Rect */
/** @typedef {import("./port.mjs").Patch} Patch */

/**
 * @typedef {{rect: Rect, typed: unknown[][]}} Reading
 * @typedef {{row: number, column: number, rows: number, columns: number, typed: unknown[][]}} Expected
 */

export class Standing {
  constructor() {
    /** @type {Reading[]} */
    this.readings = [];
    /** @type {Map<string, Rect> | null} */
    this.marks = null;
  }

  /**
   * Keeps a reading in place of those of the same cells.
   * @param {Rect} rect
   * @param {unknown[][]} typed
   */
  keep(rect, typed) {
    this.forget(rect);
    this.readings.push({ rect, typed });
  }

  /** @param {Rect} rect */
  forget(rect) {
    this.readings = this.readings.filter((reading) => !meet(reading.rect, rect));
  }

  /**
   * Forgets a sheet's readings, and where marks stand: a write is about to change them.
   * @param {string} sheet
   */
  forgetSheet(sheet) {
    this.readings = this.readings.filter(({ rect }) => rect.sheet !== sheet);
    this.marks = null;
  }

  /**
   * What must stand where a patch writes over it, as far as it was read.
   * @param {string} sheet
   * @param {Patch} patch
   * @returns {Expected[]}
   */
  expected(sheet, patch) {
    const status = statusOf(patch);
    return [...this.expectedRows({ sheet, ...anchorOf(patch) }, rowsOver(patch)), ...(status ? this.expectedCell(sheet, status) : [])];
  }

  /**
   * @param {string} sheet
   * @param {{row: number, column: number}} cell
   * @returns {Expected[]}
   */
  expectedCell(sheet, { row, column }) {
    return this.readings.flatMap(({ rect, typed }) => {
      const line = rect.sheet === sheet ? typed[row - rect.row] : undefined;
      const i = column - rect.column;
      return line && i >= 0 && i < line.length ? [{ row, column, rows: 1, columns: 1, typed: [[line[i]]] }] : [];
    });
  }

  /**
   * @param {{sheet: string, row: number, column: number}} anchor
   * @param {{from: number, to: number}[]} rows from the anchor
   * @returns {Expected[]}
   */
  expectedRows(anchor, rows) {
    return this.readings.filter(({ rect }) => rect.sheet === anchor.sheet && rect.column === anchor.column).flatMap(({ rect, typed }) =>
      rows.flatMap(({ from, to }) => {
        const first = Math.max(anchor.row + from, rect.row);
        const end = Math.min(anchor.row + to, rect.row + typed.length);
        if (first >= end) return [];
        const part = typed.slice(first - rect.row, end - rect.row);
        return [{ row: first, column: rect.column, rows: part.length, columns: part[0].length, typed: part }];
      }),
    );
  }

  /** @param {import("./port.mjs").Mark[]} marks */
  listed(marks) {
    this.marks = new Map(marks.map(({ placementId, rect }) => [placementId, rect]));
  }

  /**
   * Reports whether a mark stands where it was when all marks were listed; it does if they never were.
   * @param {string} placementId
   * @param {Rect | null} now
   */
  unmoved(placementId, now) {
    if (!this.marks) return true;
    const was = this.marks.get(placementId);
    if (!was || !now) return !was && !now;
    return was.sheet === now.sheet && was.row === now.row && was.column === now.column;
  }
}

/**
 * @param {Rect} a
 * @param {Rect} b
 */
function meet(a, b) {
  return a.sheet === b.sheet && a.row < b.row + b.rows && b.row < a.row + a.rows &&
    a.column < b.column + b.columns && b.column < a.column + a.columns;
}
