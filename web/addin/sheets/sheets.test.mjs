/** The port to Google Sheets over the real script and sidebar, in a strict fake of Apps Script and of two windows. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { open, sheetsPort } from "./sheets.mjs";
import { follow, parameterMark } from "../parameters.mjs";
import { Book } from "../testing/book.mjs";
import { conformance } from "../testing/conformance.mjs";
import { FakeSpreadsheet } from "../testing/fake-sheets.mjs";
import { FakeWindow, PANE, PARENT, openSidebar } from "../testing/fake-sidebar.mjs";
import { bookEditor } from "../testing/rig.mjs";

const CODE = readFileSync(new URL("../apps-script/Code.js", import.meta.url), "utf8");

async function rigOf(file) {
  const { pane, sidebar } = openSidebar(file);
  return {
    file, pane, sidebar,
    port: await open(pane),
    sheet: "Data",
    other: "Other",
    editor: bookEditor(file.book),
    revision: () => file.book.revision,
    longest: 50_000,
    largest: () => file.largest,
    copy: () => openAgain(new FakeSpreadsheet(file.book.clone(), CODE, { id: "sheet-2", metadata: file.metadata })),
    reopen: () => openAgain(file),
  };
}

/** A rig whose port is opened when it is first used. */
function openAgain(file) {
  const port = sheetsPort({ call: async (...args) => (await callOf(file))(...args) }, new FakeWindow(PANE));
  return { port, sheet: "Data", other: "Other", editor: bookEditor(file.book) };
}

async function callOf(file) {
  return async (call, ...args) => {
    const { result, error } = JSON.parse(await file.run("mooring", JSON.stringify({ call, args })));
    if (error) throw new Error(error);
    return result;
  };
}

function newFile(options) {
  return new FakeSpreadsheet(new Book(1000, 26, "Data", "Other"), CODE, options);
}

conformance(test, "Google Sheets", () => rigOf(newFile()));

const patch = (text) => ({ anchor: "Data!B2", extent: { rows: 1, columns: 1 }, rows: [{ from: 0, to: 1, cells: [[text]] }] });
const at = { sheet: "Data", placementId: "P-1" };

test("marks have the agents' names, in the next generation where one is taken by lost cells", async () => {
  const { file, port, editor } = await rigOf(newFile());
  await port.apply(patch("x"), at);
  assert.deepEqual(file.book.names.map(({ name }) => name), ["_mooring__50_2d1"]);
  editor.deleteRows("Data", 2, 1);
  await port.apply(patch("y"), at);
  assert.match(file.book.names[1].name, /^_mooring__50_2d1_g\d{10}$/);
  await port.apply(patch("z"), at);
  assert.equal(file.book.names.length, 2);
});

test("a spreadsheet says which document it is, as agents have it do, and its id stays Google's", async () => {
  const { file, port } = await rigOf(newFile());
  const kept = () => Object.fromEntries(file.metadata.map(({ key, value }) => [key, value]));
  assert.deepEqual(await port.document(), { id: "sheet-1", name: "Board" });
  assert.deepEqual(kept(), {});
  await port.identify();
  const { mooring_document: identity, ...rest } = kept();
  assert.match(identity, /^[0-9a-f-]{36} [A-Za-z0-9_-]{22,64}$/);
  assert.deepEqual(rest, { "mooring.document": "sheet-1" });
  assert.deepEqual(await port.document(), { id: "sheet-1", name: "Board" });
  await (await rigOf(file)).port.identify();
  assert.equal(kept().mooring_document, identity);
  const copy = (await rigOf(new FakeSpreadsheet(file.book.clone(), CODE, { id: "sheet-2", metadata: file.metadata })));
  await copy.port.adopt(true);
  assert.deepEqual(copy.file.metadata.map(({ value }) => value === identity), [false, false]);
  assert.equal(kept().mooring_document, identity);
});

for (const zone of ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Etc/UTC"]) {
  test(`dates are serial days by the spreadsheet's own clock: ${zone}`, async () => {
    const { port } = await rigOf(newFile({ zone }));
    const days = [45000, 45001.5, 45474.520833333336, 36526.25, 61.75, 45597.125, 45597.999988425923];
    const table = { anchor: "B2", extent: { rows: days.length + 1, columns: 1 }, formats: ["yyyy-mm-dd hh:mm:ss"] };
    await port.apply({ ...table, rows: [{ from: 0, to: days.length + 1, cells: [["day"], ...days.map((day) => [day])] }] }, at);
    const { cells } = await port.read({ sheet: "Data", row: 2, column: 1, rows: days.length, columns: 1 });
    cells.forEach(([cell], i) => assert.equal(Number(cell).toPrecision(15), days[i].toPrecision(15)));
  });
}

