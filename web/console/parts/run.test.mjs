import assert from "node:assert/strict";
import test from "node:test";
import { mayStop } from "./run.mjs";

for (const [who, me, asked, canEdit, want] of [
  ["who asked for it", 1, { id: 1 }, false, true],
  ["a reader", 2, { id: 1 }, false, false],
  ["an editor", 2, { id: 1 }, true, true],
  ["a token without a user", 0, { id: 0 }, false, false],
  ["a reader of a run that nobody is known to have asked for", 2, undefined, false, false],
]) {
  test(`${who} ${want ? "may" : "may not"} stop a run`, () => {
    assert.equal(mayStop({ me: { user: { id: me } } }, { requestedBy: asked }, { canEdit }), want);
  });
}
