/**
 * The port: all that the pane knows of the spreadsheet beside it. excel.mjs, sheets.mjs, demo.mjs and none.mjs each export
 * open(window), which returns a Port; testing/conformance.mjs is the suite that a Port has to pass.
 *
 * Rows and columns count from 0. A cell is null, a number, a string, a boolean or {error: "#N/A"}; dates are serial day numbers.
 */

/**
 * @typedef {null | number | string | boolean | {error: string}} Cell
 * @typedef {{sheet: string, row: number, column: number, rows: number, columns: number}} Rect
 * @typedef {{row: number, column: number, text: string}} Formula from the rectangle's corner; text with its =
 * @typedef {{cells: Cell[][], formulas: Formula[]}} Standing what stands in a rectangle; a formula's cell is the value that it shows
 * @typedef {{placementId: string, rect: Rect}} Mark
 * @typedef {{id: string, name: string, copyOf?: string}} Document
 * @typedef {{kind: "cells" | "selection" | "sheets", rect?: Rect}} Change
 */

/**
 * What the server's planner wants written: shifts, rows with their formats, clear, status, in this order. Rows and columns count from the
 * anchor; the status cell is named as it stands before the shifts, and has a mark of its own. A shift inserts rows of cells above a
 * row, or with a negative number removes them from it on, over all columns that the block has or had. A row of cells may leave out
 * empty cells at its end. {formula: "=A2*2"} writes a formula; {keep: true} leaves the cell exactly as it stands. A column's format is
 * given to the rows written below the header: null leaves the cells' own, "General" takes it away.
 *
 * @typedef {Cell | {formula: string} | {keep: boolean}} PatchCell
 * @typedef {{
 *   anchor: string,
 *   extent: {rows: number, columns: number},
 *   marker?: unknown,
 *   rows?: {from: number, to: number, cells: PatchCell[][]}[] | null,
 *   clear?: {row: number, column: number, rows: number, columns: number}[] | null,
 *   shifts?: {row: number, rows: number}[] | null,
 *   formats?: (string | null)[] | null,
 *   status?: {cell: string, text: string} | null,
 * }} Patch
 */

/**
 * @typedef {object} Port
 * @property {"SHEETS_A" | "SHEETS_B" | ""} host as the interface names it
 * @property {"excel" | "sheets" | "demo" | "none"} kind
 * @property {() => Promise<Document>} document id is the externalWorkbookId. copyOf: this is a copy of the document with that id, and it
 *   has not been decided whether it is a document of its own; id is what the document is called until then
 * @property {(own: boolean) => Promise<void>} adopt decides it
 * @property {() => Promise<Rect>} selection
 * @property {(rect: Rect) => Promise<Standing>} read what lies outside the sheet is null
 * @property {(patch: Patch, at: {sheet: string, placementId: string}) => Promise<void>} apply writes a patch and sets its marks,
 *   last. Where the cells to be written over were read, or the mark was listed, and have changed since, nothing is written: "busy"
 * @property {() => Promise<Mark[]>} marks those that stand, of blocks and, under statusMark's ids, of status cells. Marks of placements
 *   whose ids have more than some 70 characters may be left out, since their names do not tell them
 * @property {(placementId: string, rect: Rect) => Promise<void>} mark
 * @property {(placementId: string) => Promise<void>} unmark
 * @property {(rect: Rect) => Promise<void>} reveal selects a rectangle and shows it
 * @property {(fn: (change: Change) => void) => () => void} watch tells of changes, as a hint: some are never told. It returns what ends it
 * @property {{get(key: string): Promise<string | null>, set(key: string, value: string | null): Promise<void>}} settings small texts
 *   kept in the document, readable by all who read it
 */

/** @typedef {"protected" | "gone" | "too_large" | "busy" | "refused"} PortCode */

/** An error whose message is a sentence for the person at the spreadsheet. */
export class PortError extends Error {
  /**
   * @param {PortCode} code "busy" is worth a retry from the read on; the others need the person
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = "PortError";
    this.code = code;
  }
}

/** The most that a request to a spreadsheet carries, in characters of JSON. */
export const REQUEST_SIZE = 1_000_000;
