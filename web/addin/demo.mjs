/**
 * The port of the pane beside the demo's grid: both pages are of one origin, and the page around the pane holds the document.
 *
 * @typedef {import("../demo/book.mjs").Sheet} Sheet
 * @typedef {import("../demo/book.mjs").Change} Changed
 * @typedef {import("../demo/book.mjs").NewCell} NewCell
 * @typedef {import("../demo/document.mjs").Document} Workbook
 * @typedef {import("./port.mjs").Rect} Rect
 * @typedef {import("./steps.mjs").Step} Step
 */
import { absoluteReference, parseReference } from "../demo/reference.mjs";
import { excelNaming } from "./marker.mjs";
import { PortError } from "./port.mjs";
import { Standing } from "./standing.mjs";
import { isFormula, marksOf, stays, stepsOf } from "./steps.mjs";

/**
 * What the page around the pane offers it: the document, what is selected, and a way to show cells.
 * @typedef {object} Desk
 * @property {string} id the document's externalWorkbookId
 * @property {Workbook} document
 * @property {{get(key: string): string | null, set(key: string, value: string | null): void}} settings
 * @property {() => Rect} selection
 * @property {(rect: Rect) => void} reveal
 * @property {(fn: () => void) => () => void} watchSelection
 */

/** @param {{parent: unknown}} window @returns {Promise<import("./port.mjs").Port>} */
export async function open(window) {
  const { desk } = /** @type {{desk?: Promise<Desk>}} */ (window.parent);
  if (!desk) throw new PortError("gone", "The demo's sheet is not there: open this page from /demo/.");
  return new DemoPort(await desk);
}

/**
 * @typedef {import("./port.mjs").Port} Port
 * @implements {Port}
 */
