/** New report…: the builder in the pane, from which a report goes on to be placed. */
import { fill, h, mark } from "../ui/dom.mjs";
import { head } from "./blocks.mjs";

/** What it says, in English. */
const words = {
  newReport: "New report…",
  title: "New report",
  back: "Another report",
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("../interface.d.ts").Report} Report
 * @typedef {{back: () => void, place: (report: Report) => void}} Steps back to the search; place: on to where it goes
 */

/**
 * The button that makes a report; null where the person may make none.
 * @param {Pane} pane
 * @param {HTMLElement} screen in which the builder is shown
 * @param {() => number} deployment
 * @param {Steps} steps
 */
export function newReport(pane, screen, deployment, steps) {
  const may = pane.store.state.me?.deployments.some(({ actions }) => actions.some((one) => ["All", "ReportManage", "ReportEdit"].includes(one)));
  if (!may) return null;
  return h("button", { id: "new-report", onclick: () => build(pane, screen, deployment(), steps).catch(pane.fail) }, mark("plus"), words.newReport);
}

/**
 * @param {Pane} pane
 * @param {HTMLElement} screen
 * @param {number} deployment
 * @param {Steps} steps
 */
async function build(pane, screen, deployment, { back, place }) {
  const { builder } = await import("../builder/builder.mjs");
  const own = (/** @type {Report} */ report) => ({ ...report, deploymentId: deployment });
  const face = {
    api: pane.api,
    deployment,
    fail: pane.fail,
    say: (/** @type {string} */ sentence) => pane.notice({ sentence }),
    saved: back,
    place: (/** @type {Report} */ report) => place(own(report)),
  };
  const element = await builder(face, null);
  fill(screen, head(words.title, words.back, back), element);
  screen.querySelector("h2")?.focus();
}
