import assert from "node:assert/strict";
import test from "node:test";

import { usedText } from "./parameters.mjs";

test("the values of a run are told by the titles of their parameters", () => {
  const used = { least: { value: 10 }, who: { value: "Ben", cell: "Setup!B2" }, gone: { cell: "Setup!B3" } };
  const parameters = [{ name: "who", title: "Customer", type: "text" }, { name: "least", type: "number" }];
  assert.equal(usedText(used, parameters), "least: 10 · Customer: Ben (Setup!B2) · gone: no value yet (Setup!B3)");
  assert.equal(usedText({}, []), "");
});
