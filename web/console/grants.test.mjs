import assert from "node:assert/strict";
import test from "node:test";
import { choices } from "./grants.mjs";

for (const [held, want] of [
  [[], []],
  [["ReportRead"], ["ReportRead"]],
  [["ReportManage", "Opaque"], ["ReportRead", "ReportEdit", "ReportManage", "Opaque"]],
  [["WorkbookEdit"], ["WorkbookRead", "WorkbookEdit"]],
  [["All"], ["ReportRead", "ReportEdit", "ReportManage", "WorkbookRead", "WorkbookEdit", "WorkbookManage", "All"]],
  [["Reports"], ["Reports"]],
]) {
  test(`who holds ${held.join(", ") || "nothing"} may grant ${want.join(", ") || "nothing"}`, () => assert.deepEqual(choices(held), want));
}
