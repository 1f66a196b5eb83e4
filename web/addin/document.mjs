/**
 * Whether rows may go into the document that is open: not into a copy of another one, nor into a file that this device has not seen.
 * A workbook says itself which document it is, and the author of the file can have it say anything: rows go into one only where a person of
 * this device has said so, or its id was made here.
 */
import { ask, h } from "../ui/dom.mjs";
import { Away, Problem, sleep } from "../ui/api.mjs";
import { WAITS, isDecided, linkNow, look, unknown } from "./link.mjs";
import { LATER, ROWS_FOR_ALL, isSame, isSeen, keepSeen, plain } from "./seen.mjs";

/**
 * @typedef {import("./seen.mjs").Opened} Opened
 * @typedef {import("./shapes.mjs").Pane} Pane
 */

/** What a person is asked and told. */
const words = {
  unseen: "Refresh in this file?",
  unseenWhat: (/** @type {string} */ name) =>
    `“${name}” says that it is a document whose blocks Mooring keeps, and this device has not seen it here before. ` + ROWS_FOR_ALL,
  unseenRefresh: "Refresh here",
  another: "This is another document by now. Its blocks are shown: look at them, then do that again.",
  undecided: "Mooring is finding out whether this file is a copy. Try again in a minute.",
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
    cancel: LATER,
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
  await (await import("./copy.mjs")).askAboutCopy(pane, id);
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
 * @returns {Promise<import("./shapes.mjs").DocumentLink>}
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
