import assert from "node:assert/strict";
import { test } from "node:test";

import { excelPort } from "./excel.mjs";
import { isSeen, keepSeen, mayWrite } from "./document.mjs";
import { Book } from "./testing/book.mjs";
import { FakeExcel } from "./testing/fake-office.mjs";

function storageOf(kept = new Map()) {
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
}

const board = { id: "u", name: "board.xlsx", address: "https://example.com/board.xlsx" };

test("a document is seen with its id and its address together", () => {
  const storage = storageOf();
  assert.equal(isSeen(storage, board), false);
  keepSeen(storage, board);
  assert.equal(isSeen(storage, board), true);
  assert.equal(isSeen(storage, { ...board, name: "other" }), true);
  assert.equal(isSeen(storage, { ...board, id: "v" }), false);
  assert.equal(isSeen(storage, { ...board, address: "https://evil.example.com/board.xlsx" }), false);
  assert.equal(isSeen(storage, { id: 'u","https://example.com/board.xlsx', address: "" }), false);
  assert.equal(isSeen(storageOf(), board), false);
});

test("what is not stored is seen by this pane alone", () => {
  const kept = new Map();
  keepSeen(storageOf(kept), { id: "unstored", address: "" });
  assert.equal(isSeen(storageOf(), { id: "unstored", address: "" }), true);
  assert.equal(kept.size, 0);
});

test("the latest are kept, and a storage that is broken or full is none", () => {
  const storage = storageOf();
  for (let n = 0; n <= 500; n++) keepSeen(storage, { id: String(n), address: "a" });
  assert.equal(isSeen(storage, { id: "0", address: "a" }), false);
  assert.equal(isSeen(storage, { id: "1", address: "a" }), true);
  for (const text of ["{", "null", "7", '{"a":1}']) assert.equal(isSeen(storageOf(new Map([["mooring.seen", text]])), board), false);
  const full = { getItem: () => null, setItem: () => { throw new Error("full"); } };
  keepSeen(full, board);
});

test("Excel tells its address, a document made here is written without a question, and is seen from then on", async () => {
  const fake = new FakeExcel(new Book(1048576, 16384, "Data"));
  const address = "https://example.com/new.xlsx";
  const port = excelPort(fake.api(), () => address);
  const session = { storage: storageOf() };
  const made = await port.document();
  const store = { state: { document: made } };
  assert.equal(made.fresh, true);
  assert.equal(await mayWrite({ port, store, session }), true);
  await port.mark("p", { sheet: "Data", row: 0, column: 0, rows: 1, columns: 1 });
  const again = excelPort(fake.api(), () => address);
  const document = await again.document();
  assert.deepEqual([document.fresh, document.address, document.copyOf], [false, address, undefined]);
  assert.equal(document.id, made.id);
  assert.equal(await mayWrite({ port: again, store, session }), true);
  assert.equal(isSeen(storageOf(), document), false);
});

/** A workbook in a pane that has looked at it before it had an id, and what another person's pane writes into it. */
async function shared() {
  const settings = new Map();
  const address = "https://example.com/shared.xlsx";
  const port = excelPort(new FakeExcel(new Book(1048576, 16384, "Data"), { settings }).api(), () => address);
  const claim = (id) => settings.set("mooring.document", JSON.stringify({ id, addresses: [address] }));
  return { port, settings, claim, address, made: await port.document(), session: { storage: storageOf() } };
}

test("an id that another person writes into the workbook meanwhile was not made here", async () => {
  const { port, settings, claim, made } = await shared();
  assert.equal(made.fresh, true);
  claim("victim");
  const { id, fresh } = await port.document();
  assert.deepEqual([id, fresh], ["victim", false]);
  await port.mark("p", { sheet: "Data", row: 0, column: 0, rows: 1, columns: 1 });
  assert.equal(JSON.parse(settings.get("mooring.document")).id, "victim"); // and it is not written over
});

test("blocks of one document are not written while the file says that it is another, seen here or made here", async () => {
  const { port, settings, claim, address, session } = await shared();
  const store = { state: { document: { id: "victim" } } };
  keepSeen(session.storage, { id: "real", address });
  claim("real");
  await assert.rejects(mayWrite({ port, store, session }), { code: "refused", message: /reload the pane/ });
  settings.clear();
  await assert.rejects(mayWrite({ port, store, session }), { code: "refused", message: /reload the pane/ });
  assert.equal(isSeen(session.storage, { id: "victim", address }), false);
});

test("a document whose id is the program's own is never asked about", async () => {
  assert.equal(await mayWrite({ port: { document: async () => ({ id: "google", name: "g" }) }, session: { storage: storageOf() } }), true);
});
