import assert from "node:assert/strict";
import test from "node:test";

import { Preview } from "./preview.mjs";
import { Saving } from "./saving.mjs";

/** The preview of a query, without its element; sent is what it asked the server. */
function previewOf({ waits }) {
  const sent = [];
  const face = { deployment: 1, api: { post: async (path) => (sent.push(path), { columns: [] }) } };
  const of = { question: () => ({ sqlQuery: "SELECT @who" }), waits: () => waits, faults: () => [] };
  const element = { setAttribute() {}, removeAttribute() {} };
  const preview = Object.assign(Object.create(Preview.prototype), { face, of, element, asking: new AbortController(), last: null, said: {}, show() {} });
  return { preview, sent };
}

/** A saving whose preview answers that; said is what it told the person. */
function savingOf(answer) {
  const said = [];
  return { saving: Object.assign(Object.create(Saving.prototype), { face: { say: (words) => said.push(words) }, of: { answer } }), said };
}

test("what a query that cannot be tried yet would change is unknown, and not nothing", async () => {
  const { preview, sent } = previewOf({ waits: "Say what to try it with." });
  const { saving } = savingOf(() => preview.answer());
  assert.deepEqual(await saving.answer(), { unknown: "Say what to try it with." });
  assert.deepEqual(sent, []);
  const ready = previewOf({ waits: "" });
  assert.deepEqual(await ready.preview.answer(), { columns: [] });
  assert.deepEqual(ready.sent, ["/deployments/1/previews"]);
});

test("a report whose parameters are refused is not saved, and the sentences say why", async () => {
  const faults = [
    { code: "parameter_value", pointer: "/declares/0/default", message: "is no number: write it as 1.5" },
    { code: "parameter_unused", pointer: "/declares/1", message: "The query does not name “b”." },
    { code: "query_failed", message: "near FROM" },
  ];
  const { saving, said } = savingOf(async () => ({ faults }));
  assert.equal(await saving.agreed(null), false);
  assert.deepEqual(said, ["It cannot be saved like this. The default is no number: write it as 1.5. The query does not name “b”."]);
});