export class DemoPort {
  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
    this.standing = new Standing();
    this.host = /** @type {const} */ ("SHEETS_B");
    this.kind = /** @type {const} */ ("demo");
    this.settings = {
      get: async (/** @type {string} */ key) => desk.settings.get(key),
      set: async (/** @type {string} */ key, /** @type {string | null} */ value) => desk.settings.set(key, value),
    };
  }

  async document() {
    return { id: this.desk.id, name: this.desk.id };
  }

  async adopt() {} // this document is never a copy

  async selection() {
    return this.desk.selection();
  }

  get book() {
    return this.desk.document.book;
  }

  /** @param {string} name */
  sheet(name) {
    const sheet = this.book.sheet(name);
    if (!sheet) throw new PortError("gone", `There is no sheet “${name}” any more.`);
    return sheet;
  }

  /** @param {Rect} rect */
  async read(rect) {
    await this.desk.document.save();
    const sheet = this.sheet(rect.sheet);
    this.standing.keep(rect, typed(sheet, rect));
    /** @type {import("./port.mjs").Formula[]} */
    const formulas = [];
    const cells = Array.from({ length: rect.rows }, (_, row) => Array.from({ length: rect.columns }, (_, column) => {
      const cell = sheet.cell(rect.row + row, rect.column + column);
      if (cell?.formula !== undefined) formulas.push({ row, column, text: cell.formula });
      return this.desk.document.value(sheet.name, cell);
    }));
    return { cells, formulas };
  }

  /** @param {import("./port.mjs").Patch} patch @param {{sheet: string, placementId: string}} at */
  async apply(patch, at) {
    /** @type {import("./port.mjs").Mark[]} */
    let marks = [];
    await this.write(() => {
      const sheet = this.sheet(at.sheet);
      if (sheet.protected) throw locked(sheet);
      const had = this.found(at.placementId)?.columns ?? 0;
      marks = marksOf(patch, at.placementId, had).map(({ id, area }) => ({ placementId: id, rect: { sheet: sheet.name, ...area } }));
      this.checkStanding(patch, marks, sheet);
      const steps = stepsOf(patch, had);
      for (const { rect } of marks) this.standing.forget(rect);
      checkTexts(steps);
      const moved = marks.flatMap(({ placementId, rect }) => this.named(placementId, rect));
      return [...steps.flatMap((step) => this.changesOf(sheet, step)), ...moved];
    });
    for (const { placementId, rect } of marks) this.standing.marks?.set(placementId, rect);
  }

  /** Writes what plan returns, or nothing if the file was changed by others. @param {() => Changed[]} plan */
  async write(plan) {
    try {
      await this.desk.document.write(plan);
    } catch (error) {
      const { name } = /** @type {Error} */ (error); // its class is the other page's
      throw name === "Stale" ? changed() : error;
    }
  }

  /** @param {import("./port.mjs").Patch} patch @param {import("./port.mjs").Mark[]} marks @param {Sheet} sheet */
  checkStanding(patch, marks, sheet) {
    for (const expected of this.standing.expected(sheet.name, patch)) {
      if (JSON.stringify(typed(sheet, expected)) !== JSON.stringify(expected.typed)) throw changed();
    }
    if (marks.some(({ placementId }) => !this.standing.unmoved(placementId, this.found(placementId)))) throw changed();
  }

  /** @param {Sheet} sheet @param {Step} step @returns {Changed[]} */
  changesOf(sheet, step) {
    const { row, column, rows, columns } = step.area;
    const at = { sheet: sheet.name, row, column };
    const all = (/** @type {(row: number, column: number) => NewCell | undefined} */ cell) =>
      Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, k) => cell(i, k)));
    switch (step.do) {
      case "insert":
      case "delete":
        return [{ kind: "shift", ...at, rows: step.do === "insert" ? rows : -rows, columns }];
      case "clear":
        return [{ kind: "set", ...at, cells: all(() => ({ value: null })) }];
      case "write":
        return [{ kind: "set", ...at, cells: step.cells.map((cells) => cells.map(writtenCell)) }];
      case "format":
        return [{ kind: "format", ...at, rows, columns, format: step.format }];
    }
  }

  async marks() {
    const marks = this.book.names.flatMap(({ name }) => {
      const placementId = excelNaming.placement(name);
      const rect = placementId === null ? null : this.found(placementId);
      return placementId !== null && rect ? [{ placementId, rect }] : [];
    });
    this.standing.listed(marks);
    return marks;
  }

  /** Where a placement's block stands by its mark. @param {string} placementId @returns {Rect | null} */
  found(placementId) {
    const wanted = excelNaming.name(placementId).toLowerCase();
    const name = this.book.names.find((n) => n.name.toLowerCase() === wanted);
    const rect = name ? parseReference(name.reference.trim()) : null;
    return rect && this.book.sheet(rect.sheet) ? rect : null;
  }

  /**
   * What puts a mark where it belongs: nothing if it stands there.
   * @param {string} placementId @param {Rect | null} rect @returns {Changed[]}
   */
  named(placementId, rect) {
    const reference = rect && absoluteReference(rect);
    const name = excelNaming.name(placementId);
    const known = this.book.names.find((n) => n.name.toLowerCase() === name.toLowerCase());
    return (known?.reference ?? null) === reference ? [] : [{ kind: "name", name, reference }];
  }

  /** @param {string} placementId @param {Rect} rect */
  async mark(placementId, rect) {
    await this.write(() => this.named(placementId, { ...rect, sheet: this.sheet(rect.sheet).name }));
  }

  /** @param {string} placementId */
  async unmark(placementId) {
    await this.write(() => this.named(placementId, null));
  }

  /** @param {Rect} rect */
  async reveal(rect) {
    this.sheet(rect.sheet);
    this.desk.reveal(rect);
  }

  /** @param {(change: import("./port.mjs").Change) => void} fn */
  watch(fn) {
    const ends = [
      this.desk.document.listen(({ kind }) => {
        if (kind !== "state") fn({ kind: "cells" });
      }),
      this.desk.watchSelection(() => fn({ kind: "selection", rect: this.desk.selection() })),
    ];
    return () => ends.forEach((end) => end());
  }
}

const LONGEST = 32_767; // characters in a cell of an .xlsx file

/** @param {Step[]} steps */
function checkTexts(steps) {
  for (const step of steps) {
    if (step.do !== "write" || !step.cells.flat().some((cell) => typeof cell === "string" && cell.length > LONGEST)) continue;
    throw new PortError("too_large", "A text of the result is longer than a cell holds: shorten it in the report's query.");
  }
}

/** @param {Sheet} sheet */
function locked(sheet) {
  return new PortError("protected", `The sheet “${sheet.name}” is protected: unprotect it, then refresh again.`);
}

function changed() {
  return new PortError("busy", "Cells were changed while the refresh was at work: nothing was written.");
}

/** What was typed into an area's cells. @param {Sheet} sheet @param {{row: number, column: number, rows: number, columns: number}} area */
function typed(sheet, { row, column, rows, columns }) {
  return Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, k) => {
    const cell = sheet.cell(row + i, column + k);
    return cell?.formula ?? [cell?.value ?? null];
  }));
}

/** @param {import("./port.mjs").PatchCell} cell @returns {NewCell | undefined} */
function writtenCell(cell) {
  if (stays(cell)) return undefined;
  if (isFormula(cell)) {
    const { formula, value = null } = /** @type {{formula: string, value?: import("./port.mjs").Cell}} */ (cell);
    return { value, formula };
  }
  return { value: /** @type {import("./port.mjs").Cell} */ (cell === "" ? null : cell) };
}
