/** Asking for one refresh. */
import { h } from "../ui/dom.mjs";
import { text } from "./text.mjs";

/** @typedef {import("./console.mjs").Console} Console */

/**
 * Asks an agent to refresh a block.
 * @param {Console} app
 * @param {number} reportId
 * @param {string} placementId
 * @param {{onEdit?: string}} [how]
 */
export async function refresh(app, reportId, placementId, how = {}) {
  await app.api.post(app.at(`/reports/${reportId}/refreshes`), { placementId, ...how });
  app.notice({ sentence: text.refreshAsked });
  app.changed();
}

/**
 * A button to refresh a block whose last run failed. There is none while a run has not ended: another would be refused.
 * @param {Console} app
 * @param {number} reportId
 * @param {import("./placements.mjs").Placement} placement
 */
export function retryButton(app, reportId, { id, lastRun }) {
  if (!id || ["QUEUED", "RUNNING"].includes(lastRun?.state ?? "")) return null;
  return h("button", { id: `retry-${id}`, onclick: () => refresh(app, reportId, id).catch(app.fail) }, text.retry);
}
