/**
 * What a port has to do, whatever the spreadsheet: the cases of Go's refresh/host/hosttest, and those that only a pane meets. A rig is a
 * port to a fresh document with two empty sheets of at least 60 × 26 cells, and the ways in which a person changes that document.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { formatLocation, parseCell, parseLocation } from "../address.mjs";
import { encodeRow } from "../mooring.mjs";
import { follow, parameterMark, parameterMarks } from "../parameters.mjs";
import { PortError, REQUEST_SIZE, filtersMark, statusMark } from "../port.mjs";
import { cellOf } from "../vectors.mjs";

/** @typedef {import("../port.mjs").Port} Port */
/** @typedef {import("../port.mjs").Cell} Cell */
/** @typedef {import("../port.mjs").Patch} Patch */
/** @typedef {import("../port.mjs").PatchCell} PatchCell */
/** @typedef {import("../port.mjs").Rect} Rect */

/**
 * A person at the document; cells are in A1 form, rows count from 1. What is optional is left out where the document has no such thing.
 *
 * @typedef {object} Editor
 * @property {(sheet: string, cell: string, change: {value?: Cell, formula?: string, format?: string}) => void} set formula with its =,
 *   value then being what it shows
 * @property {(sheet: string, cell: string) => {value: Cell, formula: string, format: string}} get format "" for the general one
 * @property {(sheet: string, row: number, n: number) => void} [hideRows]
 * @property {(sheet: string, row: number) => boolean} [hidden]
 * @property {(sheet: string, row: number, n: number) => void} insertRows above row
 * @property {(sheet: string, row: number, n: number) => void} deleteRows
 * @property {(sheet: string, name: string) => void} renameSheet
 * @property {(sheet: string) => void} deleteSheet
 * @property {(sheet: string, from: string, to: string) => void} [cut] cuts a range and pastes it
 * @property {(sheet: string, name: string) => void} [copySheet]
 * @property {(sheet: string, range: string) => void} [merge]
 * @property {(sheet: string, range: string, headings?: boolean) => void} [table] makes a range a table; its first row has headings unless told
 * @property {(sheet: string) => void} [protect]
 * @property {(sheet: string, range: string) => void} [unlock] lets a protected sheet be edited there
 */

/**
 * @typedef {object} Rig
 * @property {Port} port
 * @property {string} sheet
 * @property {string} other
 * @property {Editor} editor
 * @property {() => number} revision changes whenever the document does
 * @property {number} longest characters that a cell holds
 * @property {() => void} [count1904] has the document count dates from 1904
 * @property {() => number} [largest] the size of the largest request so far
 * @property {() => Rig} [copy] the document's file copied, and opened
 * @property {() => Rig} [reopen] the same document in another pane
 */

const ID = "Plc-1.x";
const ANCHOR = { row: 3, column: 2 }; // C4, so that there is a neighbourhood on all sides

/** @type {{name: string, needs?: (rig: Rig) => unknown, run: (rig: Rig) => Promise<void>}[]} */
export const cases = [
  { name: "every kind of cell comes back with the same bytes", run: roundTrip },
  { name: "cells of the shared vectors come back with the bytes that Go has for them", run: vectors },
  { name: "text that looks like a formula, a number, a date or an error stays text", run: injection },
  { name: "cells in the format of text hold what they are given", run: textFormat },
  { name: "dates get their number format, and lose it", run: dates },
  { name: "cells around the block stay", run: neighbours },
  { name: "a block that shrinks clears what it leaves", run: shrinks },
  { name: "one changed row is one row written", run: oneRow },
  { name: "an unchanged block is not written", run: unchanged },
  { name: "rows of cells shift, with what stands below in their columns", run: shifts },
  { name: "columns beside a block shift along with it", run: shiftsBeside },
  { name: "a table that begins with a block is told with all its columns, and shifts with them", needs: ({ editor, port }) => editor.table && port.tableColumns, run: shiftsTable },
  { name: "other tables are none of a block's", needs: ({ editor, port }) => editor.table && port.tableColumns, run: otherTables },
  { name: "as many shifts as a plan has at most are made", run: manyShifts },
  { name: "hidden rows show what moves into them, and the rows that a block gains", needs: ({ port }) => port.kind !== "demo", run: showsHidden },
  { name: "what was hidden, or is nothing, stays hidden", needs: ({ port }) => port.kind !== "demo", run: keepsHidden },
  { name: "formulas around a block are written where they stand after its shifts", run: writesAround },
  { name: "a formula around a block that changed since it was listed is not written over", run: changedAround },
  { name: "a block whose formula stands on a protected sheet is not written", needs: ({ editor }) => editor.protect, run: protectedAround },
  { name: "formulas are seen with their texts and values", run: seesFormulas },
  { name: "the formulas of all sheets are listed, up to a number", needs: ({ port }) => port.formulas, run: listsFormulas },
  { name: "a formula is written, or left as it stands", run: writesFormulas },
  { name: "what lies outside the sheet is empty", run: outside },
  { name: "a status is written into its cell, and marked", run: status },
  { name: "a status cell below a block that shifts moves along", run: statusShifts },
  { name: "what a block is filtered by is written above it beside a status, and emptied", run: above },
  { name: "a status cell that changed between reading and applying is not written over", run: changedStatus },
  { name: "a large block is written in requests of a bounded size", run: large },
  { name: "a text too long for a cell is refused before anything is written", run: tooLong },
  { name: "the mark follows inserted rows", run: followsRows },
  { name: "the mark covers rows inserted and deleted inside", run: growsWithRows },
  { name: "the mark follows cut and paste", needs: ({ editor }) => editor.cut, run: followsCut },
  { name: "the mark follows a renamed sheet", run: followsSheet },
  { name: "a deleted sheet loses the mark, and is gone", run: losesSheet },
  { name: "a mark whose rows were deleted is lost, and can be set again", run: losesRows },
  { name: "a copied sheet's mark is not followed", needs: ({ editor }) => editor.copySheet, run: copiedSheet },
  { name: "a block can be marked without writing it, and unmarked", run: marksOnly },
  { name: "a stamp is kept beside the mark", run: keepsStamp },
  { name: "cells of parameters are read where they were last, until they have marks", needs: ({ port }) => port.parameters, run: readsParameters },
  { name: "cells of parameters say what they are", needs: ({ port }) => port.parameters, run: typedParameters },
  { name: "cells of parameters that cannot be read hinder no others", needs: ({ port }) => port.parameters, run: refusedParameters },
  { name: "cells of parameters whose marked cells were deleted are said to be, whatever stands there now", needs: ({ port }) => port.parameters, run: deletedParameters },
  { name: "cells of parameters are followed", needs: ({ port }) => port.parameters, run: followsParameters },
  { name: "cells of parameters are marked where a block's patch has moved them", needs: ({ port }) => port.parameters, run: shiftsParameters },
  { name: "a mark left behind is taken over", run: takesOver },
  { name: "marks of placements with similar ids differ", run: tellsApart },
  { name: "cells that changed between reading and applying are not written over", run: changedCells },
  { name: "cells that changed elsewhere do not hinder", run: changedElsewhere },
  { name: "a block that moved between reading and applying is not written", run: movedBlock },
  { name: "a protected sheet is not written, and said to be so", needs: ({ editor }) => editor.protect, run: protectedSheet },
  { name: "a block of which some cells are locked is not written in part", needs: ({ editor }) => editor.unlock, run: partlyProtected },
  { name: "a document keeps its id once it says it, and nothing before", needs: ({ reopen }) => reopen, run: identified },
  { name: "a copied document is told as a copy until that is decided", needs: ({ copy, port }) => copy && !port.address, run: copiedDocument },
  { name: "a copy can be made a document of its own", needs: ({ copy }) => copy, run: ownDocument },
  { name: "settings are kept in the document", needs: ({ reopen }) => reopen, run: settings },
  { name: "the selection is what was revealed", run: reveals },
];

