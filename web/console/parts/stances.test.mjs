import assert from "node:assert/strict";
import test from "node:test";
import { partsOf, sentence } from "./stances.mjs";

const counts = { total: 47, upToDate: 42, changed: 0, unknown: 0, refreshing: 0, needsYou: 4, waits: 1 };
for (const [what, change, reasons, want] of [
  ["some need you", {}, ["locked"], "42 of 47 blocks are up to date. 4 need you, 1 waits for its file."],
  ["all wait for one source", { upToDate: 34, needsYou: 0, waits: 13 }, ["source"], "34 of 47 blocks are up to date. 13 wait for their source."],
  ["what is waited for differs", { needsYou: 1, waits: 4 }, ["source", "locked"], "42 of 47 blocks are up to date. 1 needs you, 4 wait."],
  ["an unknown reason", { needsYou: 4 }, ["weather"], "42 of 47 blocks are up to date. 4 need you, 1 waits."],
  ["all well", { upToDate: 47, needsYou: 0, waits: 0 }, [], "All 47 blocks are up to date."],
  ["one, and well", { total: 1, upToDate: 1, needsYou: 0, waits: 0 }, [], "The one block is up to date."],
  ["nothing placed", { total: 0, upToDate: 0, needsYou: 0, waits: 0 }, [], "No block is placed yet."],
  ["new ones", { total: 3, upToDate: 1, needsYou: 0, waits: 0, unknown: 1, changed: 1 }, [], "1 of 3 blocks is up to date. 1 has an edited report or other values, 1 is not refreshed yet."],
  ["the numbers of all are not told", { total: undefined, upToDate: undefined }, ["locked"], "4 need you, 1 waits for its file."],
  ["nor is there anything", { total: undefined, needsYou: 0, waits: 0 }, [], "No block needs you."],
]) {
  test(`the sentence: ${what}`, () => assert.equal(sentence({ ...counts, ...change }, new Set(reasons)), want));
}

test("the parts of the bar are all blocks, the worst first", () => {
  const parts = partsOf(counts);
  assert.equal(parts.reduce((sum, { n }) => sum + n, 0), counts.total);
  assert.deepEqual(parts[0], { n: 4, code: "FAILED", word: "need you", filter: { stance: "NEEDS_YOU" } });
});
