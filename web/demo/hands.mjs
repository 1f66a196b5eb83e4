/**
 * What a person does in the grid: moves, selects, types, copies and pastes, by keyboard, mouse and touch.
 *
 * @typedef {import("./grid.mjs").Grid} Grid
 * @typedef {import("./book.mjs").NewCell} NewCell
 * @typedef {import("./book.mjs").Set} Set
 */
import { h } from "../ui/dom.mjs";
import { editedText, shownValue, typedCell } from "./number.mjs";
import { MAX_COLUMNS, MAX_ROWS, fillFormula } from "./reference.mjs";
import { ROW_HEIGHT } from "./grid.mjs";

const MAX_PASTE = 200_000; // cells

export class Hands {
  /** @param {Grid} grid @param {HTMLElement} place where the field for editing is laid over the grid */
  constructor(grid, place) {
    this.grid = grid;
    this.place = place;
    this.address = h("output", { class: "address", "aria-label": "Cell" });
    this.bar = h("input", {
      class: "formula", id: "formula", "aria-label": "Content of the cell", autocomplete: "off", spellcheck: "false",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.barKey(event),
      onchange: () => this.type(this.bar.value),
    });
    /** @type {{text: string, cells: NewCell[][], row: number, column: number} | null} what was copied here */
    this.copied = null;
    this.listen();
    grid.watch(() => this.showContent());
    grid.document.listen(() => this.showContent());
    this.showContent();
  }

  get document() {
    return this.grid.document;
  }

  listen() {
    const { element } = this.grid;
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("pointerdown", (event) => this.point(event));
    element.addEventListener("pointermove", (event) => this.drag(event));
    element.addEventListener("dblclick", () => this.edit());
    element.addEventListener("copy", (event) => this.copy(event));
    element.addEventListener("cut", (event) => this.cut(event));
    element.addEventListener("paste", (event) => this.paste(event));
  }