/**
 * Runs the suite.
 * @param {(name: string, run: (t: {skip(why: string): void}) => Promise<void>) => unknown} test
 * @param {string} host
 * @param {() => Rig | Promise<Rig>} makeRig
 */
export function conformance(test, host, makeRig) {
  for (const { name, needs, run } of cases) {
    test(`${host}: ${name}`, async (t) => {
      const rig = await makeRig();
      if (needs && !needs(rig)) return t.skip("the document has no such thing");
      await run(rig);
    });
  }
}

// ---- helpers ---------------------------------------------------------------------------------------------------

/**
 * A table with a header and n rows.
 * @param {number} n
 * @returns {Cell[][]}
 */
function people(n) {
  const rows = Array.from({ length: n }, (_, i) => [`${String.fromCharCode(97 + (i % 26))}-person`, 20 + i, i % 2 === 0]);
  return [["name", "age", "member"], ...rows];
}

/** @param {PatchCell[][]} table */
function extent(table) {
  return { rows: table.length, columns: Math.max(...table.map((row) => row.length)) };
}

/**
 * A patch that writes rows of a table; all of them unless told.
 * @param {Rig} rig
 * @param {PatchCell[][]} table
 * @param {Partial<Patch> & {spans?: [number, number][]}} [more]
 * @returns {Patch}
 */
function patchOf({ sheet }, table, { spans = [[0, table.length]], ...more } = {}) {
  const rows = spans.map(([from, to]) => ({ from, to, cells: table.slice(from, to) }));
  return { anchor: `'${sheet.replace(/'/g, "''")}'!C4`, extent: extent(table), rows, ...more };
}

/**
 * @param {Rig} rig
 * @param {Partial<Rect>} [more]
 * @returns {Rect}
 */
function blockRect({ sheet }, more = {}) {
  return { sheet, ...ANCHOR, rows: 6, columns: 3, ...more };
}

/**
 * Reads and writes as the pane does.
 * @param {Rig} rig
 * @param {PatchCell[][]} table
 * @param {Partial<Patch> & {spans?: [number, number][]}} [more]
 */
async function place(rig, table, more) {
  await rig.port.marks();
  await rig.port.read(blockRect(rig, extent(table)));
  await rig.port.apply(patchOf(rig, table, more), { sheet: rig.sheet, placementId: ID });
}

/**
 * Checks that a rectangle holds exactly a table, byte by byte of its encoding, and nothing below or beside it.
 * @param {Rig} rig
 * @param {Cell[][]} want
 * @param {Partial<Rect>} [at]
 */
async function holds(rig, want, at = {}) {
  const { rows, columns } = extent(want);
  const { cells } = await rig.port.read(blockRect(rig, { rows: rows + 1, columns: columns + 1, ...at }));
  cells.forEach((row, i) => {
    const wanted = want[i] ?? [];
    assert.deepEqual([...encodeRow(row)], [...encodeRow(wanted)], `row ${i}: got ${JSON.stringify(row)}, want ${JSON.stringify(wanted)}`);
  });
}

/**
 * Checks that a port refuses with a sentence for the person.
 * @param {Promise<unknown>} refused
 * @param {import("../port.mjs").PortCode} code
 */
async function refuses(refused, code) {
  const error = await refused.then(() => null, (reason) => reason);
  assert.ok(error instanceof PortError, `want a PortError, got ${error}`);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, /^[A-Z].*[.]$/);
}

/**
 * @param {Rig} rig
 * @param {string} [id]
 */
async function markOf({ port }, id = ID) {
  const found = (await port.marks()).filter(({ placementId }) => placementId === id);
  assert.ok(found.length <= 1, "a placement has one mark");
  return found[0]?.rect ?? null;
}

const STATUS = statusMark(ID);

/** @param {number} rows */
function refreshed(rows) {
  return `Refreshed 2026-11-21 07:00 · ${rows} rows changed`;
}

/**
 * @param {Rig} rig
 * @param {number} row
 * @param {number} column
 */
function statusRect({ sheet }, row, column) {
  return { sheet, row, column, rows: 1, columns: 1 };
}

/** @type {[string, Cell][]} */
const AROUND = [["C3", "above"], ["B4", "left"], ["B6", 7], ["F5", true], ["D10", "below"]];

/** @param {Rig} rig */
function surround({ editor, sheet }) {
  for (const [cell, value] of AROUND) editor.set(sheet, cell, { value });
}

/** @param {Rig} rig */
function stillSurrounded({ editor, sheet }) {
  for (const [cell, value] of AROUND) assert.deepEqual(editor.get(sheet, cell).value, value, cell);
}

// ---- cells -----------------------------------------------------------------------------------------------------

/** @param {Rig} rig */
async function roundTrip(rig) {
  /** @type {Cell[][]} */
  const table = [
    ["text", "number", "other"],
    ["plain", 0, true],
    [" spaces  kept ", -1.5, false],
    ["two\nlines\tand a tab", 1 / 3, { error: "#N/A" }],
    ['<a href="x">&amp;</a> \'quoted\'', 1.7976931348623157e308, { error: "#DIV/0!" }],
    ["Grüße, 日本, 👩‍👩‍👧", 5e-324, { error: "#VALUE!" }],
    ["_x0041_ and _x005F_", 2 ** 53, { error: "#REF!" }],
    ["'leading apostrophe", -123456789.12345679, { error: "#NAME?" }],
    ["#N/A", 1e21, { error: "#NUM!" }],
    ["TRUE", 123456789012345, { error: "#NULL!" }],
    ["0042", 45000.25, null],
    ["zero\u200bwidth", 0.1, null],
    [null, null, null],
    [null, null, "after gaps"],
    ["long ".repeat(6000), null, null],
  ];
  await place(rig, table);
  await holds(rig, table);
}

