/** A week drawn as a calendar: a column a day, a row an hour, a mark a fire. */
import { h } from "../../ui/dom.mjs";
import { count, when } from "../../ui/text.mjs";
import { cut, link, name } from "../show.mjs";
import { s } from "./svg.mjs";
import { grouped, mondayOf, OUTCOMES, outcomeWords, weeksLater } from "./week.mjs";
import { DAY, MINUTE, wallAt } from "./zone.mjs";

/** What it says, in English. */
const words = {
  week: (/** @type {string} */ zone) => `Fires of the week, by the clocks of ${zone}`,
  weekBefore: "Week before",
  weekAfter: "Week after",
  weekThis: "This week",
  weekTable: "As a table",
  weekDay: "Day",
  weekFires: "Fires",
  weekNone: "No fires",
  weekNow: (/** @type {string} */ time) => `Now: ${time}`,
  gap: (/** @type {string} */ on, /** @type {string} */ from, /** @type {string} */ to) =>
    `${on}: ${from}–${to} does not exist. What is due then fires at the first instant after.`,
  twice: (/** @type {string} */ on, /** @type {string} */ from, /** @type {string} */ to) =>
    `${on}: ${from}–${to} occurs twice. What is due then fires the first time only.`,
  fires: (/** @type {number} */ n) => count(n, "fire"),
  fireAt: (/** @type {string} */ on, /** @type {string} */ time, /** @type {string} */ outcome) => `${on}, ${time}: ${outcome}`,
  missedBy: (/** @type {string} */ time) => `missed; the run of ${time} stands for it`,
};

/**
 * @typedef {import("./week.mjs").Week} Week
 * @typedef {import("./week.mjs").Fire} Fire
 * @typedef {ReturnType<typeof grouped>[number]} Group
 */

/** Lengths in pixels; widths are shares of the whole, since a column is as wide as there is room for. */
const HOUR_HEIGHT = 18;
const HEIGHT = 24 * HOUR_HEIGHT;
const MARK_HEIGHT = 6;
const COLUMN = 100 / 7;

/**
 * The calendar of a week, with the same as a table, and the ways to other weeks.
 * @param {Week} week
 * @param {Fire[]} fires
 * @param {number} now
 * @param {(monday: string) => string} address of the same screen in another week
 */
export function weekPicture(week, fires, now, address) {
  const groups = grouped(fires);
  const shown = OUTCOMES.filter((outcome) => fires.some((fire) => fire.outcome === outcome));
  return h(
    "figure",
    { class: "week" },
    h("div", { class: "week-head" }, h("figcaption", {}, dayRange(week.monday, week.days[6].date)), ways(week, now, address)),
    h("div", { class: "week-grid" }, h("div", {}), ...week.days.map(head), hours(), plot(week, groups, now)),
    h(
      "ul",
      { class: "legend" },
      shown.map((outcome) => h("li", {}, sample(outcome), outcomeWords[outcome])),
    ),
    ...clockChanges(week).map((sentence) => h("p", { class: "hint" }, sentence)),
    h("details", {}, h("summary", {}, words.weekTable), table(week, groups)),
  );
}

/**
 * @param {Week} week
 * @param {number} now
 * @param {(monday: string) => string} address
 */
function ways({ zone, monday }, now, address) {
  const way = (/** @type {string} */ id, /** @type {string} */ label, /** @type {string} */ to) => h("a", { id, href: address(to) }, label);
  const current = mondayOf(zone, now);
  return h(
    "span",
    { class: "ways" },
    way("week-before", words.weekBefore, weeksLater(monday, -1)),
    monday !== current && way("week-this", words.weekThis, ""),
    way("week-after", words.weekAfter, weeksLater(monday, 1)),
  );
}

/** @param {import("./week.mjs").Day} day */
function head({ date, today }) {
  const { weekday, day } = dayHead(date);
  return h("div", { class: today ? "day today" : "day" }, h("span", {}, weekday), " ", h("b", {}, day));
}

function hours() {
  const labels = [];
  for (let hour = 3; hour < 24; hour += 3)
    labels.push(s("text", { x: 34, y: hour * HOUR_HEIGHT + 4, "text-anchor": "end" }, clockTime(hour * 60)));
  return s("svg", { class: "week-hours", width: 38, height: HEIGHT, "aria-hidden": "true" }, labels);
}

/**
 * @param {Week} week
 * @param {Group[]} groups
 * @param {number} now
 */
function plot(week, groups, now) {
  const lines = Array.from({ length: 24 }, (_, hour) => {
    const y = hour * HOUR_HEIGHT + 0.5;
    return s("line", { class: hour % 3 ? "fine" : undefined, x1: "0%", x2: "100%", y1: y, y2: y });
  });
  const columns = week.days.map((_, i) => s("line", { x1: `${i * COLUMN}%`, x2: `${i * COLUMN}%`, y1: 0, y2: HEIGHT }));
  const changes = week.days.flatMap(({ skipped, repeated }, i) => [
    ...skipped.map((span) => band(i, span, "gap")),
    ...repeated.map((span) => band(i, span, "twice")),
  ]);
  return s(
    "svg",
    { class: "week-plot", width: "100%", height: HEIGHT, role: "img", "aria-label": words.week(week.zone) },
    changes,
    lines,
    columns,
    groups.map((group) => drawn(week, group)),
    nowLine(week, now),
  );
}

/**
 * @param {number} day
 * @param {[number, number]} span in minutes of the day
 * @param {string} kind
 */
function band(day, [from, to], kind) {
  const [y, height] = [(from / 60) * HOUR_HEIGHT, ((to - from) / 60) * HOUR_HEIGHT];
  return s("rect", { class: kind, x: `${day * COLUMN}%`, width: `${COLUMN}%`, y, height });
}

