import assert from "node:assert/strict";
import test from "node:test";
import { isUnlinkable, leads } from "./whereabouts.mjs";

const given = "0f8fad5b-d9cb-469f-a165-70867728950e";
const link = (state, id, ids) => ({ id, ids, state, message: "" });

for (const [fact, one, want] of [
  ["a document of which nothing is known has nothing to unlink", null, false],
  ["nor has one under its host's own id", link("linked", "share:plan.xlsx"), false],
  ["one that a task pane named is unlinked", link("linked", given), true],
  ["under its host's id too", link("linked", "01ABCDEF", [given]), true],
  ["but not before it is linked", link("looking", given), false],
]) {
  test(fact, () => assert.equal(isUnlinkable(one), want));
}

for (const [address, want] of [
  ["https://contoso.sharepoint.com/sites/fin/plan.xlsx", true],
  ["HTTPS://contoso.sharepoint.com/", true],
  ["http://contoso.sharepoint.com/", false],
  ["javascript:alert(1)//https://x", false],
  [" https://x", false],
  ["https://", false],
  ["", false],
  [undefined, false],
]) {
  test(`${address} ${want ? "is" : "is not"} where a link leads`, () => assert.equal(leads(address), want));
}