const ERRORS = /^#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A)$/; // that all spreadsheets have

/**
 * Reports whether a cell of the vectors can stand in any spreadsheet.
 * @param {unknown} cell
 * @returns {cell is Cell}
 */
function holdable(cell) {
  if (typeof cell === "number") return Number.isFinite(cell);
  if (typeof cell === "string") return cell.length < 30_000 && !/[\0-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]/u.test(cell);
  if (typeof cell === "object" && cell !== null) return "error" in cell && ERRORS.test(String(cell.error));
  return true;
}

/** @param {Rig} rig */
async function vectors(rig) {
  const { rows } = JSON.parse(readFileSync(new URL("../../../checksum/testdata/vectors.json", import.meta.url), "utf8"));
  /** @type {Cell[][]} */
  const table = rows.map((/** @type {any} */ { cells }) => cells.map(cellOf)).filter((/** @type {unknown[]} */ row) => row.every(holdable));
  assert.ok(table.length > 150, `${table.length} rows can stand in a spreadsheet`);
  await place(rig, table.map((row) => row.map((cell) => cell ?? null)));
  await holds(rig, table);
}

/** @param {Rig} rig */
async function injection(rig) {
  const texts = [
    "=1+1", "+1+1", "-1+1", "@SUM(A1)", '=HYPERLINK("http://example.com","x")', "=cmd|' /C calc'!A0", "\t=1+1", "'=1+1", "001",
    "1e5", "12:30", "2024-02-29", "50%", "$5", "FALSE", "{=1}", "=", "'", "#REF!", "123456789012345678",
  ];
  const table = texts.map((text) => [text]);
  await place(rig, table);
  await holds(rig, table);
  const { formulas } = await rig.port.read(blockRect(rig, extent(table)));
  assert.deepEqual(formulas, []);
  texts.forEach((text, i) => {
    const { value, formula } = rig.editor.get(rig.sheet, `C${4 + i}`);
    assert.deepEqual([value, formula], [text, ""]);
  });
}

/** @param {Rig} rig */
async function textFormat(rig) {
  for (const cell of ["C4", "C5", "C6", "C7", "D5"]) rig.editor.set(rig.sheet, cell, { format: "@" });
  const table = [["=head", "b"], [17, true], ["'x", 1.5], [{ error: "#N/A" }, null]];
  await place(rig, table);
  await holds(rig, table);
}

/** @param {Rig} rig */
async function dates(rig) {
  await place(rig, [["day", "n"], [45000, 1], [45001.5, 2]], { formats: ["yyyy-mm-dd", ""] });
  await holds(rig, [["day", "n"], [45000, 1], [45001.5, 2]]);
  const formats = () => ["C4", "C5", "C6", "D5", "D6"].map((cell) => rig.editor.get(rig.sheet, cell).format);
  assert.deepEqual(formats(), ["", "yyyy-mm-dd", "yyyy-mm-dd", "", ""]);
  await place(rig, [["n", "day"], [1, 45000], [2, 45001.5]], { formats: ["General", "yyyy-mm-dd"] });
  await holds(rig, [["n", "day"], [1, 45000], [2, 45001.5]]);
  assert.deepEqual(formats(), ["", "", "", "yyyy-mm-dd", "yyyy-mm-dd"]);
}

/** @param {Rig} rig */
async function neighbours(rig) {
  surround(rig);
  await place(rig, people(5));
  stillSurrounded(rig);
  const { cells } = await rig.port.read(blockRect(rig));
  assert.deepEqual(cells, people(5));
}

/** @param {Rig} rig */
async function shrinks(rig) {
  surround(rig);
  await place(rig, people(5));
  const small = [["name", "age"], ["a-person", 20]];
  const clear = [{ row: 2, column: 0, rows: 4, columns: 3 }, { row: 0, column: 2, rows: 2, columns: 1 }];
  await place(rig, small, { spans: [], clear });
  const { cells } = await rig.port.read(blockRect(rig));
  assert.deepEqual(cells, [...small.map((row) => [...row, null]), ...Array.from({ length: 4 }, () => [null, null, null])]);
  assert.deepEqual(await markOf(rig), blockRect(rig, { rows: 2, columns: 2 }));
  stillSurrounded(rig);
}

/** @param {Rig} rig */
async function oneRow(rig) {
  await place(rig, people(4));
  rig.editor.set(rig.sheet, "C6", { value: "typed" });
  const table = people(4);
  table[3] = ["new", null, 3];
  await place(rig, table, { spans: [[3, 4]] });
  const values = ["C5", "C6", "C7", "D7", "E7"].map((cell) => rig.editor.get(rig.sheet, cell).value);
  assert.deepEqual(values, ["a-person", "typed", "new", null, 3]);
}

/** @param {Rig} rig */
async function unchanged(rig) {
  await place(rig, people(4));
  const before = rig.revision();
  await place(rig, people(4), { spans: [] });
  assert.equal(rig.revision(), before);
}

/** @param {Rig} rig */
async function shifts(rig) {
  surround(rig);
  rig.editor.set(rig.sheet, "H4", { formula: "=SUM(D4:D9)", value: 0 });
  await place(rig, people(4));
  const old = people(4);
  const table = [old[0], ["first", 1, null], ["second", 2, null], old[1], old[2], old[4]];
  await place(rig, table, { spans: [[1, 3]], shifts: [{ row: 1, rows: 2 }, { row: 5, rows: -1 }] });
  const { cells } = await rig.port.read(blockRect(rig));
  assert.deepEqual(cells, table);
  assert.deepEqual(await markOf(rig), blockRect(rig, extent(table)));
  assert.equal(rig.editor.get(rig.sheet, "D11").value, "below");
  assert.equal(rig.editor.get(rig.sheet, "B6").value, 7);
  assert.equal(rig.editor.get(rig.sheet, "F5").value, true);
}

/**
 * Lets a block of three people, with a total in the row below, grow by two.
 * @param {Rig} rig
 */
async function growsAbove({ port, sheet, ...rig }) {
  const patch = patchOf({ port, sheet, ...rig }, people(5), { spans: [[4, 6]], shifts: [{ row: 4, rows: 2 }] });
  return port.apply(patch, { sheet, placementId: ID });
}

/** @param {Rig} rig */
async function showsHidden(rig) {
  await place(rig, people(3));
  rig.editor.set(rig.sheet, "D8", { value: "total" });
  rig.editor.set(rig.sheet, "H10", { value: "beside" });
  rig.editor.hideRows?.(rig.sheet, 9, 3);
  assert.deepEqual(await growsAbove(rig), { shown: [8, 9] });
  assert.deepEqual([9, 10, 11].map((row) => rig.editor.hidden?.(rig.sheet, row)), [false, false, true]);
}

