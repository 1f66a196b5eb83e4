import assert from "node:assert/strict";
import test from "node:test";
import { fragment, parse, queryOf } from "./addresses.mjs";

const patterns = ["overview", "placements", "placements/:report/:placement", "reports/:report"];

for (const [hash, want] of [
  ["#/1/overview", { deployment: 1, screen: "overview", ids: [], filters: {} }],
  [
    "#/12/placements?status=FAILED&since=2026-11-21T07%3A00%3A00.000Z",
    { deployment: 12, screen: "placements", ids: [], filters: { status: "FAILED", since: "2026-11-21T07:00:00.000Z" } },
  ],
  ["#/1/placements/17/p%2F1%3F", { deployment: 1, screen: "placements/:report/:placement", ids: ["17", "p/1?"], filters: {} }],
  ["#/1/reports/%E0", { deployment: 1, screen: "reports/:report", ids: ["%E0"], filters: {} }],
  ["#/1/reports/", null],
  ["#/1/nothing", null],
  ["#/x/overview", null],
  ["", null],
]) {
  test(`${hash || "no fragment"} is ${want ? want.screen : "no screen"}`, () => assert.deepEqual(parse(hash, patterns), want));
}

test("a fragment leads back to its route", () => {
  const hash = fragment(3, ["placements", 17, "a/b?c#d"], { status: "FAILED", host: "", document: "100% & more" });
  assert.deepEqual(parse(hash, patterns), {
    deployment: 3,
    screen: "placements/:report/:placement",
    ids: ["17", "a/b?c#d"],
    filters: { status: "FAILED", document: "100% & more" },
  });
});

test("filters that say nothing are left out", () => assert.equal(queryOf({ status: "", since: undefined, first: 0 }), "?first=0"));
