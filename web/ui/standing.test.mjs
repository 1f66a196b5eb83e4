import { retryOf } from "../console/parts/refresh.mjs";
import { aged, nextTryWords, remedyOf, standingOf, text, waitRemedy } from "./text.mjs";
import assert from "node:assert/strict";
import test from "node:test";

const now = Date.parse("2026-11-23T05:12:00Z");
const standing = (syncStatus, lastRun) => {
  const placement = { syncStatus, lastRun: { runId: "r", ...lastRun } };
  return { ...standingOf(placement, now), remedy: remedyOf(placement, now), retry: retryOf(placement) };
};

test("a final failure is shown with what helps, and no next try, whatever else of its run waits", () => {
  const failed = { state: "FAILED", errorClass: "structure", error: "No such column.", endedAt: "2026-11-23T05:02:00Z", nextAttemptAt: "2026-11-23T05:10:00Z" };
  const { code, next, retry, remedy, error, since } = standing("FAILED", failed);
  assert.deepEqual([code, next, retry, error, since], ["FAILED", "", "retry", "No such column.", failed.endedAt]);
  assert.match(remedy, /Correct the report/);
});

test("a failure that has ended does not promise another try", () => {
  assert.match(standing("FAILED", { state: "FAILED", errorClass: "transient" }).remedy, /not tried again by itself/);
  assert.match(standing("FAILED", { state: "FAILED", errorClass: "transient", nextAttemptAt: "2026-11-23T05:14:00Z" }).remedy, /Nothing to do/);
});

test("since is that of the first try", () => {
  const run = { state: "QUEUED", reason: "source", errorClass: "transient", since: "2026-11-23T05:02:00Z", endedAt: "2026-11-23T05:11:00Z" };
  assert.equal(standing("FAILED", run).since, run.since);
});

for (const reason of ["missing", "locked", "source", "quota", "held", "weather"]) {
  test(`a block that waits says so, with a remedy for its cause: ${reason}`, () => {
    for (const status of ["UP_TO_DATE", "FAILED"]) {
      const run = { state: "QUEUED", reason, nextAttemptAt: "2026-11-23T05:14:00Z" };
      const { code, next, retry, remedy } = standing(status, run);
      assert.deepEqual([code, next, remedy], ["WAITING", run.nextAttemptAt, waitRemedy(reason)]);
      assert.match(text.waitsFor(reason), /^Waiting: [a-z ]+$/);
      assert.equal(retry, ["locked", "missing"].includes(reason) ? "now" : "", "a try helps only where a user can have mended it");
    }
  });
}

test("what only an add-in reaches is no failure, and is not to be retried by an agent", () => {
  for (const status of ["UP_TO_DATE", "FAILED"]) {
    const { code, reason, retry, remedy, error } = standing(status, { state: "SKIPPED", reason: "addin_only", error: "skipped" });
    assert.deepEqual([code, reason, retry, remedy, error], [status, "addin_only", "", "", ""]);
  }
});

test("the next try counts down, and is not named once it has passed", () => {
  const at = (minutes) => new Date(now + minutes * 60_000).toISOString();
  assert.match(nextTryWords(at(2), now), /^next try \d\d:14, in 2 min$/);
  assert.match(nextTryWords(at(0.5), now), /, in less than a minute$/);
  assert.match(nextTryWords(at(180), now), /, in 3 h$/);
  assert.equal(nextTryWords(at(-2), now), "tried again just now");
  assert.equal(nextTryWords("", now), "tried again just now");
});

test("a state has the age of what stands there, with its date when it is not of today", () => {
  const today = new Date(2026, 10, 23, 9, 0);
  const at = (day) => new Date(2026, 10, day, 5, 12).toISOString();
  assert.equal(aged("UP_TO_DATE", "Up to date", at(23), today), "Up to date as of 05:12");
  assert.equal(aged("UP_TO_DATE", "Up to date", at(22), today), "Up to date as of yesterday 05:12");
  assert.equal(aged("CHANGED", "Report edited", at(2), today), "Report edited, data as of 2 Nov, 05:12");
  assert.equal(aged("UP_TO_DATE", "Up to date", undefined, today), "Up to date");
});
