/** What fires next. */
import { h } from "../../ui/dom.mjs";
import { rhythm } from "../../ui/rhythm.mjs";
import { link, name, time } from "../show.mjs";
import { places, weekday } from "./schedule.mjs";

/** What it says, in English. */
const words = {
  none: "No schedule is active: nothing is refreshed by itself.",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").Tick} Tick
 */

/** So many ticks are shown. */
const SHOWN = 5;

/**
 * @param {Console} app
 * @param {AbortSignal} signal
 * @returns {Promise<Tick[]>} the soonest first
 */
export async function readNext(app, signal) {
  return (await app.api.get(app.at(`/ticks?first=${SHOWN}`), { signal })).items;
}

/**
 * @param {Console} app
 * @param {Tick[]} ticks
 */
export function nextTicks(app, ticks) {
  if (!ticks.length) return h("p", { class: "empty card" }, words.none);
  const lines = ticks.map(({ scheduleId, name: called, cron, timezone, at, names }) =>
    h(
      "li",
      {},
      h("b", {}, day(at), time(at)),
      h(
        "div",
        {},
        h("p", {}, link(app.href(["schedules", scheduleId]), name(called || names?.report)), " ", h("span", { class: "muted" }, name(rhythm(cron, timezone)))),
        names && h("p", { class: "muted" }, ...places(app, names)),
      ),
    ),
  );
  return h("ol", { class: "next card" }, lines);
}

/** The weekday of a tick that does not come within a day. @param {string} iso */
function day(iso) {
  return Date.parse(iso) - Date.now() > 86_400_000 && `${weekday(iso)} `;
}
