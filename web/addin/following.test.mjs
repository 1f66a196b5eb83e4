import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { followAll, follows, setFollows } from "./following.mjs";

/** A pane with one block that takes a value from Setup!B2; refreshed are the times at which it was about to be refreshed. */
function paneOf() {
  const kept = new Map();
  const watchers = new Set();
  const block = { key: "p", placement: { id: "p", parameters: { region: { cell: "Setup!B2" } } } };
  const pane = {
    value: "Q1",
    reads: 0,
    asked: 0,
    block,
    tell: (kind) => watchers.forEach((fn) => fn({ kind })),
    watchers,
    session: { storage: { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) } },
    ended: new AbortController(),
    store: { state: { blocks: [block], progress: null, document: { id: "d" } }, set: (change) => void pane.changes.push(change) },
    changes: [],
    notices: [],
    notice: ({ sentence }) => void pane.notices.push(sentence),
    reopen: async () => {},
    port: {
      watch: (fn) => {
        watchers.add(fn);
        return () => watchers.delete(fn);
      },
      marks: async () => [],
      parameters: async (list) => {
        pane.reads++;
        return list.map(({ rect }) => ({ rect, marked: false, date1904: false, cells: [{ value: pane.value }] }));
      },
      address: async () => {
        pane.asked++; // the first that a refresh does
        throw new Error("no further");
      },
      document: async () => ({ id: "d" }),
    },
  };
  return pane;
}

/** Lets what waits for nothing but itself go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a block is refreshed once, 2 seconds after the last change of its cell", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const pane = paneOf();
  assert.equal(follows(pane, pane.block), false);
  setFollows(pane, pane.block, true);
  await settle();
  assert.equal(follows(pane, pane.block), true);
  const begun = pane.reads;
  const changed = async (value, ms) => {
    pane.value = value;
    pane.tell("cells");
    mock.timers.tick(ms);
    for (let i = 0; i < 20; i++) await settle();
  };
  await changed("Q2", 1000);
  await changed("Q3", 1999);
  assert.deepEqual([pane.reads, pane.asked], [begun, 0]);
  mock.timers.tick(1);
  for (let i = 0; i < 20 && !pane.asked; i++) await new Promise((resolve) => setImmediate(resolve));
  await import("./runs.mjs");
  for (let i = 0; i < 20; i++) await settle();
  assert.deepEqual([pane.reads, pane.asked], [begun + 1, 1]);
  await changed("Q3", 2000);
  assert.equal(pane.asked, 1, "what says the same is not refreshed");
  pane.tell("selection");
  pane.ended.abort();
  assert.equal(pane.watchers.size, 0);
  mock.timers.reset();
});

test("what changes while cells are read for the first time is refreshed", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const pane = paneOf();
  const { parameters } = pane.port;
  pane.port.parameters = (list) => {
    const read = parameters(list);
    pane.port.parameters = parameters;
    pane.value = "Q2";
    pane.tell("cells");
    return read;
  };
  await setFollows(pane, pane.block, true);
  mock.timers.tick(2000);
  for (let i = 0; i < 20; i++) await settle();
  assert.equal(pane.asked, 1);
  mock.timers.reset();
});

test("what changes while blocks are refreshed is looked at afterwards", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const pane = paneOf();
  setFollows(pane, pane.block, true);
  await settle();
  const begun = pane.reads;
  pane.store.state.progress = {};
  pane.value = "Q2";
  pane.tell("cells");
  mock.timers.tick(2000);
  await settle();
  assert.equal(pane.reads, begun);
  pane.store.state.progress = null;
  mock.timers.tick(2000);
  for (let i = 0; i < 20 && !pane.asked; i++) await settle();
  assert.deepEqual([pane.reads, pane.asked], [begun + 1, 1]);
  pane.ended.abort();
  mock.timers.reset();
});

/** Lets a pane's timer of 2 seconds pass, and what follows. */
async function passed(pane) {
  if (pane) pane.tell("cells");
  mock.timers.tick(2000);
  for (let i = 0; i < 40; i++) await settle();
}

test("a block whose refreshes change its own cell is followed no more after some", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const pane = paneOf();
  pane.block.name = "Sales";
  let by = 1; // how much a refresh adds to the cell
  pane.port.address = async () => {
    pane.asked++;
    if (by) pane.value += by;
    pane.store.state.document = { id: "other" }; // so that nothing is written
  };
  await import("./runs.mjs");
  await setFollows(pane, pane.block, true);
  pane.value = 1;
  await passed(pane);
  for (let i = 0; i < 9; i++) await passed();
  assert.equal(pane.asked, 3);
  assert.equal(follows(pane, pane.block), false);
  assert.match(pane.notices.at(-1), /“Sales” does not refresh by itself any more/);
  assert.equal(pane.changes.length, 1, "its tick is drawn anew");
  [by, pane.notices.length] = [0, 0];
  await setFollows(pane, pane.block, true);
  for (let i = 0; i < 9; i++) {
    pane.value = `by hand ${i}`;
    await passed(pane);
  }
  assert.equal(pane.asked, 12);
  assert.equal(follows(pane, pane.block), true);
  pane.ended.abort();
  mock.timers.reset();
});

test("what cannot be read now hides no change of another block, and is looked at again", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const pane = paneOf();
  const other = { key: "q", placement: { id: "q", parameters: { region: { cell: "Setup!C2" } } } };
  pane.store.state.blocks.push(other);
  await setFollows(pane, pane.block, true);
  await setFollows(pane, other, true);
  const read = pane.port.parameters;
  pane.port.parameters = async (list) => {
    if (list[0].rect.column === 2) throw new Error("busy");
    return read(list);
  };
  pane.value = "Q2";
  await passed(pane);
  assert.equal(pane.asked, 1);
  pane.port.parameters = read;
  await passed(pane);
  assert.equal(pane.asked, 2, "the other one");
  pane.ended.abort();
  mock.timers.reset();
});

test("a block that is ticked during a refresh begins with what its cell says then", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const pane = paneOf();
  pane.store.state.progress = {};
  await setFollows(pane, pane.block, true);
  pane.store.state.progress = null;
  pane.value = "Q2";
  await passed(pane);
  assert.equal(pane.asked, 1);
  pane.ended.abort();
  mock.timers.reset();
});

test("a block that is ticked again begins anew", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const pane = paneOf();
  await setFollows(pane, pane.block, true);
  await setFollows(pane, pane.block, false);
  pane.value = "Q2";
  await setFollows(pane, pane.block, true);
  await passed(pane);
  assert.equal(pane.asked, 0);
  pane.ended.abort();
  mock.timers.reset();
});

test("what is not ticked is not followed", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const pane = paneOf();
  setFollows(pane, pane.block, true);
  setFollows(pane, pane.block, false);
  await followAll(pane);
  const before = pane.reads;
  pane.value = "Q2";
  pane.tell("cells");
  mock.timers.tick(2000);
  for (let i = 0; i < 20; i++) await settle();
  assert.deepEqual([pane.reads, pane.asked], [before, 0]);
  mock.timers.reset();
});
