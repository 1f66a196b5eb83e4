import assert from "node:assert/strict";
import { test } from "node:test";

import { excelPort } from "./excel.mjs";
import { isSeen, keepSeen, mayWrite } from "./document.mjs";
import { linkNow, look, plain, whyNot } from "./link.mjs";
import { addressOf } from "./excel.mjs";
import { forms, officeDocument } from "./testing/addresses.mjs";
import { Book } from "./testing/book.mjs";
import { FakeExcel } from "./testing/fake-office.mjs";

function storageOf(kept = new Map()) {
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
}

const board = { id: "u", nonce: "n", name: "board.xlsx", address: "https://example.com/board.xlsx" };
const older = { ...board, nonce: undefined };

test("a document is seen with its id and its nonce together, on the server where it was", () => {
  const storage = storageOf();
  assert.equal(isSeen(storage, board), false);
  keepSeen(storage, board);
  assert.equal(isSeen(storage, board), true);
  assert.equal(isSeen(storage, { ...board, name: "other" }), true);
  assert.equal(isSeen(storage, { ...board, address: "https://EXAMPLE.com/moved/renamed.xlsx?web=1" }), true);
  assert.equal(isSeen(storage, { ...board, id: "v" }), false);
  assert.equal(isSeen(storage, { ...board, nonce: "m" }), false);
  assert.equal(isSeen(storage, older), false);
  assert.equal(isSeen(storage, { ...board, address: "https://evil.example.com/board.xlsx" }), false);
  for (const address of ["", "C:\\board.xlsx"]) assert.equal(isSeen(storage, { ...board, address }), true);
  assert.equal(isSeen(storageOf(), board), false);
});

test("a document that was not stored is seen where it is stored first, and a drive of OneDrive is not another's", () => {
  const storage = storageOf();
  keepSeen(storage, { ...board, address: "" });
  const [mine, yours] = ["1", "2"].map((cid) => ({ ...board, address: `https://d.docs.live.net/${cid}/board.xlsx` }));
  assert.deepEqual([isSeen(storage, mine), isSeen(storage, yours), isSeen(storage, board)], [true, true, true]);
  keepSeen(storage, mine);
  assert.deepEqual([isSeen(storage, mine), isSeen(storage, yours), isSeen(storage, board)], [true, false, false]);
});

test("a document of an earlier version is seen at the address where it was", () => {
  const storage = storageOf(new Map([["mooring.seen", JSON.stringify([JSON.stringify(["u", board.address])])]]));
  assert.equal(isSeen(storage, older), true);
  assert.equal(isSeen(storage, { ...older, address: "https://example.com/other.xlsx" }), false);
  assert.equal(isSeen(storage, { ...older, address: "" }), false);
  assert.equal(isSeen(storage, { ...older, id: "v" }), false);
  assert.equal(isSeen(storage, { ...board, address: `${board.address}?web=1` }), true); // somebody else has taken it over since
  assert.equal(isSeen(storage, { ...board, address: "https://example.com/other.xlsx" }), false);
});

test("the latest are kept, and a storage that is broken or full is none", () => {
  const storage = storageOf();
  for (let n = 0; n <= 500; n++) keepSeen(storage, { ...board, id: String(n) });
  assert.equal(isSeen(storage, { ...board, id: "0" }), false);
  assert.equal(isSeen(storage, { ...board, id: "1" }), true);
  for (const text of ["{", "null", "7", '{"a":1}']) assert.equal(isSeen(storageOf(new Map([["mooring.seen", text]])), board), false);
  const full = { getItem: () => null, setItem: () => { throw new Error("full"); } };
  keepSeen(full, board);
});

/** What mayWrite needs of a pane beside a port, with the document that it shows. */
function paneOf(port, document, { storage = storageOf(), blocks = [], link = null, answers = [] } = {}) {
  const pane = {
    port, askedAt: "", session: { storage }, asked: [], notices: [], reopened: 0,
    store: {
      state: { document, blocks, link },
      set(change) {
        Object.assign(this.state, change);
      },
    },
    api: {
      async post(path, body) {
        pane.asked.push({ path, ...JSON.parse(JSON.stringify(body)) });
        return answers[Math.min(pane.asked.length, answers.length) - 1];
      },
    },
    notice: ({ sentence }) => pane.notices.push(sentence),
    async reopen() {
      pane.reopened++;
    },
  };
  return pane;
}

