import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import test from "node:test";

import { choicesOf, faultOf, faultText, hasValue, labelOf, listOf, scalarOf, valueText } from "./parameters.mjs";

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

test("faults are told as people read them, beside what they are about", () => {
  for (const [pointer, message, want, name] of [
    ["/parameters/least/value", "is no number: write it as 1.5", "The value is no number: write it as 1.5.", "least"],
    ["/parameters/least", "is no number: write it as 1.5", "The value is no number: write it as 1.5.", "least"],
    ["/parameters/ids/value/2", "is no number: write it as 1.5", "The value is no number: write it as 1.5.", "ids"],
    ["/parameters/who/cell", "lies inside the block", "The cell lies inside the block.", "who"],
    ["/parameters/who/cell", "“B2” names no sheet.", "“B2” names no sheet.", "who"],
    ["/declares/0/default", "is no date: write it as 2026-01-31", "The default is no date: write it as 2026-01-31.", ""],
    ["/declares/0/allowed/1", "is in the list already", "An allowed value is in the list already.", ""],
    ["/sqlQuery", "The query names a.", "The query names a.", ""],
    ["/sqlQuery", "near FROM: syntax error", "Near FROM: syntax error", ""],
  ]) assert.deepEqual([faultText({ pointer, message }), faultOf({ pointer })], [want, name]);
});

test("a value that is not allowed any more is among the choices", () => {
  for (const [list, said, want] of [
    [false, undefined, ["a", "b"]],
    [false, "b", ["a", "b"]],
    [false, "c", ["a", "b", "c"]],
    [false, ["a"], ["a", "b", ["a"]]], // the parameter took a list before
    [true, ["b", "c"], ["a", "b", "c"]],
    [true, "c", ["a", "b", "c"]],
    [true, undefined, ["a", "b"]],
  ]) assert.deepEqual(choicesOf(["a", "b"], list, said), want, JSON.stringify(said));
});

test("no other style sheet is about the ticked values of a list", async () => {
  const here = new URL(".", import.meta.url);
  const [own] = /class: "([\w-]+)"/.exec(/function ticks[^]*?\n}/.exec(await readFile(new URL("parameters.mjs", here), "utf8"))[0]).slice(1);
  assert.match(await readFile(new URL("parameters.css", here), "utf8"), new RegExp(`^\\.${own} \\{`, "m"));
  for (const folder of [".", "../console", "../addin", "../builder"])
    for (const name of await readdir(new URL(folder, here)).then((all) => all.filter((one) => one.endsWith(".css") && one !== "parameters.css")))
      assert.doesNotMatch(await readFile(new URL(`${folder}/${name}`, here), "utf8"), new RegExp(`^\\.${own} \\{`, "m"), `${folder}/${name}`);
});
