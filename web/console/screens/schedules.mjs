/** The schedules of a deployment, with what they do next and did last; pausing, resuming and handing over many at once. */
import { h } from "../../ui/dom.mjs";
import { inWords } from "../../ui/often.mjs";
import { bulkButton } from "../parts/bulk.mjs";
import { filterBar } from "../parts/filters.mjs";
import { words } from "../operation.mjs";
import { queryOf } from "../addresses.mjs";
import { link, name } from "../show.mjs";
import { BULK, lastOf, nextOf, ownerOf, targetOf, transferButton } from "../parts/schedule.mjs";
import { Table } from "../parts/table.mjs";
import { text } from "../text.mjs";

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../parts/schedule.mjs").Schedule} Schedule
 */

/** @type {import("../parts/filters.mjs").Field[]} */
const FIELDS = [
  {
    name: "paused",
    label: words.state,
    options: [
      ["", text.all],
      ["false", words.active],
      ["true", words.paused],
    ],
  },
  { name: "owner", label: words.owner, type: "number" },
  { name: "report", label: words.report, type: "number" },
];

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, route) {
  const { paused, owner, report } = route.filters;
  const filter = { paused, owner, report };
  const table = new Table(app, {
    label: words.schedules,
    path: app.at(`/refresh-schedules${queryOf(filter)}`),
    columns: columns(app),
    empty: words.scheduleNone,
  });
  const element = h(
    "section",
    { class: "screen" },
    h(
      "div",
      { class: "head" },
      h("h2", { tabindex: -1 }, words.schedules),
      h("a", { class: "button", href: app.href("calendar") }, words.calendarTitle),
    ),
    filterBar(app, route, FIELDS),
    bulkButtons(app, filter),
    table.element,
  );
  return { title: words.schedules, element, load: table.load };
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
 * @returns {import("../parts/table.mjs").Column<Schedule>[]}
 */
function columns(app) {
  return [
    { head: words.schedule, cell: (one) => link(app.href(["schedules", one.id]), name(one.name)) },
    { head: words.times, cell: (one) => [name(inWords(one.cron)), h("span", { class: "muted" }, " ", one.timezone)] },
    { head: words.target, cell: (one) => targetOf(app, one.target) },
    { head: words.next, cell: nextOf },
    { head: words.last, cell: (one) => lastOf(app, one.lastRun) },
    { head: words.owner, class: "short", cell: (one) => ownerOf(app, one.owner) },
  ];
}