/** @param {Rig} rig */
async function keepsHidden(rig) {
  await place(rig, people(3));
  rig.editor.set(rig.sheet, "D10", { value: "total" });
  rig.editor.set(rig.sheet, "H15", { value: "beside" });
  rig.editor.hideRows?.(rig.sheet, 10, 1);
  rig.editor.hideRows?.(rig.sheet, 12, 4);
  assert.deepEqual(await growsAbove(rig), {});
  assert.deepEqual([12, 15].map((row) => rig.editor.hidden?.(rig.sheet, row)), [true, true]);
}

/** @param {Rig} rig */
async function shiftsBeside(rig) {
  await place(rig, people(3));
  rig.editor.set(rig.sheet, "G6", { value: "along" });
  rig.editor.set(rig.sheet, "H6", { value: "stays" });
  const [head, ...rest] = people(3);
  await place(rig, [head, ["first", 1, null], ...rest], { spans: [[1, 2]], shifts: [{ row: 1, rows: 1 }], beside: 5 });
  assert.equal(rig.editor.get(rig.sheet, "G7").value, "along");
  assert.equal(rig.editor.get(rig.sheet, "H6").value, "stays");
}

/** @param {Rig} rig */
async function shiftsTable(rig) {
  const columns = async () => rig.port.tableColumns?.(blockRect(rig, extent(people(3))));
  await place(rig, people(3));
  assert.equal(await columns(), 0);
  rig.editor.table?.(rig.sheet, "C4:G7");
  assert.equal(await columns(), 5);
  rig.editor.set(rig.sheet, "G6", { value: "along" });
  rig.editor.set(rig.sheet, "H6", { value: "stays" });
  const [head, ...rest] = people(3);
  await place(rig, [head, ["first", 1, null], ...rest], { spans: [[1, 2]], shifts: [{ row: 1, rows: 1 }], beside: 5 });
  assert.equal(rig.editor.get(rig.sheet, "G7").value, "along");
  assert.equal(rig.editor.get(rig.sheet, "H6").value, "stays");
  assert.equal(await columns(), 5);
}

/** @param {Rig} rig */
async function otherTables(rig) {
  await place(rig, people(3));
  rig.editor.table?.(rig.sheet, "C4:D7"); // narrower than the block
  rig.editor.table?.(rig.other, "C4:G7");
  rig.editor.table?.(rig.sheet, "I4:K7");
  assert.equal(await rig.port.tableColumns?.(blockRect(rig, extent(people(3)))), 0);
  assert.equal(await rig.port.tableColumns?.({ sheet: rig.other, row: 3, column: 3, rows: 4, columns: 3 }), 0);
  rig.editor.table?.(rig.other, "M4:P7", false);
  assert.equal(await rig.port.tableColumns?.({ sheet: rig.other, row: 3, column: 12, rows: 4, columns: 3 }), 0);
}

const MOST_SHIFTS = 256; // of a plan for an add-in

/** @param {Rig} rig */
async function manyShifts(rig) {
  const [head, ...old] = people(MOST_SHIFTS);
  await place(rig, [head, ...old]);
  old.forEach((_, i) => rig.editor.set(rig.sheet, `F${5 + i}`, { value: i }));
  rig.editor.set(rig.sheet, `D${5 + MOST_SHIFTS}`, { value: "below" });
  // Above each row another one comes, but above the last, which leaves.
  const rows = old.slice(0, -1).flatMap((row, i) => [[`new ${i}`, i, null], row]);
  const shifts = old.slice(0, -1).map((_, i) => ({ row: 1 + 2 * i, rows: 1 }));
  const spans = shifts.map(({ row }) => /** @type {[number, number]} */ ([row, row + 1]));
  shifts.push({ row: 1 + rows.length, rows: -1 });
  assert.equal(shifts.length, MOST_SHIFTS);
  await place(rig, [head, ...rows], { spans, shifts, beside: 4 });
  const { cells } = await rig.port.read(blockRect(rig, extent([head, ...rows])));
  assert.deepEqual(cells, [head, ...rows]);
  assert.deepEqual(rows.map((_, i) => rig.editor.get(rig.sheet, `F${5 + i}`).value), rows.map((_, i) => (i % 2 ? (i - 1) / 2 : null)));
  assert.equal(rig.editor.get(rig.sheet, `D${5 + rows.length}`).value, "below");
}

/**
 * Places a block of three rows with a total below and one on another sheet, and returns the patch that gives it two rows more.
 * @param {Rig} rig
 */
async function totalled(rig) {
  const { sheet, other, editor } = rig;
  await place(rig, people(3));
  const named = `'${sheet.replace(/'/g, "''")}'!`;
  editor.set(sheet, "D8", { formula: "=SUM(D5:D7)", value: 63 });
  editor.set(sheet, "G7", { formula: "=D7*2", value: 44 });
  editor.set(other, "B3", { formula: `=SUM(${named}D5:D7)`, value: 63, format: "@" });
  await rig.port.marks();
  await rig.port.read(blockRect(rig, extent(people(3))));
  return patchOf(rig, people(5), {
    spans: [[4, 6]], shifts: [{ row: 4, rows: 2 }], beside: 5,
    formulas: [
      { sheet, row: 9, column: 3, was: { row: 7, text: "=SUM(D5:D7)" }, texts: ["=SUM(D5:D9)"] },
      { sheet, row: 7, column: 6, texts: ["=D8*2", "=D9*2"] },
      { sheet: other, row: 2, column: 1, was: { row: 2, text: `=SUM(${named}D5:D7)` }, texts: [`=SUM(${named}D5:D9)`] },
    ],
  });
}

/** @param {Rig} rig */
async function writesAround(rig) {
  const patch = await totalled(rig);
  await rig.port.apply(patch, { sheet: rig.sheet, placementId: ID });
  const cells = ["D8", "D10", "G7", "G8", "G9", "G10"].map((cell) => rig.editor.get(rig.sheet, cell).formula);
  assert.deepEqual(cells, ["", "=SUM(D5:D9)", "=D7*2", "=D8*2", "=D9*2", ""]);
  assert.equal(rig.editor.get(rig.other, "B3").formula, patch.formulas?.[2].texts[0]);
  assert.equal(rig.editor.get(rig.sheet, "B3").value, null);
  assert.deepEqual((await rig.port.read(blockRect(rig, extent(people(5))))).cells, people(5));
}

/** @param {Rig} rig */
async function changedAround(rig) {
  for (const cell of /** @type {const} */ (["other", "sheet"])) {
    const patch = await totalled(rig);
    rig.editor.set(rig[cell], cell === "other" ? "B3" : "D8", { formula: "=1+1", value: 2 });
    const before = rig.revision();
    await refuses(rig.port.apply(patch, { sheet: rig.sheet, placementId: ID }), "busy");
    assert.equal(rig.revision(), before);
  }
}

