import assert from "node:assert/strict";
import test from "node:test";

import { indent, inserted, offsetOf } from "./edit.mjs";

/** A text in which [ and ] stand around the selection, or | is the caret. */
function pressed(marked, back = false) {
  const start = marked.search(/[[|]/);
  const text = marked.replace(/[[\]|]/g, "");
  const end = marked.includes("]") ? marked.indexOf("]") - 1 : start;
  const edit = indent(text, start, end, back);
  const after = text.slice(0, edit.from) + edit.text + text.slice(edit.to);
  if (edit.start === edit.end) return `${after.slice(0, edit.start)}|${after.slice(edit.start)}`;
  return `${after.slice(0, edit.start)}[${after.slice(edit.start, edit.end)}]${after.slice(edit.end)}`;
}

for (const [what, before, after, back] of [
  ["at the caret, to the next stop", "a|", "a |"],
  ["at the caret, a whole step", "|a", "  |a"],
  ["the lines of a selection", "a[b\nc]d", "  a[b\n  c]d"],
  ["a line that the selection ends before stays", "[a\n]b", "  [a\n]b"],
  ["an empty line stays empty", "[a\n\nb]", "  [a\n\n  b]"],
  ["back", "  a[b\n c]d", "a[b\nc]d", true],
  ["back at the caret", "x\n  |a", "x\n|a", true],
  ["back where there is nothing", "|a", "|a", true],
]) {
  test(`Tab indents ${what}`, () => assert.equal(pressed(before, back), after));
}

for (const [what, line, column, want] of [
  ["the beginning", 1, 1, 0],
  ["a column, in characters", 2, 3, "ab\n😀ü".length],
  ["a line that is not there", 9, 1, "ab\n😀üx\n".length],
  ["a column that is not there", 1, 99, 2],
]) {
  test(`the place of ${what}`, () => assert.equal(offsetOf("ab\n😀üx\n", line, column), want));
}

for (const [before, isTable, want] of [
  ["", true, "SELECT *\nFROM orders"],
  ["", false, "orders"],
  ["SELECT a", false, " orders"],
  ["SELECT a,", false, " orders"],
  ["SELECT ", false, "orders"],
  ["o.", false, "orders"],
  ["SELECT * FROM ", true, "orders"],
]) {
  test(`a name inserted behind “${before}”`, () => assert.equal(inserted(before, "orders", isTable), want));
}
