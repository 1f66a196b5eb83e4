/** Whether agents reach the file that is open: the server looks for it, and the pane's foot says what came of that. */
import { Away, Problem, sleep } from "../ui/api.mjs";
import { fill, h, mark } from "../ui/dom.mjs";
import { count, text } from "../ui/text.mjs";
import { isSame, keepTold, plain, serverOf, untold } from "./seen.mjs";

/** What it says, in English. */
const words = {
  linked: (/** @type {string} */ host) => `Agents refresh this workbook too${host && ` (${host})`}`,
  copy: (/** @type {string} */ host) => `This is a copy: agents refresh the original${host && ` (${host})`}, not this file.`,
  looking: "Mooring is looking for this file where agents reach it.",
  here: "Refreshed only while it is open here",
  save: "save it to a place that Mooring reaches",
  unknown: (/** @type {string} */ why) => `It is not known yet whether agents refresh this workbook. ${why}`,
  unmarked: "Refresh a block once, so that Mooring can tell this file from others.",
  again: "Look again",
  unscheduled: "A schedule cannot refresh this block yet.",
  merged: (/** @type {number} */ n) => `${count(n, "block")} stood here twice, placed by you and by agents, and ${n === 1 ? "is" : "are"} one now.`,
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Answer} Answer
 * @typedef {import("./shapes.mjs").DocumentLink} DocumentLink
 */

/** Seconds between two questions while the server looks, and between two looks at the address of a file that is not stored. */
export const WAITS = [2, 4, 8, 15, 30, 60];
const UNSAVED = 5;

/**
 * Whether it is known what the open file is.
 * @param {DocumentLink} link
 */
export const isDecided = ({ state }) => state !== "looking" && state !== "unknown";

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
  /** @type {Answer} */
  const answer = await pane.api.post(`/external-documents/${encodeURIComponent(id)}/link`, { name: name.slice(0, 255), nonce, url, again }, { signal, repeatable: true, patience: 0 });
  pane.askedAt = plain(address);
  const link = noted(pane, id, answer, address);
  if (pane.store.state.document.id === id) pane.store.set({ link });
  return link;
}

/**
 * An answer with what the pane knows besides. Office names a workbook by where it is as long as it is open: one that is linked on a server of
 * the web, and is on another one or on this computer by now, was saved there beside that.
 * @param {Pane} pane
 * @param {string} id
 * @param {Answer} answer
 * @param {string} address
 * @returns {DocumentLink}
 */
function noted(pane, id, answer, address) {
  const before = pane.store.state.document.id === id ? pane.store.state.link : null;
  if (!isDecided(answer)) return { ...answer, linked: Boolean(answer.provedAt || before?.linked) };
  const [server, linked] = [serverOf(address), answer.state === "linked"];
  const { linkedOn } = pane;
  const left = linked && linkedOn?.id === id && address !== "" && ![linkedOn.server, serverOf(answer.webUrl ?? "")].includes(server);
  if (linked && server && !left && !answer.copy) pane.linkedOn = { id, server };
  return { ...answer, copy: answer.copy || left, at: plain(address), linked };
}

/**
 * What is known of a document where the server could not be asked, which is shown until it can.
 * @param {Pane} pane
 * @param {Error} why
 * @param {boolean} [linked]
 * @returns {DocumentLink}
 */
export function unknown({ store }, why, linked = Boolean(store.state.link?.linked)) {
  const message = why instanceof Away ? text.awayNow : why.message;
  const link = { id: store.state.document.id, state: "unknown", message, linked, wait: why instanceof Problem ? why.wait : 0 };
  store.set({ link });
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
  for (let n = 0; !signal.aborted; known = undefined, before = store.state.link?.state) {
    const link = known ?? (isUnmarked(pane) ? unmarked(pane) : await asked(pane, await called(pane), signal, again));
    if (link.state !== "unknown") again = undefined;
    if (link.copy) return copied(pane, link.id);
    const merged = untold(pane.session.storage, link.id, link.merged ?? []);
    if (merged.length || (before && before !== "linked" && link.state === "linked")) await found(pane, link.id, merged);
    if (!isDecided(link)) await sleep(Math.max(WAITS[Math.min(n++, WAITS.length - 1)] * 1000, link.wait ?? 0), signal);
    else if (link.state !== "not_saved" || !port.address) return;
    else {
      n = 0;
      do await sleep(UNSAVED * 1000, signal);
      while (plain(await port.address()) === pane.askedAt);
    }
  }
}

/**
 * Asks the server, and says so where it cannot be asked now.
 * @param {Pane} pane
 * @param {string} address
 * @param {AbortSignal} signal
 * @param {boolean} [again]
 */
async function asked(pane, address, signal, again) {
  try {
    return await linkNow(pane, address, signal, again);
  } catch (error) {
    const passing = error instanceof Away || (error instanceof Problem && ![403, 404].includes(error.status));
    if (!passing || signal.aborted) throw error;
    return unknown(pane, error);
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
 * @param {Pane} pane
 * @param {string} id
 */
async function copied(pane, id) {
  return isSame(pane, id) ? undefined : (await import("./copy.mjs")).askAboutCopy(pane, id);
}

/**
 * What stands under the file's other ids stands here too: it is shown, and once what became one with that.
 * @param {Pane} pane
 * @param {string} id
 * @param {{placementId: string}[]} merged
 */
async function found(pane, id, merged) {
  await pane.load();
  if (!merged.length) return;
  keepTold(pane.session.storage, id, merged);
  pane.notice({ sentence: words.merged(merged.length) });
}

/**
 * Whether a workbook does not yet say which document it is, so that it cannot be proved.
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
  if (link.state === "unknown") return words.unknown(link.message);
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
