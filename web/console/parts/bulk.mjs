/** Doing something to all that a filter matches: the person confirms the number, and the server refuses when it is another by then. */
import { Problem } from "../../ui/api.mjs";
import { ask, h } from "../../ui/dom.mjs";
import { count, number } from "../../ui/text.mjs";
import { queryOf } from "../addresses.mjs";
import { message, name } from "../show.mjs";
import { text } from "../text.mjs";
import { readItems } from "./table.mjs";

/** What it says, in English. */
const words = {
  bulkSure: (/** @type {string} */ label, /** @type {string} */ items) => `${label}: ${items}?`,
  bulkDo: (/** @type {string} */ label, /** @type {string} */ items) => `${label} (${items})`,
  bulkNone: "Nothing matches the filter now.",
  bulkTooMany: (/** @type {number} */ most) => `More than ${number(most)} match. Narrow the filter: a call takes ${number(most)} at most.`,
  bulkChanged: (/** @type {string} */ items) => `The filter matches another number now: ${items}.`,
  bulkDone: (/** @type {string} */ items, /** @type {number} */ refused) =>
    refused ? `Done for ${items}; ${count(refused, "was", "were")} refused:` : `Done for ${items}.`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {{list: string, operation: string, action: string, label: string, noun: [string, string], filter: Record<string, string | undefined>,
 *   kind?: "primary" | "danger", fields?: () => {body: import("../../ui/dom.mjs").Child[], read: () => Promise<Record<string, unknown>>}}} Bulk
 *   list: the path whose items are meant, and operation: the path to post to, both below the deployment's; noun: of one item and of many;
 *   filter: empty members say nothing; fields: what else is asked
 */

/** The server takes so many items a call. */
const MOST = 1000;

/**
 * A button that does it.
 * @param {Console} app
 * @param {Bulk} bulk
 */
export function bulkButton(app, bulk) {
  return h("button", { id: `bulk-${bulk.action}`, class: bulk.kind, onclick: () => run(app, bulk).catch(app.fail) }, bulk.label);
}

/**
 * @param {Console} app
 * @param {Bulk} bulk
 */
async function run(app, bulk) {
  let expectedCount = await length(app, bulk);
  for (let changed = false; ; changed = true) {
    if (!isDoable(app, expectedCount, MOST)) return;
    const more = await confirmed(bulk, expectedCount, changed);
    if (!more) return;
    app.notice(null); // of an action before this one
    try {
      const { action, filter } = bulk;
      const answer = await app.api.post(app.at(bulk.operation), { action, filter: typed(filter), expectedCount, ...more });
      tell(app, bulk, answer);
      return app.changed();
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "count_changed" || error.count === undefined) throw error;
      expectedCount = error.count;
    }
  }
}

/**
 * A filter as a body has it: an address holds texts only, and what is empty says nothing.
 * @param {Record<string, string | undefined>} filter
 */
export function typed(filter) {
  const value = (/** @type {string} */ name, /** @type {string} */ text) => {
    if (name === "report" || name === "owner") return Number(text);
    return name === "paused" ? text === "true" : text;
  };
  return Object.fromEntries(Object.entries(filter).flatMap(([name, text]) => (text ? [[name, value(name, text)]] : [])));
}

/**
 * How many items the filter matches; more than MOST if it is more than the server takes.
 * @param {Console} app
 * @param {Bulk} bulk
 */
async function length(app, { list, filter }) {
  const { items } = await readItems(app, app.at(list) + queryOf(filter), MOST + 1);
  return items.length;
}

/**
 * Whether there is something to do, and not too much of it; else says so.
 * @param {Console} app
 * @param {number} n
 * @param {number} most
 */
export function isDoable(app, n, most) {
  if (!n) app.notice({ sentence: words.bulkNone, tone: "muted" });
  else if (n > most) app.notice({ sentence: words.bulkTooMany(most), tone: "warn" });
  return n > 0 && n <= most;
}

/**
 * @param {Pick<Bulk, "label" | "noun" | "kind" | "fields">} bulk
 * @param {number} expected
 * @param {boolean} changed since the person was asked last
 * @returns {Promise<Record<string, unknown> | null>} what else is sent; null: the person turned away
 */
export async function confirmed({ label, noun, kind, fields }, expected, changed) {
  const more = fields?.();
  const sure = await ask({
    title: words.bulkSure(label, count(expected, ...noun)),
    body: [changed && h("p", { class: "warn" }, words.bulkChanged(count(expected, ...noun))), ...(more?.body ?? [])],
    choices: [{ label: words.bulkDo(label, count(expected, ...noun)), value: true, kind: kind ?? "primary" }],
    cancel: text.cancel,
  });
  return sure ? ((await more?.read()) ?? {}) : null;
}

/**
 * Says what was done, and what was refused and why.
 * @param {Console} app
 * @param {Bulk} bulk
 * @param {{count: number, done: number, refused: {id: string | number, message: string}[]}} answer
 */
function tell(app, { noun }, { count: all, done, refused }) {
  const sentence = words.bulkDone(count(done, ...noun), all - done);
  const shown = refused.slice(0, 10);
  app.notice({
    sentence,
    tone: refused.length ? "warn" : "good",
    more: shown.length > 0 && [
      h(
        "ul",
        {},
        shown.map(({ id, message: why }) => h("li", {}, name(id), ": ", message(why, 300))),
      ),
    ],
  });
}
