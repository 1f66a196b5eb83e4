import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Away, Problem } from "../ui/api.mjs";
import { settingsOf } from "./copy.mjs";
import { mayWrite } from "./document.mjs";
import { linkNow, look, whyNot } from "./link.mjs";
import { isSeen, keepSeen, plain } from "./seen.mjs";
import { addressOf, excelPort } from "./excel/excel.mjs";
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
  let given = 0;
  const answered = () => {
    const answer = answers[Math.min(++given, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return answer;
  };
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
        return answered();
      },
      get: async () => answered(),
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

const HERE = "https://example.com/shared.xlsx";
const ELSEWHERE = "https://example.com/old.xlsx";

/** Presses Refresh, n times one after the other, in a pane that knows that of its document, and answers like that; an Error is thrown. */
async function pressed(t, known, answers, n = 1) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => t.mock.timers.reset());
  const { port, claim } = await shared();
  claim(REAL);
  const document = await port.document();
  const storage = storageOf();
  keepSeen(storage, { ...document, address: await port.address() });
  const pane = paneOf(port, { ...document }, { storage, blocks: [{}], link: known, answers });
  const may = [];
  for (; n > 0; n--) {
    const pressed = mayWrite(pane).catch((error) => error.constructor.name);
    for (let second = 0; second < 200; second++) {
      t.mock.timers.tick(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    may.push(await pressed);
  }
  return { may, asked: pane.asked.length, notices: pane.notices };
}

test("a linked document that is open elsewhere by now is asked about before it is written", async (t) => {
  const [linked, looking] = [{ state: "linked" }, { state: "looking" }];
  for (const [fact, at, answers, want] of [
    ["where it was", HERE, [], [true, 0, 0]],
    ["moved or renamed", ELSEWHERE, [linked], [true, 1, 0]],
    ["found after a while", ELSEWHERE, [looking, looking, linked], [true, 3, 0]],
    ["not yet", ELSEWHERE, [looking], [false, 4, 1]],
  ]) {
    const { may, asked, notices } = await pressed(t, { state: "linked", linked: true, at }, answers);
    assert.deepEqual([may[0], asked, notices.length], want, fact);
    t.mock.timers.reset();
  }
});

test("nothing is written to a linked document, however often it is asked for, before it is known what the open file is", async (t) => {
  const busy = new Problem(429, { message: "Too many." }, 1000);
  const looking = { state: "looking", provedAt: "2026-01-01T00:00:00.000Z" };
  const linked = { state: "linked", webUrl: ELSEWHERE };
  const known = { state: "linked", linked: true, at: ELSEWHERE };
  for (const [fact, before, answers, want] of [
    ["saved elsewhere", known, [{ state: "looking" }], [false, false, false]],
    ["opened there, and asked for at the start", { ...looking, linked: true }, [looking], [false, false, false]],
    ["opened there, and not asked for yet", null, [looking], [false, false, false]],
    ["too much is looked for", known, [busy, linked], [false, false, false]],
    ["too much is looked for, in a pane that knows nothing", null, [busy, linked], [false, false, false]],
    ["the server goes away", known, [new Away()], ["Away", "Away", "Away"]],
    ["it is known at last", known, [looking, looking, looking, looking, { state: "linked" }], [false, true, true]],
    ["too much is looked for, and it is open where it is linked", null, [busy, { ...linked, webUrl: HERE }], [true, true, true]],
    ["too much is looked for, and it is linked nowhere", null, [busy, { state: "not_found" }], [true, true, true]],
    ["who may not ask", null, [new Problem(404, {})], [true, true, true]],
    ["looked for the first time", null, [{ state: "looking" }], [true, true, true]],
  ]) {
    // Where the request for a look fails, the next answer is to what is known; then it fails again.
    const cycle = answers[0] === busy ? [...answers, ...answers, ...answers] : answers;
    const { may, notices } = await pressed(t, before, cycle, 3);
    assert.deepEqual(may, want, fact);
    assert.equal(notices.filter((sentence) => /finding out/.test(sentence)).length, want.filter((one) => one === false).length, fact);
    t.mock.timers.reset();
  }
});

test("a linked workbook that is saved on this computer, or on another server, while it is open is a copy; one that is opened there may be it", async () => {
  const at = "https://contoso.sharepoint.com/sites/fin/Plan.xlsx";
  const linked = { state: "linked", webUrl: at };
  for (const [address, copy] of [
    ["C:\\Users\\ana\\Plan.xlsx", true],
    ["/Users/ana/Plan.xlsx", true],
    ["\\\\server\\share\\Plan.xlsx", true],
    ["https://d.docs.live.net/0123456789abcdef/Plan.xlsx", true],
    ["https://contoso.sharepoint.com/sites/fin/Renamed.xlsx", false],
    ["", false],
  ]) {
    const pane = paneOf({}, { id: "u", name: "Plan.xlsx", nonce: "n" }, { answers: [linked] });
    assert.equal(Boolean((await linkNow(pane, address)).copy), false, `opened at ${address}`);
    await linkNow(pane, at);
    for (let n = 0; n < 2; n++) assert.equal(Boolean((await linkNow(pane, address)).copy), copy, address);
    assert.equal(Boolean((await linkNow(pane, at)).copy), false);
  }
  const moved = { state: "linked", webUrl: "https://contoso-my.sharepoint.com/personal/ana/Plan.xlsx" };
  const pane = paneOf({}, { id: "u", name: "Plan.xlsx", nonce: "n" }, { answers: [linked, moved] });
  await linkNow(pane, at);
  assert.equal(Boolean((await linkNow(pane, moved.webUrl)).copy), false);
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
  assert.equal(whyNot({ state: "refused", copy: true, message }), "This is a copy: agents refresh the original, not this file.");
  for (const link of [null, { state: "looking", message }]) assert.match(whyNot(link), /looking/);
});

/** A pane that looks for its document, whose seconds pass when told, and the seconds at which it asked the server. */
function looking(t, answers, address = async () => "", storage = storageOf()) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.document = { getElementById: () => ({ dataset: { watched: "yes" } }) }; // the foot
  t.after(() => delete globalThis.document);
  const file = { id: "u", nonce: "n", name: "Book1" };
  const pane = paneOf({ address, document: async () => ({ ...file }) }, { ...file }, { storage, blocks: [{}], answers });
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

test("what a refresh waited for in vain is looked for on, and the foot comes to an end", async (t) => {
  let address = HERE;
  const [linked, still] = [{ id: "u", state: "linked" }, { id: "u", state: "looking", provedAt: "2026-01-01T00:00:00.000Z" }];
  const { pane, asked, pass, done } = looking(t, [linked, ...Array.from({ length: 6 }, () => still), linked], async () => address);
  Object.assign(pane.port, { identify: async () => {} });
  pane.file.fresh = true; // made here
  await pass(1);
  await done;
  address = ELSEWHERE;
  const first = mayWrite(pane);
  await pass(20);
  assert.deepEqual([await first, pane.store.state.link.state], [false, "looking"]);
  await pass(60);
  assert.deepEqual([pane.store.state.link.state, pane.store.state.link.at, asked.length], ["linked", ELSEWHERE, 8]);
  assert.equal(await mayWrite(pane), true);
  assert.equal(asked.length, 8);
});

test("what became one is told once on a device, and the blocks are read anew for it once", async (t) => {
  const storage = storageOf();
  const merged = [{ placementId: "a", into: "b" }];
  for (const [said, loads, notices] of [[merged, 1, 1], [merged, 0, 0], [undefined, 0, 0], [[...merged, { placementId: "c", into: "b" }], 1, 1]]) {
    const { pane, asked, pass, done } = looking(t, [{ id: "u", state: "linked", merged: said }], undefined, storage);
    await pass(3);
    await done;
    assert.deepEqual([asked, pane.loads, pane.notices.length], [[0], loads, notices]);
    t.mock.reset();
  }
  const { pane, pass, done } = looking(t, [{ id: "v", state: "looking", merged }, { id: "v", state: "linked", merged }], undefined, storage);
  await pass(5);
  await done;
  assert.deepEqual([pane.notices.length, pane.store.state.link.state], [1, "linked"]); // in another document, and the look goes on
});

test("where the server cannot be asked, the foot says so, and it is asked again when the server says", async (t) => {
  const busy = new Problem(429, { message: "Too much is looked for." }, 40_000);
  const { pane, asked, pass, done } = looking(t, [busy, new Away(), { id: "u", state: "linked" }]);
  await pass(1);
  assert.deepEqual([pane.store.state.link.state, whyNot(pane.store.state.link)], ["unknown", "It is not known yet whether agents refresh this workbook. Too much is looked for."]);
  await pass(100);
  await done;
  assert.deepEqual([asked, pane.store.state.link.state], [[0, 40, 44], "linked"]);
  t.mock.reset();
  const unseen = looking(t, [new Problem(404, {})]);
  await unseen.pass(100);
  await unseen.done;
  assert.deepEqual([unseen.asked, unseen.pane.store.state.link], [[0], null]); // a person who may read nothing there
  t.mock.reset();
  const wish = looking(t, [{ id: "u", state: "not_found" }, busy, { id: "u", state: "linked" }]);
  await wish.pass(1);
  await wish.done;
  const again = look(wish.pane, undefined, "not_found", true);
  await wish.pass(60);
  await again;
  assert.deepEqual(wish.pane.asked.map(({ again }) => again), [undefined, true, true]);
});

test("a copy of a block keeps whatever a connect may say of it beside its address", () => {
  const { Connection } = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8")).components.schemas;
  const address = [
    "externalWorkbookId", "workbookName", "host", "nonce", "placementId", "sheetId", "sheetName", "anchorCell", "resultLocation", "addressOnly",
  ];
  const written = ["endResultCell", "resultChecksum"];
  const said = Object.keys(Connection.properties).filter((name) => ![...address, ...written].includes(name));
  assert.deepEqual(Object.keys(settingsOf({})).sort(), said.sort());
});
