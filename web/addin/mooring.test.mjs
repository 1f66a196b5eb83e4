import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

import * as address from "./address.mjs";
import { twin as script } from "./bundle.mjs";
import * as checksums from "./checksum.mjs";
import * as arithmetic from "./mooring.mjs";
import { cellOf, hex, rowsOf } from "./vectors.mjs";

const mooring = { ...arithmetic, ...checksums, ...address };
const here = (name) => new URL(name, import.meta.url);
const vectors = JSON.parse(readFileSync(here("../../checksum/testdata/vectors.json"), "utf8"));

/** The module as Apps Script sees it: a plain script, in a world without TextEncoder, WebCrypto and modules. */
function asPlainScript() {
  const world = vm.createContext({});
  vm.runInContext(script(), world);
  return vm.runInContext("Mooring", world);
}

const plain = asPlainScript();

for (const [name, twin] of [["module", mooring], ["plain script", plain]]) {
  test(`${name}: every row has the bytes that Go gives it`, () => {
    assert.ok(vectors.rows.length >= 300);
    for (const { cells, bytes } of vectors.rows) {
      assert.equal(hex(twin.encodeRow(cells.map(cellOf))), bytes, JSON.stringify(cells).slice(0, 200));
    }
  });

  for (const table of vectors.tables) {
    test(`${name}: the checksum of a table of ${table.name}`, async () => {
      const rows = rowsOf(table);
      assert.deepEqual(JSON.parse(JSON.stringify(twin.checksum(rows))), table.checksum);
      assert.deepEqual(JSON.parse(JSON.stringify(await twin.checksumAsync(rows))), table.checksum);
      assert.equal(twin.rowCount(table.checksum), rows.length);
    });
  }

  for (const { name: fact, now, have, spans } of vectors.since) {
    test(`${name}: changed rows: ${fact}`, () => {
      assert.deepEqual(Array.from(twin.changedRows(now, have), ({ from, to }) => [from, to]), spans);
      assert.equal(twin.equalChecksums(now, have), fact === "the same");
    });
  }
}

test("the plain script is a script of one global, without anything of a module", () => {
  const source = script();
  assert.doesNotMatch(source, /^\s*(import|export)\b/m);
  assert.deepEqual(Object.keys(plain).sort(), Object.keys(mooring).sort());
});

test("SHA-256 is the platform's for messages of every length around a block", () => {
  for (let n = 0; n < 200; n++) {
    const message = randomBytes(n);
    assert.equal(hex(mooring.sha256(message)), createHash("sha256").update(message).digest("hex"), `${n} bytes`);
  }
  const long = randomBytes(1 << 20);
  assert.equal(hex(mooring.sha256(long)), createHash("sha256").update(long).digest("hex"));
});

test("cells that only JavaScript has", () => {
  const row = (cell) => hex(mooring.encodeRow([cell]));
  assert.equal(row(undefined), "00");
  assert.equal(row(2n ** 53n), row(2 ** 53));
  assert.equal(row(2n ** 53n + 1n), row("9007199254740993"));
  assert.equal(row("\ud800"), row("\ufffd"));
  assert.equal(hex(plain.encodeRow(["\ud800\udc00\udc00"])), row("\u{10000}\ufffd"));
  assert.equal(row(new Date(2024, 1, 29)), row(45351));
  assert.equal(row(new Date(2024, 6, 1, 12, 30)), row(45474.520833333336));
  assert.equal(row(vm.runInNewContext("new Date(2024, 1, 29)")), row(45351));
  assert.throws(() => mooring.encodeRow([{}]), TypeError);
  assert.throws(() => mooring.encodeRow([[1]]), TypeError);
});

test("serial days are those of the service, before 1900 too", () => {
  assert.equal(mooring.serialDay(new Date(1899, 11, 31)), 1);
  assert.equal(mooring.serialDay(new Date(1899, 11, 29)), -1);
  const early = new Date(2000, 0, 1);
  early.setFullYear(50);
  assert.equal(mooring.serialDay(early), -675696);
});

test("Office.js tells errors by their type, not by their text", () => {
  const cells = mooring.officeCells([["#N/A", "#N/A", 1]], [["Error", "String", "Double"]]);
  assert.deepEqual(cells, [[{ error: "#N/A" }, "#N/A", 1]]);
});

test("locations are read and written in their normal form", () => {
  const b2 = { row: 1, column: 1, rows: 1, columns: 1, range: false };
  const rows = [
    ["Sheet1!B2", { sheet: "Sheet1", ...b2 }, "Sheet1!B2"],
    ["B2", { sheet: "", ...b2 }, "B2"],
    ["'It''s'!$B$2:D20", { sheet: "It's", ...b2, rows: 19, columns: 3, range: true }, "'It''s'!B2:D20"],
    ["Sheet1!d20:b2", { sheet: "Sheet1", ...b2, rows: 19, columns: 3, range: true }, "Sheet1!B2:D20"],
    ["Sheet1!D2:B20", { sheet: "Sheet1", ...b2, rows: 19, columns: 3, range: true }, "Sheet1!B2:D20"],
    ["A1:XFD1048576", { sheet: "", row: 0, column: 0, rows: 1048576, columns: 16384, range: true }, "A1:XFD1048576"],
    ["My Sheet!B2", { sheet: "My Sheet", ...b2 }, "'My Sheet'!B2"],
    ["Hey!You!B2", { sheet: "Hey!You", ...b2 }, "'Hey!You'!B2"],
    ["'Sheet1'!B2", { sheet: "Sheet1", ...b2 }, "Sheet1!B2"],
    ["''''''!B2", { sheet: "''", ...b2 }, "''''''!B2"],
    ["'Q1'!B2", { sheet: "Q1", ...b2 }, "'Q1'!B2"],
    ["'R1C1'!B2", { sheet: "R1C1", ...b2 }, "'R1C1'!B2"],
    ["'2026'!B2", { sheet: "2026", ...b2 }, "'2026'!B2"],
    ["'true'!B2", { sheet: "true", ...b2 }, "'true'!B2"],
    ["גיליון1!B2", { sheet: "גיליון1", ...b2 }, "גיליון1!B2"],
    ["'📈 Q1'!B2", { sheet: "📈 Q1", ...b2 }, "'📈 Q1'!B2"],
    ["Rates!B2", { sheet: "Rates", ...b2 }, "Rates!B2"],
  ];
  for (const [text, want, normal] of rows) {
    assert.deepEqual(mooring.parseLocation(text), want, text);
    assert.equal(mooring.formatLocation(want), normal);
    assert.deepEqual({ ...plain.parseLocation(normal) }, want, normal);
  }
  assert.equal(mooring.formatLocation({ sheet: "S", row: 0, column: 0, rows: 3, columns: 2 }), "S!A1:B3");
});

test("what is no location is refused with a sentence", () => {
  for (const text of ["", "Sheet1!", "!B2", "''!B2", "B", "2", "B0", "B02", "B:B", "2:2", "B2:", "A1:B2:C3", "XFE1", "A1048577", "AAAA1", "'S!B2", "S'!B2", "A:B!C3", "B2 "]) {
    assert.throws(() => mooring.parseLocation(text), { name: "Error", message: /[.]$/ }, text);
  }
});

test("columns have the letters of a spreadsheet", () => {
  for (const [column, name] of [[0, "A"], [25, "Z"], [26, "AA"], [701, "ZZ"], [702, "AAA"], [16383, "XFD"]]) {
    assert.equal(mooring.columnName(column), name);
    assert.equal(mooring.columnIndex(name.toLowerCase()), column);
  }
});
