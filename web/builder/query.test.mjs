import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { pivotOf, pivotOfText, queryOf, samePivot, sameQuery, stateOf, stateOfPivot } from "./query.mjs";
import * as build from "./state.mjs";
import { members, randomState } from "./testing/random.mjs";
import { faults } from "./testing/schema.mjs";

const schema = JSON.parse(readFileSync(new URL("testing/cube-query.json", import.meta.url), "utf8"));

/** What Cube asks of a query beyond its form. */
function refused(query) {
  const grouped = (query.timeDimensions ?? []).some(({ granularity }) => granularity);
  const empty = !query.measures?.length && !query.dimensions?.length && !grouped;
  const without = (filter) =>
    (filter.or ?? filter.and)?.some(without) ?? (!filter.values?.length && !["set", "notSet", "measureFilter"].includes(filter.operator));
  return [...(empty ? ["it has no result"] : []), ...((query.filters ?? []).some(without) ? ["a filter has no values"] : [])];
}

test("1,000 random states come back from their query and pivot as they were, and Cube accepts each", () => {
  const seen = { groups: 0, ranges: 0, pivots: 0, times: 0 };
  for (let seed = 0; seed < 1000; seed++) {
    const state = randomState(seed);
    const [query, pivot] = [queryOf(state), pivotOf(state)];
    assert.deepEqual(stateOf(JSON.stringify(query), pivot), state, `seed ${seed}`);
    assert.deepEqual([...faults(schema, query), ...refused(query)], [], `seed ${seed}`);
    seen.groups += Number(Boolean(query.filters?.some((one) => one.or)));
    seen.ranges += Number(Boolean(query.timeDimensions?.some((one) => one.dateRange)));
    seen.times += Number(Boolean(query.timeDimensions?.some((one) => one.granularity)));
    seen.pivots += Number(Boolean(pivot));
  }
  for (const [what, n] of Object.entries(seen)) assert.ok(n > 100 && n < 1000, `${n} states have ${what}`);
});

test("the schema refuses what Cube refuses", () => {
  for (const query of [
    { measures: ["count"] },
    { dimensions: ["a.b.c.d"] },
    { limit: "10" },
    { limit: -1 },
    { order: { "a.b": "up" } },
    { filters: [{ member: "a.b" }] },
    { filters: [{ member: "a.b", dimension: "a.b", operator: "set" }] },
    { filters: [{ or: [], and: [] }] },
    { filters: [{ member: "a.b", operator: "like", values: ["x"] }] },
    { timeDimensions: [{ granularity: "day" }] },
    { timeDimensions: [{ dimension: "a.b", dateRange: [] }] },
    { timeDimensions: [{ dimension: "a.b", dateRange: "today", compareDateRange: [] }] },
    { rows: [] },
  ]) {
    assert.notDeepEqual(faults(schema, query), [], JSON.stringify(query));
  }
});

const day = { dimension: "o.at", granularity: "day" };
for (const [what, query, pivot] of [
  ["no JSON", "SELECT 1"],
  ["a list of queries", "[{}]"],
  ["a query without a result", "{}"],
  ["a key that is not known", { measures: ["o.n"], ungrouped: true }],
  ["a dimension of three parts", { dimensions: ["o.at.day"], order: { "o.at.day": "asc" } }],
  ["an operator that is not offered", { measures: ["o.n"], filters: [{ member: "o.a", operator: "measureFilter", values: [] }] }],
  ["null among the values", { measures: ["o.n"], filters: [{ member: "o.a", operator: "equals", values: [null] }] }],
  ["an order by what is not shown", { measures: ["o.n"], order: { "o.a": "asc" } }],
  ["dates that are compared", { measures: ["o.n"], timeDimensions: [{ ...day, compareDateRange: ["today", "yesterday"] }] }],
  ["two ranges of a member", { measures: ["o.n"], timeDimensions: [{ ...day, dateRange: "today" }, { dimension: "o.at", dateRange: "this year" }] }],
  ["a limit of no row", { measures: ["o.n"], limit: 0 }],
  ["a limit that is a text", { measures: ["o.n"], limit: "5" }],
  ["measures that are no list", { measures: "o.n" }],
  ["a pivot that leaves a dimension out", { measures: ["o.n"], dimensions: ["o.a", "o.b"] }, { rows: ["o.a"], columns: [], measures: ["o.n"], filters: [] }],
]) {
  test(`${what} is not shown, and opens as text`, () => {
    assert.equal(stateOf(typeof query === "string" ? query : JSON.stringify(query), pivot), null);
  });
}

