/** Copies of a document, whose cells are marked as the original's blocks: asking about one, and giving it placements of its own. */
import { ask, h } from "../ui/dom.mjs";
import { count } from "../ui/text.mjs";
import { faultOf } from "../ui/parameters.mjs";
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
  copiedWithout: (/** @type {string} */ name, /** @type {string} */ which) =>
    ` “${name}” does not keep what the original says of ${which}, which its report does not take any more: change what it is shown for.`,
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
  const { placed, without } = own ? await placeAgain(pane, original) : { placed: 0, without: [] };
  await port.settings.set(COPYING, null);
  await pane.reopen();
  if (!own) return;
  const lost = without.map(({ name, unfit }) => words.copiedWithout(name, unfit.join(", "))).join("");
  pane.notice({ sentence: words.copiedDone(placed) + lost, ...(lost && { tone: "warn", sign: "alert" }) });
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
  const without = [];
  for (const block of items.map(blockOf)) {
    const rect = marks.get(block.placement.id);
    if (!rect || block.status === "DENIED") continue;
    const { placement, unfit } = await connectFit(pane, block);
    if (unfit.length) without.push({ name: block.name, unfit });
    await port.mark(placement.id, rect);
    await port.unmark(block.placement.id);
    placed++;
  }
  return { placed, without };
}

/**
 * Records a placement as that of the original is, but for the values that its report does not take any more: one of them must not keep the copy from
 * its other blocks.
 * @param {Pane} pane
 * @param {import("./shapes.mjs").Block} block
 * @returns {Promise<{placement: import("./shapes.mjs").Placement, unfit: string[]}>}
 */
export async function connectFit(pane, { deployment, report, placement: was }) {
  const where = { resultLocation: was.resultLocation, ...settingsOf(was) };
  try {
    return { placement: await connect(pane, deployment, report, where), unfit: [] };
  } catch (error) {
    const unfit = unfitOf(error);
    if (!unfit.length) throw error;
    const fit = Object.entries(where.parameters).filter(([name]) => !unfit.includes(name));
    const parameters = fit.length ? Object.fromEntries(fit) : undefined;
    return { placement: await connect(pane, deployment, report, { ...where, parameters }), unfit };
  }
}

/**
 * The parameters of which alone a refusal tells; none where it is about something else too.
 * @param {any} error
 * @returns {string[]}
 */
function unfitOf({ details = [] }) {
  const names = details.map(faultOf);
  return names.every(Boolean) ? [...new Set(names)] : [];
}
