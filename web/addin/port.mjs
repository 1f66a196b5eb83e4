/**
 * The port: all that the pane knows of the spreadsheet beside it. The modules excel, sheets, demo and none each export
 * open(window), which returns a Port; testing/conformance.mjs is the suite that a Port has to pass.
 *
 * Rows and columns count from 0. A cell is null, a number, a string, a boolean or {error: "#N/A"}; dates are serial day numbers.
 */

/**
 * @typedef {null | number | string | boolean | {error: string}} Cell
 * @typedef {{sheet: string, row: number, column: number, rows: number, columns: number}} Rect
 * @typedef {{row: number, column: number, text: string}} Formula from the rectangle's corner; text with its =
 * @typedef {{sheet: string, formulas: Formula[]}} SheetFormulas whose rows and columns are the sheet's
 * @typedef {{cells: Cell[][], formulas: Formula[]}} Content what stands in a rectangle; a formula's cell is the value that it shows
 * @typedef {{placementId: string, rect: Rect}} Mark
 * @typedef {{id: string, name: string, nonce?: string, copyOf?: string, fresh?: boolean}} Document
 * @typedef {{kind: "cells" | "selection" | "sheets", rect?: Rect}} Change
 */

/**
 * What the server's planner wants written: shifts, rows with their formats, clear, formulas, status, in this order. Rows and columns count
 * from the anchor; the status cell is named as it stands before the shifts, and has a mark of its own. A shift inserts rows of cells above
 * a row, or with a negative number removes them from it on, over all columns that the block has or had, or over beside columns if those
 * are more. A row of cells may leave out empty cells at its end. {formula: "=A2*2"} writes a formula; {keep: true} leaves the cell
 * exactly as it stands. A column's format is given to the rows written below the header: null leaves the cells' own, "General" takes it
 * away. Formulas around the block are written one below the other, from a cell of their sheet on, as it stands after the shifts; was is
 * where such a formula stood before them, and how it read. The stamp is kept beside the block's mark, and says what the write left; where
 * there is nothing else to write it is left out.
 *
 * @typedef {Cell | {formula: string} | {keep: boolean}} PatchCell
 * @typedef {{
 *   anchor: string,
 *   extent: {rows: number, columns: number},
 *   marker?: unknown,
 *   stamp?: string | null,
 *   rows?: {from: number, to: number, cells: PatchCell[][]}[] | null,
 *   clear?: {row: number, column: number, rows: number, columns: number}[] | null,
 *   shifts?: {row: number, rows: number}[] | null,
 *   beside?: number | null,
 *   formats?: (string | null)[] | null,
 *   formulas?: {sheet: string, row: number, column: number, was?: {row: number, text: string} | null, texts: string[]}[] | null,
 *   status?: {cell: string, text: string} | null,
 *   appliedFilters?: {cell: string, text: string} | null,
 * }} Patch
 */

/**
 * Hidden rows of the sheet in which a row of the block, or of what stands below it, came to stand that was in sight: those that are shown
 * now, and those that stay hidden, as the program shows no row that a filter hides.
 *
 * @typedef {{shown?: number[], vanished?: number[]}} Uncovered
 */

/**
 * Cells that a parameter takes its value from: one or, of a list, those of one column or row. They have the mark parameters.mjs gives them,
 * "" while there is none that counts; rect is where they were last read.
 * @typedef {{id: string, rect: Rect, list: boolean}} ParameterCells
 */

/**
 * What one of them holds: of a formula what that shows; "" is an empty text, not a blank cell. date: it is formatted as a date or a time.
 * covered: by merged cells of which it is not the first.
 * @typedef {{value: Cell, date?: boolean, covered?: boolean}} ParameterCell
 */

/**
 * Where they stand and what they hold, row by row, or why they are not read: they were deleted, their sheet is not there, their mark is of
 * no single cell, column or row any more, or they are too many. date1904: numbers that stand for dates count from 1904.
 * @typedef {{rect: Rect, marked: boolean, date1904: boolean, cells: ParameterCell[], fault?: "deleted" | "sheet" | "shape" | "large"}} FoundParameter
 */

