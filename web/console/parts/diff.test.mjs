import assert from "node:assert/strict";
import test from "node:test";
import { fields, lines } from "./diff.mjs";

const short = (found) => found.map(({ kind, line }) => ({ same: " ", removed: "-", added: "+" })[kind] + line).join("|");

for (const [what, before, after, want] of [
  ["equal texts", "a\nb", "a\nb", " a| b"],
  ["a line in the middle", "a\nb\nc", "a\nx\nc", " a|-b|+x| c"],
  ["lines at both ends", "a\nb\nc", "x\nb\ny", "-a|+x| b|-c|+y"],
  ["a line moved", "a\nb\nc", "b\nc\na", "-a| b| c|+a"],
  ["repeated lines", "a\na\nb", "a\nb\nb", " a|-a|+b| b"],
  ["nothing before", "", "a\nb", "+a|+b"],
  ["nothing after", "a", "", "-a"],
  ["an empty line", "a\n\nb", "a\nb", " a|-| b"],
]) {
  test(`lines of ${what}`, () => assert.equal(short(lines(before, after)), want));
}

test("texts too long to compare are told apart as a whole", () => {
  const [before, after] = ["a", "b"].map((letter) => Array.from({ length: 2000 }, (_, i) => `${letter}${i}`).join("\n"));
  const found = lines(`start\n${before}`, `start\n${after}`);
  assert.equal(found.length, 4001);
  assert.deepEqual(found[0], { kind: "same", line: "start" });
});

test("what both texts have adds up to each of them", () => {
  let seed = 1;
  const random = (n) => (seed = (seed * 16807) % 2147483647) % n;
  for (let i = 0; i < 200; i++) {
    const [before, after] = [0, 1].map(() => Array.from({ length: 1 + random(12) }, () => "abc"[random(3)]).join("\n"));
    const found = lines(before, after);
    assert.equal(
      found
        .filter(({ kind }) => kind !== "added")
        .map(({ line }) => line)
        .join("\n"),
      before,
    );
    assert.equal(
      found
        .filter(({ kind }) => kind !== "removed")
        .map(({ line }) => line)
        .join("\n"),
      after,
    );
  }
});

test("fields that differ", () => {
  const before = { name: "A", sqlQuery: "x", pivotItems: { rows: ["a"], columns: [] }, rowKey: null, description: "" };
  const after = { name: "B", sqlQuery: "x", pivotItems: { columns: [], rows: ["a"] }, rowKey: ["id"] };
  assert.deepEqual(fields(before, after), [
    { field: "name", before: "A", after: "B" },
    { field: "rowKey", before: null, after: ["id"] },
  ]);
});
