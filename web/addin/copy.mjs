/** A document that was copied from another one: the copy's cells are marked as the original's blocks, which they are not. */
import { ask, h } from "../ui/dom.mjs";
import { text } from "../ui/text.mjs";
import { blockOf } from "./blocks.mjs";
import { COPYING } from "./port.mjs";

/**
 * Asks whether the copy shall have placements of its own, and gives it those. Until it has all of them, the document says so: what was
 * interrupted is asked about again. The author of the file may have made it look like a copy: the answer does not stand for the one that is
 * asked for before rows are written (seen.mjs).
 * @param {import("./pane.mjs").Pane} pane
 * @param {string} original
 */
export async function askAboutCopy(pane, original) {
  const { port, store } = pane;
  const own = await ask({
    title: text.copied,
    body: [h("p", {}, text.copiedWhat), h("p", {}, text.copiedRows)],
    choices: [
      { label: text.copiedOwn, value: true, kind: "primary" },
      { label: text.copiedSame, value: false },
    ],
    cancel: text.copiedLater,
  });
  if (own === undefined) return;
  await port.settings.set(COPYING, own ? original : null);
  if (store.state.document.copyOf) await port.adopt(own);
  store.set({ document: await port.document() });
  const placed = own ? await placeAgain(pane, original) : 0;
  await port.settings.set(COPYING, null);
  await pane.load();
  if (own) pane.notice({ sentence: text.copiedDone(placed) });
}

/**
 * Places every report of the original at the same cells of this document; the marks become those of the new placements.
 * @param {import("./pane.mjs").Pane} pane
 * @param {string} original
 */
async function placeAgain(pane, original) {
  const { api, port, store } = pane;
  const { id, name } = store.state.document;
  const marks = new Map((await port.marks()).map((one) => [one.placementId, one.rect]));
  const items = await api.all(`/external-documents/${encodeURIComponent(original)}/placements`);
  let placed = 0;
  for (const block of items.map(blockOf)) {
    const rect = marks.get(block.placement.id);
    if (!rect || block.status === "DENIED") continue;
    const { placement } = await connect(pane, block.deployment, block.report, {
      externalWorkbookId: id,
      workbookName: name,
      resultLocation: block.placement.resultLocation,
      onEdit: block.placement.onEdit,
      shiftRows: block.placement.shiftRows,
      statusCell: block.placement.statusCell,
      fillRight: block.placement.fillRight,
      breakSignature: block.placement.breakSignature,
    });
    await port.mark(placement.id, rect);
    await port.unmark(block.placement.id);
    placed++;
  }
  return placed;
}

/**
 * Records that a report stands somewhere in this document, before anything is written there.
 * @param {import("./pane.mjs").Pane} pane
 * @param {number} deployment
 * @param {number} report
 * @param {Record<string, unknown>} where
 * @returns {Promise<{placement: import("./blocks.mjs").Placement, overlaps: unknown[]}>}
 */
export async function connect({ api, port }, deployment, report, where) {
  const placementId = crypto.randomUUID();
  const answer = await api.put(`/deployments/${deployment}/reports/${report}/connect-workbook`, {
    ...where,
    placementId,
    host: port.host,
    addressOnly: true,
  });
  const all = /** @type {import("./blocks.mjs").Placement[]} */ (answer.externalWorkbookPlacements);
  const placement =
    all.find((one) => one.id === placementId) ??
    all.find((one) => one.workbookId === where.externalWorkbookId && one.resultLocation === where.resultLocation);
  if (!placement) throw new Error("the placement is not among those of the report");
  return { placement, overlaps: answer.overlaps ?? [] };
}