for (const [what, query, pivot, want] of [
  ["the old name of a filter's member", { measures: ["o.n"], filters: [{ dimension: "o.a", operator: "gt", values: [5] }] }, null, {
    values: ["o.n"], filters: [{ member: "o.a", operator: "gt", values: ["5"] }],
  }],
  ["an order as a list", { dimensions: ["o.a"], order: [["o.a", "desc"]] }, null, { rows: [{ member: "o.a", grain: "" }], order: [["o.a", "desc"]] }],
  ["a range that stands before the time", { timeDimensions: [{ dimension: "o.b", dateRange: ["2026-01-01"] }, day] }, null, {
    rows: [{ member: "o.at", grain: "day" }], ranges: [{ member: "o.b", range: ["2026-01-01", "2026-01-01"] }],
  }],
  ["a pivot that only names the table", { measures: ["o.n"], dimensions: ["o.a"] }, { rows: ["o.a"], columns: [], measures: ["o.n"], filters: [] }, {
    rows: [{ member: "o.a", grain: "" }], values: ["o.n"], kept: {},
  }],
  ["what a pivot says besides", { measures: ["o.n", "o.m"], dimensions: ["o.a", "o.b"] },
    { rows: ["o.b"], columns: ["o.a"], measures: ["o.m", "o.n"], filters: ["o.c"], displayScale: "millions", showColumnTotals: true, showRowTotals: false }, {
      rows: [{ member: "o.b", grain: "" }], columns: [{ member: "o.a", grain: "" }], values: ["o.m", "o.n"],
      kept: { filters: ["o.c"], displayScale: "millions" }, shown: { rows: false, columns: true, filters: false },
    }],
]) {
  test(`${what} is shown`, () => {
    assert.deepEqual(stateOf(JSON.stringify(query), pivot), { ...build.empty(), ...want });
  });
}

test("a condition without its value is not asked yet", () => {
  const state = build.put(build.put(build.empty(), "values", members.at(-3)), "filters", members[0]);
  assert.equal(state.filters.length, 1);
  assert.deepEqual(queryOf(state), { measures: ["orders.average"] });
});

test("texts that say the same are the same query", () => {
  assert.ok(sameQuery('{"measures": ["o.n"], "dimensions": []}', '{"measures":["o.n"]}'));
  assert.ok(!sameQuery('{"measures":["o.n","o.m"]}', '{"measures":["o.m","o.n"]}'));
  const pivot = { rows: [], columns: ["a"], measures: [], filters: [] };
  assert.ok(samePivot(pivot, { ...pivot, showRowTotals: false }));
  assert.ok(!samePivot(pivot, { ...pivot, showRowTotals: true }) && !samePivot(pivot, null));
});

for (const [what, pivot] of [
  ["none", null],
  ["rows and values alone", { rows: ["region"], columns: [], measures: ["amount"], filters: [] }],
  ["all that it can say", {
    rows: ["a.b"], columns: ["year", "month"], measures: ["n"], filters: ["x"], showRowTotals: true, showColumnTotals: true, showAppliedFilters: true,
    displayScale: "model", measuresAxis: "rows", measuresPosition: "after",
  }],
]) {
  test(`the pivot of a written query comes back as it was: ${what}`, () => assert.deepEqual(pivotOfText(stateOfPivot(pivot)), pivot));
}