/** @param {Rig} rig */
async function protectedAround(rig) {
  const patch = await totalled(rig);
  rig.editor.protect?.(rig.other);
  const before = rig.revision();
  await refuses(rig.port.apply(patch, { sheet: rig.sheet, placementId: ID }), "protected");
  assert.equal(rig.revision(), before);
}

/** @param {Rig} rig */
async function seesFormulas(rig) {
  await place(rig, people(3));
  rig.editor.set(rig.sheet, "D5", { formula: "=1+1", value: 2 });
  rig.editor.set(rig.sheet, "E6", { formula: "=NA()", value: { error: "#N/A" } });
  const { cells, formulas } = await rig.port.read(blockRect(rig, { rows: 4 }));
  assert.deepEqual(formulas, [{ row: 1, column: 1, text: "=1+1" }, { row: 2, column: 2, text: "=NA()" }]);
  assert.deepEqual([cells[1][1], cells[2][2]], [2, { error: "#N/A" }]);
}

/** @param {Rig} rig */
async function listsFormulas({ port, sheet, other, editor }) {
  editor.set(sheet, "D5", { formula: "=1+1", value: 2 });
  editor.set(sheet, "B7", { value: "=no formula" });
  editor.set(other, "C2", { formula: "=NA()", value: { error: "#N/A" } });
  const list = (/** @type {number} */ most) => /** @type {NonNullable<Port["formulas"]>} */ (port.formulas)(most);
  assert.deepEqual(await list(2), [
    { sheet, formulas: [{ row: 4, column: 3, text: "=1+1" }] },
    { sheet: other, formulas: [{ row: 1, column: 2, text: "=NA()" }] },
  ]);
  assert.equal(await list(1), null);
}

/** @param {Rig} rig */
async function writesFormulas(rig) {
  await place(rig, people(4));
  rig.editor.set(rig.sheet, "D5", { formula: "=1+1", value: 2 });
  rig.editor.set(rig.sheet, "E8", { formula: "=D8>1", value: true });
  const table = [people(4)[0], ["first", { keep: true }, 1.5], ["second", { formula: "=20+22" }, true], ["=1+1", 3, "=D6"],
    ["fourth", 4, { keep: true }]];
  await place(rig, table, { spans: [[1, 5]], formats: ["", "0.00", ""] });
  const { cells, formulas } = await rig.port.read(blockRect(rig, { rows: 5 }));
  assert.deepEqual(formulas, [
    { row: 1, column: 1, text: "=1+1" }, { row: 2, column: 1, text: "=20+22" }, { row: 4, column: 2, text: "=D8>1" },
  ]);
  assert.deepEqual(cells.slice(1), [["first", 2, 1.5], ["second", 42, true], ["=1+1", 3, "=D6"], ["fourth", 4, true]]);
}

/** @param {Rig} rig */
async function outside(rig) {
  rig.editor.set(rig.sheet, "A1", { value: "x" });
  const { cells } = await rig.port.read({ sheet: rig.sheet, row: 0, column: 0, rows: 3, columns: 16390 });
  assert.deepEqual(cells.map((row) => row.length), [16390, 16390, 16390]);
  assert.deepEqual([cells[0][0], cells[2][16389]], ["x", null]);
}

/** @param {Rig} rig */
async function status(rig) {
  await place(rig, people(2), { status: { cell: "B1", text: refreshed(4) } });
  assert.equal(rig.editor.get(rig.sheet, "B1").value, refreshed(4));
  assert.deepEqual(await markOf(rig, STATUS), statusRect(rig, 0, 1));
  rig.editor.insertRows(rig.sheet, 1, 2);
  assert.deepEqual(await markOf(rig, STATUS), statusRect(rig, 2, 1));
  assert.deepEqual(await markOf(rig), blockRect(rig, { row: 5, rows: 3 }));
  const moved = { ...patchOf(rig, people(2), { spans: [[1, 2]] }), anchor: "C6", status: { cell: "B3", text: refreshed(1) } };
  await rig.port.apply(moved, { sheet: rig.sheet, placementId: ID });
  assert.equal(rig.editor.get(rig.sheet, "B3").value, refreshed(1));
  await rig.port.unmark(STATUS);
  assert.equal(await markOf(rig, STATUS), null);
  await place(rig, people(2), { anchor: "C6", status: { cell: "F1", text: refreshed(3) } });
  assert.deepEqual(await markOf(rig, STATUS), statusRect(rig, 0, 5));
}

/** @param {Rig} rig */
async function above(rig) {
  const filters = filtersMark(ID);
  const told = "Status is shipped; Created in 2026-01-01 … 2026-03-31";
  await place(rig, people(2), { status: { cell: "B1", text: refreshed(4) }, appliedFilters: { cell: "C3", text: told } });
  assert.deepEqual([rig.editor.get(rig.sheet, "C3").value, rig.editor.get(rig.sheet, "B1").value], [told, refreshed(4)]);
  assert.deepEqual(await markOf(rig, filters), statusRect(rig, 2, 2));
  rig.editor.insertRows(rig.sheet, 1, 2);
  assert.deepEqual(await markOf(rig, filters), statusRect(rig, 4, 2));
  const alone = { ...patchOf(rig, people(2), { spans: [] }), anchor: "C6", appliedFilters: { cell: "C5", text: "" } };
  await rig.port.apply(alone, { sheet: rig.sheet, placementId: ID });
  assert.equal(rig.editor.get(rig.sheet, "C5").value, null);
  assert.deepEqual(await markOf(rig), blockRect(rig, { row: 5, rows: 3 }));
  assert.deepEqual(await markOf(rig, filters), statusRect(rig, 4, 2));
  await rig.port.unmark(filters);
  assert.equal(await markOf(rig, filters), null);
}

/** @param {Rig} rig */
async function statusShifts(rig) {
  await place(rig, people(3), { status: { cell: "D9", text: refreshed(4) } });
  const table = [people(3)[0], ["first", 1, null], ["second", 2, null], ...people(3).slice(1)];
  const shift = { spans: /** @type {[number, number][]} */ ([[1, 3]]), shifts: [{ row: 1, rows: 2 }] };
  await place(rig, table, { ...shift, status: { cell: "D9", text: refreshed(2) } });
  assert.equal(rig.editor.get(rig.sheet, "D11").value, refreshed(2));
  assert.deepEqual(await markOf(rig, STATUS), statusRect(rig, 10, 3));
  await place(rig, people(3), { shifts: [{ row: 1, rows: -2 }], spans: [], status: { cell: "D11", text: refreshed(1) } });
  assert.equal(rig.editor.get(rig.sheet, "D9").value, refreshed(1));
  assert.deepEqual(await markOf(rig, STATUS), statusRect(rig, 8, 3));
  assert.deepEqual((await rig.port.read(blockRect(rig, { rows: 4 }))).cells, people(3));
}

