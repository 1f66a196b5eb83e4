import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Away, Problem } from "../ui/api.mjs";
import { without } from "./unlink.mjs";
import { blockOf, describe, narrowed, rectOf, stateOf } from "./blocks.mjs";
import { fingerprint, hash, rounded } from "./fingerprint.mjs";
import { windowOn } from "./grid.mjs";
import { encodeRow } from "./mooring.mjs";
import { keepLease, touches } from "./runs.mjs";

const placed = (more) =>
  blockOf({
    access: "GRANTED",
    deploymentId: 1,
    reportId: 2,
    reportName: "Sales",
    placement: {
      id: "p",
      workbookId: "b",
      sheetName: "Data",
      anchorCell: "B2",
      resultLocation: "Data!B2",
      syncStatus: "UP_TO_DATE",
      ...more,
    },
  });

test("a block's state reads as a sentence", () => {
  const at = new Date();
  at.setHours(7, 0, 0, 0);
  const refreshedAt = at.toISOString();
  const says = (block) => {
    const { word, rest } = describe(block, 7);
    return [word, ...rest].join(" · ");
  };
  const good = placed({ refreshedAt, edits: { rows: 1, cells: 2 }, runAs: { uid: 7 } });
  assert.equal(says(good), "Refreshed 07:00 · 2 cells of yours kept");
  assert.equal(
    says({ ...good, run: { trigger: "schedule", rowsWritten: 4 } }),
    "Refreshed 07:00 by schedule · 4 rows changed · 2 cells of yours kept",
  );
  assert.equal(
    says({ ...good, run: { trigger: "schedule", rowsWritten: 51, movedRows: 50, changedRows: 1 } }),
    "Refreshed 07:00 by schedule · 1 row changed, 50 rows put back in order · 2 cells of yours kept",
  );
  assert.equal(
    says({ ...good, run: { trigger: "schedule", rowsWritten: 50, movedRows: 50 } }),
    "Refreshed 07:00 by schedule · 50 rows put back in order · 2 cells of yours kept",
  );
  for (const trigger of ["hook", "change"]) {
    assert.equal(says({ ...good, run: { trigger, rowsWritten: 4 } }), "Refreshed 07:00 after new data · 4 rows changed · 2 cells of yours kept");
  }
  const mine = { ...placed({ refreshedAt }), run: { trigger: "manual", rowsWritten: 0, requestedBy: { id: 7 } } };
  assert.equal(says(mine), "Refreshed 07:00 by you · nothing changed");
  mine.run.requestedBy = { id: 8, email: "ana@example.com" };
  assert.equal(says(mine), "Refreshed 07:00 by ana@example.com · nothing changed");
  const failed = placed({ syncStatus: "FAILED", lastRun: { runId: "r", state: "FAILED", endedAt: refreshedAt, error: "No such table." } });
  assert.equal(says(failed), "Failed 07:00 · No such table.");
  assert.equal(says({ ...good, gone: true }).startsWith("Cells deleted"), true);
});

test("a block without room says what it lacks and what is in the way", () => {
  const says = (room, refreshedAt = "2026-11-23T05:12:00Z") => {
    const lastRun = { runId: "r", state: "FAILED", errorClass: "conflict", error: "the report now needs more", conflict: { room } };
    const { word, rest } = describe(placed({ syncStatus: "CONFLICT", refreshedAt, lastRun }), 7);
    return [word, ...rest].join(" · ");
  };
  assert.equal(says({ cells: "Data!B10", filled: 1, rows: 2, columns: 0 }), "No room for 2 new rows · Data!B10 is in the way");
  assert.equal(says({ cells: "Data!D3", filled: 1, rows: 1, columns: 1 }), "No room for 1 new row and 1 new column · Data!D3 is in the way");
  assert.equal(says({ cells: "Data!B2:C5", filled: 3, rows: 4, columns: 2 }, ""), "No room for the block · Data!B2:C5 is in the way");
});

test("a fault is a sentence without words of the interface", () => {
  for (const [fault, said] of [
    ['column a was moved at D!A1: undo that, or refresh with onEdit "overwrite" to have it', "Column a was moved at D!A1: undo that, or choose “Write over the changes” to have it."],
    ['C4 was edited: refresh with onEdit "keep" or "overwrite", or undo the edit', "C4 was edited: choose “Write over the changes”, or undo the edit."],
    ["B6 is not its own: refresh with shiftRows, insert a row above row 6, or move the report", "B6 is not its own: insert a row above row 6, or move the report."],
    ["No such table.", "No such table."],
  ]) {
    assert.equal(placed({ lastRun: { runId: "r", state: "FAILED", error: fault } }).placement.lastRun.error, said);
  }
});

test("what is drawn has the cell that has to be seen", () => {
  for (const [from, shown, row, column] of [
    [{ row: 4, column: 1 }, { row: 6, column: 3 }, 4, 1],
    [{ row: 4, column: 1 }, { row: 60, column: 9 }, 57, 7],
    [{ row: -1, column: -1 }, { row: 0, column: 0 }, 0, 0],
  ]) {
    assert.deepEqual(windowOn("Data", from, shown), { sheet: "Data", row, column, rows: 5, columns: 4 });
  }
});

