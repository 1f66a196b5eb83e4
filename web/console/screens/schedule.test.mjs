import assert from "node:assert/strict";
import test from "node:test";
import { rights } from "./schedule.mjs";

const report = (canEdit, canManage) => ({
  canEdit,
  canManage,
  externalWorkbookPlacements: [
    { id: "ana's", placedByUserId: 1 },
    { id: "bob's", placedByUserId: 2 },
  ],
});

for (const [who, schedule, on, want, bound] of [
  ["a reader", { createdBy: 2, target: {} }, report(false, false), [false, false, false]],
  ["an editor", { createdBy: 2, target: {} }, report(true, false), [true, true, false]],
  ["a manager", { createdBy: 2, target: {} }, report(true, true), [true, true, true]],
  [
    "a reader who made it for a block of theirs",
    { createdBy: 1, target: { placementId: "ana's" } },
    report(false, false),
    [true, true, false],
  ],
  [
    "a reader who made it for a block of another",
    { createdBy: 1, target: { placementId: "bob's" } },
    report(false, false),
    [true, false, false],
  ],
  ["its maker, of a report that is gone", { createdBy: 1, target: {} }, null, [true, false, false]],
  [
    "its maker, by a key for reading",
    { createdBy: 1, target: { placementId: "ana's" } },
    report(false, false),
    [false, true, false],
    ["ReportRead"],
  ],
  [
    "its maker, by a key for editing",
    { createdBy: 1, target: { placementId: "ana's" } },
    report(false, false),
    [true, true, false],
    ["ReportEdit"],
  ],
  ["a token without a user", { createdBy: 0, target: {} }, report(false, false), [false, false, false]],
]) {
  test(`${who} may do with a schedule what the service lets them`, () => {
    const { pause, start, transfer } = rights({ me: { user: { id: 1 }, bound } }, schedule, on);
    assert.deepEqual([pause, start, transfer], want);
  });
}
