import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Away, Problem } from "../ui/api.mjs";
import { without } from "./block.mjs";
import { blockOf, describe, narrowed, rectOf, stateOf } from "./blocks.mjs";
import { fingerprint, hash, rounded } from "./fingerprint.mjs";
import { encodeRow } from "./mooring.mjs";
import { keepLease, touches } from "./runs.mjs";
import { cronOf, inWords } from "../ui/often.mjs";

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
    says({ ...good, run: { trigger: "schedule", rowsWritten: 51, movedRows: 50 } }),
    "Refreshed 07:00 by schedule · 51 rows written, 50 put back in order · 2 cells of yours kept",
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

test("schedules are written and read as words", () => {
  for (const [often, time, day, cron, words] of [
    ["weekdays", "07:05", 1, "5 7 * * 1-5", "Every weekday, 07:05"],
    ["daily", "23:00", 1, "0 23 * * *", "Every day, 23:00"],
    ["weekly", "00:30", 0, "30 0 * * 0", "Every Sunday, 00:30"],
    ["hourly", "07:00", 1, "0 * * * *", "Every hour"],
  ]) {
    assert.equal(cronOf(often, time, day), cron);
    assert.equal(inWords([cron]), words);
  }
  assert.equal(inWords(["*/5 * * * *", "@daily"]), "*/5 * * * *; @daily");
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