/**
 * @typedef {object} Port
 * @property {"SHEETS_A" | "SHEETS_B" | ""} host as the interface names it
 * @property {"excel" | "sheets" | "demo" | "none"} kind
 * @property {() => Promise<Document>} document id is the externalWorkbookId. nonce: what stands in the file beside the id, where that is the
 *   file's and not the program's own. fresh: the id was made here, and stands in no file yet. copyOf: the program itself says that this is a
 *   copy of the document with that id, and it has not been decided whether it is a document of its own
 * @property {() => Promise<string>} [address] how the program names the open file now, "" for one that is not stored, or where it does not
 *   say. A port whose ids are the program's own has none
 * @property {() => Promise<void>} identify has the document say which one it is, if it does not
 * @property {(own: boolean) => Promise<void>} adopt decides whether a copy is a document of its own, which then has an id of its own
 * @property {() => Promise<Rect>} selection
 * @property {(rect: Rect) => Promise<Content>} read what lies outside the sheet is null
 * @property {(most: number) => Promise<SheetFormulas[] | null>} [formulas] those of the whole document, all its sheets in their order;
 *   null for more than that many, or for a document too large to look through. A port may have none
 * @property {(rect: Rect) => Promise<number>} [tableColumns] how many columns the table has whose headings begin a block's rectangle: that
 *   many at least as the block; 0 for none. A port may have none
 * @property {(patch: Patch, at: {sheet: string, placementId: string}) => Promise<Uncovered | void>} apply writes a patch and sets its marks,
 *   last. Where the cells to be written over were read, or the mark was listed, and have changed since, nothing is written: "busy". Nor
 *   is anything where a formula of the patch does not stand where it was
 * @property {(cells: ParameterCells[]) => Promise<FoundParameter[]>} [parameters] reads cells of parameters. A port may have none
 * @property {() => Promise<Mark[]>} marks those that stand, of blocks and, under the ids of statusMark and filtersMark, of cells
 *   outside them. Marks of placements whose ids have more than some 70 characters may be left out, since their names do not tell them
 * @property {(placementId: string) => Promise<string | null>} stamp what a patch has had kept beside a mark, null for nothing
 * @property {(placementId: string, rect: Rect) => Promise<void>} mark
 * @property {(placementId: string) => Promise<void>} unmark
 * @property {(rect: Rect) => Promise<void>} reveal selects a rectangle and shows it
 * @property {(fn: (change: Change) => void) => () => void} watch tells of changes, as a hint: some are never told. It returns what ends it
 * @property {{get(key: string): Promise<string | null>, set(key: string, value: string | null): Promise<void>}} settings small texts
 *   kept in the document, readable by all who read it
 */

/** @typedef {"protected" | "gone" | "too_large" | "busy" | "refused"} PortCode */

/** The setting of a copy that is being given placements of its own: the id of the document that it was copied from. */
export const COPYING = "copying";

/** What a document says of itself: an id, and a nonce that only those know who have had it open. Go package refresh/host reads the same. */
const IDENTITY = /^=?"?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) ([\w-]{16,64})"?$/i;

/**
 * @param {unknown} text that a document keeps, or the formula that is that text
 * @returns {{id: string, nonce: string} | null} null if it says nothing
 */
export function identityOf(text) {
  const [, id, nonce] = IDENTITY.exec(String(text)) ?? [];
  return id ? { id, nonce } : null;
}

/** The text of an identity with a new nonce. @param {string} [id] */
export function newIdentity(id = crypto.randomUUID()) {
  return `${id} ${hex(crypto.getRandomValues(new Uint8Array(16)))}`;
}