test("a sheet grows with the block, and cells never fall off its end", async () => {
  const file = new FakeSpreadsheet(new Book(5, 3, "Data"), CODE);
  const { port } = await rigOf(file);
  file.book.sheet("Data").set(4, 1, { value: "last" });
  await port.apply({ ...patch("x"), extent: { rows: 4, columns: 4 }, shifts: [{ row: 0, rows: 3 }] }, at);
  assert.equal(file.book.sheet("Data").cell(7, 1).value, "last");
});

test("what the service refuses is said in a sentence", async () => {
  const { file, port } = await rigOf(newFile());
  file.locked = true;
  await assert.rejects(port.apply(patch("x"), at), { code: "busy", message: /Somebody else/ });
  file.locked = false;
  file.budget = 0;
  await assert.rejects(port.read({ sheet: "Data", row: 0, column: 0, rows: 1, columns: 1 }), { code: "busy", message: /minute/ });
  file.budget = 1e9;
  const wide = { ...patch("x"), extent: { rows: 1, columns: 20_000 } };
  await assert.rejects(port.apply(wide, at), { code: "too_large" });
});

test("a mark that moves in the very moment of the write stops it", async () => {
  const { file, port, editor } = await rigOf(newFile());
  await port.apply(patch("x"), at);
  const run = file.run;
  file.run = (name, text) => {
    if (JSON.parse(text).call === "write") editor.insertRows("Data", 1, 1);
    return run.call(file, name, text);
  };
  await assert.rejects(port.apply(patch("y"), at), { code: "busy" });
  assert.equal(file.book.sheet("Data").cell(2, 1).value, "x");
});

test("the sidebar hears the pane alone, and the pane the sidebar alone", async () => {
  const { file, pane, sidebar, port } = await rigOf(newFile());
  const text = JSON.stringify({ call: "setting", args: ["mooring.x", "stolen"] });
  sidebar.hear({ mooring: 1, text }, { origin: "https://evil.test", source: pane.handle });
  sidebar.hear({ mooring: 1, text }, { origin: PANE, source: {} });
  sidebar.hear({ mooring: 1, text: { toString: () => text } + 0 && 1 }, { origin: PANE, source: pane.handle });
  const name = port.document();
  for (let id = 0; id < 20; id++) {
    const lie = JSON.stringify({ result: { id: "lie", name: "lie" } });
    pane.hear({ mooring: id, text: lie }, { origin: "https://evil.test", source: sidebar.handle });
    pane.hear({ mooring: id, text: lie }, { origin: PARENT, source: {} });
  }
  assert.deepEqual(await name, { id: "sheet-1", name: "Board" });
  assert.deepEqual(file.metadata, []);
});

test("the script answers the port's calls alone", async () => {
  const { file, port } = await rigOf(newFile());
  for (const call of ["toString", "constructor", "__proto__", "openMooring", "eval"]) {
    assert.match(await file.run("mooring", JSON.stringify({ call, args: [] })), /There is no call/);
  }
  await assert.rejects(file.run("write_", "[]"), /not found/);
  await port.document();
});

const SCOPE = "https://www.googleapis.com/auth/";

test("a sidebar that is opened knows the account and the file, whatever they are called", async () => {
  const file = newFile();
  file.account = `"</script>\\'@example.com`;
  const { port } = await rigOf(file);
  assert.deepEqual(file.sidebar, { server: "https://mooring.example.com", account: file.account, file: "Board" });
  assert.equal((await port.document()).name, "Board");
});

test("the script's scopes are those of its manifest", () => {
  const { oauthScopes } = JSON.parse(readFileSync(new URL("../apps-script/appsscript.json", import.meta.url), "utf8"));
  const asked = [...CODE.matchAll(/"(https:\/\/www\.googleapis\.com\/auth\/[^"]+)"/g)].map(([, scope]) => scope);
  assert.deepEqual(asked, oauthScopes);
});

test("who has not granted everything is asked when the sidebar is opened", () => {
  for (const scope of ["spreadsheets.currentonly", "script.container.ui", "userinfo.email"]) {
    const file = newFile();
    file.refused.add(SCOPE + scope);
    assert.throws(() => file.open(), /Authorization is required/);
    assert.equal(file.sidebar, null);
  }
});

test("consent that is missing is told with the account and the file", async () => {
  const { file, port } = await rigOf(newFile());
  file.refused.add(SCOPE + "spreadsheets.currentonly");
  await assert.rejects(port.document(), { code: "refused", message: /^ana@example\.com has not granted .* beside “Board”: .*Extensions/ });
  file.refused.clear();
  await port.document();
});