test("a block says its age, and what it waits for", () => {
  const at = (hour, minute) => {
    const time = new Date();
    time.setHours(hour, minute, 0, 0);
    return time.toISOString();
  };
  const says = (more, run) => {
    const { word, rest } = describe({ ...placed(more), run }, 7);
    return [word, ...rest].filter(Boolean).join(" · ");
  };
  const [asOf, since] = [at(5, 12), at(5, 2)];
  assert.equal(says({ asOf, refreshedAt: since }), "Up to date as of 05:12");
  assert.equal(says({ asOf }, { trigger: "schedule", rowsWritten: 4 }), "Up to date as of 05:12 · by schedule · 4 rows changed");
  assert.match(says({ asOf, syncStatus: "CHANGED" }), /^Report edited, data as of 05:12 · /);
  assert.match(says({ asOf: "2025-11-20T05:12:00Z" }), /^Up to date as of 20 Nov 2025$/);
  const lastRun = { runId: "r", state: "QUEUED", reason: "locked", since, error: "Close it." };
  assert.equal(says({ asOf, lastRun }), "Waiting: the file is open · since 05:02 · data as of 05:12 · Close it.");
});

test("a denied placement shows its address only", () => {
  const denied = blockOf({
    access: "DENIED",
    deploymentId: 1,
    placement: { workbookId: "b", sheetName: "Data", anchorCell: "B2", resultLocation: "Data!B2" },
  });
  assert.deepEqual(
    [denied.name, denied.status, denied.key, stateOf({ ...denied, gone: true })],
    ["Data!B2", "DENIED", "1 Data!B2", "DENIED"],
  );
});

test("a block stands from its anchor to its last cell", () => {
  assert.deepEqual(rectOf({ sheetName: "It's", anchorCell: "B2", endResultCell: "D9" }), {
    sheet: "It's",
    row: 1,
    column: 1,
    rows: 8,
    columns: 3,
  });
  assert.deepEqual(rectOf({ sheetName: "S", anchorCell: "$B$2" }), { sheet: "S", row: 1, column: 1, rows: 1, columns: 1 });
});

test("blocks are found by words of name and address", () => {
  const blocks = [placed({ id: "1" }), placed({ id: "2", resultLocation: "Other!Z9", syncStatus: "FAILED" })];
  assert.deepEqual(
    narrowed(blocks, "sales other", false).map((b) => b.key),
    ["2"],
  );
  assert.deepEqual(
    narrowed(blocks, "", true).map((b) => b.key),
    ["2"],
  );
  assert.equal(narrowed(blocks, " ", false).length, 2);
});

test("rectangles touch where they share a cell of one sheet", () => {
  const rect = (sheet, row, column, rows = 2, columns = 2) => ({ sheet, row, column, rows, columns });
  assert.equal(touches(rect("a", 0, 0), rect("A", 1, 1)), true);
  assert.equal(touches(rect("a", 0, 0), rect("a", 2, 0)), false);
  assert.equal(touches(rect("a", 0, 0), rect("b", 0, 0)), false);
});

test("rows that others leave", () => {
  assert.deepEqual(
    without(10, [
      { from: 0, to: 2 },
      { from: 5, to: 6 },
    ]),
    [
      { from: 2, to: 5 },
      { from: 6, to: 10 },
    ],
  );
  assert.deepEqual(without(3, [{ from: 0, to: 9 }]), []);
});

// The reference values of XXH3-64, one for each way that a length takes, are what Go package checksum gives for the bytes (7i + n) mod 256.
test("fingerprints are those that Go gives", () => {
  const bytes = (n) => Uint8Array.from({ length: n }, (_, i) => (7 * i + n) & 255);
  for (const [n, want] of JSON.parse(readFileSync(new URL("testing/fingerprints.json", import.meta.url), "utf8")).hashes) {
    assert.equal(hash(bytes(n)).toString(16).padStart(16, "0"), want, `${n} bytes`);
  }
  assert.equal(fingerprint([]), hash(encodeRow([])).toString(16).padStart(16, "0"));
  assert.equal(fingerprint([0.1 + 0.2]), fingerprint([0.3]));
  assert.equal(rounded(100000336122540.5), 100000336122541);
  assert.equal(rounded(-100000336122540.5), -100000336122541);
  assert.equal(rounded(1e300), 1e300);
});

test("a lease is renewed by the server's time, and while the server is away for a while", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const answers = [new Away(), new Problem(503, {}), null, new Problem(409, { code: "lease_lost" })];
  const asked = [];
  const ended = new AbortController();
  const put = async (path, body) => {
    asked.push([path, body]);
    const answer = answers.shift();
    if (answer) throw answer;
  };
  const done = keepLease({ api: { put } }, "/lease", 3, ended);
  for (let third = 1; third <= 4; third++) {
    t.mock.timers.tick(39_999);
    assert.equal(asked.length, third - 1);
    t.mock.timers.tick(1);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(asked.length, third);
    assert.equal(ended.signal.aborted, third === 4);
  }
  await done;
  assert.equal(ended.signal.reason.code, "lease_lost");
  assert.deepEqual(asked[0], ["/lease", { fence: 3 }]);
});
