import assert from "node:assert/strict";
import test from "node:test";

import { changesInWords } from "./changes.mjs";

for (const [what, changes, want] of [
  ["nothing", undefined, []],
  ["nothing that anybody sees", { columns: {}, documents: [], blocks: 0 }, []],
  ["a column that vanishes, with formulas", { columns: { vanish: [{ name: "total", placements: ["a", "b"], formulas: ["board.xlsx/Sum!C4"] }] } }, [
    "The column “total” vanishes from 2 blocks.",
    "1 formula refers to it: board.xlsx/Sum!C4.",
  ]],
  ["a column that nobody shows", { columns: { vanish: [{ name: "total" }] } }, ["The column “total” vanishes."]],
  ["columns that appear, more than are named", { columns: { appear: ["a", "b", "c", "d", "e", "f", "g"] } }, ["New columns: a, b, c, d, e and 2 more."]],
  ["blocks whose values do not fit any more", { stopped: [{ placement: "board.xlsx/Data!A5", message: "The value of Region is not one of North." }] }, [
    "board.xlsx/Data!A5 will not be refreshed until its values are set: The value of Region is not one of North.",
  ]],
  ["more such blocks than are named", { stopped: Array.from({ length: 7 }, (_, n) => ({ placement: `b/D!A${n + 1}`, message: "No." })) }, [
    ...[1, 2, 3, 4, 5].map((n) => `b/D!A${n} will not be refreshed until its values are set: No.`),
    "2 more blocks will not be refreshed either.",
  ]],
  ["blocks", { blocks: 3, documents: ["board.xlsx"] }, ["3 blocks in 1 document change with the next refresh."]],
]) {
  test(`saving changes ${what}`, () => assert.deepEqual(changesInWords(changes), want));
}
