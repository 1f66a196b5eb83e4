/**
 * Which documents this device has seen, and under which addresses. A workbook says itself which document it is, in a setting that whoever
 * made the file can write: rows go into one only where a person of this device has said so, or its id was made here.
 */
import { ask, h } from "../ui/dom.mjs";
import { text } from "../ui/text.mjs";
import { PortError } from "./port.mjs";

/** @typedef {import("./port.mjs").Document} Document */

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
  if (document.id !== store.state.document.id) throw new PortError("refused", text.renamed);
  if (isSeen(storage, document)) return true;
  const sure =
    document.fresh ||
    (await ask({
      title: text.unseen,
      body: [h("p", {}, text.unseenWhat(document.name)), h("p", { class: "link muted" }, document.address)],
      choices: [{ label: text.unseenRefresh, value: true }],
      cancel: text.copiedLater,
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