test("a document made here is written without a question, and is seen from then on, wherever it is stored", async () => {
  for (const { name, url, answer } of forms.filter(({ answer }) => !answer.silent)) {
    const fake = new FakeExcel(new Book(1048576, 16384, "Data"));
    const storage = storageOf();
    const port = excelPort(fake.api(), async () => "");
    const made = await port.document();
    assert.equal(made.fresh, true);
    assert.equal(await mayWrite(paneOf(port, made, { storage })), true);
    const again = excelPort(fake.api(), addressOf(officeDocument({ url, answer })));
    const document = await again.document();
    assert.deepEqual([document.fresh, document.id], [false, made.id]);
    assert.equal(isSeen(storage, { ...document, address: await again.address() }), true, name);
    assert.equal(await mayWrite(paneOf(again, document, { storage })), true, name);
    assert.equal(isSeen(storageOf(), { ...document, address: "" }), false);
  }
});

/** A workbook in a pane that has looked at it before it had an id, and what another person's pane writes into it. */
async function shared() {
  const fake = new FakeExcel(new Book(1048576, 16384, "Data"));
  const port = excelPort(fake.api(), async () => "https://example.com/shared.xlsx");
  const claim = (id) => {
    fake.book.names = [{ name: "_mooring_document", sheet: null, area: {}, text: `="${id} abcdefghijklmnopqrstuv"` }];
  };
  return { fake, port, claim, made: await port.document() };
}

const VICTIM = "6f1f6b6e-6b0e-4a6e-9d58-0a1b2c3d4e5f";
const REAL = "00000000-6b0e-4a6e-9d58-0a1b2c3d4e5f";

test("an id that another person writes into the workbook meanwhile was not made here, and is not written over", async () => {
  const { port, fake, claim, made } = await shared();
  assert.equal(made.fresh, true);
  claim(VICTIM);
  const { id, fresh } = await port.document();
  assert.deepEqual([id, fresh], [VICTIM, false]);
  await port.identify();
  assert.match(fake.book.names[0].text, new RegExp(VICTIM));
});

test("where the file says by now that it is another document, the pane turns to that, and nothing is written", async () => {
  const { port, fake, claim } = await shared();
  const pane = paneOf(port, { id: VICTIM });
  claim(REAL);
  assert.equal(await mayWrite(pane), false);
  fake.book.names = [];
  assert.equal(await mayWrite(pane), false);
  assert.equal(pane.reopened, 2);
  assert.match(pane.notices[0], /another document/);
  assert.equal(fake.book.names.length, 0);
});

