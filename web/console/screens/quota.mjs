/** Quotas: how much of the spreadsheets' is used, who waits for it until when, and the limits of the service itself. */
import { fill, h } from "../../ui/dom.mjs";
import { number } from "../../ui/text.mjs";
import { address } from "../addresses.mjs";
import { hostName, link, name, time } from "../show.mjs";
import { text } from "../text.mjs";
import { meter } from "../pictures/meter.mjs";

/** What it says, in English. */
const words = {
  quotaNone: "No spreadsheet account here has a quota.",
  limitPer: (/** @type {number} */ n, /** @type {string} */ per) => `${number(n)} a ${per}`,
  usedOf: (/** @type {number} */ used, /** @type {number} */ limit) => `${number(used)} of ${number(limit)}`,
  unlimited: (/** @type {number} */ used) => `${number(used)}, no limit`,
  noLimit: "no limit",
  severalDocuments: "several documents",
  waitsUntil: " until ",
  accounts: "Spreadsheet accounts",
  ownLimits: "Limits of the service",
  schedulesOfUser: "Your schedules",
  schedulesOfTenant: "Schedules of the account",
  requests: "Requests",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").AccountQuota["waiting"][number]} Waiting document: empty for several
 * @typedef {import("../../interface.d.ts").AccountQuota} Account
 * @typedef {import("../../interface.d.ts").CountedLimit} Use limit: null for none
 * @typedef {import("../../interface.d.ts").Quota} Quota
 */

/** How often the quotas are read: they fill up by time alone. */
const EVERY = 5000;

/**
 * @param {Console} app
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app) {
  const again = app.every(EVERY);
  const heading = h("h2", { id: "heading", tabindex: -1 }, text.places.quota);
  const element = h("section", { class: "screen" }, heading, h("p", {}, text.loading));

  /** @param {AbortSignal} signal */
  async function load(signal) {
    /** @type {Quota} */
    const { items, schedules, requests } = await app.api.get("/quota", { signal });
    again(signal);
    const sorted = [...items].sort((a, b) => b.waiting.length - a.waiting.length || a.remaining / a.limit - b.remaining / b.limit);
    fill(
      element,
      heading,
      h("h3", {}, words.accounts),
      sorted.length ? h("ul", { class: "cards" }, sorted.map(card)) : h("p", { class: "empty" }, words.quotaNone),
      h("h3", {}, words.ownLimits),
      h(
        "div",
        { class: "card" },
        use(ownSchedules(app), schedules.ofUser),
        use(words.schedulesOfTenant, schedules.ofTenant),
        h("p", {}, `${words.requests}: ${requests.limit ? words.limitPer(requests.limit, requests.per) : words.noLimit}`),
      ),
    );
  }
  return { title: text.places.quota, element, load };
}

/**
 * The person's own schedules: a link where one deployment's list has them all.
 * @param {Console} app
 */
function ownSchedules(app) {
  const owner = String(app.me.user.id);
  return app.me.deployments.length === 1 ? link(app.href("schedules", { owner }), words.schedulesOfUser) : words.schedulesOfUser;
}

/** @param {Account} account */
function card({ account, host, spreadsheets, limit, per, remaining, waiting }) {
  const used = Math.max(0, Math.round(limit - remaining));
  return h(
    "li",
    { class: "card" },
    h(
      "div",
      { class: "head" },
      h("h3", {}, name(account)),
      hostName(host, spreadsheets),
    ),
    meter({ label: words.limitPer(limit, per), used, limit, said: words.usedOf(used, limit) }),
    waiting.length > 0 && [h("p", { class: "warn" }, text.runsWaiting(waiting.length)), h("ul", { class: "plain" }, waiting.map(waits))],
  );
}

/** @param {Waiting} run */
function waits({ deploymentId, runId, document, until }) {
  const href = address(deploymentId, ["runs", runId]);
  return h("li", {}, link(href, name(document, { empty: words.severalDocuments })), words.waitsUntil, time(until));
}

/**
 * @param {import("../../ui/dom.mjs").Child} label
 * @param {Use} use
 */
function use(label, { used, limit }) {
  if (!limit) return h("p", {}, label, ": ", words.unlimited(used));
  return meter({ label, used, limit, said: words.usedOf(used, limit) });
}
