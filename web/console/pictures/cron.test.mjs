import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { fires } from "./cron.mjs";

// What the service computes itself (refresh/cron/vectors_test.go).
const vectors = JSON.parse(readFileSync(new URL("../../../refresh/cron/testdata/vectors.json", import.meta.url), "utf8"));

for (const { cron, zone, from, to, count, fires: want } of vectors) {
  test(`${cron.join(" and ")} in ${zone} from ${from} fires as the service does`, () => {
    const got = fires(cron, zone, Date.parse(from), Date.parse(to));
    assert.equal(got?.length, count);
    assert.deepEqual(
      got.slice(0, want.length).map((at) => new Date(at).toISOString().replace(".000", "")),
      want,
    );
  });
}

for (const [name, cron, zone] of [
  ["an unknown descriptor", "@fortnightly", "UTC"],
  ["a field too many", "0 0 0 * * *", "UTC"],
  ["a minute out of range", "60 * * * *", "UTC"],
  ["a range that ends before it begins", "0 5-3 * * *", "UTC"],
  ["a word", "0 noon * * *", "UTC"],
  ["a duration in other units", "@every 90000ms", "UTC"],
  ["a zone that the browser does not know", "0 7 * * *", "Mars/Olympus"],
]) {
  test(`${name} is left to the service`, () => assert.equal(fires([cron], zone, 0, 7 * 86_400_000), null));
}
