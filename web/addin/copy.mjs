/** Copies of a document, whose cells are marked as the original's blocks: asking about one, and giving it placements of its own. */
import { ask, h } from "../ui/dom.mjs";
import { count } from "../ui/text.mjs";
import { blockOf, connect } from "./blocks.mjs";
import { COPYING } from "./port.mjs";
import { LATER, ROWS_FOR_ALL, keepSame } from "./seen.mjs";

/** @typedef {import("./shapes.mjs").Pane} Pane */

/** What a person is asked and told. */
const words = {
  copied: "This is a copy: give it its own placements?",
  copiedWhat:
    "The document was copied from another one whose blocks Mooring keeps true. With placements of its own, this copy is refreshed too.",
  copiedOwn: "Give it its own",
  copiedSame: "It is the same document",
  copiedDone: (/** @type {number} */ n) => `${count(n, "block")} now belong${n === 1 ? "s" : ""} to this copy.`,
};

/**
 * Asks whether the copy shall have placements of its own, and gives it those. Until it has all of them, the document says so: what was
 * interrupted is asked about again. The author of the file may have made it look like a copy: the answer does not stand for the one that is
 * asked for before rows are written.
 * @param {Pane} pane
 * @param {string} original
 */
export async function askAboutCopy(pane, original) {
  const { port, store } = pane;
  const own = await ask({
    title: words.copied,
    body: [h("p", {}, words.copiedWhat), h("p", {}, ROWS_FOR_ALL)],
    choices: [
      { label: words.copiedOwn, value: true, kind: "primary" },
      { label: words.copiedSame, value: false },
    ],
    cancel: LATER,
  });
  if (own === undefined) return;
  const { id, copyOf } = store.state.document;
  await port.settings.set(COPYING, own ? original : null);
  if (copyOf || id === original) await port.adopt(own);
  if (!own && id === original) keepSame(pane.session.storage, id, pane.askedAt);
  store.set({ document: await port.document() });
  const placed = own ? await placeAgain(pane, original) : 0;
  await port.settings.set(COPYING, null);
  await pane.reopen();
  if (own) pane.notice({ sentence: words.copiedDone(placed) });
}

/**
 * What a person has said of a placement beside where it stands; a copy of it keeps that.
 * @param {Record<string, any>} placement
 */
export function settingsOf({ onEdit, shiftRows, breakSignature, statusCell, fillRight, parameters }) {
  return { onEdit, shiftRows, breakSignature, statusCell, fillRight, parameters };
}

/**
 * Places every report of the original at the same cells of this document; the marks become those of the new placements.
 * @param {Pane} pane
 * @param {string} original
 */
async function placeAgain(pane, original) {
  const { api, port } = pane;
  const marks = new Map((await port.marks()).map((one) => [one.placementId, one.rect]));
  const items = await api.all(`/external-documents/${encodeURIComponent(original)}/placements`);
  let placed = 0;
  for (const block of items.map(blockOf)) {
    const rect = marks.get(block.placement.id);
    if (!rect || block.status === "DENIED") continue;
    const placement = await connect(pane, block.deployment, block.report, {
      resultLocation: block.placement.resultLocation,
      ...settingsOf(block.placement),
    });
    await port.mark(placement.id, rect);
    await port.unmark(block.placement.id);
    placed++;
  }
  return placed;
}
