import assert from "node:assert/strict";
import test from "node:test";
import { showClocksOf } from "../../ui/text.mjs";
import { bars, tick, top } from "./hours.mjs";

/** So many hours from midnight in Berlin on, each with as many runs as its number. */
function hours(n) {
  const start = Date.parse("2026-10-19T22:00:00Z");
  return Array.from({ length: n }, (_, i) => ({
    from: new Date(start + i * 3_600_000).toISOString(),
    succeeded: i,
    failed: 1,
    skipped: 2,
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
  for (const key of ["succeeded", "failed", "skipped"]) {
    const sum = (all) => all.reduce((n, one) => n + one[key], 0);
    assert.equal(sum(found), sum(month));
  }
});

test("every third hour is named, by the clocks that are shown", () => {
  showClocksOf("Europe/Berlin");
  const all = bars(hours(24));
  assert.deepEqual(all.map((_, i) => tick(all, i)).filter(Boolean), ["00:00", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00"]);
  showClocksOf("Asia/Kolkata"); // half an hour off
  const there = bars(hours(24));
  assert.deepEqual(there.map((_, i) => tick(there, i)).filter(Boolean), ["03:30", "06:30", "09:30", "12:30", "15:30", "18:30", "21:30", "00:30"]);
  showClocksOf(undefined);
});

test("a week names its days", () => {
  showClocksOf("Europe/Berlin");
  const all = bars(hours(168));
  assert.deepEqual(all.map((_, i) => tick(all, i)).filter(Boolean), ["Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Mon"]);
  showClocksOf(undefined);
});

for (const [most, want] of [[0, 2], [1, 2], [3, 4], [20, 20], [21, 22], [101, 120], [999, 1000], [1234, 1400]]) {
  test(`an axis for ${most} ends at ${want}`, () => assert.equal(top(most), want));
}
