/** Asking for one refresh. */
import { standingOf } from "../../ui/text.mjs";
import { h } from "../../ui/dom.mjs";
import { text } from "../text.mjs";

/** @typedef {import("../console.mjs").Console} Console */

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
 * Whether asking for a refresh helps a block, and how that is called: after a failure that is final, and at once where a user can have
 * mended what it waits for.
 * @param {{syncStatus: string, lastRun?: import("../../ui/text.mjs").LastRun}} placement
 * @returns {"" | "retry" | "now"}
 */
export function retryOf(placement) {
  const { code, reason } = standingOf(placement);
  if (code === "WAITING") return ["locked", "missing"].includes(reason) ? "now" : "";
  const final = !["QUEUED", "RUNNING"].includes(placement.lastRun?.state ?? "");
  return final && !reason && ["FAILED", "CONFLICT"].includes(code) ? "retry" : "";
}

/**
 * A button to refresh a block where that helps.
 * @param {Console} app
 * @param {number} reportId
 * @param {import("../screens/placements.mjs").Placement} placement
 */
export function retryButton(app, reportId, placement) {
  const { id } = placement;
  const retry = retryOf(placement);
  if (!id || !retry) return null;
  const label = retry === "now" ? text.tryNow : text.retry;
  return h("button", { id: `retry-${id}`, onclick: () => refresh(app, reportId, id).catch(app.fail) }, label);
}
