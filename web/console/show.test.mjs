import { readRun } from "../ui/api.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { countsOf } from "./parts/changes.mjs";
import { reach, worst } from "./parts/impact.mjs";
import { capital, cut, duration } from "./show.mjs";
import { axisEnd, barOf, height } from "./pictures/strip.mjs";
import { lookOf, tileLabel } from "./pictures/wall.mjs";

for (const [ms, want] of [
  [0, "0 ms"],
  [849.6, "850 ms"],
  [3210, "3.2 s"],
  [42_000, "42 s"],
  [240_000, "4 min"],
  [7_200_000, "2 h"],
  [259_200_000, "3 days"],
]) {
  test(`${ms} ms are ${want}`, () => assert.equal(duration(ms), want));
}

test("a run without a list of blocks, or with states that are not known, has a bar", () => {
  const run = (more) => readRun({ id: "r", fireTime: "2026-11-22T07:00:00Z", state: "SKIPPED", ...more });
  assert.equal(barOf(run({ placements: null }), "p").state, "SKIPPED");
  assert.equal(barOf(run({}), "p").state, "SKIPPED");
  assert.equal(barOf(run({ placements: [{ placementId: "p", state: "DREAMING" }] }), "p").state, "DREAMING");
});

test("a stopped run did nothing more in any block", () => {
  const states = ["QUEUED", "RUNNING", "SUCCEEDED"].map((state) => ({ placementId: state, state }));
  const { placements } = readRun({ state: "STOPPED", placements: states });
  assert.deepEqual(placements.map(({ state }) => state), ["STOPPED", "STOPPED", "SUCCEEDED"]);
  assert.deepEqual(readRun({ state: "QUEUED", placements: states }).placements, states);
});

test("a sentence begins with a capital, and the name of a file stays as it is", () => {
  assert.equal(capital("the query does not run"), "The query does not run");
  for (const said of ["moved.xlsx is not there", "B2 was changed", "“a b” is open", ""]) assert.equal(capital(said), said);
});

test("a long text is cut between characters", () => {
  assert.equal(cut("Sales", 5), "Sales");
  assert.equal(cut("Sales of all", 6), "Sales…");
  assert.equal(cut("😀😀😀😀", 3), "😀😀…");
  assert.equal(cut("x".repeat(10_000), 120).length, 120);
});

test("the worst status of a report's blocks", () => {
  assert.equal(worst([{ syncStatus: "UP_TO_DATE" }, { syncStatus: "FAILED" }, { syncStatus: "CHANGED" }]), "FAILED");
  assert.equal(worst([{ syncStatus: "UP_TO_DATE" }, { syncStatus: "REFRESHING" }]), "REFRESHING");
});

test("documents, sheets and people are counted once", () => {
  const placed = [
    { workbookId: "a.xlsx", workbookName: "A", sheetName: "Data", placedByUserId: 1, runAs: { uid: 1, email: "ana@example.com" } },
    { workbookId: "a.xlsx", sheetName: "Data", placedByUserId: 1 },
    { workbookId: "a.xlsx", sheetName: "More", placedByUserId: 2 },
    { workbookId: "b.xlsx", sheetName: "Data" },
  ];
  assert.deepEqual(reach(placed), {
    documents: [
      { id: "a.xlsx", name: "A", sheets: ["Data", "More"] },
      { id: "b.xlsx", name: "b.xlsx", sheets: ["Data"] },
    ],
    people: [
      { id: 1, email: "ana@example.com" },
      { id: 2, email: "" },
    ],
  });
});

test("a bar is of its block, though the run had others", () => {
  const run = {
    id: "r1",
    fireTime: "2026-11-22T07:00:00Z",
    state: "FAILED",
    startedAt: "2026-11-22T07:00:00Z",
    endedAt: "2026-11-22T07:00:02Z",
    error: "one failed",
    placements: [
      { placementId: "a", state: "SUCCEEDED", rowsWritten: 4 },
      { placementId: "b", state: "FAILED", errorClass: "conflict", error: "edited" },
    ],
  };
  assert.deepEqual(barOf(run, "a"), { run: "r1", at: run.fireTime, state: "SUCCEEDED", ms: 2000, rowsWritten: 4, error: "" });
  assert.deepEqual(barOf(run, "b"), { run: "r1", at: run.fireTime, state: "CONFLICT", ms: 2000, rowsWritten: 0, error: "edited" });
  assert.equal(barOf({ ...run, placements: [] }, "c").error, "one failed");
});

test("bars of a strip are as high as their runs were long, on an axis that ends at a round length", () => {
  for (const [longest, end] of [[0, 1000], [850, 1000], [1001, 2000], [61_000, 120_000], [4_000_000, 7_200_000]]) assert.equal(axisEnd(longest), end);
  assert.equal(height(60_000, 60_000), 72);
  assert.equal(height(30_000, 60_000), 36);
  assert.equal(height(0, 1000), 3); // it is seen
});

test("a tile says how many of its blocks are bad", () => {
  const counts = { total: 5, upToDate: 3, changed: 0, unknown: 0, refreshing: 0, failed: 2, conflict: 0, edited: 0 };
  assert.equal(tileLabel("board.xlsx", "FAILED", counts), "board.xlsx: Failed, 2 of 5 blocks");
  assert.equal(tileLabel("board.xlsx", "UP_TO_DATE", counts), "board.xlsx: Up to date, 5 blocks");
  assert.equal(tileLabel("board.xlsx", "WAITING", { ...counts, waiting: 2 }), "board.xlsx: Waiting, 2 of 5 blocks");
});

for (const [status, waiting, want] of [
  ["UP_TO_DATE", 0, "UP_TO_DATE"],
  ["FAILED", 0, "FAILED"],
  ["FAILED", 5, "WAITING"], // of a source that is down
  ["FAILED", 2, "FAILED"], // others may have failed for good
  ["CONFLICT", 2, "CONFLICT"],
  ["CHANGED", 2, "WAITING"],
  ["UP_TO_DATE", 1, "WAITING"],
]) {
  test(`of five blocks ${waiting} wait, and the worst is ${status}: ${want}`, () => assert.equal(lookOf({ status, placements: { total: 5, waiting } }), want));
}

test("what a run changed, in words", () => {
  assert.equal(countsOf({ changed: 2, added: 1, removed: 0, moved: 0 }), "2 rows changed, 1 row added");
  assert.equal(countsOf({ changed: 0, added: 0, removed: 0, moved: 0 }), "nothing changed");
});
