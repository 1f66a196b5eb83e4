import assert from "node:assert/strict";
import test from "node:test";
import { rhythm } from "./rhythm.mjs";

for (const [cron, want] of [
  ["*/2 * * * *", "every 2 minutes"],
  ["* * * * *", "every minute"],
  ["@every 2m", "every 2 minutes"],
  ["@every 1h30m", "every 90 minutes"],
  ["@every 3h", "every 3 hours"],
  ["@hourly", "every hour"],
  ["30 * * * *", "every hour at :30"],
  ["0 */6 * * *", "every 6 hours"],
  ["0 7 * * 1-5", "weekdays 07:00 Berlin"],
  ["5 7,12 * * *", "daily 07:05 and 12:05 Berlin"],
  ["0 7 * * 1,4", "Mondays and Thursdays 07:00 Berlin"],
  ["0 7 * * 7", "Sundays 07:00 Berlin"],
  ["0 6 1,15 * *", "monthly on day 1 and 15 06:00 Berlin"],
  // What there are no words for is told as it is: they would be wrong.
  ["*/7 * * * *", "*/7 * * * *"],
  ["0 */5 * * *", "0 */5 * * *"],
  ["0 7 1 * 1", "0 7 1 * 1"],
  ["0 7 * 3 *", "0 7 * 3 *"],
  ["0 9-17 * * *", "0 9-17 * * *"],
  ["@every 90s", "@every 90s"],
  ["1,2 * * * *", "1,2 * * * *"],
  // Nor of what no schedule may say.
  ["61 * * * *", "61 * * * *"],
  ["0 25 * * *", "0 25 * * *"],
  ["0 7 * * 9", "0 7 * * 9"],
  ["0 7 32 * *", "0 7 32 * *"],
]) {
  test(cron, () => assert.equal(rhythm([cron], "Europe/Berlin"), want));
}

test("several expressions, and the name of a zone", () => {
  assert.equal(rhythm(["0 7 * * *", "0 9 * * 6"], "America/New_York"), "daily 07:00 New York and Saturdays 09:00 New York");
  assert.equal(rhythm(["0 7 * * *"], "UTC"), "daily 07:00 UTC");
});
