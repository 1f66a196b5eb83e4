/**
 * The grid: it shows one sheet of a document, only those cells that are in sight, and keeps what is selected.
 *
 * @typedef {import("./document.mjs").Document} Document
 * @typedef {import("./book.mjs").Sheet} Sheet
 * @typedef {import("./book.mjs").Area} Area
 * @typedef {import("../addin/port.mjs").Rect} Rect
 */
import { h } from "../ui/dom.mjs";
import { columnName } from "../addin/address.mjs";
import { ROW_HEIGHT, drawCell, size } from "./cells.mjs";
import { shownValue } from "./number.mjs";
import { MAX_COLUMNS, MAX_ROWS, cellName, parseReference } from "./reference.mjs";
import { mergesOf } from "./follow.mjs";

const HEADER_WIDTH = 48;
const DEFAULT_WIDTH = 8.43; // characters, as spreadsheet programs have it
const CHARACTER = 7; // pixels, in widths of the file
const DIGIT = 7.8; // pixels, in the page's font
const SPARE_ROWS = 50;
const SPARE_COLUMNS = 6;
const AROUND = 4; // rows kept beyond the window's edges
const FLASH = 5000; // ms

export class Grid {
  /** @param {Document} document */
  constructor(document) {
    this.document = document;
    this.name = document.book.sheets[0].name;
    this.active = { row: 0, column: 0 };
    this.other = { row: 0, column: 0 }; // the corner of the selection that moves
    /** @type {Set<() => void>} */
    this.watchers = new Set();
    /** @type {Map<number, HTMLElement>} the rows in sight */
    this.shown = new Map();
    /** @type {Map<string, Set<number>>} cells that changed just now, by sheet */
    this.changed = new Map();
    this.shape = "";
    /** @type {Area[]} */
    this.merges = [];
    /** @type {Rect[]} */
    this.blocks = [];
    /** @type {{book: import("./book.mjs").Book, state: string, widths: number[]} | undefined} */
    this.fit = undefined;
    this.head = h("div", { class: "grid-head", role: "row", "aria-rowindex": 1 });
    this.frozen = h("div", { class: "grid-frozen", role: "rowgroup" });
    this.body = h("div", { class: "grid-body", role: "rowgroup" });
    this.element = h("div", {
      class: "grid", role: "grid", tabindex: 0, "aria-multiselectable": "true", id: "grid", onscroll: () => this.draw(),
    }, this.head, this.frozen, this.body);
    this.measure = /** @type {CanvasRenderingContext2D} */ (window.document.createElement("canvas").getContext("2d"));
    new ResizeObserver(() => this.draw()).observe(this.element);
    document.listen(({ kind }) => { if (kind !== "state") this.refresh(); });
  }

  /** The sheet that is shown; the first when the one of that name is gone. @returns {Sheet} */
  get sheet() {
    return this.document.book.sheet(this.name) ?? this.document.book.sheets[0];
  }

  get rowCount() {
    const last = Math.max(this.sheet.rows.length, this.active.row, this.other.row);
    return Math.min(MAX_ROWS, Math.max(100, last + SPARE_ROWS));
  }

  /** How many columns there are at least; more if there is room for them. */
  get columnCount() {
    return Math.min(MAX_COLUMNS, Math.max(this.sheet.width + SPARE_COLUMNS, this.active.column + 2, this.other.column + 2));
  }

  /** The left edges of the columns, and behind the last the width of all. */
  edges() {
    const edges = [HEADER_WIDTH];
    const { columnCount } = this;
    const room = this.element.clientWidth;
    for (let i = 0; i < columnCount || (edges[i] < room && i < MAX_COLUMNS); i++) edges.push(edges[i] + this.width(i));
    return edges;
  }

  /** A column is as wide as the file says; one of which it says nothing, as its numbers need. @param {number} column */
  width(column) {
    const given = this.sheet.widths.get(column);
    if (given !== undefined) return given === 0 ? 0 : Math.round(Math.min(given, 120) * CHARACTER) + 5;
    return this.fitted()[column] ?? Math.round(DEFAULT_WIDTH * CHARACTER) + 5;
  }

