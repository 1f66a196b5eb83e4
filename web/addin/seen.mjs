/** What this device remembers of documents: which ones it has seen and where, and what people were told or have said of them. */

/** @typedef {import("./port.mjs").Document & {address: string}} Opened a document, and where it is open */

const SEEN = "mooring.seen";
const MERGED = "mooring.merged";

/** Why a person is asked before rows go into a file. */
export const ROWS_FOR_ALL =
  "Rows that you may see are written into it, for all who can open it. If you did not expect that, ask the person who gave it to you.";

/** What not to decide yet is called. */
export const LATER = "Not now";

/** How many are kept of each, the latest. */
const MOST = 500;

/**
 * An address as it is compared: the server in lower case, percent-decoded, without query and fragment.
 * @param {string} address
 */
export function plain(address) {
  const [, server, path] = /^(https?:\/\/[^/?#]+)([^?#]*)/i.exec(address) ?? [];
  if (!server) return address;
  try {
    return server.toLowerCase() + decodeURIComponent(path);
  } catch {
    return server.toLowerCase() + path;
  }
}

/**
 * Whether this device has seen a document. Who has its nonce has had the file open: it may since have been stored, renamed or moved, but not
 * to another server. What an earlier version kept counts at the one address where it was seen.
 * @param {Pick<Storage, "getItem">} storage
 * @param {Opened} document
 */
export function isSeen(storage, { id, nonce, address }) {
  const list = kept(storage);
  if (address !== "" && list.includes(pair(id, address.replace(/[?#].*/, "")))) return true;
  if (!nonce) return false;
  const [one, nowhere] = [serverOf(address), ""].map((server) => pair(`${id} ${nonce}`, server));
  const ours = list.filter((entry) => entry.startsWith(nowhere.slice(0, -2)));
  return ours.length > 0 && (one === nowhere || ours.includes(one) || ours.every((entry) => entry === nowhere));
}

/**
 * @param {Pick<Storage, "getItem" | "setItem">} storage
 * @param {Opened} document
 */
export function keepSeen(storage, { id, nonce, address }) {
  if (nonce) keep(storage, pair(`${id} ${nonce}`, serverOf(address)));
}

/**
 * Whether a person of this device has said that the copy at an address is to be the same document.
 * @param {{session: {storage: Pick<Storage, "getItem">}, askedAt: string}} pane askedAt: the address
 * @param {string} id
 */
export const isSame = ({ session, askedAt }, id) => kept(session.storage).includes(pair(`same ${id}`, plain(askedAt)));

/**
 * @param {Pick<Storage, "getItem" | "setItem">} storage
 * @param {string} id
 * @param {string} address
 */
export const keepSame = (storage, id, address) => keep(storage, pair(`same ${id}`, plain(address)));

/**
 * Of placements that became one with others in a document, those of which people of this device have not been told.
 * @template {{placementId: string}} T
 * @param {Pick<Storage, "getItem">} storage
 * @param {string} id
 * @param {T[]} merged
 */
export function untold(storage, id, merged) {
  const told = kept(storage, MERGED);
  return merged.filter(({ placementId }) => !told.includes(pair(id, placementId)));
}

/**
 * @param {Pick<Storage, "getItem" | "setItem">} storage
 * @param {string} id
 * @param {{placementId: string}[]} merged
 */
export function keepTold(storage, id, merged) {
  for (const { placementId } of merged) keep(storage, pair(id, placementId), MERGED);
}

/**
 * @param {Pick<Storage, "getItem" | "setItem">} storage
 * @param {string} one
 * @param {string} [key]
 */
function keep(storage, one, key = SEEN) {
  const list = [...kept(storage, key).filter((other) => other !== one), one].slice(-MOST);
  try {
    storage.setItem(key, JSON.stringify(list));
  } catch {} // a full storage: it is asked, or told, again
}

/**
 * The server of an address, and in OneDrive whose drive it is; "" for a local path.
 * @param {string} address
 */
export function serverOf(address) {
  return /^https?:\/\/(d\.docs\.live\.net\/[^/]+|[^/]+)/.exec(plain(address))?.[1] ?? "";
}

/**
 * @param {string} id
 * @param {string} address
 */
const pair = (id, address) => JSON.stringify([id, address]);

/**
 * @param {Pick<Storage, "getItem">} storage
 * @param {string} [key]
 * @returns {string[]}
 */
function kept(storage, key = SEEN) {
  try {
    const list = JSON.parse(storage.getItem(key) ?? "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
