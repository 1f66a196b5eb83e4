/** The schedules of a deployment, with what they do next and did last; pausing, resuming and handing over many at once. */
import { h } from "../../ui/dom.mjs";
import { inWords } from "../../ui/often.mjs";
import { queryOf } from "../addresses.mjs";
import { link, name } from "../show.mjs";
import { text } from "../text.mjs";
import { bulkButton } from "../parts/bulk.mjs";
import { filterBar } from "../parts/filters.mjs";
import { BULK, lastOf, nextOf, ownerOf, targetOf, transferButton } from "../parts/schedule.mjs";
import { Table } from "../parts/table.mjs";

/** What it says, in English. */
const words = {
  scheduleNone: "No schedule matches.",
  target: "What",
  active: "Active",
  pauseAll: "Pause all",
  resumeAll: "Resume all",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../parts/schedule.mjs").Schedule} Schedule
 */

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
  { name: "owner", label: text.ownerIs, type: "number" },
  { name: "report", label: text.report, type: "number" },
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
    label: text.places.schedules,
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
      h("h2", { tabindex: -1 }, text.places.schedules),
      h("a", { class: "button", href: app.href("calendar") }, text.places.calendar),
    ),
    filterBar(app, route, FIELDS),
    bulkButtons(app, filter),
    table.element,
  );
  return { title: text.places.schedules, element, load: table.load };
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
    { head: text.schedule, cell: (one) => link(app.href(["schedules", one.id]), name(one.name)) },
    { head: text.times, cell: (one) => [name(inWords(one.cron)), h("span", { class: "muted" }, " ", one.timezone)] },
    { head: words.target, cell: (one) => targetOf(app, one.target) },
    { head: text.next, cell: nextOf },
    { head: text.last, cell: (one) => lastOf(app, one.lastRun) },
    { head: text.ownerIs, class: "short", cell: (one) => ownerOf(app, one.owner) },
  ];
}