/**
 * A fire, or those of an hour with their number.
 * @param {Week} week
 * @param {Group} group
 */
function drawn(week, group) {
  const { day, minute, minutes, outcome, fires } = group;
  const y = (minute / 60) * HOUR_HEIGHT;
  const [top, height] = minutes ? [y + 1, HOUR_HEIGHT - 2] : [Math.min(y, HEIGHT - MARK_HEIGHT), MARK_HEIGHT];
  const place = { x: `${day * COLUMN + COLUMN * 0.06}%`, width: `${COLUMN * 0.88}%`, y: top, height, rx: 2 };
  return s(
    "g",
    { class: `fire ${outcome}` },
    s("title", {}, sentence(week, group)),
    s("rect", place),
    minutes > 0 && s("text", { x: `${(day + 0.5) * COLUMN}%`, y: top + height / 2 + 4, "text-anchor": "middle" }, String(fires.length)),
  );
}

/**
 * What a mark stands for, in a sentence.
 * @param {Week} week
 * @param {Group} group
 */
function sentence(week, group) {
  const { day, fires } = group;
  const said = alone(group)
    ? fires.map((fire) => [fire.label && cut(fire.label, 120), outcomeOf(fire)].filter(Boolean).join(": "))
    : [summary(group)];
  return words.fireAt(dayName(week.days[day].date), timeOf(group), said.join("; "));
}

/**
 * The same for the table, where the names are links.
 * @param {Group} group
 */
function entry(group) {
  if (!alone(group)) return h("li", {}, `${timeOf(group)}: ${summary(group)}`);
  const fires = group.fires.flatMap((fire, i) => [
    i > 0 && "; ",
    fire.href && [link(fire.href, name(fire.label)), ": "],
    h("bdi", {}, outcomeOf(fire)),
  ]);
  return h("li", {}, `${timeOf(group)}: `, ...fires.flat());
}

/** Fires of a mark that are named one by one. */
const NAMED = 4;

/** @param {Group} group */
const alone = ({ fires }) => fires.length <= NAMED;

/** @param {Group} group */
function timeOf({ minute, minutes }) {
  return minutes ? `${clockTime(minute)}–${clockTime(minute + minutes)}` : clockTime(minute);
}

/**
 * How many fires of a mark had each outcome.
 * @param {Group} group
 */
function summary({ fires }) {
  const parts = OUTCOMES.map((outcome) => /** @type {const} */ ([outcome, fires.filter((fire) => fire.outcome === outcome).length]));
  const many = parts.filter(([, n]) => n).map(([outcome, n]) => `${n} ${outcomeWords[outcome]}`);
  return `${words.fires(fires.length)}: ${many.join(", ")}`;
}

/** @param {Fire} fire */
function outcomeOf({ outcome, run }) {
  if (outcome === "missed" && run) return words.missedBy(when(run.fireTime));
  return run?.error ? `${outcomeWords[outcome]}: ${cut(run.error, 300)}` : outcomeWords[outcome];
}

/**
 * @param {Week} week
 * @param {number} now
 */
function nowLine(week, now) {
  if (now < week.from || now >= week.to) return null;
  const wall = wallAt(week.spans, now) - Date.parse(week.monday);
  const [day, minute] = [Math.floor(wall / DAY), Math.floor((wall % DAY) / MINUTE)];
  const y = (minute / 60) * HOUR_HEIGHT;
  const line = s("line", { class: "now", x1: `${day * COLUMN}%`, x2: `${(day + 1) * COLUMN}%`, y1: y, y2: y });
  line.append(s("title", {}, words.weekNow(clockTime(minute))));
  return line;
}

/** @param {import("./week.mjs").Outcome} outcome */
function sample(outcome) {
  const rect = s("rect", { x: 1, y: 5, width: 18, height: MARK_HEIGHT, rx: 2 });
  return s("svg", { width: 20, height: 16, "aria-hidden": "true" }, s("g", { class: `fire ${outcome}` }, rect));
}

/** @param {Week} week */
function clockChanges({ days }) {
  return days.flatMap(({ date, skipped, repeated }) => [
    ...skipped.map(([from, to]) => words.gap(dayName(date), clockTime(from), clockTime(to))),
    ...repeated.map(([from, to]) => words.twice(dayName(date), clockTime(from), clockTime(to))),
  ]);
}

/**
 * @param {Week} week
 * @param {Group[]} groups
 */
function table(week, groups) {
  const rows = week.days.map(({ date }, i) => {
    const ours = groups.filter((group) => group.day === i);
    const list = ours.map(entry);
    return h(
      "tr",
      {},
      h("th", { scope: "row", class: "short" }, dayName(date)),
      h("td", {}, ours.length ? h("ul", {}, list) : words.weekNone),
    );
  });
  const heads = [words.weekDay, words.weekFires].map((head) => h("th", { scope: "col" }, head));
  return h("table", { "aria-label": words.week(week.zone) }, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows));
}

const day = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });
const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: "UTC" });
const dayOfMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", timeZone: "UTC" });
const lastDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/**
 * A date such as 2026-11-23 as "Mon 23 Nov".
 * @param {string} date
 */
function dayName(date) {
  return day.format(Date.parse(date)).replace(",", "");
}

/**
 * The same in two words for the head of a column.
 * @param {string} date
 */
function dayHead(date) {
  return { weekday: weekday.format(Date.parse(date)), day: dayOfMonth.format(Date.parse(date)) };
}

/**
 * @param {string} first
 * @param {string} last
 */
function dayRange(first, last) {
  return `${dayName(first)} – ${lastDay.format(Date.parse(last))}`;
}

/**
 * A minute of the day as "07:05"; the end of the day as "24:00".
 * @param {number} minute
 */
function clockTime(minute) {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}
