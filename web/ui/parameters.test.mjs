import assert from "node:assert/strict";
import test from "node:test";

import { hasValue, labelOf, listOf, scalarOf, valueText } from "./parameters.mjs";

test("what is typed is a value of the parameter's type, or stays what it is", () => {
  for (const [type, typed, want] of [
    ["text", "North", "North"],
    ["text", " kept ", " kept "],
    ["text", "1", "1"],
    ["number", " 1.50 ", 1.5],
    ["number", "1,5", "1,5"],
    ["number", "", undefined],
    ["date", "2026-01-31", "2026-01-31"],
    ["boolean", "yes", true],
    ["boolean", "FALSE", false],
    ["boolean", "perhaps", "perhaps"],
    ["text", "  ", undefined],
  ]) assert.deepEqual(scalarOf({ type }, typed), want, `${type} ${typed}`);
  assert.deepEqual(listOf({ type: "number" }, "1\n\n2\nx\n"), [1, 2, "x"]);
  assert.equal(listOf({ type: "text" }, "\n \n"), undefined);
});

test("values and parameters have words", () => {
  assert.deepEqual([true, 1.5, "x", ["a", "b"], [], [false]].map(valueText), ["yes", "1.5", "x", "a, b", "none", "no"]);
  assert.deepEqual([{ name: "a" }, { name: "a", title: "A" }].map(labelOf), ["a", "A"]);
  assert.equal(hasValue({ name: "a", type: "text" }, {}), false);
  assert.equal(hasValue({ name: "a", type: "boolean", default: false }, {}), true);
  assert.equal(hasValue({ name: "a", type: "text" }, { a: "" }), true);
});
