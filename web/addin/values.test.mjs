import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { lineOf, settled, shownBy } from "./values.mjs";

const rect = { sheet: "Setup", row: 1, column: 1, rows: 1, columns: 1 };
const found = (more) => ({ rect, marked: true, date1904: false, cells: [], ...more });

test("what a cell says now is told beside what the block shows", () => {
  const region = { name: "region", type: "text", default: "South" };
  const says = (more, used) => {
    const { said, differs } = lineOf(region, { region: { cell: "Setup!B2" } }, used ? { region: { value: used } } : {}, found(more));
    return [said, differs];
  };
  assert.deepEqual(says({ cells: [{ value: "North" }] }, "South"), ["Setup!B2 says North, shown: South", true]);
  assert.deepEqual(says({ cells: [{ value: null }] }, "South"), ["from Setup!B2, shown: South", false], "the default of a blank cell");
  assert.deepEqual(says({ fault: "deleted" }, "South"), ["Setup!B2 was deleted, shown: South", true]);
  assert.deepEqual(says({ fault: "sheet" }), ["Setup!B2 is on a sheet that is not there", false]);
  assert.deepEqual(says({ cells: [{ value: null, covered: true }] }, "South"), ["Setup!B2 says nothing, shown: South", true]);
});

const block = { deployment: 1, report: 2, placement: { id: "p", workbookId: "b", refreshedAt: "2026-11-30T07:00:00Z", lastRun: { state: "FAILED" } }, run: { state: "FAILED" } };

/** An api whose lists of runs are those given, by the state that is asked for. */
function apiOf(lists) {
  const asked = [];
  return { asked, get: async (path) => {
    const state = new URL(path, "http://x").searchParams.get("state") ?? "any";
    asked.push(state);
    return { items: lists[state] ?? [] };
  } };
}

/** A run of two placements, of which the second one is in another state. */
const runOf = (state, own, value) => ({ id: "r", state, placements: [
  { placementId: "p", state: own, parameters: { region: { value } } }, { placementId: "q", state: "FAILED" },
] });

test("what a block shows is what its own last write was for, in a run that failed elsewhere too", async () => {
  const api = apiOf({ any: [runOf("FAILED", "FAILED", "West"), runOf("FAILED", "SUCCEEDED", "North")], SUCCEEDED: [runOf("SUCCEEDED", "SUCCEEDED", "South")] });
  assert.deepEqual(await shownBy({ api }, block), { region: { value: "North" } });
  assert.deepEqual(api.asked, ["any"]);
  const older = apiOf({ any: [runOf("FAILED", "FAILED", "West")], SUCCEEDED: [runOf("SUCCEEDED", "SUCCEEDED", "South")] });
  assert.deepEqual(await shownBy({ api: older }, block), { region: { value: "South" } });
  assert.deepEqual(await shownBy({ api: apiOf({}) }, block), {});
});

test("cells are read once changes of the document pause", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  let reads = 0;
  const soon = settled(() => reads++, 400);
  for (let i = 0; i < 5; i++) {
    soon();
    mock.timers.tick(399);
  }
  assert.equal(reads, 0);
  mock.timers.tick(1);
  assert.equal(reads, 1);
  mock.timers.reset();
});
