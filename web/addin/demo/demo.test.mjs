/** The port to the demo's sheet, over a real .xlsx file in memory. */
import { test } from "node:test";

import { Document } from "../../demo/document.mjs";
import { MAX_COLUMNS, absoluteReference, parseCell, parseReference } from "../../demo/reference.mjs";
import { MemoryStore, workbook } from "../../demo/testing/memory.mjs";
import { DemoPort } from "./demo.mjs";
import { conformance } from "../testing/conformance.mjs";

/** A person at the document. */
function editorOf(book, edit) {
  const at = (sheet, cell) => ({ sheet, ...parseCell(cell) });
  return {
    set(sheet, cell, { format, ...change }) {
      const cells = [[{ value: change.value ?? null, formula: change.formula }]];
      if ("value" in change || "formula" in change) edit({ kind: "set", ...at(sheet, cell), cells });
      if (format !== undefined) edit({ kind: "format", ...at(sheet, cell), rows: 1, columns: 1, format });
    },
    get(sheet, cell) {
      const { row, column } = parseCell(cell);
      const { value = null, formula = "", style = 0 } = book().sheet(sheet).cell(row, column) ?? {};
      const { format } = book().styles.style(style);
      return { value, formula, format: format === "General" ? "" : format };
    },
    insertRows: (sheet, row, n) => edit({ kind: "shift", sheet, row: row - 1, rows: n, column: 0, columns: MAX_COLUMNS }),
    deleteRows: (sheet, row, n) => edit({ kind: "shift", sheet, row: row - 1, rows: -n, column: 0, columns: MAX_COLUMNS }),
    renameSheet(sheet, name) {
      book().sheet(sheet).name = name;
      for (const n of book().names) n.reference = absoluteReference({ ...parseReference(n.reference), sheet: name });
    },
    deleteSheet(sheet) {
      book().sheets = book().sheets.filter((s) => s.name !== sheet);
      for (const n of book().names) n.reference = "#REF!";
    },
    table(sheet, range, headings = true) {
      const part = `xl/tables/table${book().texts.size}.xml`;
      book().sheet(sheet).parts.push(part);
      book().texts.set(part, `<table id="1" name="T" displayName="T" ref="${range}"${headings ? "" : ' headerRowCount="0"'}><tableColumns/></table>`);
    },
    protect(sheet) {
      book().sheet(sheet).protected = true;
    },
  };
}

async function newRig() {
  const empty = "<sheetData/>";
  const document = await Document.open(new MemoryStore(await workbook({ Data: empty, Other: empty })));
  return rigOf(document, new Map());
}

function rigOf(document, kept) {
  let selected = { sheet: "Data", row: 0, column: 0, rows: 1, columns: 1 };
  const settings = { get: (key) => kept.get(key) ?? null, set: (key, value) => (value === null ? kept.delete(key) : kept.set(key, value)) };
  const desk = {
    id: "states.xlsx", document, settings, selection: () => selected, watchSelection: () => () => {},
    reveal(rect) {
      selected = rect;
    },
  };
  return {
    port: new DemoPort(desk), sheet: "Data", other: "Other", longest: 32_767,
    editor: editorOf(() => document.book, (change) => void document.edit(change)),
    revision: () => document.book.version,
    reopen: () => rigOf(document, kept),
  };
}

conformance(test, "demo", newRig);
