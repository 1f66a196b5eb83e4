/** How runs went over time: bars of runs, and the lateness of scheduled ones by hour and day. */
import { h } from "../../ui/dom.mjs";
import { number } from "../../ui/text.mjs";
import { duration } from "../show.mjs";
import { text } from "../text.mjs";
import { picture, s } from "./svg.mjs";

/** What it says, in English. */
const words = {
  runsByHour: "Runs by hour",
  runsByDay: "Runs by day",
  runsIn: (/** @type {string} */ time, /** @type {number} */ succeeded, /** @type {number} */ failed) =>
    `${time}: ${number(succeeded)} succeeded, ${number(failed)} failed`,
  time: "Time",
  day: "Day",
  now: "now",
  latenessBy: "Lateness by hour and day",
  latenessIn: (/** @type {string} */ time, /** @type {string} */ p50, /** @type {string} */ p99) =>
    `${time}: half within ${p50}, 99 % within ${p99}`,
  worstLateness: "99 % within, in the worst hour",
  noneThen: "none",
  upTo: (/** @type {string} */ time) => `up to ${time}`,
  later: "later",
};

/**
 * @typedef {import("../../interface.d.ts").Stats["hours"][number]} Hour
 * @typedef {{from: Date, succeeded: number, failed: number}} Bar
 */

/** More hours than that are shown by days. */
const MOST_HOURS = 24 * 8;

const hourOf = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const dayOf = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });

/**
 * The bars to draw: of the hours, or of the days they are in.
 * @param {Hour[]} hours
 * @returns {Bar[]}
 */
export function bars(hours) {
  if (hours.length <= MOST_HOURS) return hours.map(({ from, succeeded, failed }) => ({ from: new Date(from), succeeded, failed }));
  /** @type {Map<string, Bar>} */
  const days = new Map();
  for (const { from, succeeded, failed } of hours) {
    const at = new Date(from);
    const day = days.get(at.toDateString()) ?? { from: at, succeeded: 0, failed: 0 };
    day.succeeded += succeeded;
    day.failed += failed;
    days.set(at.toDateString(), day);
  }
  return [...days.values()];
}

/**
 * Runs by hour, or by day for a long time: failed ones stand on top.
 * @param {Hour[]} hours
 */
export function runsPicture(hours) {
  const all = bars(hours);
  const label = hours.length <= MOST_HOURS ? hourOf : dayOf;
  const top = Math.max(1, ...all.map(({ succeeded, failed }) => succeeded + failed));
  const [width, height] = [all.length * 10, 100];
  const drawn = all.map(({ from, succeeded, failed }, i) => {
    const [good, bad] = [(succeeded / top) * height, (failed / top) * height];
    return s(
      "g",
      {},
      s("title", {}, words.runsIn(label.format(from), succeeded, failed)),
      s("rect", { class: "ground", x: i * 10, y: 0, width: 10, height }),
      s("rect", { class: "good", x: i * 10 + 1, y: height - good, width: 8, height: good }),
      s("rect", { class: "bad", x: i * 10 + 1, y: height - good - bad, width: 8, height: bad }),
    );
  });
  const chart = picture({ label: hours.length <= MOST_HOURS ? words.runsByHour : words.runsByDay, width, height, class: "bars", stretched: true }, drawn);
  const rows = all.map(({ from, succeeded, failed }) => [label.format(from), number(succeeded), number(failed)]);
  return h(
    "figure",
    { class: "chart" },
    h("p", { class: "axis muted" }, number(top)),
    chart,
    h("p", { class: "axis muted" }, h("span", {}, all.length ? label.format(all[0].from) : ""), h("span", {}, words.now)),
    spokenTable(words.runsByHour, [words.time, text.status.SUCCEEDED, text.status.FAILED], rows),
  );
}

/** The upper bounds of the shades of lateness, in milliseconds. */
const SHADES = [100, 1000, 10_000, 60_000];

/** @param {number} ms */
export function shade(ms) {
  const found = SHADES.findIndex((bound) => ms <= bound);
  return found < 0 ? SHADES.length : found;
}

/**
 * The hours by their days, each at its hour of the day.
 * @param {Hour[]} hours
 */
export function days(hours) {
  /** @type {Map<string, {date: Date, hours: (Hour | undefined)[]}>} */
  const all = new Map();
  for (const hour of hours) {
    const at = new Date(hour.from);
    const day = all.get(at.toDateString()) ?? { date: at, hours: Array(24).fill(undefined) };
    day.hours[at.getHours()] = hour;
    all.set(at.toDateString(), day);
  }
  return [...all.values()];
}

/** A cell of the picture, and the room for the names of days. */
const CELL = 14;
const NAMES = 84;

/**
 * The lateness of scheduled runs: a row a day, a column an hour, darker for later.
 * @param {Hour[]} hours
 */
export function latenessPicture(hours) {
  const all = days(hours);
  const marks = [0, 6, 12, 18].map((hour) => s("text", { x: NAMES + hour * CELL, y: 10 }, `${String(hour).padStart(2, "0")}:00`));
  const rows = all.map(({ date, hours: ofDay }, row) =>
    s(
      "g",
      { transform: `translate(0 ${16 + row * CELL})` },
      s("text", { x: 0, y: 10 }, dayOf.format(date)),
      ofDay.map((hour, i) => latenessCell(hour, NAMES + i * CELL)),
    ),
  );
  const spoken = all.map(({ date, hours: ofDay }) => {
    const known = ofDay.flatMap((hour) => (hour?.latenessP99Ms == null ? [] : [hour.latenessP99Ms]));
    return [dayOf.format(date), known.length ? duration(Math.max(...known)) : words.noneThen];
  });
  const [width, height] = [NAMES + 24 * CELL, 16 + all.length * CELL];
  return h(
    "figure",
    { class: "chart" },
    picture({ label: words.latenessBy, width, height, class: "lateness" }, marks, rows),
    h("p", { class: "legend muted" }, [...SHADES.map((ms) => words.upTo(duration(ms))), words.later].map(legend)),
    spokenTable(words.latenessBy, [words.day, words.worstLateness], spoken),
  );
}

/**
 * @param {Hour | undefined} hour
 * @param {number} x
 */
function latenessCell(hour, x) {
  const ms = hour?.latenessP99Ms;
  const known = hour && ms !== null && ms !== undefined;
  const title = hour && (known ? words.latenessIn(hourOf.format(new Date(hour.from)), duration(hour.latenessP50Ms ?? 0), duration(ms)) : "");
  return s(
    "rect",
    { class: known ? `shade-${shade(ms)}` : "shade-none", x, y: 0, width: CELL - 2, height: CELL - 2, rx: 2 },
    title && s("title", {}, title),
  );
}

/**
 * @param {string} words
 * @param {number} i
 */
function legend(words, i) {
  const box = s(
    "svg",
    { viewBox: "0 0 12 12", class: "lateness key", "aria-hidden": "true" },
    s("rect", { class: `shade-${i}`, width: 12, height: 12, rx: 2 }),
  );
  return h("span", {}, box, words);
}

/**
 * The same as a picture shows, for screen readers.
 * @param {string} label
 * @param {string[]} heads
 * @param {string[][]} rows
 */
function spokenTable(label, heads, rows) {
  return h(
    "div",
    { class: "spoken" },
    h(
      "table",
      { "aria-label": label },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map((head) => h("th", { scope: "col" }, head)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((cells) =>
          h(
            "tr",
            {},
            cells.map((cell) => h("td", {}, cell)),
          ),
        ),
      ),
    ),
  );
}