/** @param {Rig} rig */
async function changedStatus(rig) {
  await place(rig, people(3), { status: { cell: "B1", text: refreshed(4) } });
  const patch = patchOf(rig, people(3), { spans: [[2, 3]], status: { cell: "B1", text: refreshed(1) } });
  /** @type {(() => void)[]} */
  const changes = [
    () => rig.editor.set(rig.sheet, "B1", { value: "mine" }),
    () => rig.editor.insertRows(rig.sheet, 1, 1), // the block moves too
  ];
  for (const change of changes) {
    await rig.port.marks();
    await rig.port.read(statusRect(rig, 0, 1));
    await rig.port.read(blockRect(rig));
    change();
    const before = rig.revision();
    await refuses(rig.port.apply(patch, { sheet: rig.sheet, placementId: ID }), "busy");
    assert.equal(rig.revision(), before);
  }
}

/** @param {Rig} rig */
async function large(rig) {
  const table = Array.from({ length: 12_000 }, (_, i) => [`row ${i} `.repeat(10), Math.sqrt(i), i % 3 === 0]);
  await place(rig, table);
  await holds(rig, table);
  assert.deepEqual(await markOf(rig), blockRect(rig, { rows: 12_000 }));
  if (rig.largest) assert.ok(rig.largest() < 1.2 * REQUEST_SIZE, `${rig.largest()} characters in one request`);
}

/** @param {Rig} rig */
async function tooLong(rig) {
  await place(rig, people(2));
  const before = rig.revision();
  await refuses(place(rig, [["head"], ["short"], ["x".repeat(rig.longest + 1)]]), "too_large");
  assert.equal(rig.revision(), before);
}

// ---- marks -----------------------------------------------------------------------------------------------------

/** @param {Rig} rig */
async function followsRows(rig) {
  await place(rig, people(3));
  rig.editor.insertRows(rig.sheet, 2, 5);
  assert.deepEqual(await markOf(rig), blockRect(rig, { row: 8, rows: 4 }));
  await rig.port.read(blockRect(rig, { row: 8, rows: 5 }));
  await rig.port.apply({ ...patchOf(rig, people(4)), anchor: "C9" }, { sheet: rig.sheet, placementId: ID });
  await holds(rig, people(4), { row: 8 });
}

/** @param {Rig} rig */
async function growsWithRows(rig) {
  await place(rig, people(3));
  rig.editor.insertRows(rig.sheet, 6, 2);
  assert.deepEqual(await markOf(rig), blockRect(rig, { rows: 6 }));
  rig.editor.deleteRows(rig.sheet, 5, 3);
  assert.deepEqual(await markOf(rig), blockRect(rig, { rows: 3 }));
}

/** @param {Rig} rig */
async function followsCut(rig) {
  await place(rig, people(3));
  rig.editor.cut?.(rig.sheet, "C4:E7", "G20");
  assert.deepEqual(await markOf(rig), blockRect(rig, { row: 19, column: 6, rows: 4 }));
}

/** @param {Rig} rig */
async function followsSheet(rig) {
  await place(rig, people(2));
  const sheet = "It's 2026 – new";
  rig.editor.renameSheet(rig.sheet, sheet);
  assert.deepEqual(await markOf(rig), blockRect({ ...rig, sheet }, { rows: 3 }));
  await place({ ...rig, sheet }, people(3));
  await holds({ ...rig, sheet }, people(3));
}

/** @param {Rig} rig */
async function losesSheet(rig) {
  await place(rig, people(2));
  rig.editor.deleteSheet(rig.sheet);
  assert.equal(await markOf(rig), null);
  await refuses(rig.port.read(blockRect(rig)), "gone");
  await refuses(rig.port.apply(patchOf(rig, people(3)), { sheet: rig.sheet, placementId: ID }), "gone");
}

/** @param {Rig} rig */
async function losesRows(rig) {
  await place(rig, people(2));
  rig.editor.deleteRows(rig.sheet, 4, 3);
  assert.equal(await markOf(rig), null);
  await place(rig, people(3));
  assert.deepEqual(await markOf(rig), blockRect(rig, { rows: 4 }));
}

/** @param {Rig} rig */
async function copiedSheet(rig) {
  await place(rig, people(2));
  rig.editor.copySheet?.(rig.sheet, "Copy");
  assert.deepEqual(await markOf(rig), blockRect(rig, { rows: 3 }));
}

/** @param {Rig} rig */
async function marksOnly(rig) {
  rig.editor.set(rig.sheet, "C4", { value: "name" });
  await rig.port.mark(ID, blockRect(rig, { rows: 2, columns: 1 }));
  assert.deepEqual(await markOf(rig), blockRect(rig, { rows: 2, columns: 1 }));
  await rig.port.mark(ID, blockRect(rig, { rows: 3, columns: 1 }));
  assert.deepEqual(await markOf(rig), blockRect(rig, { rows: 3, columns: 1 }));
  await rig.port.unmark(ID);
  assert.equal(await markOf(rig), null);
  await rig.port.unmark(ID);
  assert.equal(rig.editor.get(rig.sheet, "C4").value, "name");
}

/** @param {Rig} rig */
async function keepsStamp(rig) {
  assert.equal(await rig.port.stamp(ID), null);
  await place(rig, people(3), { stamp: "1.abc" });
  assert.equal(await rig.port.stamp(ID), "1.abc");
  const longest = "aZ9._-".repeat(43).slice(0, 255);
  await place(rig, people(3), { spans: [[0, 1]], stamp: longest });
  assert.equal(await rig.port.stamp(ID), longest);
  const before = rig.revision();
  await place(rig, people(3), { spans: [], stamp: "1.def" });
  assert.equal(rig.revision(), before);
  assert.equal(await rig.port.stamp(ID), longest);
  await place(rig, people(4));
  assert.equal(await rig.port.stamp(ID), longest);
  assert.deepEqual(await markOf(rig), blockRect(rig, { rows: 5 }));
  assert.deepEqual((await rig.port.marks()).map(({ placementId }) => placementId), [ID]);
}

/**
 * A parameter's cells on the other sheet.
 * @param {Rig} rig
 * @param {string} id
 * @param {string} range
 * @param {string} [sheet]
 */
function cellsAt({ other }, id, range, sheet = other) {
  return { id, rect: { sheet, ...areaOf(range.includes(":") ? range : `${range}:${range}`) }, list: range.includes(":") };
}

/** @param {Rig} rig @param {import("../port.mjs").ParameterCells[]} list */
function parametersOf({ port }, list) {
  return /** @type {NonNullable<Port["parameters"]>} */ (port.parameters)(list);
}

/** @param {Rig} rig */
function setup({ editor, other }) {
  const cells = { F10: "cell", F20: "a", F21: "b", F22: "c", F23: "d", H10: "x", I10: "y", J10: "z" };
  for (const [cell, value] of Object.entries(cells)) editor.set(other, cell, { value });
}

