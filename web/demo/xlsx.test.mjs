/** Reading and writing .xlsx files. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { MemoryStore, workbook } from "./testing/memory.mjs";
import { Document, Held } from "./document.mjs";
import { MAX_COLUMNS } from "./reference.mjs";
import { mergesOf } from "./follow.mjs";
import { readXLSX } from "./xlsx.mjs";
import { FileError, pack, readZip, unpackText, writeZip } from "./zip.mjs";

const demoFile = async () => new Uint8Array(await readFile(new URL("../../cmd/mooring/demo/demodata/states.xlsx", import.meta.url)));

const cell = (r, inner, more = "") => `<c r="${r}"${more}>${inner}</c>`;
const rows = (text) => `<sheetData>${text}</sheetData>`;
const values = (sheet) => sheet.rows.map((row) => row.cells.map((c) => c?.value ?? null));

test("every way to write a cell is read", async () => {
  const shared = `<sst><si><t>plain</t></si>` +
    `<si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></si><si><t>_x0041_&amp;&#x1F600;</t></si></sst>`;
  const text = rows(`<row r="1">${["A1", "B1", "C1"].map((r, i) => cell(r, `<v>${i}</v>`, ' t="s"')).join("")}</row>` +
    `<row r="2">${cell("A2", "<is><t>in</t><t>line</t></is>", ' t="inlineStr"')}` +
    `${cell("B2", "<v>1.5E3</v>")}${cell("C2", "<v>1</v>", ' t="b"')}` +
    `${cell("D2", "<v>#N/A</v>", ' t="e"')}${cell("E2", "<f>A1&amp;B1</f><v>plainrich</v>", ' t="str"')}</row>` +
    `<row><c><v>7</v></c><c t="str"><f t="shared" ref="B3:B4" si="0">A3*2+$A$3</f><v>21</v></c></row>` +
    `<row><c/><c><f t="shared" si="0"/></c></row>`);
  const rels = (await demoLikeRels("sharedStrings", "sharedStrings.xml"));
  const { book } = await readXLSX(await workbook({ S: text }, { "xl/sharedStrings.xml": shared, "xl/_rels/workbook.xml.rels": rels }));
  const [sheet] = book.sheets;
  assert.deepEqual(values(sheet), [
    ["plain", "rich", "A&😀"], ["inline", 1500, true, { error: "#N/A" }, "plainrich"], [7, "21"], [null, null],
  ]);
  assert.equal(sheet.cell(1, 4).formula, "=A1&B1");
  assert.equal(sheet.cell(3, 1).formula, "=A4*2+$A$3");
});

async function demoLikeRels(kind, target) {
  const base = await unpackText(readZip(await workbook({ S: "<sheetData/>" })).get("xl/_rels/workbook.xml.rels"));
  return base.replace("</Relationships>", `<Relationship Id="t" Type="x/${kind}" Target="${target}"/></Relationships>`);
}

test("prefixes, comments and sections of characters are read", async () => {
  const xml = `<x:worksheet xmlns:x="m"><!-- <sheetData> --><x:sheetData><x:row r="2"><x:c r="B2" t="inlineStr">` +
    `<x:is><x:t><![CDATA[a<b]]></x:t></x:is></x:c>` +
    `</x:row></x:sheetData></x:worksheet>`;
  const file = await readXLSX(await workbook({ S: "" }, { "xl/worksheets/sheet1.xml": xml }));
  assert.equal(file.book.sheets[0].cell(1, 1).value, "a<b");
  file.book.apply({ kind: "set", sheet: "S", row: 0, column: 0, cells: [[{ value: "new" }]] });
  const again = await readXLSX(await file.write());
  assert.deepEqual([again.book.sheets[0].cell(0, 0).value, again.book.sheets[0].cell(1, 1).value], ["new", "a<b"]);
});

test("what is not changed is written as it came, byte for byte", async () => {
  const bytes = await demoFile();
  const file = await readXLSX(bytes);
  file.book.apply({ kind: "set", sheet: "States", row: 0, column: 0, cells: [[{ value: "Ours" }]] });
  const written = readZip(await file.write());
  const changed = [];
  for (const [name, part] of readZip(bytes)) {
    if (Buffer.compare(part.packed, written.get(name).packed) !== 0) changed.push(name);
  }
  assert.deepEqual(changed.sort(), ["xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"]); // the second's formulas got values
});

test("all that refers to cells follows an inserted row", async () => {
  const file = await readXLSX(await demoFile());
  const { book } = file;
  book.apply({ kind: "name", name: "_mooring_p", reference: "'States'!$A$5:$E$56" });
  book.apply({ kind: "shift", sheet: "States", row: 4, rows: 2, column: 0, columns: MAX_COLUMNS });
  const again = await readXLSX(await file.write());
  assert.equal(again.book.names[0].reference, "'States'!$A$7:$E$58");
  assert.equal(again.book.sheet("Summary").cell(3, 1).formula, "=SUMIF(States!$B$8:$B$58,$A4,States!C$8:C$58)");
  assert.equal(again.book.sheet("States").cell(15, 6).formula, "=D16-C16");
  const parts = readZip(await file.write());
  assert.match(await unpackText(parts.get("xl/comments1.xml")), /ref="A7"/);
  assert.match(await unpackText(parts.get("xl/drawings/vmlDrawing1.vml")), /<x:Row>6<|<x:Anchor>0, 23, 6,/);
});

test("merges, rules and links follow rows, and go with them", async () => {
  const text = '<sheetData/><mergeCells count="2"><mergeCell ref="A2:B3"/><mergeCell ref="A5:A6"/></mergeCells>' +
    '<conditionalFormatting sqref="A1:A9 C5"><cfRule type="expression"><formula>$A5&gt;A$1</formula></cfRule></conditionalFormatting>';
  const { book } = await readXLSX(await workbook({ S: text }));
  const part = book.sheets[0].part;
  const undo = book.apply({ kind: "shift", sheet: "S", row: 4, rows: -2, column: 0, columns: MAX_COLUMNS });
  assert.deepEqual(mergesOf(book.texts.get(part)).map((m) => m.row), [1]);
  assert.match(book.texts.get(part), /sqref="A1:A7"/);
  assert.match(book.texts.get(part), /<formula>#REF!&gt;A\$1</);
  for (const change of undo) book.apply(change);
  assert.deepEqual(mergesOf(book.texts.get(part)).map((m) => m.row), [1, 4]);
  assert.match(book.texts.get(part), /sqref="A1:A9 C5"/);
});

test("the order of calculation is dropped with its relation", async () => {
  const rels = await demoLikeRels("calcChain", "calcChain.xml");
  const file = await readXLSX(await workbook({ S: rows("") }, { "xl/calcChain.xml": "<calcChain/>", "xl/_rels/workbook.xml.rels": rels }));
  file.book.apply({ kind: "set", sheet: "S", row: 0, column: 0, cells: [[{ value: 1, formula: "=1" }]] });
  const parts = readZip(await file.write());
  assert.ok(!parts.has("xl/calcChain.xml"));
  assert.doesNotMatch(await unpackText(parts.get("xl/_rels/workbook.xml.rels")), /calcChain/);
});

const hostile = {
  "no zip": async () => new TextEncoder().encode("hello, this is no zip at all, not at all"),
  "cut off": async () => (await demoFile()).subarray(0, 9000),
  "its directory cut off": async () => {
    const bytes = await demoFile();
    return Uint8Array.from([...bytes.subarray(0, 4000), ...bytes.subarray(bytes.length - 22)]);
  },
  "no workbook": async () => writeZip([await pack("a", "b")]),
  "a part that says it is smaller than it is": async () => damaged((part) => ({ ...part, size: 10 })),
  "a part with another checksum": async () => damaged((part) => ({ ...part, crc: 1 })),
  "a part of 4 GB": async () => damaged((part) => ({ ...part, size: 0xfffffff0 })),
  "a document type": () =>
    workbook({ S: "" }, { "xl/worksheets/sheet1.xml": '<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet><sheetData/></worksheet>' }),
  "a row beyond the last": () => workbook({ S: rows('<row r="99999999"><c/></row>') }),
  "a column beyond the last": () => workbook({ S: rows('<row r="1"><c r="ZZZ1"/></row>') }),
  "a tag without an end": () => workbook({ S: '<sheetData><row r="1"><c r="A1"><v>1</v' }),
};

async function damaged(change) {
  const parts = readZip(await workbook({ S: "<sheetData/>" }));
  return writeZip([...parts.values()].map((part) => (part.name === "xl/worksheets/sheet1.xml" ? change(part) : part)));
}

for (const [name, make] of Object.entries(hostile)) {
  test(`refused with a sentence: ${name}`, async () => {
    const bytes = await make();
    await assert.rejects(readXLSX(bytes), (error) => error instanceof FileError && /^[A-Z].*[.]$/.test(error.message));
  });
}

test("20,000 rows are read and written within seconds", async () => {
  const line = (i) => `<row r="${i + 1}">${["A", "B", "C", "D", "E"].map((c) => cell(c + (i + 1), `<v>${i}</v>`)).join("")}</row>`;
  const file = await readXLSX(await workbook({ S: rows(Array.from({ length: 20_000 }, (_, i) => line(i)).join("")) }));
  assert.equal(file.book.sheets[0].cell(19_999, 4).value, 19_999);
  file.book.apply({ kind: "shift", sheet: "S", row: 0, rows: 1, column: 0, columns: MAX_COLUMNS });
  const again = await readXLSX(await file.write());
  assert.equal(again.book.sheets[0].cell(20_000, 4).value, 19_999);
});

// ---- saving -----------------------------------------------------------------------------------------------------

const typed = (row, value) => ({ kind: "set", sheet: "S", row, column: 0, cells: [[{ value }]] });
const column = (document) => Array.from(document.book.sheet("S").rows, (row) => row?.cells[0]?.value ?? null);
const stored = async (store) => column({ book: (await readXLSX(store.bytes)).book });

async function opened(...lines) {
  const text = rows(lines.map((value, i) => `<row r="${i + 1}">${cell("A" + (i + 1), `<v>${value}</v>`)}</row>`).join(""));
  const store = new MemoryStore(await workbook({ S: text }));
  return { store, document: await Document.open(store) };
}

/** Another program writes one cell of the stored file. */
async function otherWrites(store, row, value) {
  const file = await readXLSX(store.bytes);
  file.book.apply(typed(row, value));
  store.replace(await file.write());
}

