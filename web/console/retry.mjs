/** Asking for one refresh. */
import { standingOf } from "../ui/text.mjs";
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
 * A button to refresh a block where that can help: after a failure that is final, and once a user has mended what it waits for.
 * @param {Console} app
 * @param {number} reportId
 * @param {import("./placements.mjs").Placement} placement
 */
export function retryButton(app, reportId, placement) {
  const { id } = placement;
  const { retry } = standingOf(placement);
  if (!id || !retry) return null;
  const label = retry === "now" ? text.tryNow : text.retry;
  return h("button", { id: `retry-${id}`, onclick: () => refresh(app, reportId, id).catch(app.fail) }, label);
}