/** @param {import("../port.mjs").FoundParameter[]} found */
function shownOf(found) {
  return found.map(({ rect, marked, cells, fault }) => ({ at: formatLocation(rect), marked, values: cells.map(({ value }) => value), fault }));
}

/** @param {Rig} rig */
async function readsParameters(rig) {
  setup(rig);
  const revision = rig.revision();
  const list = [cellsAt(rig, "", "F10"), cellsAt(rig, "", "F20:F23"), cellsAt(rig, "", "H10:J10"), cellsAt(rig, "", "A1"), cellsAt(rig, "", "F10")];
  const read = (/** @type {string} */ at, /** @type {Cell[]} */ ...values) => ({ at: `${rig.other}!${at}`, marked: false, values, fault: undefined });
  assert.deepEqual(shownOf(await parametersOf(rig, list)), [
    read("F10", "cell"), read("F20:F23", "a", "b", "c", "d"), read("H10:J10", "x", "y", "z"), read("A1", null), read("F10", "cell"),
  ]);
  assert.deepEqual(await parametersOf(rig, []), []);
  assert.equal(rig.revision(), revision);
}

/** @param {Rig} rig */
async function typedParameters(rig) {
  const { editor, other } = rig;
  const values = { B1: "Q3", B2: 0.1, B3: true, B4: 46023, B5: 46023.5, B6: 46023, B9: "merged" };
  for (const [cell, value] of Object.entries(values)) editor.set(other, cell, { value });
  editor.set(other, "B4", { format: "yyyy-mm-dd" });
  editor.set(other, "B5", { format: "hh:mm" });
  editor.set(other, "B6", { format: "0.00" });
  editor.set(other, "B7", { value: { error: "#DIV/0!" }, formula: "=1/0" });
  editor.set(other, "B8", { value: "", formula: '=""' });
  /** @type {NonNullable<Editor["merge"]>} */ (editor.merge)(other, "B9:C10");
  const [list, row] = await parametersOf(rig, [cellsAt(rig, "", "B1:B11"), cellsAt(rig, "", "B9:D9")]);
  assert.deepEqual(list.cells, [
    { value: "Q3" }, { value: 0.1 }, { value: true }, { value: 46023, date: true }, { value: 46023.5, date: true }, { value: 46023 },
    { value: { error: "#DIV/0!" } }, { value: "" }, { value: "merged" }, { value: null, covered: true }, { value: null },
  ]);
  assert.deepEqual(row.cells, [{ value: "merged" }, { value: null, covered: true }, { value: null }]);
  assert.deepEqual([list.date1904, row.fault], [false, undefined]);
  if (!rig.count1904) return;
  rig.count1904();
  assert.equal((await parametersOf(rig, [cellsAt(rig, "", "B4")]))[0].date1904, true);
}

/** @param {Rig} rig */
async function refusedParameters(rig) {
  setup(rig);
  await rig.port.mark(parameterMark(ID, 1), cellsAt(rig, "", "F20:F23").rect);
  await rig.port.mark(parameterMark(ID, 2), cellsAt(rig, "", "H10:J11").rect);
  const found = await parametersOf(rig, [
    cellsAt(rig, "", "A1", "Nowhere"), cellsAt(rig, parameterMark(ID, 1), "F20"), cellsAt(rig, parameterMark(ID, 2), "H10:J10"),
    { ...cellsAt(rig, "", "F20:G21") }, cellsAt(rig, "", "F10"),
  ]);
  assert.deepEqual(found.map(({ fault }) => fault), ["sheet", "shape", "shape", "shape", undefined]);
  assert.deepEqual(found.map(({ cells }) => cells.length), [0, 0, 0, 0, 1]);
}

/** @param {Rig} rig */
async function deletedParameters(rig) {
  setup(rig);
  const list = [cellsAt(rig, parameterMark(ID, 1), "F20"), cellsAt(rig, parameterMark(ID, 2), "F22:F23")];
  for (const { id, rect } of list) await rig.port.mark(id, rect);
  rig.editor.deleteRows(rig.other, 20, 1);
  const [lost, kept] = await parametersOf(rig, list);
  assert.deepEqual([lost.fault, lost.cells], ["deleted", []]);
  assert.deepEqual([formatLocation(kept.rect), kept.fault, kept.cells[0].value], [`${rig.other}!F21:F22`, undefined, "c"]);
}

/** @param {Rig} rig */
async function followsParameters(rig) {
  const { editor, other, port } = rig;
  setup(rig);
  const list = [cellsAt(rig, parameterMark(ID, 1), "F10"), cellsAt(rig, parameterMark(ID, 12), "F20:F23"), cellsAt(rig, parameterMark(ID, 3), "H10:J10")];
  for (const { id, rect } of list) await port.mark(id, rect);
  await port.mark(parameterMark("other", 1), list[0].rect);
  assert.deepEqual(parameterMarks(await port.marks(), ID).sort(), list.map(({ id }) => id).sort());
  const at = async (/** @type {string[]} */ ...want) => {
    const found = await parametersOf(rig, list);
    assert.deepEqual(found.map(({ rect }) => formatLocation(rect)), want);
    assert.deepEqual(found.map(({ marked, cells }) => marked && cells[0].value), ["cell", "a", "x"]);
  };
  editor.insertRows(other, 1, 2);
  editor.insertRows(other, 24, 1); // into the list
  await at(`${other}!F12`, `${other}!F22:F26`, `${other}!H12:J12`);
  editor.deleteRows(other, 25, 1);
  editor.copySheet?.(other, "Copied");
  editor.cut?.(other, "F12:F12", "B2");
  editor.renameSheet(other, "It's new");
  await at(`'It''s new'!${editor.cut ? "B2" : "F12"}`, "'It''s new'!F22:F25", "'It''s new'!H12:J12");
  for (const id of parameterMarks(await port.marks(), ID)) await port.unmark(id);
  assert.deepEqual((await parametersOf(rig, list)).map(({ fault }) => fault), ["sheet", "sheet", "sheet"]);
}

/** @param {Rig} rig */
async function shiftsParameters(rig) {
  const { editor, sheet, port } = rig;
  await place(rig, people(3));
  editor.set(sheet, "C12", { value: "below" });
  editor.set(sheet, "D14", { value: "p" });
  editor.set(sheet, "D15", { value: "q" });
  editor.set(sheet, "H5", { value: "beside" });
  const list = [cellsAt(rig, parameterMark(ID, 1), "C12", sheet), cellsAt(rig, parameterMark(ID, 2), "D14:D15", sheet), cellsAt(rig, parameterMark(ID, 3), "H5", sheet)];
  const patch = patchOf(rig, people(5), { spans: [[4, 6]], shifts: [{ row: 4, rows: 2 }] });
  await port.marks();
  await port.apply(patch, { sheet, placementId: ID });
  await follow(port, patch, { sheet, had: 3 }, list);
  const found = await parametersOf(rig, list);
  assert.deepEqual(shownOf(found), [
    { at: `${sheet}!C14`, marked: true, values: ["below"], fault: undefined },
    { at: `${sheet}!D16:D17`, marked: true, values: ["p", "q"], fault: undefined },
    { at: `${sheet}!H5`, marked: true, values: ["beside"], fault: undefined },
  ]);
}

