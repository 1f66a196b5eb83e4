/** The links that lead to making a report, and to editing one. */
import { h } from "../../ui/dom.mjs";

/** What it says, in English. */
const words = {
  newReport: "New report",
  edit: "Edit",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 */

/**
 * For who may make a report.
 * @param {Console} app
 */
export function newLink(app) {
  return app.may("ReportEdit") && h("a", { class: "button primary", id: "new-report", href: app.href(["reports", "new"]) }, words.newReport);
}

/**
 * For who may edit the report.
 * @param {Console} app
 * @param {{id: number, canEdit: boolean}} report
 */
export function editLink(app, { id, canEdit }) {
  return canEdit && h("a", { class: "button", id: "edit", href: app.href(["reports", id, "edit"]) }, words.edit);
}
