/** All schedules of a deployment in one week, by the clocks of one zone. */
import { h } from "../../ui/dom.mjs";
import { count, number } from "../../ui/text.mjs";
import { queryOf } from "../addresses.mjs";
import { link, refill } from "../show.mjs";
import { text } from "../text.mjs";
import { filterBar } from "../parts/filters.mjs";
import { readItems } from "../parts/table.mjs";
import { weekPicture } from "../pictures/calendar.mjs";
import { firesIn, mondayOf, weekOf } from "../pictures/week.mjs";

/** What it says, in English. */
const words = {
  calendarOf: (/** @type {number} */ n, /** @type {boolean} */ more) =>
    more ? `Of the first ${number(n)} schedules` : `Of ${count(n, "schedule")}`,
  calendarSkipped: (/** @type {number} */ n) =>
    `${count(n, "schedule")} with expressions that this browser cannot expand ${n === 1 ? "shows" : "show"} the next fires only.`,
  zone: "Time zone",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../parts/schedule.mjs").Schedule} Schedule
 * @typedef {import("../pictures/week.mjs").Run & {scheduleId?: number}} Run
 */

/** A week of more schedules cannot be read by anyone; so many of the latest runs say what became of fires. */
const SCHEDULES = 200;
const RUNS = 500;

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, route) {
  const { owner, report, week } = route.filters;
  const heading = h(
    "div",
    { class: "head" },
    h("h2", { tabindex: -1 }, text.places.calendar),
    h("a", { class: "button", href: app.href("schedules") }, text.places.schedules),
  );
  const body = h("div", { class: "screen-body" }, h("p", {}, text.loading));
  const filters = h("div", {});
  const element = h("section", { class: "screen" }, heading, filters, body);

  /** @param {AbortSignal} signal */
  async function load(signal) {
    const { items, more } = await readItems(app, app.at(`/refresh-schedules${queryOf({ owner, report })}`), SCHEDULES, signal);
    const now = Date.now();
    const zones = zonesOf(items);
    const zone = route.filters.zone || zones[0];
    const shown = weekOf(zone, week || mondayOf(zone, now), now);
    const runs = await runsSince(app, shown.from, now, report, signal);
    const { fires, inexact } = firesOf(app, items, runs, shown, now);
    if (!filters.hasChildNodes()) filters.append(filterBar(app, route, fields(zones)));
    refill(
      body,
      h("p", { class: "hint" }, link(app.href("schedules", { owner, report }), words.calendarOf(items.length, more))),
      weekPicture(shown, fires, now, (monday) => app.href("calendar", { ...route.filters, week: monday })),
      inexact > 0 && h("p", { class: "hint" }, words.calendarSkipped(inexact)),
    );
  }
  return { title: text.places.calendar, element, load };
}

/**
 * The zones of the schedules, that of most of them first.
 * @param {Schedule[]} schedules
 */
function zonesOf(schedules) {
  /** @type {Map<string, number>} */
  const many = new Map();
  for (const { timezone } of schedules) many.set(timezone, (many.get(timezone) ?? 0) + 1);
  const all = [...many].sort((a, b) => b[1] - a[1]).map(([zone]) => zone);
  return all.length ? all : [Intl.DateTimeFormat().resolvedOptions().timeZone];
}

/**
 * @param {string[]} zones
 * @returns {import("../parts/filters.mjs").Field[]}
 */
function fields([usual, ...others]) {
  const options = /** @type {[string, string][]} */ ([["", usual], ...others.map((zone) => [zone, zone])]);
  return [
    { name: "zone", label: words.zone, options },
    { name: "owner", label: text.ownerIs, type: "number" },
    { name: "report", label: text.report, type: "number" },
  ];
}

/**
 * The latest runs of schedules since an instant; none of a week to come.
 * @param {Console} app
 * @param {number} from
 * @param {number} now
 * @param {string | undefined} report
 * @param {AbortSignal} signal
 * @returns {Promise<Map<number, Run[]>>}
 */
async function runsSince(app, from, now, report, signal) {
  /** @type {Map<number, Run[]>} */
  const ofSchedule = new Map();
  if (from > now) return ofSchedule;
  const since = new Date(from).toISOString();
  const { items } = await readItems(app, app.at(`/refreshes${queryOf({ since, report })}`), RUNS, signal);
  for (const run of items) {
    if (run.scheduleId) ofSchedule.set(run.scheduleId, [...(ofSchedule.get(run.scheduleId) ?? []), run]);
  }
  return ofSchedule;
}

/**
 * The fires of all in order, each with the schedule's name.
 * @param {Console} app
 * @param {Schedule[]} schedules
 * @param {Map<number, Run[]>} runs
 * @param {import("../pictures/week.mjs").Week} week
 * @param {number} now
 */
function firesOf(app, schedules, runs, week, now) {
  let inexact = 0;
  const fires = schedules.flatMap((schedule) => {
    const known = firesIn(schedule, runs.get(schedule.id) ?? [], week, now);
    if (!known.exact) inexact++;
    return known.fires.map((fire) => ({ ...fire, label: schedule.name, href: app.href(["schedules", schedule.id]) }));
  });
  return { fires: fires.sort((a, b) => a.at - b.at), inexact };
}
