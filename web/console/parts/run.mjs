/** Stopping a run. */
import { h } from "../../ui/dom.mjs";
import { text } from "../text.mjs";

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../screens/runs.mjs").Run} Run
 */

/** @param {string} state */
export function isOn(state) {
  return ["QUEUED", "RUNNING"].includes(state);
}

/**
 * Whether the person may stop a run: it is theirs who asked for it or own its schedule, and theirs who may edit its report.
 * @param {{me: {user: {id: number}}}} app
 * @param {Pick<Run, "requestedBy">} run
 * @param {{canEdit: boolean}} report
 */
export function mayStop({ me }, { requestedBy }, { canEdit }) {
  return canEdit || (me.user.id !== 0 && requestedBy?.id === me.user.id);
}

/**
 * @param {Console} app
 * @param {string} runId
 */
export function stopButton(app, runId) {
  const stop = async () => {
    await app.api.delete(app.at(`/refreshes/${encodeURIComponent(runId)}`));
    app.changed();
  };
  return h("button", { id: "stop", onclick: () => stop().catch(app.fail) }, text.stop);
}
