import assert from "node:assert/strict";
import test from "node:test";
import { sorted, wordsOf } from "./causes.mjs";

const waiting = (reason) => ({ status: "WAITING", reason, placements: 13, documents: 12, first: [] });
const failed = { status: "FAILED", errorClass: "structure", placements: 1, documents: 1, first: [] };

test("a file that is gone needs a user, other waits need none", () => {
  const causes = [failed, ...["held", "source", "missing", "locked", "weather"].map(waiting)];
  const { needs, waits } = sorted(causes);
  assert.deepEqual(needs, [failed, waiting("missing")]);
  assert.deepEqual(waits.map(({ reason }) => reason), ["locked", "source", "held", "weather"]);
});

test("each cause says what it is and what helps", () => {
  for (const cause of [failed, { ...failed, errorClass: "weather" }, { ...failed, status: "CONFLICT", errorClass: "conflict" }, waiting("quota"), waiting("weather")]) {
    const { title } = wordsOf(cause);
    assert.match(title, /^[A-Z]/);
  }
  assert.equal(wordsOf(waiting("source")).title, "The source does not answer");
  const met = (conflict) => wordsOf({ status: "CONFLICT", errorClass: "conflict", placements: 1, documents: 1, first: [{ placement: { lastRun: { conflict } } }] });
  assert.equal(met({ overwrite: true }).title, "Cells were changed where the refresh writes");
  assert.equal(met({ room: { shiftRows: true } }).title, "There is no room for the new rows");
  assert.equal(met(undefined).title, "The sheet is not as the refresh needs it");
  const { title, remedy } = met({ values: true });
  assert.deepEqual([title, remedy], ["Values are missing or not allowed", "Change its values, or the cells they come from, then refresh."]);
});
