import assert from "node:assert/strict";
import { test } from "node:test";

import { excelPort } from "./excel.mjs";
import { isSeen, keepSeen, mayWrite } from "./seen.mjs";
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
  assert.equal((await port.document()).fresh, true);
  assert.equal(await mayWrite({ port, session }), true);
  await port.mark("p", { sheet: "Data", row: 0, column: 0, rows: 1, columns: 1 });
  const again = excelPort(fake.api(), () => address);
  const document = await again.document();
  assert.deepEqual([document.fresh, document.address, document.copyOf], [false, address, undefined]);
  assert.equal(await mayWrite({ port: again, session }), true);
  assert.equal(isSeen(storageOf(), document), false);
});

test("a document whose id is the program's own is never asked about", async () => {
  assert.equal(await mayWrite({ port: { document: async () => ({ id: "google", name: "g" }) }, session: { storage: storageOf() } }), true);
});
