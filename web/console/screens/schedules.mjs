/** The schedules of a deployment, with what they do next and did last; pausing, resuming and handing over many at once. */
import { h } from "../../ui/dom.mjs";
import { inWords } from "../../ui/often.mjs";
import { bulkButton } from "../parts/bulk.mjs";
import { filterBar } from "../parts/filters.mjs";
import { words } from "../operation.mjs";
import { queryOf } from "../addresses.mjs";
import { link, message, name, status, time } from "../show.mjs";
import { Table } from "../parts/table.mjs";
import { text } from "../text.mjs";

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {{reportId: number, placementId?: string, externalWorkbookId?: string, document?: string, address?: string}} Target
 * @typedef {import("../pictures/week.mjs").Times & {id: number, name: string, key?: string, target: Target, catchUp: "latest" | "skip" | "all",
 *   overlap: "skip" | "queue", onEdit?: "keep" | "overwrite" | "stop", shiftRows?: boolean, jitterSeconds: number,
 *   pausedReason?: string, createdBy: number, owner: number, updatedAt: string, updatedBy?: {id: number, email?: string},
 *   managedBy?: {project: string}, version: number, lastRun: import("../pictures/week.mjs").Run | null}} Schedule
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
 * @returns {import("../addresses.mjs").Screen}
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
  const of = (/** @type {Record<string, string>} */ state) => ({ ...said(filter), ...state });
  const button = (/** @type {string} */ action, /** @type {string} */ label, /** @type {Record<string, string>} */ state) =>
    bulkButton(app, { ...BULK, action, label, filter: of(state) });
  return h(
    "div",
    { class: "choices" },
    app.may("ReportEdit") && filter.paused !== "true" && button("pause", words.pauseAll, { paused: "false" }),
    app.may("ReportEdit") && filter.paused !== "false" && button("resume", words.resumeAll, { paused: "true" }),
    app.may("ReportManage") && transferButton(app, filter),
  );
}

const BULK = { list: "/refresh-schedules", operation: "/bulk/refresh-schedules", noun: words.scheduleNoun };

/**
 * A button that hands the schedules that a filter matches to another person.
 * @param {Console} app
 * @param {Record<string, string | undefined>} filter
 */
export function transferButton(app, filter) {
  return bulkButton(app, { ...BULK, action: "transfer", label: words.transfer, filter: said(filter), fields: newOwner });
}

/**
 * The filters that say something.
 * @param {Record<string, string | undefined>} filter
 */
function said(filter) {
  return /** @type {Record<string, string>} */ (Object.fromEntries(Object.entries(filter).filter(([, value]) => value)));
}

/** Asks for a new owner. */
function newOwner() {
  const input = h("input", { id: "new-owner", type: "number", min: 1, step: 1, required: true });
  const label = h("label", { class: "field", for: "new-owner" }, h("span", {}, words.newOwner), input);
  const body = [label, h("p", { class: "hint" }, words.newOwnerWhy)];
  return { body, read: () => ({ owner: Number(input.value) }) };
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

/**
 * What a schedule refreshes: a block, what stands of a report in a document, or all of the report.
 * @param {Console} app
 * @param {Target} target
 * @param {string} [reportName]
 */
export function targetOf(app, target, reportName) {
  const { reportId, placementId, externalWorkbookId, document = externalWorkbookId, address } = target;
  const report = link(app.href(["reports", reportId]), reportName ? name(reportName) : app.names.report(reportId));
  if (placementId) return [report, " ", link(app.href(["placements", reportId, placementId]), name(address || words.onePlacement))];
  if (document)
    return [report, " ", link(app.href("placements", { document, report: String(reportId) }), words.inDocument, name(document))];
  return [report, " ", link(app.href("placements", { report: String(reportId) }), words.allPlacements)];
}

/** @param {Schedule} schedule */
export function nextOf({ paused, pausedReason, nextFires }) {
  if (paused) return h("span", { class: "warn" }, pausedReason ? message(words.pausedSince(pausedReason), 300) : words.paused);
  return time(nextFires[0]) ?? words.noNext;
}

/**
 * @param {Console} app
 * @param {Schedule["lastRun"]} run
 */
export function lastOf(app, run) {
  if (!run) return h("span", { class: "muted" }, words.neverRan);
  return link(app.href(["runs", run.id]), status(run.state), " ", time(run.endedAt ?? run.startedAt ?? run.fireTime));
}

/**
 * @param {Console} app
 * @param {number} id
 */
export function ownerOf(app, id) {
  return link(app.href("schedules", { owner: String(id) }), id === app.me.user.id ? words.you : text.user(id));
}
