/** The paused schedules, which go on only when a user resumes them. */
import { h } from "../../ui/dom.mjs";
import { link, marked, message, name, person, time } from "../show.mjs";
import { text } from "../text.mjs";
import { act, isMine, targetOf } from "./schedule.mjs";

/** What it says, in English. */
const words = {
  pausedSchedule: "Paused schedule:",
  pausedBy: "Paused by",
  pausedRemedy: "Correct what it says, then resume.",
  resumed: "The schedule goes on.",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("./schedule.mjs").Schedule} Schedule
 */

/** So many are named. */
const NAMED = 5;

/**
 * The first paused schedules, those first that the service paused.
 * @param {Console} app
 * @param {AbortSignal} signal
 * @returns {Promise<{items: Schedule[], more: boolean}>}
 */
export async function readPaused(app, signal) {
  const { items, pageInfo } = await app.api.get(app.at("/refresh-schedules?paused=true&first=100&include=names"), { signal });
  items.sort((/** @type {Schedule} */ a, /** @type {Schedule} */ b) => Number(!a.pausedReason) - Number(!b.pausedReason));
  return { items: items.slice(0, NAMED), more: pageInfo.hasNextPage || items.length > NAMED };
}

/**
 * @param {Console} app
 * @param {Schedule} schedule
 */
export function pausedItem(app, schedule) {
  const { id, pausedReason, updatedBy, updatedAt } = schedule;
  const resume = () => act(app, app.at(`/refresh-schedules/${id}/resume`), words.resumed).catch(app.fail);
  return h(
    "li",
    { class: "cause" },
    h(
      "div",
      {},
      h("p", {}, marked("PAUSED", h("b", {}, words.pausedSchedule, " ", link(app.href(["schedules", id]), name(schedule.name))))),
      h("p", { class: "muted" }, targetOf(app, schedule)),
      h("p", { class: "why" }, pausedReason ? message(text.pausedSince(pausedReason), 400) : byWhom(updatedBy, updatedAt)),
      pausedReason && h("p", {}, words.pausedRemedy),
    ),
    (isMine(app, schedule) || app.may("ReportEdit")) && h("button", { id: `resume-${id}`, onclick: resume }, text.resume),
  );
}

/**
 * Who paused a schedule, as far as is known: who changed it last.
 * @param {Schedule["updatedBy"]} user
 * @param {string} at
 */
function byWhom(user, at) {
  return [words.pausedBy, " ", person(user) ?? text.unknown, ", ", time(at)];
}
