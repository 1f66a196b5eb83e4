/** Whether agents reach the file that is open: the server looks for it, and the pane's foot says what came of that. */
import { sleep } from "../ui/api.mjs";
import { fill, h, mark } from "../ui/dom.mjs";
import { count } from "../ui/text.mjs";

/** What it says, in English. */
const words = {
  linked: (/** @type {string} */ host) => `Agents refresh this workbook too${host && ` (${host})`}`,
  copy: (/** @type {string} */ host) => `This is a copy: agents refresh the original${host && ` (${host})`}, not this file.`,
  looking: "Mooring is looking for this file where agents reach it.",
  here: "Refreshed only while it is open here",
  save: "save it to a place that Mooring reaches",
  unmarked: "Refresh a block once, so that Mooring can tell this file from others.",
  again: "Look again",
  unscheduled: "A schedule cannot refresh this block yet.",
  merged: (/** @type {number} */ n) => `${count(n, "block")} stood here twice, placed by you and by agents, and ${n === 1 ? "is" : "are"} one now.`,
};

/**
 * @typedef {import("./pane.mjs").Pane} Pane
 * @typedef {{id: string, state: string, host?: string, message: string, copy?: boolean, ids?: string[], merged?: unknown[]}} DocumentLink
 */

/** Seconds between two questions while the server looks, and between two looks at the address of a file that is not stored. */
export const WAITS = [2, 4, 8, 15, 30, 60];
const UNSAVED = 5;

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
 * Asks what the server knows of the document, which has it looked for. Of an address that is not the web's nothing is sent but the name.
 * @param {Pane} pane
 * @param {string} address
 * @param {AbortSignal} [signal]
 * @param {boolean} [again] a person asks: it is looked for although it was unlinked
 * @returns {Promise<DocumentLink>}
 */
export async function linkNow(pane, address, signal, again) {
  const { id, name, nonce } = pane.store.state.document;
  const url = /^https:/i.test(address) ? address.replace(/\?.*/, "") : undefined;
  const link = await pane.api.post(`/external-documents/${encodeURIComponent(id)}/link`, { name: name.slice(0, 255), nonce, url, again }, { signal, repeatable: true });
  pane.askedAt = plain(address);
  if (pane.store.state.document.id === id) pane.store.set({ link });
  return link;
}

/**
 * Has the document looked for until that has come to an end, and shows how it goes. One that is not stored is asked for anew once it is.
 * @param {Pane} pane
 * @param {DocumentLink} [known] the answer to begin with
 * @param {string} [before] the state in which it was before that
 * @param {boolean} [again] a person asks for it
 */
export async function look(pane, known, before = pane.store.state.link?.state, again = undefined) {
  const { port, store } = pane;
  const foot = /** @type {HTMLElement} */ (document.getElementById("reach"));
  if (!foot.dataset.watched) store.watch(foot, ({ link }) => link && said(link), () => fill(foot, ...reach(pane)));
  foot.dataset.watched = "yes";
  pane.looks.abort();
  pane.looks = new AbortController();
  const signal = AbortSignal.any([pane.looks.signal, pane.ended.signal]);
  for (let n = 0; !signal.aborted; known = again = undefined, before = store.state.link?.state) {
    const link = known ?? (isUnmarked(pane) ? unmarked(pane) : await linkNow(pane, await called(pane), signal, again));
    if (link.copy || link.merged?.length || (before && before !== "linked" && link.state === "linked")) return found(pane, link);
    if (link.state === "looking") await sleep(WAITS[Math.min(n++, WAITS.length - 1)] * 1000, signal);
    else if (link.state !== "not_saved" || !port.address) return;
    else {
      n = 0;
      do await sleep(UNSAVED * 1000, signal);
      while (plain(await port.address()) === pane.askedAt);
    }
  }
}

/**
 * Reads anew what the file is called, and where it is: a first save has changed both.
 * @param {Pane} pane
 */
async function called(pane) {
  const { port, store } = pane;
  if (!port.address) return ""; // the host itself says which document it is
  const [document, address] = await Promise.all([port.document(), port.address()]);
  if (document.id !== store.state.document.id) return address; // which is seen at the next action
  const { name } = store.state.document;
  store.set({ document });
  if (document.name !== name) pane.bar();
  return address;
}

/**
 * What follows from an answer that says something new.
 * @param {Pane} pane
 * @param {DocumentLink} link
 */
async function found(pane, { id, copy, merged }) {
  if (copy) {
    const { askAboutCopy, isSame } = await import("./document.mjs");
    return isSame(pane, id) ? undefined : askAboutCopy(pane, id);
  }
  await pane.load(); // what stands under the file's other ids stands here too
  if (merged?.length) pane.notice({ sentence: words.merged(merged.length) });
}

/**
 * Whether a workbook does not yet say which document it is, so that nobody can prove it.
 * @param {Pane} pane
 */
function isUnmarked({ port, store }) {
  const { id, nonce } = store.state.document;
  return Boolean(port.address) && !nonce && /^[0-9a-f-]{36}$/.test(id);
}

/**
 * @param {Pane} pane
 * @returns {DocumentLink}
 */
function unmarked({ store }) {
  const link = { id: store.state.document.id, state: "unmarked", message: words.unmarked };
  store.set({ link });
  return link;
}

/**
 * Why a file is not refreshed by agents, and what to do; "" where it is.
 * @param {DocumentLink | null} link
 */
export function whyNot(link) {
  if (!link || link.state === "looking") return words.looking;
  if (link.copy) return words.copy(link.host ?? "");
  if (link.state === "linked") return "";
  return link.state === "not_saved" ? `${words.here}: ${words.save}.` : `${words.here}. ${link.message}`;
}

/** @param {DocumentLink} link */
const said = (link) => whyNot(link) || words.linked(link.host ?? "");

/**
 * The foot of the pane.
 * @param {Pane} pane
 */
function reach(pane) {
  const { link } = pane.store.state;
  if (!link) return [];
  const signs = /** @type {Record<string, import("../ui/dom.mjs").Mark>} */ ({ linked: "check", looking: "clock" });
  const sign = link.copy ? undefined : signs[link.state];
  return [
    mark(sign ?? "circle"),
    h("p", {}, said(link)),
    sign || link.state === "unmarked" ? null : h("button", { id: "look-again", ...again(pane) }, words.again),
  ];
}

/** @param {Pane} pane */
const again = (pane) => ({ onclick: () => look(pane, undefined, pane.store.state.link?.state, true).catch(pane.fail) });

/**
 * Why a schedule does not refresh a file, and the button that may change that; nothing where it does.
 * @param {Pane} pane
 */
export function unreached(pane) {
  const { link } = pane.store.state;
  const why = pane.port.host && whyNot(link);
  if (!why) return null;
  const remedy = link && !["looking", "unmarked"].includes(link.state) && h("button", again(pane), words.again);
  return [h("p", { class: "hint" }, words.unscheduled, " ", why), remedy];
}
