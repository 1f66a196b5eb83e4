/** A report that is made, or one that is edited. */
import { builder } from "../../builder/builder.mjs";
import { fill, h } from "../../ui/dom.mjs";
import { link, name } from "../show.mjs";
import { text } from "../text.mjs";

/** What it says, in English. */
const words = {
  newReport: "New report",
  edit: "Edit",
  editing: (/** @type {string} */ what) => `Edit ${what}`,
  managed: (/** @type {string} */ project) => `The project “${project}” keeps this report as code. To save it by hand takes a yes.`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").Report} Report
 */

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, { ids: [id] }) {
  const element = h("section", { class: "screen" });
  let begun = false;
  const load = async (/** @type {AbortSignal} */ signal) => {
    if (begun) return; // what happens elsewhere does not take away what is being written
    /** @type {Report | null} */
    const report = id ? await app.api.get(app.at(`/reports/${encodeURIComponent(id)}`), { signal }) : null;
    const face = {
      api: app.api,
      deployment: app.deployment,
      fail: app.fail,
      say: (/** @type {string} */ sentence) => app.notice({ sentence }),
      saved: (/** @type {Report} */ saved) => void done(app, saved).catch(app.fail),
    };
    const form = await builder(face, report);
    begun = true;
    fill(element, heading(app, report), form);
  };
  return { title: id ? words.edit : words.newReport, element, load };
}

/**
 * @param {Console} app
 * @param {Report | null} report
 */
function heading(app, report) {
  if (!report) return h("h2", { tabindex: -1 }, words.newReport);
  return [
    h("h2", { tabindex: -1 }, words.editing(""), link(app.href(["reports", report.id]), name(report.name, { max: 80 }))),
    report.managedBy && h("p", { class: "warn" }, words.managed(report.managedBy.project)),
  ].filter(Boolean);
}

/**
 * @param {Console} app
 * @param {Report} report
 */
async function done(app, report) {
  await app.go(["reports", report.id]);
  app.notice({ sentence: text.saved });
}
