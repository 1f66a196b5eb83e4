/** What a schedule does in a day, drawn as a lane from midnight to midnight: a mark a fire, and a band where there are too many to tell apart. */
import { count } from "../../ui/text.mjs";
import { s } from "./svg.mjs";
import { firesIn, outcomeWords } from "./week.mjs";
import { DAY, instant, spans, wallAt } from "./zone.mjs";

/** What it says, in English. */
const words = {
  none: "does not fire",
  times: (/** @type {number} */ n, /** @type {string} */ from, /** @type {string} */ to) => `${count(n, "time")} between ${from} and ${to}`,
};

/**
 * @typedef {import("./week.mjs").Week} Week
 * @typedef {import("./week.mjs").Fire} Fire
 * @typedef {import("./week.mjs").Times} Times
 * @typedef {import("./week.mjs").Run} Run
 */

/** A day of more fires is drawn as a band. */
const MARKS = 24;
/** The height of a lane, and the middle of its marks. */
const HEIGHT = 24;
const MIDDLE = HEIGHT / 2;
/** The minutes of a day. */
const MINUTES = 1440;

/**
 * A day of a zone, as a week of one day. Throws a RangeError for what is no date.
 * @param {string} zone
 * @param {string} date such as 2026-11-23
 * @returns {Week}
 */
export function dayOf(zone, date) {
  const start = Date.parse(`${date}T00:00Z`);
  if (Number.isNaN(start)) throw new RangeError(`not a date: ${date}`);
  const known = spans(zone, start - 2 * DAY, start + 3 * DAY);
  return { zone, monday: date, from: instant(known, start), to: instant(known, start + DAY), spans: known, days: [] };
}

/**
 * The date that a zone's clocks show at an instant.
 * @param {string} zone
 * @param {number} at
 */
export function dateOf(zone, at) {
  return new Date(wallAt(spans(zone, at, at), at)).toISOString().slice(0, 10);
}

/**
 * The lane of a schedule.
 * @param {Times} schedule
 * @param {Run[]} runs
 * @param {Week} day
 * @param {number} now
 */
export function lane(schedule, runs, day, now) {
  const { fires } = firesIn(schedule, runs, day, now);
  const drawn = fires.length > MARKS ? [band(fires)] : fires.map(markOf);
  return s("svg", { class: "lane", width: "100%", height: HEIGHT, role: "img", "aria-label": spoken(fires) }, [...grid(), nowLine(day, now), ...drawn]);
}

/** The hours above the lanes. */
export function ruler() {
  const labels = [0, 3, 6, 9, 12, 15, 18, 21, 24].map((hour) => {
    const anchor = hour === 0 ? "start" : hour === 24 ? "end" : "middle";
    return s("text", { x: `${(hour / 24) * 100}%`, y: 12, "text-anchor": anchor }, String(hour).padStart(2, "0"));
  });
  return s("svg", { class: "lane", width: "100%", height: 16, "aria-hidden": "true" }, labels);
}

/** @param {number} minute of the day */
const at = (minute) => `${((minute / MINUTES) * 100).toFixed(3)}%`;

function grid() {
  const lines = Array.from({ length: 9 }, (_, i) => s("line", { x1: at(i * 180), x2: at(i * 180), y1: 0, y2: HEIGHT }));
  return [s("line", { class: "base", x1: 0, x2: "100%", y1: MIDDLE, y2: MIDDLE }), ...lines];
}

/**
 * @param {Week} day
 * @param {number} now
 */
function nowLine(day, now) {
  if (now < day.from || now >= day.to) return null;
  const minute = (wallAt(day.spans, now) - Date.parse(day.monday)) / 60_000;
  return s("line", { class: "now", x1: at(minute), x2: at(minute), y1: 0, y2: HEIGHT });
}

/** @param {Fire} fire */
function markOf({ minute, outcome }) {
  return s("g", { class: `fire ${outcome}` }, s("title", {}, `${clock(minute)} ${outcomeWords[outcome]}`), s("circle", { cx: at(minute), cy: MIDDLE, r: 5 }));
}

/** @param {Fire[]} fires */
function band(fires) {
  const [first, last] = [fires[0].minute, fires[fires.length - 1].minute];
  const width = `${(((last - first) / MINUTES) * 100).toFixed(3)}%`;
  return s("g", { class: "fire" }, s("title", {}, spoken(fires)), s("rect", { class: "band", x: at(first), y: MIDDLE - 5, width, height: 10, rx: 5 }));
}

/** The same in words. @param {Fire[]} fires */
export function spoken(fires) {
  if (!fires.length) return words.none;
  if (fires.length > MARKS) return words.times(fires.length, clock(fires[0].minute), clock(fires[fires.length - 1].minute));
  return fires.map(({ minute, outcome }) => `${clock(minute)} ${outcomeWords[outcome]}`).join(", ");
}

/** @param {number} minute */
function clock(minute) {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}
