import assert from "node:assert/strict";
import test from "node:test";
import { typed } from "./bulk.mjs";

test("numbers and flags of a filter are sent as such", () => {
  const filter = { state: "FAILED", report: "17", owner: "3", document: "17", since: "2026-11-22T07:00:00Z" };
  assert.deepEqual(typed(filter), { ...filter, report: 17, owner: 3 });
  assert.deepEqual([typed({ paused: "true" }), typed({ paused: "false" })], [{ paused: true }, { paused: false }]);
});
