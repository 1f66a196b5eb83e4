import assert from "node:assert/strict";
import test from "node:test";

import { entriesOf, matching } from "./members.mjs";
import { columnsOf } from "./pivot.mjs";
import { schemasOf, tablesWith } from "./tree.mjs";

const views = [
  { name: "orders", kind: "view", title: "Orders", members: [
    { name: "orders.region", title: "Region", description: "Where the customer is", type: "text", role: "dimension" },
    { name: "orders.amount", title: "Amount", type: "number", role: "measure" },
  ] },
  { name: "stock", kind: "cube", members: [{ name: "stock.region", type: "text", role: "dimension" }] },
];

for (const [what, view, search, want] of [
  ["all of all views", "", "", "orders.region orders.amount stock.region"],
  ["those of a view", "stock", "", "stock.region"],
  ["a part of a name, whatever its case", "", "REGI", "orders.region stock.region"],
  ["a title", "", "amount", "orders.amount"],
  ["a description", "", "customer", "orders.region"],
  ["two words in any order, one of the view", "", "region orders", "orders.region"],
  ["nothing", "", "regions", ""],
]) {
  test(`a search of members finds ${what}`, () => {
    assert.equal(matching(entriesOf(views), view, search).map(({ member }) => member.name).join(" "), want);
  });
}

const tables = [
  { name: "sales.orders", kind: "table", columns: [{ name: "id", type: "number" }] },
  { name: "orders", kind: "table", columns: [{ name: "placed_at", type: "date" }] },
  { name: "sales.lines", kind: "view", columns: [] },
];

test("tables stand below their schemas, those without one first", () => {
  const got = schemasOf(tables).map(({ schema, tables: of }) => [schema, of.map(({ name }) => name).join(" ")]);
  assert.deepEqual(got, [["", "orders"], ["sales", "sales.orders sales.lines"]]);
});

test("a search of tables looks at columns too", () => {
  assert.deepEqual(tablesWith(tables, "placed").map(({ name }) => name), ["orders"]);
  assert.deepEqual(tablesWith(tables, "sales ORD").map(({ name }) => name), ["sales.orders"]);
  assert.equal(tablesWith(tables, " ").length, 3);
});

test("columns of numbers are measured in a pivot", () => {
  const columns = columnsOf([{ name: "region" }, { name: "n" }], [["North", null], ["South", 3]]);
  assert.deepEqual([...columns.values()].map(({ type }) => type), ["text", "number"]);
});
