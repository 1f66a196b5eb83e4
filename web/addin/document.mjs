/**
 * Which document is open: a copy of another one, whose cells are marked as the original's blocks, or a file that this device has not seen.
 * A workbook says itself which document it is, and the author of the file can have it say anything: rows go into one only where a person of
 * this device has said so, or its id was made here.
 */
import { ask, h } from "../ui/dom.mjs";
import { Away, Problem, sleep } from "../ui/api.mjs";
import { count } from "../ui/text.mjs";
import { blockOf } from "./blocks.mjs";
import { WAITS, isDecided, linkNow, look, unknown } from "./link.mjs";
import { COPYING } from "./port.mjs";
import { isSameAt, isSeen, keepSame, keepSeen, plain } from "./seen.mjs";

/**
 * @typedef {import("./port.mjs").Document} Document
 * @typedef {Document & {address: string}} Opened a document, and where it is open
 * @typedef {import("./pane.mjs").Pane} Pane
 */

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
  another: "This is another document by now. Its blocks are shown: look at them, then do that again.",
  undecided: "Mooring is finding out whether this file is a copy. Try again in a minute.",
  later: "Not now",
};

/**
 * Whether rows of the blocks that the pane shows may be written into the document that is open, which then says which one it is. Where it is
 * another one than that of these blocks, the pane turns to it. Where this device has not seen it, a person decides.
 * @param {Pick<Pane, "port" | "store" | "session" | "reopen" | "notice">} pane
 */
export async function mayWrite(pane) {
  const { port, store, session: { storage } } = pane;
  if (port.address) {
    const [document, address] = await Promise.all([port.document(), port.address()]);
    if (document.id !== store.state.document.id) {
      await pane.reopen();
      pane.notice({ sentence: words.another, tone: "warn", sign: "alert" });
      return false;
    }
    store.set({ document });
    if (!(await isOriginal(/** @type {Pane} */ (pane), address))) return false;
    const opened = { ...document, address };
    if (!document.fresh && !isSeen(storage, opened) && !(await sure(opened))) return false;
    await port.identify();
    const written = await port.document();
    keepSeen(storage, { ...written, address });
    store.set({ document: written });
  } else await port.identify(); // the host itself says which document it is
  return true;
}

/** @param {Opened} document */
async function sure({ name, address }) {
  return ask({
    title: words.unseen,
    body: [h("p", {}, words.unseenWhat(name)), h("p", { class: "link muted" }, address)],
    choices: [{ label: words.unseenRefresh, value: true }],
    cancel: words.later,
  });
}

/**
 * Whether the open file is the one that is linked, or one that may be. It may have been saved elsewhere since that was asked: of a document
 * that is linked nothing is written before it is known what the file at this address is.
 * @param {Pane} pane
 * @param {string} address
 */
async function isOriginal(pane, address) {
  const { document: { id, nonce }, blocks, link } = pane.store.state;
  let now = link;
  if (nonce && blocks.length && link?.at !== plain(address)) {
    now = await answer(pane, address);
    if (now && !now.copy) look(pane, now, link?.state).catch(() => {}); // it goes on where this leaves off
    if (now?.linked && !isDecided(now)) {
      pane.notice({ sentence: words.undecided, tone: "muted", sign: "clock" });
      return false;
    }
  }
  if (!now?.copy || isSame(pane, id)) return true;
  await askAboutCopy(pane, id);
  return isSame(pane, id);
}

/**
 * What the server knows of the file at an address; of a linked document it is waited for a while. null: who may not ask is told so by the run.
 * @param {Pane} pane
 * @param {string} address
 */
async function answer(pane, address) {
  try {
    let now = await linkNow(pane, address);
    for (const wait of WAITS.slice(0, 3)) {
      if (!now.linked || isDecided(now)) break;
      await sleep(wait * 1000);
      now = await linkNow(pane, address);
    }
    return now;
  } catch (error) {
    if (!(error instanceof Problem || error instanceof Away)) throw error;
    return error instanceof Problem && [403, 404].includes(error.status) ? null : unasked(pane, address, error);
  }
}

/**
 * What is known of where a document is that cannot be looked for now.
 * @param {Pane} pane
 * @param {string} address
 * @param {Error} why
 * @returns {Promise<import("./link.mjs").DocumentLink>}
 */
async function unasked(pane, address, why) {
  const { id } = pane.store.state.document;
  const known = await pane.api.get(`/external-documents/${encodeURIComponent(id)}`);
  const [linked, at] = [known.state === "linked", plain(address)];
  if (!linked || plain(known.webUrl ?? "") !== at) return unknown(pane, why, linked);
  const link = { ...known, linked, at };
  pane.store.set({ link });
  return link;
}

// ---- copies ----

/**
 * Whether a person of this device has said that the copy at this address is to be the same document.
 * @param {Pane} pane
 * @param {string} id
 */
export const isSame = ({ session, askedAt }, id) => isSameAt(session.storage, id, askedAt);

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
    cancel: words.later,
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
export function settingsOf({ onEdit, shiftRows, breakSignature, statusCell, fillRight }) {
  return { onEdit, shiftRows, breakSignature, statusCell, fillRight };
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

/**
 * Records that a report stands somewhere in this document, before anything is written there.
 * @param {Pane} pane
 * @param {number} deployment
 * @param {number} report
 * @param {Record<string, unknown>} where
 * @returns {Promise<import("./blocks.mjs").Placement>}
 */
export async function connect({ api, port, store }, deployment, report, where) {
  const { id, name, nonce } = store.state.document;
  const body = { ...where, externalWorkbookId: id, workbookName: name, nonce, placementId: crypto.randomUUID(), host: port.host, addressOnly: true };
  const headers = { Prefer: "return=minimal" }; // of the report's placements the one that was written: a report may have stood there before
  const answer = await api.put(`/deployments/${deployment}/reports/${report}/connect-workbook`, body, { headers });
  return answer.externalWorkbookPlacements[0];
}
