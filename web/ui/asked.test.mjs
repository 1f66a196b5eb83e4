import assert from "node:assert/strict";
import test from "node:test";

import { faultsByName, settingText, stillAsked } from "./asked.mjs";

const parameters = [{ name: "who", type: "text", fromCells: true }, { name: "least", type: "number", default: 10 }];

test("what a block says of a parameter that the report no longer has is not said again", () => {
  assert.deepEqual(stillAsked(parameters, { gone: { value: 1 }, who: { cell: "Setup!B2" } }), { who: { cell: "Setup!B2" } });
  assert.deepEqual(stillAsked([], { who: { value: "Ada" } }), {});
  const are = { least: { value: 5 } };
  assert.notEqual(stillAsked(parameters, are), are, "it is changed while a person types");
});

test("every fault of a refusal has a place", () => {
  const [who, gone, deep] = [
    { pointer: "/parameters/who/cell", message: "lies inside the block" },
    { pointer: "/parameters/gone", message: "The report has no parameter “gone”." },
    { pointer: "/parameters/least/value", message: "is no number" },
  ];
  const other = { pointer: "/resultLocation", message: "“?” is no cell." };
  for (const [details, want] of [
    [[who, deep], { "": [], who: [who], least: [deep] }],
    [[gone], { "": [gone], who: [], least: [] }],
    [[other, gone, who], { "": [other, gone], who: [who], least: [] }],
  ]) assert.deepEqual(Object.fromEntries(faultsByName(parameters, details)), want);
  for (const details of [[], [other]]) assert.equal(faultsByName(parameters, details), null, "it is about something else");
});

test("a setting has words", () => {
  assert.deepEqual([{ value: "Ada" }, { cell: "Setup!B2" }, {}].map(settingText), ["Ada", "from Setup!B2", ""]);
});