test("a linked document that is open elsewhere by now is asked about before it is written", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { port, claim } = await shared();
  claim(REAL);
  const document = await port.document();
  const storage = storageOf();
  keepSeen(storage, { ...document, address: await port.address() });
  const mayAt = async (askedAt, ...answers) => {
    const pane = paneOf(port, { ...document }, { storage, blocks: [{}], link: { state: "linked" }, answers });
    pane.askedAt = askedAt;
    const may = mayWrite(pane);
    for (let n = 0; n < 200; n++) {
      t.mock.timers.tick(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return [await may, pane.asked.length, pane.notices.length];
  };
  const [here, elsewhere] = ["https://example.com/shared.xlsx", "https://example.com/old.xlsx"];
  const [linked, looking] = [{ state: "linked" }, { state: "looking" }];
  assert.deepEqual(await mayAt(here), [true, 0, 0]);
  assert.deepEqual(await mayAt(elsewhere, linked), [true, 1, 0]); // it was moved or renamed
  assert.deepEqual(await mayAt(elsewhere, looking, looking, linked), [true, 3, 0]);
  assert.deepEqual(await mayAt(elsewhere, looking), [false, 4, 1]);
});

test("a document whose id is the program's own is never asked about", async () => {
  let said = 0;
  const port = { document: async () => ({ id: "google", name: "g" }), identify: async () => void said++ };
  assert.equal(await mayWrite({ port, session: { storage: storageOf() } }), true);
  assert.equal(said, 1);
});

test("of where a workbook is, the name leaves the machine, and an address of the web", async () => {
  for (const { name, now, sent } of forms) {
    const pane = paneOf({}, { id: "a b", name: "Plan.xlsx", nonce: "n" }, { answers: [{ state: "looking" }] });
    await linkNow(pane, now);
    assert.deepEqual(pane.asked, [{ path: "/external-documents/a%20b/link", name: "Plan.xlsx", nonce: "n", ...(sent && { url: sent }) }], name);
    assert.equal(pane.store.state.link.state, "looking");
  }
});

test("only a person's wish has a workbook looked for again that was unlinked", async (t) => {
  const { pane, pass, done } = looking(t, [{ id: "u", state: "looking" }, { id: "u", state: "not_found" }, { id: "u", state: "looking" }, { id: "u", state: "linked" }]);
  await pass(3);
  await done;
  assert.deepEqual(pane.asked.map(({ again }) => again), [undefined, undefined]);
  const asked = look(pane, undefined, "not_found", true);
  await pass(3);
  await asked;
  assert.deepEqual(pane.asked.slice(2).map(({ again }) => again), [true, undefined]);
});

test("addresses are compared by server, path and nothing else", () => {
  const [encoded, bare, query] = forms.map(({ now }) => plain(now));
  assert.equal(encoded, bare);
  assert.equal(encoded, query);
  assert.equal(plain("HTTPS://Contoso.SharePoint.com/A"), "https://contoso.sharepoint.com/A");
  assert.notEqual(plain("https://contoso.sharepoint.com/a"), plain("https://contoso.sharepoint.com/A"));
  assert.equal(plain("https://x/100%.xlsx"), "https://x/100%.xlsx");
  assert.equal(plain("C:\\a%20#b.xlsx"), "C:\\a%20#b.xlsx");
});

test("why a file is refreshed only where it is open is said in words", () => {
  const message = "Ask your administrator.";
  assert.equal(whyNot({ state: "linked", message }), "");
  assert.equal(whyNot({ state: "not_saved", message }), "Refreshed only while it is open here: save it to a place that Mooring reaches.");
  for (const state of ["not_found", "not_reached", "ambiguous", "refused"])
    assert.equal(whyNot({ state, message }), `Refreshed only while it is open here. ${message}`); // which says what to do
  assert.equal(whyNot({ state: "linked", copy: true, host: "Finance", message }), "This is a copy: agents refresh the original (Finance), not this file.");
  for (const link of [null, { state: "looking", message }]) assert.match(whyNot(link), /looking/);
});

/** A pane that looks for its document, whose seconds pass when told, and the seconds at which it asked the server. */
function looking(t, answers, address = async () => "") {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.document = { getElementById: () => ({ dataset: { watched: "yes" } }) }; // the foot
  t.after(() => delete globalThis.document);
  const file = { id: "u", nonce: "n", name: "Book1" };
  const pane = paneOf({ address, document: async () => ({ ...file }) }, { ...file }, { blocks: [{}], answers });
  const asked = [];
  let now = 0;
  const { post } = pane.api;
  pane.api.post = async (...request) => {
    asked.push(now);
    return post(...request);
  };
  Object.assign(pane, { file, bar: () => {}, looks: new AbortController(), ended: new AbortController(), loads: 0, load: async () => void pane.loads++ });
  const done = look(pane).catch(() => {});
  const pass = async (seconds) => {
    for (; seconds > 0; seconds--, now++) {
      await new Promise((resolve) => setImmediate(resolve));
      t.mock.timers.tick(1000);
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { pane, asked, pass, done };
}

test("while the server looks it is asked after 2, 4, 8, 15, 30 and 60 seconds, and the blocks are read anew once it has found the file", async (t) => {
  const answers = Array.from({ length: 8 }, () => ({ id: "u", state: "looking" }));
  const { pane, asked, pass, done } = looking(t, [...answers, { id: "u", state: "linked" }]);
  await pass(400);
  await done;
  assert.deepEqual(asked, [0, 2, 6, 14, 29, 59, 119, 179, 239]);
  assert.equal(pane.loads, 1);
});

test("while a file is not stored its address is read every 5 seconds, and the server asked when it changes", async (t) => {
  let [address, reads] = ["", 0];
  const { pane, asked, pass } = looking(t, [{ id: "u", state: "not_saved" }], async () => (reads++, address));
  await pass(21);
  assert.deepEqual([asked, reads], [[0], 5]);
  address = "https://contoso.sharepoint.com/Plan.xlsx";
  pane.file.name = "Plan.xlsx";
  await pass(20);
  assert.deepEqual(asked, [0, 25]);
  const path = "/external-documents/u/link";
  assert.deepEqual(pane.asked, [{ path, name: "Book1", nonce: "n" }, { path, name: "Plan.xlsx", nonce: "n", url: address }]);
  pane.ended.abort();
  const before = reads;
  await pass(20);
  assert.equal(reads, before);
});

test("what is linked, or is not found, is asked for once", async (t) => {
  for (const state of ["linked", "not_found", "refused"]) {
    const { pane, asked, pass } = looking(t, [{ id: "u", state, message: "" }]);
    await pass(300);
    assert.deepEqual([asked, pane.loads], [[0], 0]);
    t.mock.reset();
  }
});
