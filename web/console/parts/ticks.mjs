/** The last ticks of a schedule, as marks with words. */
import { h } from "../../ui/dom.mjs";
import { when } from "../../ui/text.mjs";
import { link, reason, statusWord, time } from "../show.mjs";

/** What it says, in English. */
const words = {
  none: "It has not fired yet.",
  ticks: "The last ticks, the latest at the right",
  tick: (/** @type {string} */ time, /** @type {string} */ outcome) => `${time}: ${outcome}`,
  skipped: "Skipped",
  failed: "Failed",
  missed: (/** @type {number} */ n) => `, for ${n} missed`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {NonNullable<import("../../interface.d.ts").Schedule["lastTicks"]>[number]} Tick
 */

/** How each outcome is marked: never by its colour alone. @type {Record<string, string>} */
const SIGNS = { SUCCEEDED: "●", FAILED: "✕", SKIPPED: "○", STOPPED: "◌", SUPERSEDED: "◐", QUEUED: "…", RUNNING: "…" };

/**
 * @param {Console} app
 * @param {Tick[]} ticks the latest first
 */
export function lastTicks(app, ticks) {
  if (!ticks.length) return h("span", { class: "muted" }, words.none);
  const marks = [...ticks].reverse().map(({ runId, fireTime, state, missedFires }) => {
    const said = words.tick(when(fireTime), statusWord(state).toLowerCase()) + (missedFires ? words.missed(missedFires) : "");
    return h("li", {}, h("a", { href: app.href(["runs", runId]), class: `tick ${state}`, title: said }, h("span", { "aria-hidden": "true" }, SIGNS[state] ?? "○"), h("span", { class: "spoken" }, said)));
  });
  const why = ticks.find(({ state }) => state === "SKIPPED" || state === "FAILED");
  return [h("ol", { class: "ticks", "aria-label": words.ticks }, marks), why?.error && whyOf(app, why)];
}

/**
 * Why the last of the ticks that refreshed nothing did so.
 * @param {Console} app
 * @param {Tick} tick
 */
function whyOf(app, { runId, fireTime, state, error = "" }) {
  const word = state === "SKIPPED" ? words.skipped : words.failed;
  return h("p", { class: "why" }, link(app.href(["runs", runId]), word, " ", time(fireTime)), ": ", reason(error, 200));
}