  /** The widths that the numbers of the first rows need, by column. */
  fitted() {
    const { book } = this.document;
    const state = `${this.sheet.name}/${book.version}`;
    if (this.fit?.book === book && this.fit.state === state) return this.fit.widths;
    /** @type {number[]} */
    const widths = [];
    for (const row of this.sheet.rows.slice(0, 200)) {
      row?.cells.forEach((cell, column) => {
        const value = this.document.value(this.sheet.name, cell);
        if (typeof value !== "number") return;
        const text = shownValue(value, book.styles?.style(cell?.style ?? 0).format);
        widths[column] = Math.max(widths[column] ?? Math.round(DEFAULT_WIDTH * CHARACTER) + 5, Math.ceil(text.length * DIGIT) + 14);
      });
    }
    this.fit = { book, state, widths };
    return widths;
  }

  /** The rows that stay in sight: those that the file says, if they leave room for others. */
  get frozenRows() {
    const room = Math.floor(this.element.clientHeight / 2 / ROW_HEIGHT);
    return this.sheet.frozen.rows <= room ? this.sheet.frozen.rows : 0;
  }

  /** Draws everything anew. */
  refresh() {
    this.shape = "";
    this.draw();
  }

  /** Draws what is in sight and not drawn yet. */
  draw() {
    const { element, sheet, frozenRows } = this;
    const edges = this.edges();
    const height = this.rowCount * ROW_HEIGHT;
    const left = firstBeyond(edges, element.scrollLeft + HEADER_WIDTH);
    const right = Math.min(edges.length - 1, firstBeyond(edges, element.scrollLeft + element.clientWidth) + 1);
    const shape = [sheet.name, left, right, height, edges.at(-1), frozenRows].join("/");
    if (shape !== this.shape) this.reshape(shape, edges, left, right);
    const top = Math.max(frozenRows, Math.floor(element.scrollTop / ROW_HEIGHT) - AROUND);
    const bottom = Math.min(this.rowCount, Math.ceil((element.scrollTop + element.clientHeight) / ROW_HEIGHT) + AROUND);
    for (const [row, line] of this.shown) {
      if (row >= frozenRows && (row < top || row >= bottom)) {
        line.remove();
        this.shown.delete(row);
      }
    }
    for (let row = 0; row < frozenRows; row++) this.drawRow(row, edges, left, right, this.frozen);
    for (let row = top; row < bottom; row++) this.drawRow(row, edges, left, right, this.body);
    element.setAttribute("aria-activedescendant", this.cellId(this.active.row, this.active.column));
  }

  /** @param {string} shape @param {number[]} edges @param {number} left @param {number} right */
  reshape(shape, edges, left, right) {
    this.shape = shape;
    this.shown.forEach((line) => line.remove());
    this.shown.clear();
    this.merges = mergesOf(this.document.book.texts.get(this.sheet.part));
    this.blocks = this.blocksHere();
    const width = edges[edges.length - 1];
    this.element.setAttribute("aria-label", `Sheet ${this.sheet.name}`);
    this.element.setAttribute("aria-rowcount", String(this.rowCount + 1));
    this.element.setAttribute("aria-colcount", String(edges.length));
    size(this.head, { width });
    size(this.frozen, { width, height: this.frozenRows * ROW_HEIGHT });
    size(this.body, { width, height: (this.rowCount - this.frozenRows) * ROW_HEIGHT });
    const corner = h("div", { class: "corner", role: "columnheader", "aria-colindex": 1 }, h("span", { class: "spoken" }, "Row"));
    const names = [];
    for (let column = left; column < right; column++) {
      const name = h("div", {
        class: "column-name", role: "columnheader", "aria-colindex": column + 2, "data-column": column,
      }, columnName(column));
      size(name, { left: edges[column], width: edges[column + 1] - edges[column] });
      names.push(name);
    }
    this.head.replaceChildren(corner, ...names);
  }

  /** The blocks on this sheet, by their marks. @returns {Rect[]} */
  blocksHere() {
    return this.document.book.names.filter(({ name }) => /^_mooring_/i.test(name))
      .flatMap(({ reference }) => parseReference(reference.trim()) ?? [])
      .filter(({ sheet }) => sheet === this.sheet.name);
  }

