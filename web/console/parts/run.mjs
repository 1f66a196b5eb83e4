/** One run: how it stands, how long it took, who asked for it, and stopping it. */
import { h, nextTry } from "../../ui/dom.mjs";
import { count, number } from "../../ui/text.mjs";
import { duration, link, name, reason, status } from "../show.mjs";
import { text } from "../text.mjs";

/** What it says, in English. */
const words = {
  attempts: (/** @type {number} */ n) => `at attempt ${number(n)}`,
  /** @type {Record<string, string>} */
  scheduleBy: {
    schedule: "schedule",
    catchUp: "schedule, late",
    manual: "schedule, by hand",
    hook: "schedule, by a hook",
    change: "schedule, data changed",
  },
  missed: (/** @type {number} */ n) => `for ${count(n, "missed fire")}`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {Omit<import("../../interface.d.ts").RunPlacement, "errorClass"> & {errorClass?: string}} RunPlacement
 * @typedef {Omit<import("../../interface.d.ts").Run, "errorClass" | "placements"> & {errorClass?: string, placements: RunPlacement[]}} Run
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

/** @param {Run} run */
export function stateCell({ state, errorClass = "", error, attempt, nextAttemptAt }) {
  // while a run waits for documents its attempts are no failures, and the failure of one block has but one
  const counts = attempt > 1 && (state === "RUNNING" || (state === "FAILED" && ["transient", "quota"].includes(errorClass)));
  return [
    status(errorClass === "conflict" ? "CONFLICT" : state),
    counts && h("span", { class: "muted" }, ` ${words.attempts(attempt)}`),
    error && h("p", { class: "why" }, reason(error, 200)),
    state === "QUEUED" && Date.parse(nextAttemptAt ?? "") > Date.now() && h("p", { class: "muted" }, nextTry(nextAttemptAt ?? "")),
  ];
}

/** @param {{startedAt?: string, endedAt?: string}} run */
export function took({ startedAt, endedAt }) {
  return startedAt && endedAt ? duration(Date.parse(endedAt) - Date.parse(startedAt)) : null;
}

/**
 * @param {Console} app
 * @param {Run} run
 */
export function askedBy(app, { trigger, scheduleId, requestedBy, missedFires }) {
  const who = requestedBy ? name(requestedBy.email || text.user(requestedBy.id), { max: 40 }) : null;
  if (!scheduleId) return who;
  return [
    link(app.href(["schedules", scheduleId]), words.scheduleBy[trigger] ?? words.scheduleBy.manual),
    missedFires ? h("span", { class: "muted" }, ` ${words.missed(missedFires)}`) : null,
  ];
}
