/**
 * Which document is open: a copy of another one, whose cells are marked as the original's blocks, or a file that this device has not seen
 * under its address. A workbook says itself which document it is, in a setting that the author of the file can write: rows go into one only
 * where a person of this device has said so, or its id was made here.
 */
import { ask, h } from "../ui/dom.mjs";
import { count } from "../ui/text.mjs";
import { blockOf } from "./blocks.mjs";
import { COPYING, PortError } from "./port.mjs";

/** @typedef {import("./port.mjs").Document} Document */

/** Why a person is asked before rows go into a file. */
const ROWS_FOR_ALL =
  "Rows that you may see are written into it, for all who can open it. If you did not expect that, ask the person who gave it to you.";

/** What a person is asked and told. */
const words = {
  copied: "This is a copy: give it its own placements?",
  copiedWhat:
    "The document was copied from another one whose blocks Mooring keeps true. With placements of its own, this copy is refreshed too.",
  copiedOwn: "Give it its own",
  copiedSame: "It is the same document",
  copiedDone: (/** @type {number} */ n) => `${count(n, "block")} now belong${n === 1 ? "s" : ""} to this copy.`,
  unseen: "Refresh in this file?",
  unseenWhat: (/** @type {string} */ name) =>
    `“${name}” says that it is a document whose blocks Mooring keeps, and this device has not seen it here before. ` + ROWS_FOR_ALL,
  unseenRefresh: "Refresh here",
  renamed: "The file says by now that it is another document than the one whose blocks are shown: reload the pane.",
  later: "Not now",
};

const KEY = "mooring.seen";

/** How many pairs of an id and an address are kept, the latest. */
const MOST = 500;

/** Documents without an address, until the pane is closed: the next one without may be another file. @type {Set<string>} */
const unstored = new Set();

/**
 * Whether this device has seen a document at its address.
 * @param {Pick<Storage, "getItem">} storage
 * @param {Document} document
 */
export function isSeen(storage, { id, address }) {
  return address === "" ? unstored.has(id) : kept(storage).includes(pair(id, address));
}

/**
 * @param {Pick<Storage, "getItem" | "setItem">} storage
 * @param {Document} document
 */
export function keepSeen(storage, { id, address }) {
  if (address === undefined) return;
  if (address === "") return void unstored.add(id);
  const one = pair(id, address);
  const list = [...kept(storage).filter((other) => other !== one), one].slice(-MOST);
  try {
    storage.setItem(KEY, JSON.stringify(list));
  } catch {} // a full storage: the question comes again
}

/**
 * Whether rows of the blocks that the pane shows may be written into the document that is open. Where this device has not seen it there, a
 * person decides. One that says by now that it is another document than that of these blocks is refused.
 * @param {Pick<import("./pane.mjs").Pane, "port" | "store" | "session">} pane
 */
export async function mayWrite({ port, store, session: { storage } }) {
  const document = await port.document();
  if (document.address === undefined) return true; // the host itself says which document it is
  if (document.id !== store.state.document.id) throw new PortError("refused", words.renamed);
  if (isSeen(storage, document)) return true;
  const sure =
    document.fresh ||
    (await ask({
      title: words.unseen,
      body: [h("p", {}, words.unseenWhat(document.name)), h("p", { class: "link muted" }, document.address)],
      choices: [{ label: words.unseenRefresh, value: true }],
      cancel: words.later,
    }));
  if (sure) keepSeen(storage, document);
  return Boolean(sure);
}

/**
 * @param {string} id
 * @param {string | undefined} address
 */
const pair = (id, address) => JSON.stringify([id, address]);

/**
 * @param {Pick<Storage, "getItem">} storage
 * @returns {string[]}
 */
function kept(storage) {
  try {
    const list = JSON.parse(storage.getItem(KEY) ?? "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

// ---- copies ----

/**
 * Asks whether the copy shall have placements of its own, and gives it those. Until it has all of them, the document says so: what was
 * interrupted is asked about again. The author of the file may have made it look like a copy: the answer does not stand for the one that is
 * asked for before rows are written.
 * @param {import("./pane.mjs").Pane} pane
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
    cancel: words.later,
  });
  if (own === undefined) return;
  await port.settings.set(COPYING, own ? original : null);
  if (store.state.document.copyOf) await port.adopt(own);
  store.set({ document: await port.document() });
  const placed = own ? await placeAgain(pane, original) : 0;
  await port.settings.set(COPYING, null);
  await pane.load();
  if (own) pane.notice({ sentence: words.copiedDone(placed) });
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
