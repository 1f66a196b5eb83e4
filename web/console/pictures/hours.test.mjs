import assert from "node:assert/strict";
import test from "node:test";
import { bars, days, shade } from "./hours.mjs";

/** So many hours from a local midnight on, each with as many runs as its number. */
function hours(n) {
  const start = new Date(2026, 9, 20).getTime();
  return Array.from({ length: n }, (_, i) => ({
    from: new Date(start + i * 3_600_000).toISOString(),
    succeeded: i,
    failed: 1,
    latenessP50Ms: null,
    latenessP99Ms: null,
  }));
}

test("a week is shown by hours", () => {
  assert.equal(bars(hours(168)).length, 168);
  assert.equal(bars(hours(168))[5].succeeded, 5);
});

test("a month is shown by days, and no run is lost", () => {
  const month = hours(720);
  const found = bars(month);
  assert.ok(found.length >= 30 && found.length <= 32, `${found.length} days`); // 31 where clocks change
  for (const key of ["succeeded", "failed"]) {
    const sum = (all) => all.reduce((n, one) => n + one[key], 0);
    assert.equal(sum(found), sum(month));
  }
});

test("each hour stands at its hour of the day", () => {
  const [first] = days(hours(30));
  assert.equal(first.hours.length, 24);
  assert.equal(first.hours[7].succeeded, 7);
  assert.equal(days(hours(30)).length, 2);
});

for (const [ms, want] of [
  [0, 0],
  [100, 0],
  [101, 1],
  [10_000, 2],
  [60_000, 3],
  [60_001, 4],
]) {
  test(`${ms} ms have shade ${want}`, () => assert.equal(shade(ms), want));
}
