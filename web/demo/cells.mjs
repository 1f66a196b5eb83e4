/**
 * How a cell of the grid looks.
 *
 * @typedef {{sheet: import("./book.mjs").Sheet, document: import("./document.mjs").Document, active: {row: number, column: number}, merges: Area[],
 *   blocks: import("../addin/port.mjs").Rect[], changed: Map<string, Set<number>>, measure: CanvasRenderingContext2D, selection(): Area,
 *   cellId(row: number, column: number): string, free(row: number, column: number): boolean}} Grid what of it decides how a cell looks
 * @typedef {import("./book.mjs").Area} Area
 * @typedef {import("./book.mjs").Value} Value
 * @typedef {import("./styles.mjs").Style} Style
 */
import { h } from "../ui/dom.mjs";
import { shownValue } from "./number.mjs";
import { MAX_COLUMNS } from "./reference.mjs";

export const ROW_HEIGHT = 24;

/** The element of a cell. @param {Grid} grid @param {number} row @param {number} column @param {number[]} edges the columns' left edges */
export function drawCell(grid, row, column, edges) {
  const { sheet, document } = grid;
  const cell = sheet.cell(row, column);
  const value = document.value(sheet.name, cell);
  const style = document.book.styles?.style(cell?.style ?? 0);
  const text = shownValue(value, style?.format);
  const element = h("div", {
    role: "gridcell", id: grid.cellId(row, column), class: classes(grid, row, column, value, style), "aria-colindex": column + 2,
    "aria-selected": String(within(grid.selection(), row, column)), "data-row": row, "data-column": column,
  });
  if (style) dress(element, style);
  const merge = grid.merges.find((m) => within(m, row, column));
  const end = merge ? edges[Math.min(edges.length - 1, merge.column + merge.columns)] : edges[column + 1];
  size(element, { left: edges[column], width: end - edges[column] });
  const wide = merge || typeof value !== "string" ? end : spill(grid, row, column, edges, text, style);
  if (wide > end) element.append(spilled(text, wide - edges[column]));
  else element.textContent = text;
  if (merge && merge.rows > 1 && row === merge.row) size(element, { height: merge.rows * ROW_HEIGHT });
  if (merge && (row !== merge.row || column !== merge.column)) element.classList.add("covered");
  return element;
}

/** @param {Grid} grid @param {number} row @param {number} column @param {Value} value @param {Style | undefined} style */
function classes(grid, row, column, value, style) {
  const names = ["cell"];
  const align = style?.align || alignOf(value);
  if (align === "right" || align === "center") names.push(align);
  if (row === grid.active.row && column === grid.active.column) names.push("active");
  if (grid.changed.get(grid.sheet.name)?.has(row * MAX_COLUMNS + column)) names.push("changed");
  for (const block of grid.blocks) if (within(block, row, column)) names.push("moored", ...edgesOf(block, row, column));
  return names.join(" ");
}

/** Numbers stand right, truth values and errors in the middle. @param {Value} value */
function alignOf(value) {
  if (typeof value === "number") return "right";
  return typeof value === "boolean" || (typeof value === "object" && value !== null) ? "center" : "";
}

/**
 * A text goes on over the empty cells beside it. Returns where it ends.
 * @param {Grid} grid @param {number} row @param {number} column @param {number[]} edges
 * @param {string} text @param {Style | undefined} style
 */
function spill(grid, row, column, edges, text, style) {
  let end = column + 1;
  if (text === "") return edges[end];
  grid.measure.font = `${style?.bold ? "bold " : ""}${fontSize(style?.size ?? 11)}px system-ui, sans-serif`;
  const wanted = edges[column] + grid.measure.measureText(text.slice(0, 300)).width + 12;
  while (edges[end] < wanted && end < edges.length - 1 && grid.free(row, end)) end++;
  return edges[end];
}

/** @param {HTMLElement} element @param {{top?: number, left?: number, width?: number, height?: number}} px */
export function size(element, px) {
  for (const [name, value] of Object.entries(px)) element.style.setProperty(name, value + "px");
}

/** @param {Area} area @param {number} row @param {number} column */
function within(area, row, column) {
  return row >= area.row && row < area.row + area.rows && column >= area.column && column < area.column + area.columns;
}

/** @param {Area} area @param {number} row @param {number} column */
function edgesOf(area, row, column) {
  const names = [];
  if (row === area.row) names.push("top-edge");
  if (row === area.row + area.rows - 1) names.push("bottom-edge");
  if (column === area.column) names.push("left-edge");
  if (column === area.column + area.columns - 1) names.push("right-edge");
  return names;
}

/** A text that goes on beyond its cell. @param {string} text @param {number} width */
function spilled(text, width) {
  const span = h("span", { class: "spilled" }, text);
  size(span, { width });
  return span;
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
