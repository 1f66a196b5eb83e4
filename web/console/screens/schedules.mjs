/** The schedules of a deployment and their day: how often each fires, what it does next and did last; pausing, resuming, handing over. */
import { fill, h } from "../../ui/dom.mjs";
import { rhythm } from "../../ui/rhythm.mjs";
import { zoneShown } from "../../ui/text.mjs";
import { queryOf } from "../addresses.mjs";
import { within } from "../grants.mjs";
import { link, name } from "../show.mjs";
import { text } from "../text.mjs";
import { bulkButton } from "../parts/bulk.mjs";
import { filterBar, isNarrowed } from "../parts/filters.mjs";
import { BULK, act, isMine, makeUpButton, nextOf, ownerOf, targetOf, transferButton } from "../parts/schedule.mjs";
import { Table } from "../parts/table.mjs";
import { lastTicks } from "../parts/ticks.mjs";
import { dateOf, dayOf, lane, ruler } from "../pictures/day.mjs";
import { DAY } from "../pictures/zone.mjs";

/** What it says, in English. */
const words = {
  none: "No schedule yet: blocks are refreshed when someone asks for it. “New schedule” makes one.",
  noneMatches: "No schedule matches these filters.",
  active: "Active",
  pauseAll: "Pause all",
  resumeAll: "Resume all",
  make: "New schedule",
  edit: "Edit",
  target: "What",
  lastTen: "Last ten",
  legend: "● refreshed  ○ skipped  ✕ failed",
  dayBefore: "Day before",
  dayAfter: "Day after",
  today: "Today",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../parts/schedule.mjs").Schedule} Schedule
 */

/** So many are read at first: what became of the ticks of each is read too. */
const PAGE = 50;

/** @type {import("../parts/filters.mjs").Field[]} */
const FIELDS = [
  {
    name: "paused",
    label: text.state,
    options: [
      ["", text.all],
      ["false", words.active],
      ["true", text.paused],
    ],
  },
  { name: "owner", label: text.ownerIs, type: "person" },
  { name: "report", label: text.report, type: "report" },
];

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, route) {
  const { paused, owner, report } = route.filters;
  const filter = { paused, owner, report };
  const date = dateShown(route.filters.day);
  const table = new Table(app, {
    label: text.places.schedules,
    path: app.at(`/refresh-schedules${queryOf({ ...filter, include: "names,ticks" })}`),
    columns: columns(app, date),
    empty: isNarrowed(filter) ? words.noneMatches : words.none,
    page: PAGE,
  });
  const mayMake = app.may("ReportRead") && within("ReportEdit", app.me.bound);
  const days = h("p", { class: "ways" });
  const element = h(
    "section",
    { class: "screen" },
    h(
      "div",
      { class: "head" },
      h("h2", { tabindex: -1 }, text.places.schedules),
      mayMake && h("a", { id: "make-schedule", class: "button primary", href: app.href(["schedules", "new"], { report }) }, words.make),
    ),
    filterBar(app, { ...route, filters: Object.fromEntries(Object.entries(route.filters).filter(([key]) => key !== "day")) }, FIELDS),
    bulkButtons(app, filter),
    h("div", { class: "head" }, h("p", { class: "muted legend" }, words.legend), days),
    table.element,
  );
  const load = async (/** @type {AbortSignal} */ signal) => {
    fill(days, ways(app, route, date));
    await table.load(signal);
  };
  return { title: text.places.schedules, element, load };
}

/** The day that is shown: the one that the address names, else today. @param {string | undefined} asked */
function dateShown(asked) {
  return asked && !Number.isNaN(Date.parse(asked)) ? asked : dateOf(zoneShown(), Date.now());
}

/**
 * The ways to other days.
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @param {string} date
 */
function ways(app, route, date) {
  const way = (/** @type {string} */ id, /** @type {string} */ label, /** @type {string | undefined} */ day) =>
    h("a", { id, href: app.href("schedules", { ...route.filters, day }) }, label);
  const later = (/** @type {number} */ days) => new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);
  return [
    way("day-before", words.dayBefore, later(-1)),
    date !== dateOf(zoneShown(), Date.now()) && way("day-today", words.today, undefined),
    way("day-after", words.dayAfter, later(1)),
  ];
}

/**
 * What may be done to all that the filter matches.
 * @param {Console} app
 * @param {Record<string, string | undefined>} filter
 */
function bulkButtons(app, filter) {
  const button = (/** @type {string} */ action, /** @type {string} */ label, /** @type {Record<string, string>} */ state) =>
    bulkButton(app, { ...BULK, action, label, filter: { ...filter, ...state } });
  return h(
    "div",
    { class: "choices" },
    app.may("ReportEdit") && filter.paused !== "true" && button("pause", words.pauseAll, { paused: "false" }),
    app.may("ReportEdit") && filter.paused !== "false" && button("resume", words.resumeAll, { paused: "true" }),
    app.may("ReportManage") && transferButton(app, filter),
  );
}

/**
 * @param {Console} app
 * @param {string} date
 * @returns {import("../parts/table.mjs").Column<Schedule>[]}
 */
function columns(app, date) {
  const day = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" }).format(Date.parse(date)).replace(",", "");
  return [
    { head: text.schedule, class: "what", cell: (one) => what(app, one) },
    { head: text.next, cell: (one) => nextOf(one) },
    { head: words.lastTen, cell: ({ lastTicks: ticks = [] }) => lastTicks(app, ticks) },
    { head: day, class: "lanes", over: ruler, cell: (one) => laneOf(one, date) },
    { head: text.actions, class: "actions", cell: (one) => actions(app, one) },
  ];
}

/**
 * How often a schedule fires, what it is called, what it refreshes and whose it is.
 * @param {Console} app
 * @param {Schedule} one
 */
function what(app, one) {
  const { id, name: called, cron, timezone } = one;
  return [
    h("p", {}, h("b", {}, link(app.href(["schedules", id]), name(rhythm(cron, timezone))))),
    called && h("p", {}, name(called)),
    h("p", { class: "muted" }, targetOf(app, one)),
    one.owner !== app.me.user.id && h("p", { class: "muted" }, text.ownerIs, ": ", ownerOf(app, one)),
  ];
}

/**
 * @param {Schedule} schedule
 * @param {string} date
 */
function laneOf(schedule, date) {
  try {
    return lane(schedule, schedule.lastTicks ?? [], dayOf(zoneShown(), date), Date.now());
  } catch (error) {
    if (error instanceof RangeError) return null; // of a zone that this browser does not know
    throw error;
  }
}

/**
 * @param {Console} app
 * @param {Schedule} schedule
 */
function actions(app, schedule) {
  const { id, paused } = schedule;
  if (!isMine(app, schedule) && !app.may("ReportEdit")) return null;
  const edit = h("a", { id: `edit-${id}`, class: "button", href: app.href(["schedules", id, "edit"]) }, words.edit);
  const resume = () => act(app, app.at(`/refresh-schedules/${id}/resume`)).catch(app.fail);
  return [makeUpButton(app, schedule), " ", edit, paused && [" ", h("button", { id: `resume-${id}`, onclick: resume }, text.resume)]].flat();
}
