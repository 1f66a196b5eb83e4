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
    store: { state: { blocks: [block], progress: null } },
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
