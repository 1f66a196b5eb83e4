/** The port to Excel over a strict fake of Office.js. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, excelPort } from "./excel.mjs";
import { forms, officeDocument } from "../testing/addresses.mjs";
import { Book } from "../testing/book.mjs";
import { conformance } from "../testing/conformance.mjs";
import { FakeExcel } from "../testing/fake-office.mjs";
import { bookEditor } from "../testing/rig.mjs";

const LAST_ROW = 1048576;

function rigOf(fake, address) {
  return {
    fake,
    port: excelPort(fake.api(), async () => address),
    sheet: "Data",
    other: "Other",
    editor: bookEditor(fake.book, (event) => fake.tell(event)),
    revision: () => fake.book.revision,
    longest: 32_767,
    count1904: () => (fake.book.date1904 = true),
    largest: () => fake.largest,
    copy: () => rigOf(new FakeExcel(fake.book.clone(), { settings: new Map(fake.settings) }), address + " - Copy"),
    reopen: () => rigOf(fake, address),
  };
}

function newRig() {
  return rigOf(new FakeExcel(new Book(LAST_ROW, 16384, "Data", "Other")), "https://example.sharepoint.com/board.xlsx");
}

conformance(test, "Excel", newRig);

const patch = (text) => ({ anchor: "Data!B2", extent: { rows: 1, columns: 1 }, rows: [{ from: 0, to: 1, cells: [[text]] }] });
const at = { sheet: "Data", placementId: "p" };

test("marks are hidden, have the agents' names, and say what they are", async () => {
  const { fake, port } = newRig();
  await port.apply(patch("x"), { sheet: "Data", placementId: "P-1" });
  const [{ name, visible, comment }] = fake.book.names;
  assert.deepEqual([name, visible], ["_mooring_.50.2d1", false]);
  assert.match(comment, /Deleting it loses track/);
});

test("nothing is kept in a workbook before something is written to it", async () => {
  const { fake, port } = newRig();
  const { id } = await port.document();
  assert.deepEqual([fake.settings.size, fake.book.names.length], [0, 0]);
  await port.identify();
  assert.equal((await newRigOf(fake).document()).id, id);
  const [{ name, visible, text }] = fake.book.names;
  assert.deepEqual([fake.settings.size, name, visible], [0, "_mooring_document", false]);
  assert.match(text, new RegExp(`^="${id} [A-Za-z0-9_-]{22,64}"$`));
  assert.deepEqual(await port.marks(), []); // it marks no block
});

test("a workbook with a block opens with its pane, and keeps what else is kept in it", async () => {
  const SHOW = "Office.AutoShowTaskpaneWithDocument";
  const { fake, port } = newRig();
  await port.settings.set("other", "kept");
  await settled();
  assert.equal(fake.settings.has(SHOW), false, "before a block is placed");
  await port.apply(patch("x"), at);
  await settled();
  assert.equal(fake.settings.get(SHOW), true);
  assert.equal(await port.settings.get("other"), "kept");
  await port.apply(patch("y"), at);
  await settled();
  assert.equal(fake.saves, 1, "it is kept once");
});

test("where a program cannot keep that, the block is written all the same, and nothing else is lost", async () => {
  const refusing = () => {
    throw new Error("not implemented");
  };
  for (const broken of [
    { get: refusing },
    { refreshAsync: refusing },
    { get: undefined },
    { refreshAsync: (told) => queueMicrotask(() => told({ status: "failed", error: { code: 5001 } })) },
    { saveAsync: refusing },
  ]) {
    const { fake, port } = newRig();
    await port.settings.set("other", "kept");
    Object.assign(fake.common, broken);
    await port.apply(patch("x"), at);
    await settled();
    assert.equal((await port.marks()).length, 1);
    assert.equal(await port.settings.get("other"), "kept");
    assert.equal(fake.saves, 0);
  }
});

function newRigOf(fake) {
  return excelPort(fake.api(), async () => "https://example.sharepoint.com/board.xlsx");
}

const LOWER = "6f1f6b6e-6b0e-4a6e-9d58-0a1b2c3d4e5f";
const OTHER = "00000000-6b0e-4a6e-9d58-0a1b2c3d4e5f";

test("the id that an earlier version kept in the settings is taken over, and its addresses go", async () => {
  for (const [ID, agents] of [[LOWER], [LOWER, `="${OTHER} abcdefghijklmnopqrstuv"`], [LOWER.toUpperCase()]]) {
    const { fake, port } = newRig();
    if (agents) fake.book.names.push({ name: "_mooring_document", sheet: null, area: {}, text: agents });
    fake.settings.set("mooring.document", JSON.stringify({ id: ID, addresses: ["C:\\Users\\ana\\board.xlsx"] }));
    const { id, nonce, fresh } = await port.document();
    assert.deepEqual([id, nonce, fresh], [ID, undefined, false]);
    await port.identify();
    const said = await port.document();
    assert.equal(said.id, ID);
    assert.match(said.nonce, /^[A-Za-z0-9_-]{22,64}$/);
    assert.equal(fake.settings.size, 0);
  }
});

test("an id of an earlier version is the one that an agent says in lower case", async () => {
  const { fake, port } = newRig();
  fake.book.names.push({ name: "_mooring_document", sheet: null, area: {}, text: `="${LOWER} abcdefghijklmnopqrstuv"` });
  fake.settings.set("mooring.document", JSON.stringify({ id: LOWER.toUpperCase() }));
  const { id, nonce } = await port.document();
  assert.deepEqual([id, nonce], [LOWER.toUpperCase(), "abcdefghijklmnopqrstuv"]);
});

test("what an agent has a workbook say is taken as it is", async () => {
  const { fake, port } = newRig();
  fake.book.names.push({ name: "_mooring_document", sheet: null, area: {}, text: `="${OTHER} abcdefghijklmnopqrstuv"` });
  for (let n = 0; n < 2; n++) {
    const { id, nonce, fresh } = await port.document();
    assert.deepEqual([id, nonce, fresh], [OTHER, "abcdefghijklmnopqrstuv", false]);
    await port.identify();
  }
  fake.book.names[0].text = '="something else"';
  assert.notEqual((await port.document()).id, OTHER);
});

test("a block is not written into another document than the one that the pane knows", async () => {
  const { fake, port } = newRig();
  await port.identify();
  await port.document();
  fake.book.names[0].text = `="${OTHER} abcdefghijklmnopqrstuv"`;
  await assert.rejects(port.apply(patch("x"), at), { code: "refused", message: /another document/ });
  assert.equal(fake.book.sheet("Data").cell(1, 1).value, null);
});

test("a placement called document is marked beside the name of the workbook's own", async () => {
  const { fake, port } = newRig();
  await port.identify();
  const rect = { sheet: "Data", row: 1, column: 1, rows: 1, columns: 1 };
  await port.mark("document", rect);
  assert.deepEqual(fake.book.names.map(({ name }) => name), ["_mooring_document", "_mooring_.64ocument"]);
  assert.deepEqual(await port.marks(), [{ placementId: "document", rect }]);
});

for (const { name, url, answer, now } of forms) {
  test(`where the workbook is, as Excel says it: ${name}`, async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const address = addressOf(officeDocument({ url, answer }));
    const asked = address();
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(3000);
    assert.equal(await asked, now);
  });
}

test("the address that was said last counts where none is said any more", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const file = { url: "https://example.com/old.xlsx", answer: { url: "https://example.com/new.xlsx" } };
  const document = officeDocument(file);
  const address = addressOf(document);
  assert.equal(await address(), "https://example.com/new.xlsx");
  for (const answer of [{ failed: true }, { url: "" }, { throws: true }, { silent: true }]) {
    file.answer = answer;
    const asked = address();
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(3000);
    assert.equal(await asked, "https://example.com/new.xlsx");
  }
});

test("cells of some columns of a table alone are not inserted, and nothing is written", async () => {
  const { port, editor } = newRig();
  const people = { ...patch("name"), extent: { rows: 2, columns: 1 }, rows: [{ from: 0, to: 2, cells: [["name"], ["Ada"]] }] };
  await port.apply(people, at);
  editor.table("Data", "B2:C3");
  const more = { ...people, extent: { rows: 3, columns: 1 }, rows: [{ from: 1, to: 2, cells: [["Bob"]] }], shifts: [{ row: 1, rows: 1 }] };
  await assert.rejects(port.apply(more, at), { code: "refused", message: /table/ });
  assert.equal(editor.get("Data", "B3").value, "Ada");
});

test("a cell being edited makes Excel busy, and nothing is written", async () => {
  const { fake, port } = newRig();
  fake.editing = true;
  await assert.rejects(port.apply(patch("x"), at), { code: "busy", message: /Enter/ });
  assert.equal(fake.book.sheet("Data").cell(1, 1).value, null);
});

test("rows with long texts are read in answers of 5 MB", async () => {
  const { fake, port } = newRig();
  const text = "ä".repeat(30_000);
  for (let row = 0; row < 400; row++) fake.book.sheet("Data").set(row, 0, { value: text });
  const { cells } = await port.read({ sheet: "Data", row: 0, column: 0, rows: 400, columns: 1 });
  assert.equal(cells.length, 400);
  assert.ok(cells.every(([cell]) => cell === text));
});

test("several selected ranges are refused with a sentence", async () => {
  const { fake, port } = newRig();
  fake.selected = null;
  await assert.rejects(port.selection(), { code: "refused", message: /select one/ });
});

test("unlocked cells of a protected sheet are written", async () => {
  const { fake, port } = newRig();
  const sheet = fake.book.sheet("Data");
  sheet.protected = true;
  sheet.set(1, 1, { unlocked: true });
  await port.apply(patch("x"), at);
  assert.equal(sheet.cell(1, 1).value, "x");
});

test("changes are told until the watch ends; those that get lost are only hints", async () => {
  const { fake, port, editor } = newRig();
  const told = [];
  const end = port.watch(({ kind }) => told.push(kind));
  await settled();
  editor.set("Data", "A1", { value: 1 });
  fake.deaf = true;
  editor.set("Data", "A2", { value: 1 });
  fake.deaf = false;
  editor.deleteSheet("Other");
  end();
  await settled();
  editor.set("Data", "A3", { value: 1 });
  assert.deepEqual(told, ["cells", "sheets"]);
});

function settled() {
  return new Promise((resolve) => setImmediate(resolve));
}