test("changes are saved, undone and made again", async () => {
  const { store, document } = await opened(1, 2, 3);
  await document.edit(typed(1, "x"));
  await document.edit({ kind: "sort", sheet: "S", row: 0, column: 0, rows: 3, columns: 1, by: 0, descending: true });
  assert.deepEqual(await stored(store), ["x", 3, 1]);
  await document.undo();
  await document.undo();
  assert.deepEqual(await stored(store), [1, 2, 3]);
  await document.redo();
  assert.deepEqual(await stored(store), [1, "x", 3]);
});

test("a change is made again on what others wrote, and neither is lost", async () => {
  const { store, document } = await opened(3, 1, 2);
  await otherWrites(store, 1, 9);
  await document.edit({ kind: "sort", sheet: "S", row: 0, column: 0, rows: 3, columns: 1, by: 0, descending: false }, typed(4, "mine"));
  assert.deepEqual(await stored(store), [2, 3, 9, null, "mine"]);
  assert.deepEqual(column(document), [2, 3, 9, null, "mine"]);
});

test("changes made while the file is being read again are kept", async () => {
  const { store, document } = await opened(1, 2);
  await otherWrites(store, 0, "theirs");
  const looking = document.look();
  void document.edit(typed(1, "mine"));
  await looking;
  await document.save();
  assert.deepEqual(await stored(store), ["theirs", "mine"]);
});

test("a row inserted once is inserted once, though the server did not answer", async () => {
  const { store, document } = await opened(1, 2);
  store.faults = [new TypeError("fetch failed"), new Held("open elsewhere")];
  store.lost = 1;
  const states = [];
  document.listen(({ kind }) => kind === "state" && states.push(document.state));
  await document.edit({ kind: "shift", sheet: "S", row: 1, rows: 1, column: 0, columns: MAX_COLUMNS });
  assert.deepEqual(await stored(store), [1, null, 2]);
  assert.deepEqual(states, ["saving", "offline", "waiting", "offline", "saved"]);
});

test("what is written for the pane is written to the state that it saw, or not at all", async () => {
  const { store, document } = await opened(1, 2);
  await otherWrites(store, 0, "theirs");
  await assert.rejects(document.write(() => [typed(1, "pane's")]), { name: "Stale" });
  assert.deepEqual(column(document), ["theirs", 2]);
  await document.write(() => [typed(1, "pane's")]);
  assert.deepEqual(await stored(store), ["theirs", "pane's"]);
});