/** @param {Iterable<number>} bytes */
function hex(bytes) {
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

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

/**
 * How the names of one program mark blocks: as Mooring's agents name them there, so that agents and the pane find each other's blocks.
 * @typedef {{escape: string, underscore: string, longest: number, hashed: string, taken?: string}} Naming taken: marks no block
 */

/** The name in which a workbook says which document it is. */
export const DOCUMENT_NAME = "_mooring_document";

/** Excel's names hold letters, digits, underscores and periods (Go package refresh/host). @type {Naming} */
export const EXCEL_NAMES = { escape: ".", underscore: "_", longest: 255, hashed: "..", taken: DOCUMENT_NAME };

/** Google's hold no periods (refresh/host/google). @type {Naming} */
export const SHEETS_NAMES = { escape: "_", underscore: "__", longest: 230, hashed: "_x" };

const MARK_PREFIX = "_mooring_";

/**
 * The id under which the status cell of a placement is marked.
 * @param {string} placementId
 */
export function statusMark(placementId) {
  return `${placementId}\0status`;
}

/**
 * The id under which the cell is marked that says what a placement's report is filtered by.
 * @param {string} placementId
 */
export function filtersMark(placementId) {
  return `${placementId}\0filters`;
}

/**
 * The id under which a stamp is kept by programs whose marks take no text.
 * @param {string} placementId
 */
export function stampMark(placementId) {
  return `${placementId}\0stamp`;
}

/**
 * The name that marks a placement's block.
 * @param {string} placementId
 * @param {Naming} naming
 * @returns {Promise<string>}
 */
export async function markName(placementId, { escape, underscore, longest, hashed, taken }) {
  const bytes = new TextEncoder().encode(placementId);
  const [first = "", ...rest] = Array.from(bytes, (c) => escapedByte(c, escape, underscore));
  const name = MARK_PREFIX + first + rest.join("");
  if (name === taken) return MARK_PREFIX + escape + hex(bytes.subarray(0, 1)) + rest.join("");
  return name.length <= longest ? name : MARK_PREFIX + hashed + hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/**
 * @param {number} c
 * @param {string} escape
 * @param {string} underscore
 */
function escapedByte(c, escape, underscore) {
  const character = String.fromCharCode(c);
  if (/[a-z0-9]/.test(character)) return character;
  return character === "_" ? underscore : escape + hex([c]);
}

/**
 * The placement whose block a name marks; null if it does not tell.
 * @param {string} name
 * @param {Naming} naming
 */
export function markedPlacement(name, { escape, underscore, taken }) {
  const rest = name.toLowerCase();
  const escaped = new RegExp(`^(?:[a-z0-9]|${underscore}|\\${escape}[0-9a-f]{2})*$`);
  if (rest === taken || !rest.startsWith(MARK_PREFIX) || !escaped.test(rest.slice(MARK_PREFIX.length))) return null;
  const parts = new RegExp(`${underscore === "__" ? "__|" : ""}\\${escape}[0-9a-f]{2}|.`, "g");
  const bytes = (rest.slice(MARK_PREFIX.length).match(parts) ?? []).map((part) => {
    if (part === underscore) return 0x5f;
    return part.length === 3 ? parseInt(part.slice(1), 16) : part.charCodeAt(0);
  });
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/**
 * @typedef {{rect: Rect, typed: unknown[][]}} Reading
 * @typedef {{sheet?: string, row: number, column: number, rows: number, columns: number, typed: unknown[][]}} Expected without a sheet on
 *   the block's
 */

/**
 * What a port saw of a sheet, kept until it writes there: a patch is planned on what was read, and must not be applied to something else.
 * A row is kept as what was typed into its cells, its formulas and plain values: what a formula shows changes by itself.
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
   * Forgets the readings of the sheets that a patch writes to, and where marks stand.
   * @param {string} sheet the block's
   * @param {Patch} patch
   */
  forgetWritten(sheet, { formulas }) {
    const sheets = [sheet, ...(formulas ?? []).map((other) => other.sheet)];
    this.readings = this.readings.filter(({ rect }) => !sheets.includes(rect.sheet));
    this.marks = null;
  }

  /**
   * What must stand in a cell that is written over, as far as it was read.
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
   * What must stand where rows of a block are written over, as far as it was read.
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

  /** @param {Mark[]} marks */
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
