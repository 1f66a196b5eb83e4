import assert from "node:assert/strict";
import test from "node:test";

import { fieldAt, nameAt, undeclaredIn } from "./parameters.mjs";
import { queryOf, stateOf } from "./query.mjs";

test("the name where a fault is", () => {
  const sql = "SELECT 'ü😀',\n x FROM a WHERE é = @region2 -- @b";
  const json = JSON.stringify({ filters: [{ member: "a.b", operator: "equals", values: [{ parameter: "a/b" }] }], "x/y": { parameter: "c" } });
  for (const [fault, want] of [
    [{ line: 2, column: 21 }, "region2"],
    [{ line: 2, column: 1 }, ""],
    [{ line: 9, column: 1 }, ""],
    [{ pointer: "/jsonQuery/filters/0/values/0" }, "a/b"],
    [{ pointer: "/jsonQuery/x~1y" }, "c"],
    [{ pointer: "/jsonQuery/nothing/0" }, ""],
  ]) assert.equal(nameAt(fault, sql, json), want, JSON.stringify(fault));
  assert.equal(nameAt({ pointer: "/jsonQuery/a" }, "", "no JSON"), "");
});

test("a query with parameters as values comes back as it was", () => {
  for (const query of [
    { measures: ["o.count"], filters: [{ member: "o.region", operator: "equals", values: [{ parameter: "region" }] }] },
    { measures: ["o.count"], filters: [{ or: [{ member: "o.region", operator: "equals", values: ["x", { parameter: "region" }] }, { member: "o.id", operator: "set" }] }] },
    { measures: ["o.count"], timeDimensions: [{ dimension: "o.at", dateRange: { parameter: "day" } }] },
    { measures: ["o.count"], timeDimensions: [{ dimension: "o.at", granularity: "day", dateRange: [{ parameter: "from" }, "2026-12-31"] }] },
  ]) {
    const state = stateOf(JSON.stringify(query));
    assert.ok(state, JSON.stringify(query));
    assert.deepEqual(queryOf(state), query);
  }
  const other = { measures: ["o.count"], filters: [{ member: "o.region", operator: "equals", values: [{ parameter: "region", more: 1 }] }] };
  assert.equal(stateOf(JSON.stringify(other)), null, "what the builder cannot show is shown as text");
});

test("a query of members names parameters where none is declared", () => {
  const json = JSON.stringify({ measures: ["a.n"], filters: [{ member: "a.b", operator: "equals", values: ["x", { parameter: "who" }] }] });
  const faults = undeclaredIn(json);
  assert.deepEqual(faults.map(({ code, pointer }) => [code, pointer]), [["parameter_undeclared", "/jsonQuery/filters/0/values/1"]]);
  assert.equal(nameAt(faults[0], "", json), "who");
  assert.deepEqual([undeclaredIn(""), undeclaredIn('{"measures":["a.n"]}')], [[], []]);
});

test("the field that a fault is about", () => {
  for (const [pointer, want] of [
    ["/declares/0/default", "default"],
    ["/declares/2/allowed/1", "allowed"],
    ["/declares/0", ""],
    ["/parameters/who", "tried"],
    ["/parameters/ids/2", "tried"],
  ]) assert.equal(fieldAt({ pointer }), want, pointer);
});
