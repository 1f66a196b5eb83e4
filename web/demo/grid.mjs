/**
 * The grid: it shows one sheet of a document, only those cells that are in sight, and keeps what is selected.
 *
 * @typedef {import("./document.mjs").Document} Document
 * @typedef {import("./book.mjs").Sheet} Sheet
 * @typedef {import("./book.mjs").Cell} Cell
 * @typedef {import("./book.mjs").Area} Area
 * @typedef {import("../addin/port.mjs").Rect} Rect
 */
import { h } from "../ui/dom.mjs";
import { MAX_COLUMNS, MAX_ROWS, cellName, columnName, parseReference } from "./reference.mjs";
import { shownValue } from "./number.mjs";
import { mergesOf } from "./texts.mjs";

export const ROW_HEIGHT = 24;
const HEADER_WIDTH = 48;
const DEFAULT_WIDTH = 8.43; // characters, as spreadsheet programs have it
const CHARACTER = 7; // pixels
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
    /** @type {Set<number>} cells that changed just now */
    this.changed = new Set();
    this.shape = "";
    this.head = h("div", { class: "grid-head", role: "row", "aria-rowindex": 1 });
    this.frozen = h("div", { class: "grid-frozen", role: "rowgroup" });
    this.body = h("div", { class: "grid-body", role: "rowgroup" });
    this.element = h("div", { class: "grid", role: "grid", tabindex: 0, "aria-multiselectable": "true", id: "grid", onscroll: () => this.draw() },
      this.head, this.frozen, this.body);
    this.measure = /** @type {CanvasRenderingContext2D} */ (window.document.createElement("canvas").getContext("2d"));
    new ResizeObserver(() => this.draw()).observe(this.element);
    document.listen(({ kind }) => { if (kind !== "state") this.refresh(); });
  }

  /** The sheet that is shown; the first when the one of that name is gone. @returns {Sheet} */
  get sheet() {
    return this.document.book.sheet(this.name) ?? this.document.book.sheets[0];
  }

  get rowCount() {
    return Math.min(MAX_ROWS, Math.max(100, this.sheet.rows.length + SPARE_ROWS, this.active.row + SPARE_ROWS, this.other.row + SPARE_ROWS));
  }

  get columnCount() {
    return Math.min(MAX_COLUMNS, Math.max(12, this.sheet.width + SPARE_COLUMNS, this.active.column + 2, this.other.column + 2));
  }

  /** The left edges of the columns, and behind the last the width of all. */
  edges() {
    const edges = [HEADER_WIDTH];
    for (let i = 0; i < this.columnCount; i++) {
      const width = this.sheet.widths.get(i) ?? DEFAULT_WIDTH;
      edges.push(edges[i] + (width === 0 ? 0 : Math.round(Math.min(width, 120) * CHARACTER) + 5));
    }
    return edges;
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
    const right = Math.min(this.columnCount, firstBeyond(edges, element.scrollLeft + element.clientWidth) + 1);
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
    this.element.setAttribute("aria-colcount", String(this.columnCount + 1));
    size(this.head, { width });
    size(this.frozen, { width, height: this.frozenRows * ROW_HEIGHT });
    size(this.body, { width, height: (this.rowCount - this.frozenRows) * ROW_HEIGHT });
    const corner = h("div", { class: "corner", role: "columnheader", "aria-colindex": 1, "aria-label": "Row" });
    const names = [];
    for (let column = left; column < right; column++) {
      const name = h("div", { class: "column-name", role: "columnheader", "aria-colindex": column + 2, "data-column": column }, columnName(column));
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
      if (edges[column + 1] > edges[column]) line.append(this.drawCell(row, column, edges));
    }
    this.shown.set(row, line);
    place.append(line);
  }

  /** @param {number} row @param {number} column */
  cellId(row, column) {
    return `cell-${row}-${column}`;
  }

  /** @param {number} row @param {number} column @param {number[]} edges */
  drawCell(row, column, edges) {
    const cell = this.sheet.cell(row, column);
    const value = this.document.value(this.sheet.name, cell);
    const style = this.document.book.styles?.style(cell?.style ?? 0);
    const text = shownValue(value, style?.format);
    const element = h("div", {
      role: "gridcell", id: this.cellId(row, column), class: this.classes(row, column, value, style), "aria-colindex": column + 2,
      "aria-selected": within(this.selection(), row, column) ? "true" : "false", "data-row": row, "data-column": column,
    }, text);
    if (style) dress(element, style);
    const merge = this.merges?.find((m) => within(m, row, column));
    const wide = merge ? edges[Math.min(edges.length - 1, merge.column + merge.columns)] : this.spill(row, column, edges, value, text, style);
    size(element, { left: edges[column], width: wide - edges[column] });
    if (merge && merge.rows > 1 && row === merge.row) size(element, { height: merge.rows * ROW_HEIGHT });
    if (merge && (row !== merge.row || column !== merge.column)) element.classList.add("covered");
    return element;
  }

  /**
   * @param {number} row @param {number} column @param {import("./book.mjs").Value} value
   * @param {import("./styles.mjs").Style | undefined} style
   */
  classes(row, column, value, style) {
    const names = ["cell"];
    const align = style?.align || (typeof value === "number" ? "right" : typeof value === "boolean" || (value && typeof value === "object") ? "center" : "");
    if (align === "right" || align === "center") names.push(align);
    if (row === this.active.row && column === this.active.column) names.push("active");
    if (this.changed.has(row * MAX_COLUMNS + column)) names.push("changed");
    for (const block of this.blocks ?? []) if (within(block, row, column)) names.push("moored", ...edgesOf(block, row, column));
    return names.join(" ");
  }

  /** A text goes on over the empty cells beside it. Returns where it ends. */
  spill(/** @type {number} */ row, /** @type {number} */ column, /** @type {number[]} */ edges,
    /** @type {import("./book.mjs").Value} */ value, /** @type {string} */ text, /** @type {import("./styles.mjs").Style | undefined} */ style) {
    let end = column + 1;
    if (typeof value !== "string" || text === "") return edges[end];
    this.measure.font = `${style?.bold ? "bold " : ""}${fontSize(style?.size ?? 11)}px system-ui, sans-serif`;
    const wanted = edges[column] + this.measure.measureText(text.slice(0, 300)).width + 12;
    while (edges[end] < wanted && end < edges.length - 1 && this.free(row, end)) end++;
    return edges[end];
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

  /** Selects cells: the active one, and the opposite corner. @param {number} row @param {number} column @param {{row: number, column: number}} [other] */
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

  /** Marks cells that changed, for some seconds. @param {Iterable<{row: number, column: number}>} cells */
  flash(cells) {
    for (const { row, column } of cells) this.changed.add(row * MAX_COLUMNS + column);
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

/** @param {HTMLElement} element @param {{top?: number, left?: number, width?: number, height?: number}} px */
function size(element, px) {
  for (const [name, value] of Object.entries(px)) element.style.setProperty(name, value + "px");
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

/** @param {Area} area @param {number} row @param {number} column */
export function within(area, row, column) {
  return row >= area.row && row < area.row + area.rows && column >= area.column && column < area.column + area.columns;
}

/** @param {Area} area @param {number} row @param {number} column */
function edgesOf(area, row, column) {
  const names = [];
  if (row === area.row) names.push("top");
  if (row === area.row + area.rows - 1) names.push("bottom");
  if (column === area.column) names.push("left-edge");
  if (column === area.column + area.columns - 1) names.push("right-edge");
  return names;
}

/** Points as pixels, as far as they fit a row. @param {number} points */
function fontSize(points) {
  return Math.min(20, Math.round(points * 13 / 11));
}

/** @param {HTMLElement} element @param {import("./styles.mjs").Style} style */
function dress(element, style) {
  if (style.bold) element.style.fontWeight = "600";
  if (style.italic) element.style.fontStyle = "italic";
  if (style.size !== 11) element.style.fontSize = fontSize(style.size) + "px";
  if (style.fill) element.style.backgroundColor = style.fill;
  if (style.fill && style.color) element.style.color = style.color;
  if (style.fill && !style.color) element.style.color = "#000";
  if (style.color && !style.fill) {
    element.style.setProperty("--ink", style.color);
    element.classList.add("inked");
  }
}