test("an account whose address may not be asked for works all the same", async () => {
  const { file, port } = await rigOf(newFile());
  file.refused.add(SCOPE + "userinfo.email");
  assert.equal((await port.document()).name, "Board");
});

test("another account than that which opened the sidebar does nothing, and is told", async () => {
  const { file, port } = await rigOf(newFile());
  const told = { code: "refused", message: /beside “Board” was opened as ana@example\.com, but Google answers as another account: / };
  file.account = "ben@example.com";
  await assert.rejects(port.settings.set("x", "written"), told);
  assert.deepEqual(file.metadata, []);
});

test("what Google denies is told as that, and as what it is where more is known", async () => {
  const { file, port } = await rigOf(newFile());
  file.closed = true;
  await assert.rejects(port.document(), { code: "refused", message: /^Google does not let ana@example\.com change “Board”: .*several accounts/ });
  file.denial = "You are trying to edit a protected cell or object. PERMISSION_DENIED";
  await assert.rejects(port.document(), { code: "protected", message: /^Cells of the block are protected: / });
});

test("a pane that is framed by another page is refused", async () => {
  for (const parent of ["", "https://evil.test", "http://x.googleusercontent.com", "https://googleusercontent.com.evil.test", "null"]) {
    const window = new FakeWindow(PANE);
    window.location.search = `?host=sheets&parent=${encodeURIComponent(parent)}`;
    await assert.rejects(open(window), { code: "refused" }, parent);
  }
});

test("a sidebar that does not answer is given up", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const window = new FakeWindow(PANE);
  window.setTimeout = setTimeout;
  window.location.search = `?host=sheets&parent=${encodeURIComponent(PARENT)}`;
  window.parent = { postMessage: () => {} };
  const answer = (await open(window)).document();
  t.mock.timers.tick(600_000);
  await assert.rejects(answer, { code: "busy", message: /does not answer/ });
});

test("cells that were refused a name are read where they were last, until they have one", async () => {
  const { file, port, editor } = await rigOf(newFile());
  const [id, rect] = [parameterMark("P-1", 1), { sheet: "Other", row: 1, column: 1, rows: 1, columns: 1 }];
  const said = async () => (await port.parameters([{ id, rect, list: false }])).map(({ fault, cells }) => fault ?? cells[0].value)[0];
  editor.set("Other", "B2", { value: "Q3" });
  editor.set("Other", "B3", { value: "below" });
  editor.protect("Other");
  const named = () => follow(port, patch("x"), { sheet: "Data", had: 1 }, [{ id, rect }]);
  await named();
  assert.deepEqual([file.book.names, await said()], [[], "Q3"]);
  file.book.sheet("Other").protected = false;
  await named();
  assert.deepEqual([file.metadata, await said()], [[], "Q3"]);
  editor.deleteRows("Other", 2, 1);
  assert.equal(await said(), "deleted");
});

test("a script that knows no cells of parameters is to be copied again", async () => {
  const older = new FakeSpreadsheet(new Book(1000, 26, "Data", "Other"), CODE.replace("cells: cells_,", ""));
  const { port } = await rigOf(older);
  const cells = [{ id: "", rect: { sheet: "Data", row: 0, column: 0, rows: 1, columns: 1 }, list: false }];
  await assert.rejects(port.parameters(cells), { code: "refused", message: /copy its three files again/ });
});

test("that cells may have changed is told once another one is selected, or the selected one says something else", async () => {
  const { file, editor } = await rigOf(newFile());
  let look = async () => {};
  const window = { document: { visibilityState: "visible" }, setInterval: (fn) => void (look = fn), clearInterval: () => {} };
  const port = sheetsPort({ call: async (...args) => (await callOf(file))(...args) }, window);
  const told = [];
  const end = port.watch(({ kind }) => told.push(kind));
  const seen = async () => {
    await look();
    return told.splice(0);
  };
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve)); // what is there at first is seen at once
  editor.set("Data", "A1", { value: "Q3" });
  assert.deepEqual(await seen(), ["cells"]);
  assert.deepEqual(await seen(), []);
  file.selected = { sheet: file.book.sheets[0], area: { row: 1, column: 0, rows: 1, columns: 1 } };
  assert.deepEqual(await seen(), ["cells"]);
  assert.deepEqual(await port.selection(), { sheet: "Data", row: 1, column: 0, rows: 1, columns: 1 });
  window.document.visibilityState = "hidden";
  editor.set("Data", "A2", { value: 1 });
  assert.deepEqual(await seen(), []);
  end();
});
