import assert from "node:assert/strict";
import test from "node:test";
import { cronsOf, formOf } from "./often.mjs";

for (const cron of ["* * * * *", "*/2 * * * *", "0 * * * *", "5 7 * * *", "30 18 * * 1-5", "0 7 * * 0"]) {
  test(`${cron} is changed by words, and stays what it is`, () => {
    assert.notEqual(formOf([cron]).how, "custom");
    assert.deepEqual(cronsOf(formOf([cron])), [cron]);
  });
}

for (const crons of [["@every 90s"], ["0 7 * * *", "0 9 * * *"], ["0 7 1 * *"], ["*/7 * * * *"], []]) {
  test(`${JSON.stringify(crons)} is left as it is`, () => {
    assert.equal(formOf(crons).how, "custom");
    assert.deepEqual(cronsOf(formOf(crons)), crons);
  });
}

