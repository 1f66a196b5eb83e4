import assert from "node:assert/strict";
import test from "node:test";

import * as build from "./state.mjs";
import { members } from "./testing/random.mjs";

const of = (name) => members.find((one) => one.name === `orders.${name}`);
const after = (...changes) => changes.reduce((state, change) => change(state), build.empty());
const put = (zone, name) => (state) => build.put(state, zone, of(name));
const names = (list) => list.map((one) => (one.member ? build.columnOf({ grain: "", ...one }) : one).replace("orders.", ""));

for (const [what, got, want] of [
  ["a dimension that moves from rows to columns", after(put("rows", "region"), put("rows", "status"), put("columns", "region")), { rows: ["status"], columns: ["region"] }],
  ["what stands there already", after(put("rows", "region"), put("rows", "region")), { rows: ["region"] }],
  ["a measure among rows, where it does not fit", after(put("rows", "count")), { rows: [] }],
  ["a dimension among values, where it does not fit", after(put("values", "region")), { values: [] }],
  ["a time, which is grouped by days", after(put("rows", "placed_at")), { rows: ["placed_at.day"] }],
  ["a time that keeps its grain when it moves", after(put("rows", "placed_at"), (s) => build.group(s, "rows", 0, "month"), put("columns", "placed_at")), { columns: ["placed_at.month"] }],
  ["an order by what was taken out", after(put("rows", "region"), (s) => build.sort(s, "orders.region", "asc"), (s) => build.take(s, "rows", 0)), { order: [] }],
  ["one that moves to the front", after(put("rows", "region"), put("rows", "status"), (s) => build.shift(s, "rows", 1, -5)), { rows: ["status", "region"] }],
  ["segments", after(put("filters", "large"), put("filters", "large")), { segments: ["large"] }],
]) {
  test(what, () => {
    for (const [member, list] of Object.entries(want)) assert.deepEqual(names(got[member]), list, member);
  });
}

test("filters: a range for a time, conditions for the rest, alternatives, and groups that end", () => {
  let state = after(put("filters", "placed_at"), put("filters", "placed_at"), put("filters", "open"));
  assert.deepEqual(state.ranges, [{ member: "orders.placed_at", range: "last 30 days" }]);
  assert.deepEqual(state.filters.map(({ operator }) => operator), ["beforeDate", "equals"]);
  assert.ok(!build.isWhole(state.filters[0]) && build.isWhole(state.filters[1]));
  state = after(put("filters", "region"), put("filters", "status"), put("filters", "channel"), (s) => build.join(s, 1), (s) => build.join(s, 1));
  assert.deepEqual(names(state.filters[0].of), ["region", "status", "channel"]);
  assert.equal(state.filters.length, 1);
  const parted = build.part(state, 0, 1);
  assert.deepEqual(names([parted.filters[0]]), ["region"]);
  assert.deepEqual(names(parted.filters[1].of), ["status", "channel"]);
  state = build.setFilter(build.setFilter(state, [0, 2], null), [0, 0], null);
  assert.deepEqual(names(state.filters), ["status"]);
  assert.deepEqual(build.setFilter(state, [0], null).filters, []);
});

test("a column of a written query stands in one zone alone", () => {
  const column = { name: "year", type: "number", role: "column" };
  assert.equal(build.placeOf(column), "values");
  const moved = (...zones) => zones.reduce((state, zone) => build.put(state, zone, column), build.empty());
  assert.deepEqual([moved("values", "rows").values, moved("values", "rows").rows], [[], [{ member: "year", grain: "" }]]);
  assert.deepEqual([moved("rows", "columns", "values").columns, moved("rows", "columns", "values").values], [[], ["year"]]);
  assert.deepEqual(moved("filters").filters, []);
});

test("a change leaves the state before as it was", () => {
  const before = after(put("rows", "region"), put("filters", "status"));
  const copy = structuredClone(before);
  build.setFilter(before, [0], null);
  build.take(before, "rows", 0);
  build.put(before, "columns", of("region"));
  assert.deepEqual(before, copy);
});