  /** The active cell's name and content stand above the grid. */
  showContent() {
    const { active, sheet } = this.grid;
    this.address.textContent = this.grid.address;
    if (document.activeElement !== this.bar) this.bar.value = editedText(sheet.cell(active.row, active.column));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.target !== this.grid.element || event.isComposing) return;
    const command = event.ctrlKey || event.metaKey;
    const done = command ? this.command(event) : this.move(event) || this.act(event);
    if (done) event.preventDefault();
  }

  /** @param {KeyboardEvent} event */
  command(event) {
    const key = event.key.toLowerCase();
    if (key === "z" && !event.shiftKey) void this.document.undo();
    else if (key === "y" || key === "z") void this.document.redo();
    else if (key === "a") this.selectAll();
    else return this.move(event);
    return true;
  }

  /** Moves the active cell, or with Shift the other corner. @param {KeyboardEvent} event */
  move(event) {
    const { grid } = this;
    const from = event.shiftKey ? grid.other : grid.active;
    const page = Math.max(1, Math.floor(grid.element.clientHeight / ROW_HEIGHT) - grid.frozenRows - 2);
    const far = event.ctrlKey || event.metaKey;
    const to = { ...from };
    switch (event.key) {
      case "ArrowUp": to.row = far ? this.jump(from, -1, 0).row : from.row - 1; break;
      case "ArrowDown": to.row = far ? this.jump(from, 1, 0).row : from.row + 1; break;
      case "ArrowLeft": to.column = far ? this.jump(from, 0, -1).column : from.column - 1; break;
      case "ArrowRight": to.column = far ? this.jump(from, 0, 1).column : from.column + 1; break;
      case "PageUp": to.row = from.row - page; break;
      case "PageDown": to.row = from.row + page; break;
      case "Home": to.column = 0; if (far) to.row = 0; break;
      case "End":
        to.column = Math.max(0, grid.sheet.width - 1);
        if (far) to.row = Math.max(0, grid.sheet.rows.length - 1);
        break;
      default: return false;
    }
    if (event.shiftKey) grid.select(grid.active.row, grid.active.column, to);
    else grid.select(to.row, to.column);
    return true;
  }

  /** The next cell at which filled and empty ones meet. @param {{row: number, column: number}} from @param {number} rows @param {number} columns */
  jump(from, rows, columns) {
    const { grid } = this;
    const end = { row: grid.sheet.rows.length - 1, column: grid.sheet.width - 1 };
    const inside = (/** @type {{row: number, column: number}} */ at) =>
      at.row >= 0 && at.column >= 0 && at.row <= Math.max(end.row, from.row) && at.column <= Math.max(end.column, from.column);
    const step = (/** @type {{row: number, column: number}} */ at) => ({ row: at.row + rows, column: at.column + columns });
    let at = step(from);
    if (!inside(at)) return from;
    const run = !grid.free(from.row, from.column) && !grid.free(at.row, at.column);
    for (let next = step(at); inside(next); at = next, next = step(at)) {
      if (run ? grid.free(next.row, next.column) : !grid.free(at.row, at.column)) return at;
    }
    return at;
  }

  selectAll() {
    const { sheet } = this.grid;
    this.grid.select(0, 0, { row: Math.max(0, sheet.rows.length - 1), column: Math.max(0, sheet.width - 1) });
  }

  /** @param {KeyboardEvent} event */
  act(event) {
    const { active } = this.grid;
    if (event.altKey) return false;
    if (event.key === "Enter") this.grid.select(active.row + (event.shiftKey ? -1 : 1), active.column);
    else if (event.key === "F2") this.edit();
    else if (event.key === "Delete" || event.key === "Backspace") this.clear();
    else if (event.key.length === 1) this.edit(event.key);
    else return false;
    return true;
  }

  /** @param {PointerEvent} event */
  point(event) {
    const at = this.under(event);
    if (!at || event.button !== 0) return;
    this.dragging = event.pointerType === "mouse";
    const { grid } = this;
    if (at.row < 0) grid.select(0, at.column, { row: Math.max(0, grid.sheet.rows.length - 1), column: at.column });
    else if (at.column < 0) grid.select(at.row, 0, { row: at.row, column: Math.max(0, grid.sheet.width - 1) });
    else if (event.shiftKey) grid.select(grid.active.row, grid.active.column, at);
    else grid.select(at.row, at.column);
    grid.element.focus();
    if (this.dragging) event.preventDefault();
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (!this.dragging || !(event.buttons & 1)) return;
    const at = this.under(event);
    if (at && at.row >= 0 && at.column >= 0) this.grid.select(this.grid.active.row, this.grid.active.column, at);
  }

  /** The cell, row or column under the pointer; what it does not tell is -1. @param {PointerEvent} event */
  under(event) {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-row], [data-column]");
    if (!(found instanceof HTMLElement)) return null;
    return { row: Number(found.dataset.row ?? -1), column: Number(found.dataset.column ?? -1) };
  }

  /** Lays a field over the active cell, with its content or with what was typed. @param {string} [typed] */
  edit(typed) {
    const { grid } = this;
    const { row, column } = grid.active;
    grid.show(row, column);
    grid.draw();
    const cell = document.getElementById(grid.cellId(row, column));
    if (!cell || this.field) return;
    const field = h("input", {
      class: "editor", "aria-label": `Content of ${grid.address}`, autocomplete: "off", spellcheck: "false",
      value: typed ?? editedText(grid.sheet.cell(row, column)),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.fieldKey(event), onblur: () => this.leave(true),
    });
    const [at, frame] = [cell.getBoundingClientRect(), this.place.getBoundingClientRect()];
    field.style.left = at.left - frame.left + "px";
    field.style.top = at.top - frame.top + "px";
    field.style.minWidth = Math.max(at.width, 80) + "px";
    this.field = field;
    this.place.append(field);
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }

  /** @param {KeyboardEvent} event */
  fieldKey(event) {
    if (event.isComposing) return;
    const { row, column } = this.grid.active;
    if (event.key === "Escape") this.leave(false);
    else if (event.key === "Enter" || event.key === "Tab") {
      this.leave(true);
      const way = event.shiftKey ? -1 : 1;
      this.grid.select(row + (event.key === "Enter" ? way : 0), column + (event.key === "Tab" ? way : 0));
    } else return;
    event.preventDefault();
    this.grid.element.focus();
  }

  /** Takes the field away. @param {boolean} keep whether its text goes into the cell */
  leave(keep) {
    const { field } = this;
    if (!field) return;
    this.field = undefined;
    if (keep) this.type(field.value);
    field.remove();
  }

  /** @param {KeyboardEvent} event */
  barKey(event) {
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    const { active, sheet } = this.grid;
    if (event.key === "Escape") this.bar.value = editedText(sheet.cell(active.row, active.column));
    else this.type(this.bar.value);
    event.preventDefault();
    this.grid.element.focus();
  }

  /** Puts a text into the active cell, if it is another than the one there. @param {string} text */
  type(text) {
    const { active, sheet } = this.grid;
    if (text === editedText(sheet.cell(active.row, active.column))) return;
    this.set(active.row, active.column, [[typedCell(text)]]);
  }

  clear() {
    const { row, column, rows, columns } = this.grid.selection();
    this.set(row, column, filled(rows, columns, () => ({ value: null })));
  }

  /** @param {number} row @param {number} column @param {(NewCell | undefined)[][]} cells */
  set(row, column, cells) {
    void this.document.edit({ kind: "set", sheet: this.grid.sheet.name, row, column, cells });
  }

  /** @param {ClipboardEvent} event */
  copy(event) {
    if (event.target instanceof HTMLInputElement) return;
    const { sheet } = this.grid;
    const { row, column, rows, columns } = this.grid.selection();
    const cells = filled(Math.min(rows, sheet.rows.length - row + 1), columns, (i, k) => sheet.cell(row + i, column + k) ?? { value: null, style: 0 });
    const shown = (/** @type {import("./book.mjs").Cell} */ cell) =>
      shownValue(this.document.value(sheet.name, cell), this.document.book.styles?.style(cell.style).format);
    const text = cells.map((line) => line.map((cell) => quoted(shown(cell))).join("\t")).join("\n");
    event.clipboardData?.setData("text/plain", text);
    this.copied = { text, cells, row, column };
    event.preventDefault();
  }

  /** @param {ClipboardEvent} event */
  cut(event) {
    this.copy(event);
    this.clear();
  }

  /** @param {ClipboardEvent} event */
  paste(event) {
    if (event.target instanceof HTMLInputElement) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    event.preventDefault();
    if (!text) return;
    const at = this.grid.selection();
    const { copied } = this;
    const cells = copied?.text === text
      ? copied.cells.map((line) => line.map((cell) => moved(cell, at.row - copied.row, at.column - copied.column)))
      : pastedRows(text).map((line) => line.map(typedCell));
    const rows = Math.min(cells.length, MAX_ROWS - at.row);
    const columns = Math.min(Math.max(...cells.map((line) => line.length)), MAX_COLUMNS - at.column);
    if (rows * columns > MAX_PASTE) return;
    this.set(at.row, at.column, cells.slice(0, rows).map((line) => line.slice(0, columns)));
    this.grid.select(at.row, at.column, { row: at.row + rows - 1, column: at.column + columns - 1 });
  }
}

/** @template T @param {number} rows @param {number} columns @param {(row: number, column: number) => T} make */
function filled(rows, columns, make) {
  return Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, k) => make(i, k)));
}

/** @param {NewCell} cell @param {number} rows @param {number} columns @returns {NewCell} */
function moved(cell, rows, columns) {
  return cell.formula ? { ...cell, formula: fillFormula(cell.formula, rows, columns), array: undefined } : cell;
}

/** A text as spreadsheet programs put it on the clipboard. @param {string} text */
function quoted(text) {
  return /[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The cells of a text from the clipboard: tabs between columns, and quotes around what holds tabs or lines. @param {string} text */
export function pastedRows(text) {
  const rows = [[""]];
  const pattern = /"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]+)|(\t)|(\r\n|\r|\n)/gy;
  for (let found; (found = pattern.exec(text));) {
    const row = rows[rows.length - 1];
    const [, inQuotes, plain, tab, line] = found;
    if (tab) row.push("");
    else if (line) rows.push([""]);
    else row[row.length - 1] += plain ?? inQuotes.replaceAll('""', '"');
  }
  if (rows.length > 1 && rows[rows.length - 1].length === 1 && rows[rows.length - 1][0] === "") rows.pop();
  return rows;
}
