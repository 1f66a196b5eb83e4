import assert from "node:assert/strict";
import test from "node:test";

import { Problem } from "../ui/api.mjs";
import { connectFit } from "./copy.mjs";

const block = {
  deployment: 1, report: 2,
  placement: { resultLocation: "Data!B2", statusCell: "B1", parameters: { region: { value: "North" }, year: { value: 2025 } } },
};

/** A pane whose server refuses placements for these reasons in turn, with what it was sent. */
function paneOf(...refusals) {
  const sent = [];
  const put = async (_path, body) => {
    sent.push(body);
    const details = refusals.shift();
    if (details) throw new Problem(400, { code: details[0].code, message: "It is refused.", details });
    return { externalWorkbookPlacements: [{ id: body.placementId }] };
  };
  return { sent, api: { put }, port: { host: "SHEETS_B" }, store: { state: { document: { id: "copy", name: "Copy" } } } };
}

test("a copy's block does without the values that its report does not take any more", async () => {
  const pane = paneOf([{ pointer: "/parameters/region/value", code: "parameter_value", message: "is not allowed" }]);
  const { placement, unfit } = await connectFit(pane, block);
  assert.deepEqual(unfit, ["region"]);
  assert.equal(placement.id, pane.sent[1].placementId);
  assert.deepEqual(pane.sent.map(({ parameters, statusCell }) => [parameters, statusCell]), [[block.placement.parameters, "B1"], [{ year: { value: 2025 } }, "B1"]]);
});

test("a copy's block of which no value is taken any more says none", async () => {
  const pane = paneOf(["region", "year"].map((name) => ({ pointer: `/parameters/${name}`, code: "parameter_undeclared", message: "is none" })));
  assert.deepEqual((await connectFit(pane, block)).unfit, ["region", "year"]);
  assert.equal(pane.sent[1].parameters, undefined);
});

test("what is refused of a copy's block for another reason stays refused", async () => {
  const address = { pointer: "/resultLocation", code: "address", message: "is none" };
  await assert.rejects(connectFit(paneOf([address]), block), Problem);
  await assert.rejects(connectFit(paneOf([address, { pointer: "/parameters/year", code: "parameter_undeclared", message: "is none" }]), block), Problem);
  assert.deepEqual((await connectFit(paneOf(), block)).unfit, []);
});
