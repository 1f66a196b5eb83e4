import assert from "node:assert/strict";
import test from "node:test";

import { answered, asJSON, standing, valueIn } from "./cells.mjs";
import { parseLocation } from "./address.mjs";
import { parameterMark } from "./parameters.mjs";

const rectOf = (text) => {
  const { range: _, ...rect } = parseLocation(text);
  return rect;
};

/** A port with cells at places, some of which have marks. */
function portOf(cells, marks = {}) {
  const marked = [];
  return {
    marked,
    marks: async () => Object.entries(marks).map(([placementId, at]) => ({ placementId, rect: rectOf(at) })),
    mark: async (id, rect) => void marked.push([id, rect]),
    parameters: async (list) => list.map(({ id, rect }) => {
      const at = marks[id] ? rectOf(marks[id]) : rect;
      const held = cells[JSON.stringify(at)] ?? Object.entries(cells).find(([where]) => JSON.stringify(rectOf(where)) === JSON.stringify(at))?.[1];
      return held === "gone" ? { rect: at, marked: Boolean(marks[id]), date1904: false, cells: [], fault: "deleted" } : { rect: at, marked: Boolean(marks[id]), date1904: false, cells: held };
    }),
  };
}

test("a plan is told what cells hold, where they stand, and why they cannot be read", async () => {
  const port = portOf(
    { "Setup!B3": [{ value: "South" }], "Setup!D1:D3": [{ value: 1 }, { value: null }, { value: 46023, date: true }], "Setup!E1": "gone" },
    { [parameterMark("p", 1)]: "Setup!B3" },
  );
  const { members, named } = await answered(port, "p", [
    { name: "region", cell: "Setup!B2", number: 1, named: true, list: false },
    { name: "ids", cell: "Setup!D1:D3", number: 2, named: false, list: true },
    { name: "gone", cell: "Setup!E1", number: 3, named: true, list: false },
  ]);
  assert.deepEqual(members, {
    parameters: { region: "South", ids: [1, null, { date: 46023 }] },
    parameterCells: { region: "Setup!B3" },
    parameterFaults: { gone: "deleted" },
  });
  await named({ anchor: "Data!A1" }, { sheet: "Data", had: 1 });
  assert.deepEqual(port.marked, [[parameterMark("p", 2), rectOf("Setup!D1:D3")]]);
  await assert.rejects(answered({}, "p", []), /agent/);
  assert.deepEqual(asJSON({ value: null, covered: true }), { covered: true });
});

test("a name that is left of other cells is neither read nor kept", async () => {
  const port = portOf({ "Setup!B2": [{ value: "old" }], "Setup!C5": [{ value: "new" }] }, { [parameterMark("p", 1)]: "Setup!B2" });
  const { members, named } = await answered(port, "p", [{ name: "region", cell: "Setup!C5", number: 1, named: false, list: false }]);
  assert.deepEqual([members.parameters, members.parameterCells], [{ region: "new" }, {}]);
  await named({ anchor: "Data!A1" }, { sheet: "Data", had: 1 });
  assert.deepEqual(port.marked, [[parameterMark("p", 1), rectOf("Setup!C5")]]);
});

test("between runs a cell is found by the name that the server says is its own, else at its address", async () => {
  const port = portOf(
    { "Setup!B2": [{ value: "other" }], "Setup!B3": [{ value: "there" }], "Setup!B9": [{ value: "moved" }] },
    { [parameterMark("p", 4)]: "Setup!B9", [parameterMark("p", 5)]: "Setup!B2" },
  );
  const parameters = { region: { cell: "Setup!B3" }, from: { cell: "Setup!B3" }, other: { value: 1 } };
  const said = await standing(port, { id: "p", parameters, parameterNumbers: { region: 4 } });
  assert.deepEqual([...said].map(([name, { cells: [one] }]) => [name, one.value]), [["region", "moved"], ["from", "there"]]);
  assert.equal((await standing(port, { id: "p", parameters: { other: { value: 1 } } })).size, 0);
});

test("between runs cells are read as what the report declares: one cell, or several of a list", async () => {
  const asked = [];
  const port = { parameters: async (list) => list.map((one) => (asked.push(one.list), { rect: one.rect, marked: false, date1904: false, cells: [] })) };
  const parameters = { region: { cell: "Setup!B2:B3" }, ids: { cell: "Setup!D1" } };
  await standing(port, { id: "", parameters }, [{ name: "region" }, { name: "ids", list: true }]);
  assert.deepEqual(asked.splice(0), [false, true]);
  await standing(port, { id: "", parameters });
  assert.deepEqual(asked, [true, true]);
});

test("cells say values as the server reads them", () => {
  for (const [type, cells, want, list, date1904] of [
    ["text", [{ value: "Q3" }], "Q3"],
    ["text", [{ value: 0.1 }], "0.1"],
    ["text", [{ value: true }], "TRUE"],
    ["text", [{ value: 46023, date: true }], null],
    ["text", [{ value: null }], undefined],
    ["number", [{ value: 2 }], 2],
    ["number", [{ value: "2" }], null],
    ["date", [{ value: 46023, date: true }], "2026-01-01"],
    ["date", [{ value: 46023 - 1462, date: true }], "2026-01-01", false, true],
    ["date", [{ value: 46023.5, date: true }], null],
    ["date", [{ value: 60 }], null],
    ["date", [{ value: "2026-01-31" }], "2026-01-31"],
    ["boolean", [{ value: false }], false],
    ["boolean", [{ value: "yes" }], null],
    ["text", [{ value: { error: "#N/A" } }], null],
    ["text", [{ value: null, covered: true }], null],
    ["number", [{ value: 1 }, { value: null }, { value: 3 }], [1, 3], true],
  ]) assert.deepEqual(valueIn({ type, list }, { cells, date1904 }), want, `${type} ${JSON.stringify(cells)}`);
  assert.equal(valueIn({ type: "text" }, { cells: [], fault: "deleted" }), null);
});