/** @param {Rig} rig */
async function takesOver(rig) {
  await place(rig, people(3));
  await rig.port.marks();
  await rig.port.read(blockRect(rig, { row: 20, column: 4 }));
  await rig.port.apply({ ...patchOf(rig, people(2)), anchor: "E21" }, { sheet: rig.sheet, placementId: ID });
  assert.deepEqual(await markOf(rig), blockRect(rig, { row: 20, column: 4, rows: 3 }));
  assert.equal(rig.editor.get(rig.sheet, "C5").value, "a-person");
}

/** @param {Rig} rig */
async function tellsApart(rig) {
  const ids = ["abc", "ABC", "a-b", "a.b", "a_b", "a__b", "a b", "ä", "1", "x.2d", "x-", "x_g2", "0190c7e2-7f5e-7c8a-9c62-2f7d1c1a0b11"];
  for (const [i, id] of ids.entries()) await rig.port.mark(id, blockRect(rig, { row: 3 * i, rows: 2 }));
  for (const [i, id] of ids.entries()) assert.deepEqual(await markOf(rig, id), blockRect(rig, { row: 3 * i, rows: 2 }), id);
}

// ---- what happens meanwhile ------------------------------------------------------------------------------------

/** @param {Rig} rig */
async function changedCells(rig) {
  await place(rig, people(3));
  /** @type {(() => void)[]} */
  const changes = [
    () => rig.editor.set(rig.sheet, "D6", { value: "typed" }),
    () => rig.editor.set(rig.sheet, "D6", { formula: "=1+1", value: 2 }),
  ];
  for (const change of changes) {
    await rig.port.marks();
    await rig.port.read(blockRect(rig));
    change();
    const before = rig.revision();
    const patch = patchOf(rig, people(5), { spans: [[2, 3]] });
    await refuses(rig.port.apply(patch, { sheet: rig.sheet, placementId: ID }), "busy");
    assert.equal(rig.revision(), before);
  }
  await place(rig, people(5));
  await holds(rig, people(5));
}

/** @param {Rig} rig */
async function changedElsewhere(rig) {
  await place(rig, people(3));
  await rig.port.read(blockRect(rig));
  rig.editor.set(rig.sheet, "C5", { value: "typed" });
  await rig.port.apply(patchOf(rig, people(3), { spans: [[2, 3]] }), { sheet: rig.sheet, placementId: ID });
  assert.equal(rig.editor.get(rig.sheet, "C5").value, "typed");
}

/** @param {Rig} rig */
async function movedBlock(rig) {
  await place(rig, people(3));
  await rig.port.marks();
  await rig.port.read(blockRect(rig, { rows: 4 }));
  rig.editor.insertRows(rig.sheet, 2, 1);
  const before = rig.revision();
  await refuses(rig.port.apply(patchOf(rig, people(5), { spans: [[4, 6]] }), { sheet: rig.sheet, placementId: ID }), "busy");
  assert.equal(rig.revision(), before);
}

/** @param {Rig} rig */
async function protectedSheet(rig) {
  await place(rig, people(3));
  rig.editor.protect?.(rig.sheet);
  const before = rig.revision();
  await refuses(place(rig, people(5)), "protected");
  assert.equal(rig.revision(), before);
  await holds(rig, people(3));
}

/** @param {Rig} rig */
async function partlyProtected(rig) {
  await place(rig, people(3));
  rig.editor.protect?.(rig.sheet);
  rig.editor.unlock?.(rig.sheet, "C4:E6");
  const before = rig.revision();
  await refuses(place(rig, people(3), { spans: [[0, 2], [3, 4]] }), "protected"); // of which the first could be written
  assert.equal(rig.revision(), before);
  await place(rig, [["new"], ["new"]], { extent: { rows: 4, columns: 3 } });
  assert.equal(rig.editor.get(rig.sheet, "C5").value, "new");
}

/** @param {Rig} rig */
async function identified(rig) {
  const before = rig.revision();
  const { id } = await rig.port.document();
  assert.equal(rig.revision(), before);
  await rig.port.identify();
  const said = await rig.port.document();
  assert.equal(said.id, id);
  await rig.port.identify(); // again, which changes nothing
  for (const { port } of [rig, /** @type {Rig} */ (rig.reopen?.())]) {
    await port.identify();
    assert.deepEqual(await port.document(), said);
  }
}

/** @param {Rig} rig */
async function ownDocument(rig) {
  await rig.port.identify();
  await place(rig, people(2));
  const original = await rig.port.document();
  const copy = /** @type {Rig} */ (rig.copy?.());
  await copy.port.adopt(true);
  const own = await copy.port.document();
  assert.notEqual(own.id, original.id);
  if (original.nonce) assert.notEqual(own.nonce, original.nonce);
  assert.deepEqual([own.fresh, own.copyOf].filter(Boolean), []);
  assert.deepEqual(await markOf(copy), blockRect(rig, { rows: 3 }));
  assert.deepEqual(await rig.port.document(), original);
}

/** @param {Rig} rig */
async function copiedDocument(rig) {
  await rig.port.identify();
  await place(rig, people(2));
  const original = await rig.port.document();
  assert.equal(original.copyOf, undefined);
  for (const own of [true, false]) {
    const copy = /** @type {Rig} */ (rig.copy?.());
    assert.equal((await copy.port.document()).copyOf, original.id);
    await copy.port.adopt(own);
    const decided = await copy.port.document();
    assert.equal(decided.copyOf, undefined);
    if (own) assert.notEqual(decided.id, original.id);
    assert.deepEqual(await markOf(copy), blockRect(rig, { rows: 3 }));
  }
  assert.deepEqual(await rig.port.document(), original);
}

/** @param {Rig} rig */
async function settings({ port, reopen }) {
  assert.equal(await port.settings.get("colour"), null);
  await port.settings.set("colour", "blue");
  await port.settings.set("colour", "green");
  const again = /** @type {Rig} */ (reopen?.());
  assert.equal(await again.port.settings.get("colour"), "green");
  await again.port.settings.set("colour", null);
  assert.equal(await port.settings.get("colour"), null);
}

/** @param {Rig} rig */
async function reveals(rig) {
  const rect = { sheet: rig.sheet, row: 4, column: 1, rows: 3, columns: 2 };
  await rig.port.reveal(rect);
  assert.deepEqual(await rig.port.selection(), rect);
}

/**
 * An area in A1 form, for editors.
 * @param {string} text
 */
export function areaOf(text) {
  const { row, column, rows, columns } = parseLocation(text);
  return { row, column, rows, columns };
}

export { parseCell };