  /** @param {number} row @param {number[]} edges @param {number} left @param {number} right @param {HTMLElement} place */
  drawRow(row, edges, left, right, place) {
    if (this.shown.has(row)) return;
    const line = h("div", { class: "grid-row", role: "row", "aria-rowindex": row + 2 });
    const top = place === this.frozen ? row : row - this.frozenRows;
    size(line, { top: top * ROW_HEIGHT, width: edges[edges.length - 1] });
    line.append(h("div", { class: "row-name", role: "rowheader", "aria-colindex": 1, "data-row": row }, String(row + 1)));
    for (let column = left; column < right; column++) {
      if (edges[column + 1] > edges[column]) line.append(drawCell(this, row, column, edges));
    }
    this.shown.set(row, line);
    place.append(line);
  }

  /** @param {number} row @param {number} column */
  cellId(row, column) {
    return `cell-${row}-${column}`;
  }

  /** @param {number} row @param {number} column */
  free(row, column) {
    const cell = this.sheet.cell(row, column);
    return (cell?.value ?? null) === null && cell?.formula === undefined;
  }

  /** The selected rectangle. @returns {Rect} */
  selection() {
    const row = Math.min(this.active.row, this.other.row);
    const column = Math.min(this.active.column, this.other.column);
    return {
      sheet: this.sheet.name, row, column,
      rows: Math.abs(this.active.row - this.other.row) + 1, columns: Math.abs(this.active.column - this.other.column) + 1,
    };
  }

  /**
   * Selects cells: the active one, and the opposite corner.
   * @param {number} row @param {number} column @param {{row: number, column: number}} [other]
   */
  select(row, column, other = { row, column }) {
    this.active = { row: clamp(row, MAX_ROWS), column: clamp(column, MAX_COLUMNS) };
    this.other = { row: clamp(other.row, MAX_ROWS), column: clamp(other.column, MAX_COLUMNS) };
    this.show(this.other.row, this.other.column);
    this.refresh();
    for (const watcher of this.watchers) watcher();
  }

  /** Scrolls until a cell is in sight. @param {number} row @param {number} column */
  show(row, column) {
    const { element, frozenRows } = this;
    const edges = this.edges();
    const above = ROW_HEIGHT * (1 + frozenRows);
    size(this.body, { height: (this.rowCount - frozenRows) * ROW_HEIGHT, width: edges[edges.length - 1] });
    if (row >= frozenRows) {
      const top = row * ROW_HEIGHT;
      const least = top + 2 * ROW_HEIGHT - element.clientHeight;
      element.scrollTop = Math.min(Math.max(element.scrollTop, least), top + ROW_HEIGHT - above);
    }
    const least = edges[Math.min(column + 1, edges.length - 1)] - element.clientWidth;
    element.scrollLeft = Math.min(Math.max(element.scrollLeft, least), (edges[column] ?? 0) - HEADER_WIDTH);
  }

  /** Shows another sheet. @param {string} name */
  open(name) {
    this.name = name;
    this.element.scrollTo(0, 0);
    this.select(0, 0);
  }

  /** Selects a rectangle and shows it, on whatever sheet it is. @param {Rect} rect */
  reveal(rect) {
    if (rect.sheet !== this.name) this.open(rect.sheet);
    this.select(rect.row, rect.column, { row: rect.row + rect.rows - 1, column: rect.column + rect.columns - 1 });
    this.show(rect.row, rect.column);
    this.draw();
  }

  /** @param {() => void} fn @returns {() => void} */
  watch(fn) {
    this.watchers.add(fn);
    return () => this.watchers.delete(fn);
  }

  /** Marks cells that changed, for some seconds. @param {Iterable<{sheet: string, row: number, column: number}>} cells */
  flash(cells) {
    for (const { sheet, row, column } of cells) {
      const marked = this.changed.get(sheet) ?? new Set();
      this.changed.set(sheet, marked.add(row * MAX_COLUMNS + column));
    }
    clearTimeout(this.flashing);
    this.flashing = setTimeout(() => {
      this.changed.clear();
      this.refresh();
    }, FLASH);
    this.refresh();
  }

  /** What the active cell is called. */
  get address() {
    return cellName(this.active.row, this.active.column);
  }
}

/** @param {number} value @param {number} end */
function clamp(value, end) {
  return Math.min(Math.max(value, 0), end - 1);
}

/** The column in which x lies. @param {number[]} edges @param {number} x */
function firstBeyond(edges, x) {
  const found = edges.findIndex((edge) => edge > x);
  return found < 0 ? edges.length - 1 : Math.max(0, found - 1);
}
