import assert from "node:assert/strict";
import test from "node:test";
import { allowances, choices, reach } from "./grants.mjs";

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

for (const [held, want] of [
  [[], ["ReportRead", "ReportEdit", "ReportManage", "WorkbookRead", "WorkbookEdit", "WorkbookManage"]],
  [["ReportRead", "WorkbookManage"], ["ReportEdit", "ReportManage"]],
  [["All"], []],
]) {
  test(`who holds ${held.join(", ") || "nothing"} may allow ${want.join(", ") || "nothing more"}`, () => assert.deepEqual(allowances(held), want));
}

for (const [device, want] of [
  [{ actions: ["ReportRead"], bound: ["ReportRead"] }, /^ReportRead$/],
  [{ actions: [], bound: [] }, /^$/],
  [{ actions: ["ReportRead"], bound: ["ReportRead", "ReportEdit"] }, /^ReportRead; ReportEdit where your roles /],
  [{ actions: ["ReportRead"] }, /^ReportRead; No limit was kept when this was approved: sign it out/],
  [{ actions: [] }, /^No limit was kept/],
]) {
  test(`a device with ${JSON.stringify(device)} goes as far as ${want}`, () => assert.match(reach(device), want));
}
