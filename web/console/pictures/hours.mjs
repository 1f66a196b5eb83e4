/** How runs went over time: bars of runs by hour, or by day for a long time. */
import { h } from "../../ui/dom.mjs";
import { number, zoneShown } from "../../ui/text.mjs";
import { text } from "../text.mjs";
import { s } from "./svg.mjs";

/** What it says, in English. */
const words = {
  runsByHour: "Refreshes by hour",
  runsByDay: "Refreshes by day",
  runsIn: (/** @type {string} */ time, /** @type {Bar} */ { succeeded, failed, skipped }) =>
    `${time}: ${number(succeeded)} succeeded, ${number(failed)} failed, ${number(skipped)} skipped`,
  time: "Time",
  caption: (/** @type {string} */ step, /** @type {string} */ zone) => `Refreshes that began in each ${step}, by the clocks of ${zone}.`,
  hour: "hour",
  day: "day",
};

/**
 * @typedef {import("../../interface.d.ts").Stats["hours"][number]} Hour
 * @typedef {{from: Date, succeeded: number, failed: number, skipped: number}} Bar
 */

/** More hours than that are shown by days. */
const MOST_HOURS = 24 * 8;

/** A time of a bar as the clocks that are shown have it. @param {Date} at @param {Intl.DateTimeFormatOptions} how */
const clock = (at, how) => new Intl.DateTimeFormat("en-GB", { ...how, timeZone: zoneShown() }).format(at);
const DATE = /** @type {const} */ ({ weekday: "short", day: "numeric", month: "short" });

/** @param {Date} at */
const hourOf = (at) => clock(at, { ...DATE, hour: "2-digit", minute: "2-digit" });
/** @param {Date} at */
const dayOf = (at) => clock(at, DATE);

/**
 * The bars to draw: of the hours, or of the days they are in.
 * @param {Hour[]} hours
 * @returns {Bar[]}
 */
export function bars(hours) {
  const all = hours.map(({ from, succeeded, failed, skipped }) => ({ from: new Date(from), succeeded, failed, skipped }));
  if (hours.length <= MOST_HOURS) return all;
  /** @type {Map<string, Bar>} */
  const days = new Map();
  for (const { from, succeeded, failed, skipped } of all) {
    const day = days.get(dayOf(from)) ?? { from, succeeded: 0, failed: 0, skipped: 0 };
    day.succeeded += succeeded;
    day.failed += failed;
    day.skipped += skipped;
    days.set(dayOf(from), day);
  }
  return [...days.values()];
}

/**
 * The greatest number of an axis on which all bars have room: an even one, whose half is a number too.
 * @param {number} most
 */
export function top(most) {
  const step = most <= 20 ? 2 : 2 * 10 ** Math.floor(Math.log10(most) - 1);
  return Math.max(2, Math.ceil(most / step) * step);
}

/**
 * What stands below the axis at a bar: every third hour of a day, each day of a week, every fifth of a month; "" elsewhere.
 * @param {Bar[]} all
 * @param {number} i
 */
export function tick(all, i) {
  const { from } = all[i];
  if (all.length <= 25) {
    const at = clock(from, { hour: "2-digit", minute: "2-digit" });
    return Number(at.slice(0, 2)) % 3 === 0 ? at : "";
  }
  if (all.length <= 32) return (all.length - 1 - i) % 5 === 0 ? clock(from, { day: "numeric", month: "short" }) : "";
  return clock(from, { hour: "2-digit" }) === "00" ? clock(from, { weekday: "short" }) : "";
}

/** The height of the bars, and the room below them for the times. */
const HEIGHT = 120;
const BELOW = 22;

/**
 * Runs by hour, or by day for a long time: failed ones stand upon those that succeeded, skipped ones on top. A bar says its numbers when one
 * points at it.
 * @param {Hour[]} hours
 */
export function runsPicture(hours) {
  const all = bars(hours);
  const byHour = hours.length <= MOST_HOURS;
  const label = byHour ? hourOf : dayOf;
  const most = top(Math.max(...all.map(({ succeeded, failed, skipped }) => succeeded + failed + skipped)));
  const title = byHour ? words.runsByHour : words.runsByDay;
  const width = 100 / all.length;
  const drawn = all.map((bar, i) => {
    let y = HEIGHT;
    const part = (/** @type {string} */ name, /** @type {number} */ n) => {
      const height = (n / most) * HEIGHT;
      y -= height;
      return n > 0 && s("rect", { class: name, x: `${(i + 0.1) * width}%`, y, width: `${width * 0.8}%`, height });
    };
    const at = tick(all, i);
    return s(
      "g",
      {},
      s("title", {}, words.runsIn(label(bar.from), bar)),
      s("rect", { class: "ground", x: `${i * width}%`, y: 0, width: `${width}%`, height: HEIGHT }),
      part("good", bar.succeeded),
      part("bad", bar.failed),
      part("skipped", bar.skipped),
      at && s("line", { x1: `${i * width}%`, x2: `${i * width}%`, y1: HEIGHT, y2: HEIGHT + 4 }),
      at && s("text", { x: `${i * width}%`, y: HEIGHT + 17, class: all.length <= 25 && Number(at.slice(0, 2)) % 6 ? "fine" : undefined }, at),
    );
  });
  const lines = [0, 0.5, 1].map((share) => s("line", { class: "grid", x1: 0, x2: "100%", y1: HEIGHT * share, y2: HEIGHT * share }));
  const axis = [most, most / 2, 0].map((n, i) => s("text", { x: "100%", y: Math.max(9, (HEIGHT * i) / 2 + 4), "text-anchor": "end" }, number(n)));
  const rows = all.map((bar) => [label(bar.from), ...[bar.succeeded, bar.failed, bar.skipped].map(number)]);
  return h(
    "figure",
    { class: "chart" },
    h(
      "div",
      { class: "plot" },
      s("svg", { class: "scale", width: "100%", height: HEIGHT + BELOW, "aria-hidden": "true" }, axis),
      s("svg", { class: "hours", width: "100%", height: HEIGHT + BELOW, role: "img", "aria-label": title }, lines, drawn),
    ),
    h("figcaption", { class: "muted" }, words.caption(byHour ? words.hour : words.day, zoneShown())),
    spokenTable(title, [words.time, text.status.SUCCEEDED, text.status.FAILED, text.status.SKIPPED], rows),
  );
}

/**
 * The same as a picture shows, for screen readers.
 * @param {string} label
 * @param {string[]} heads
 * @param {string[][]} rows
 */
function spokenTable(label, heads, rows) {
  const head = h("tr", {}, heads.map((one) => h("th", { scope: "col" }, one)));
  const body = rows.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell))));
  return h("div", { class: "spoken" }, h("table", { "aria-label": label }, h("thead", {}, head), h("tbody", {}, body)));
}
