/** Where a document is, whether agents reach it, and unlinking it. Its texts are here too. */
import { ask, h } from "../../ui/dom.mjs";
import { hostName, marked, message, name, time } from "../show.mjs";
import { text } from "../text.mjs";

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").DocumentLink} DocumentLink
 */

const words = {
  by: { agent: "marked by an agent", asked: "linked from its task pane" },
  proved: "seen there",
  since: "since",
  alsoKnown: "also known as",
  /** What a state is called; the server's sentence says why. @type {Record<string, string>} */
  states: {
    linked: "Agents reach it",
    looking: "Being looked for",
    not_saved: "Not saved yet",
    not_found: "Not found",
    ambiguous: "Found twice",
    not_reached: "Not reached",
    refused: "Refused",
  },
  unlink: "Unlink",
  unlinkSure: "Unlink this document from its file?",
  unlinkWhat:
    "Agents no longer refresh what was placed from its task pane. The cells stay, and so do the blocks. It is linked again only by “Look again” in the pane.",
  unlinked: "The document is unlinked.",
};

/** How the states look, by the marks of statuses. @type {Record<string, string>} */
const LOOKS = { linked: "UP_TO_DATE", looking: "WAITING", not_saved: "WAITING", ambiguous: "CONFLICT", refused: "FAILED" };

/** An id that a task pane gave; all others are a host's own. */
const GIVEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Where a document is and under which names, or why agents do not reach it.
 * @param {{host: string, spreadsheets?: string, workbookName?: string}} document its kind, and its host and name as a block has them
 * @param {DocumentLink | null | undefined} link undefined or null: nothing is known of it
 */
export function whereabouts({ host, spreadsheets, workbookName }, link) {
  if (!link) return [hostName(host, spreadsheets)];
  const called = link.name || workbookName || link.id;
  return [
    hostName(host, link.host ?? spreadsheets),
    link.name && h("p", {}, opened(link.webUrl, name(called, { max: 60 }))),
    h("p", {}, marked(LOOKS[link.state] ?? "MISSED", words.states[link.state] ?? name(link.state)), ...origin(link)),
    link.state !== "linked" && h("p", { class: "why" }, message(link.message, 300)),
    link.ids?.length ? h("p", { class: "muted" }, words.alsoKnown, " ", ...separated(link.ids.map((id) => message(id, 120)))) : null,
  ];
}

/**
 * Since when a document is in its state, and what says so.
 * @param {DocumentLink} link
 */
function origin({ since, state, by, provedAt }) {
  const how = words.by[/** @type {keyof typeof words.by} */ (by)];
  const said = [since && [words.since, " ", time(since)], state === "linked" && how && [how], provedAt && [words.proved, " ", time(provedAt)]].filter(Boolean);
  return said.length ? [h("span", { class: "muted" }, " ", .../** @type {any[]} */ (said).flatMap((one, i) => (i ? [" · ", ...one] : one)))] : [];
}

/**
 * A link to the file where its host opens it in a browser; else its name alone.
 * @param {string | undefined} address as the host says it
 * @param {HTMLElement} called
 */
function opened(address, called) {
  return leads(address) ? h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, called) : called;
}

/**
 * Whether an address that a host told leads to a page of the web, and nowhere else.
 * @param {string | undefined} address
 */
export function leads(address) {
  return /^https:\/\//i.test(address ?? "") && URL.canParse(/** @type {string} */ (address));
}

/** @param {Node[]} items */
function separated(items) {
  return items.flatMap((item, i) => (i ? [", ", item] : [item]));
}

/**
 * Whether there is something to unlink: an id that a task pane gave, which leads to a file.
 * @param {DocumentLink | null | undefined} link
 */
export function isUnlinkable(link) {
  return link?.state === "linked" && [link.id, ...(link.ids ?? [])].some((id) => GIVEN.test(id));
}

/**
 * Unlinks a document, if the person is sure. The server says who may not.
 * @param {Console} app
 * @param {DocumentLink} link
 * @param {string} [called]
 */
export function unlinkButton(app, { id, name: file }, called) {
  const unlink = async () => {
    const sure = await ask({
      title: words.unlinkSure,
      body: [h("p", {}, name(file || called || id)), h("p", {}, words.unlinkWhat)],
      choices: [{ label: words.unlink, value: true, kind: "danger" }],
      cancel: text.cancel,
    });
    if (!sure) return;
    await app.api.delete(`/external-documents/${encodeURIComponent(id)}/link`);
    app.notice({ sentence: words.unlinked });
    app.changed();
  };
  return h("button", { id: `unlink-${id}`, onclick: () => unlink().catch(app.fail) }, words.unlink);
}
