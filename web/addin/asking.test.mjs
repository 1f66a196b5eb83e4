import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { latest, valuesOf } from "./asking.mjs";

/** Lets what waits for nothing but itself go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Looks at values that a test gives, with what the place was told. */
function lookedAt() {
  const [told, finds] = [[], []];
  const asked = [];
  const { look, change } = latest(() => new Promise((resolve, reject) => finds.push({ resolve, reject })), {
    ask: ({ value }, isLast) => {
      told.push(`asks ${value}`);
      asked.push(isLast);
    },
    wait: (why) => void told.push(why),
    withdraw: () => void told.push("withdrawn"),
  });
  return { told, finds, asked, look, change };
}

test("a change withdraws at once what was asked, and asks for the rows after a pause", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { told, finds, asked, look, change } = lookedAt();
  look();
  finds[0].resolve({ value: "Ada" });
  await settle();
  assert.deepEqual([told.splice(0), asked[0]()], [["asks Ada"], true]);
  change();
  assert.deepEqual([told.splice(0), asked[0]()], [["withdrawn"], false]);
  mock.timers.tick(700);
  change();
  mock.timers.tick(799);
  assert.equal(finds.length, 1);
  mock.timers.tick(1);
  finds[1].resolve({ value: "Ben" });
  await settle();
  assert.deepEqual([told, asked[1]()], [["withdrawn", "asks Ben"], true]);
  mock.timers.reset();
});

test("a cell that is read slowly does not win over what was chosen after it", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { told, finds, look, change } = lookedAt();
  look();
  change();
  mock.timers.tick(800);
  finds[1].resolve({ value: "Ben" });
  await settle();
  finds[0].resolve({ value: "Ada" });
  await settle();
  assert.deepEqual(told.splice(0), ["withdrawn", "asks Ben"]);
  change();
  mock.timers.tick(800);
  finds[2].reject(new Error("The sheet is not there."));
  await settle();
  assert.deepEqual(told, ["withdrawn", "The sheet is not there."]);
  mock.timers.reset();
});

test("several cells are no single value", async () => {
  const pane = { port: { parameters: async (list) => list.map(({ rect, list: several }) => {
    const one = { rect, marked: false, date1904: false };
    return several || rect.rows === 1 ? { ...one, cells: [{ value: "Ada" }] } : { ...one, cells: [], fault: "shape" };
  }) } };
  const settings = { who: { cell: "Setup!B2:B3" } };
  assert.equal(await valuesOf(pane, [{ name: "who", type: "text" }], settings), "Setup!B2:B3 holds no value for who.");
  assert.deepEqual(await valuesOf(pane, [{ name: "who", type: "text", list: true }], settings), { who: ["Ada"] });
});
