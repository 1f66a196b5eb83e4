/**
 * A port over a grid in memory, for the tests of the pane: window.book is the document, whose members the tests read and change. It stands
 * in for demo.mjs, which has its own tests.
 */
import { formatLocation, parseLocation } from "../address.mjs";
import { PortError, filtersMark, statusMark } from "../port.mjs";

export async function open(window) {
  const book = (window.book = {
    id: "book-1",
    name: "Quarterly report.xlsx",
    copyOf: undefined,
    sheets: { Data: [], Other: [] },
    marks: {},
    stamps: {},
    settings: {},
    fault: null,
    applied: [],
    selected: { sheet: "Data", row: 1, column: 1, rows: 1, columns: 1 },
    watchers: new Set(),
    host: "SHEETS_A",
    tell(kind) {
      for (const fn of book.watchers) fn({ kind });
    },
    cell(location) {
      const { sheet, row, column } = parseLocation(location);
      return book.sheets[sheet]?.[row]?.[column] ?? null;
    },
    set(location, value) {
      const { sheet, row, column } = parseLocation(location);
      put(book.sheets[sheet], row, column, value);
    },
    insertRowAbove() {
      book.sheets.Data.unshift([]);
      for (const mark of Object.values(book.marks)) mark.row++;
    },
    select(location) {
      book.selected = parseLocation(location);
      book.tell("selection");
    },
    ...window.bookAtStart,
  });
  return {
    host: book.host,
    kind: "demo",
    document: async () => ({ id: book.id, name: book.name, nonce: book.nonce, copyOf: book.copyOf, fresh: book.fresh }),
    ...(book.address !== undefined && { address: async () => book.address }),
    identify: async () => {
      book.nonce ??= crypto.randomUUID();
    },
    adopt: async (own) => {
      if (own) Object.assign(book, { id: `${book.id}-own`, nonce: crypto.randomUUID() });
      else book.id = book.copyOf ?? book.id;
      book.copyOf = undefined;
    },
    selection: async () => ({ ...book.selected }),
    read: async ({ sheet, row, column, rows, columns }) => {
      const grid = book.sheets[sheet] ?? [];
      return {
        cells: Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) => grid[row + r]?.[column + c] ?? null)),
        formulas: [],
      };
    },
    formulas: async () => book.formulas ?? [],
    stamp: async (placementId) => book.stamps[placementId] ?? null,
    apply: async (patch, at) => {
      if (book.fault) throw new PortError(book.fault.code, book.fault.message);
      if (patch.status && patch.status.cell === book.locked) throw new PortError("protected", `${book.locked} is locked.`);
      book.applied.push(patch);
      const { sheet, row, column } = parseLocation(patch.anchor);
      const grid = (book.sheets[sheet] ??= []);
      const wide = Math.max(patch.extent.columns, patch.beside ?? 0);
      for (const shift of patch.shifts ?? []) {
        const old = (r, c) => grid[row + shift.row + r]?.[column + c] ?? null;
        const moved = Array.from({ length: 60 }, (_, r) => Array.from({ length: wide }, (_, c) => old(r, c)));
        each({ row: 0, column: 0, rows: 60, columns: wide }, (r, c) => {
          const from = r - shift.rows;
          put(grid, row + shift.row + r, column + c, from < 0 ? null : (moved[from]?.[c] ?? null));
        });
      }
      for (const one of patch.clear ?? []) each(one, (r, c) => put(grid, row + r, column + c, null));
      for (const { from, cells } of patch.rows ?? []) {
        cells.forEach((line, r) => {
          for (let c = 0; c < patch.extent.columns; c++) put(grid, row + from + r, column + c, line[c] ?? null);
        });
      }
      for (const { sheet: on, row, column, texts } of patch.formulas ?? []) {
        texts.forEach((text, i) => put(book.sheets[on], row + i, column, text));
      }
      book.marks[at.placementId] = { sheet, row, column, rows: patch.extent.rows, columns: patch.extent.columns };
      book.stamps[at.placementId] = patch.stamp;
      for (const [side, id] of [[patch.status, statusMark], [patch.appliedFilters, filtersMark]]) {
        if (!side) continue;
        const cell = parseLocation(side.cell);
        put(grid, cell.row, cell.column, side.text || null);
        book.marks[id(at.placementId)] = { ...cell, sheet };
      }
    },
    parameters: async (list) => {
      if (book.unread) throw new PortError("busy", book.unread);
      const read = list.map(({ id, rect }) => {
        const at = book.marks[id] ?? rect;
        const cells = Array.from({ length: at.rows * at.columns }, (_, i) => ({
          value: book.sheets[at.sheet]?.[at.row + Math.floor(i / at.columns)]?.[at.column + (i % at.columns)] ?? null,
        }));
        return { rect: at, marked: Boolean(book.marks[id]), date1904: false, cells };
      });
      book.onRead?.(); // what happens before the answer has come
      return read;
    },
    marks: async () => Object.entries(book.marks).map(([placementId, rect]) => ({ placementId, rect })),
    mark: async (placementId, rect) => {
      book.marks[placementId] = rect;
    },
    unmark: async (placementId) => {
      delete book.marks[placementId];
    },
    reveal: async (rect) => {
      book.revealed = formatLocation(rect);
      book.selected = rect;
      book.tell("selection");
    },
    watch: (fn) => {
      book.watchers.add(fn);
      return () => book.watchers.delete(fn);
    },
    settings: {
      get: async (key) => book.settings[key] ?? null,
      set: async (key, value) => {
        book.settings[key] = value;
      },
    },
  };
}

function put(grid, row, column, value) {
  while (grid.length <= row) grid.push([]);
  grid[row][column] = value;
}

function each({ row, column, rows, columns }, fn) {
  for (let r = row; r < row + rows; r++) for (let c = column; c < column + columns; c++) fn(r, c);
}
