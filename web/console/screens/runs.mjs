/** All runs of the deployment, with filters; those that failed can be retried, those that have not ended be stopped, all at once. */
import { h } from "../../ui/dom.mjs";
import { number } from "../../ui/text.mjs";
import { blockPath, queryOf } from "../addresses.mjs";
import { link, name, statusWord, time } from "../show.mjs";
import { text } from "../text.mjs";
import { FILTERS } from "../parts/blocks.mjs";
import { bulkButton } from "../parts/bulk.mjs";
import { filterBar, isNarrowed } from "../parts/filters.mjs";
import { askedBy, stateCell, took } from "../parts/run.mjs";
import { places } from "../parts/schedule.mjs";
import { Table } from "../parts/table.mjs";

/** What it says, in English. */
const words = {
  noRuns: "No run matches these filters. Runs are kept for 90 days.",
  noneYet: "No run yet: place a report in a spreadsheet, and refresh it or make a schedule.",
  retryAll: "Retry all",
  stopAll: "Stop all",
  conflicts: "Failed: needs a decision",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../parts/run.mjs").Run} Run
 */

const STATES = ["FAILED", "QUEUED", "RUNNING", "SUCCEEDED", "SKIPPED", "STOPPED", "SUPERSEDED"];
/** The states whose runs are retried, and stopped. */
const RETRIED = ["FAILED", "CONFLICT"];
const STOPPED = ["QUEUED", "RUNNING"];

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, route) {
  const { state, host, document, report, owner, since } = route.filters;
  const filter = { state, host, document, report, owner, since };
  const table = new Table(app, {
    label: text.places.runs,
    path: app.at(`/refreshes${queryOf({ ...filter, include: "names" })}`),
    columns: columns(app),
    empty: isNarrowed(filter) ? words.noRuns : words.noneYet,
  });
  const element = h(
    "section",
    { class: "screen" },
    h("div", { class: "head" }, h("h2", { tabindex: -1 }, text.places.runs), bulkButtons(app, filter)),
    filterBar(app, route, [
      { name: "state", label: text.state, options: stateOptions() },
      ...FILTERS,
      { name: "since", label: text.due, type: "since" },
    ]),
    table.element,
  );
  return { title: text.places.runs, element, load: table.load };
}

/** @returns {[string, string][]} */
function stateOptions() {
  const states = STATES.map((code) => /** @type {[string, string]} */ ([code, statusWord(code)]));
  return [["", text.all], ["CONFLICT", words.conflicts], ...states];
}

/**
 * What can be done to all runs of the filter: it names one state, in which all of them can be.
 * @param {Console} app
 * @param {Record<string, string | undefined>} filter
 */
function bulkButtons(app, filter) {
  if (!app.may("ReportRead")) return null;
  const all = {
    list: "/refreshes",
    operation: "/bulk/refreshes",
    noun: /** @type {[string, string]} */ (["run", "runs"]),
    filter,
  };
  if (RETRIED.includes(filter.state ?? "")) return bulkButton(app, { ...all, action: "retry", label: words.retryAll });
  if (STOPPED.includes(filter.state ?? "")) return bulkButton(app, { ...all, action: "stop", label: words.stopAll, kind: "danger" });
  return null;
}

/**
 * @param {Console} app
 * @returns {import("../parts/table.mjs").Column<Run>[]}
 */
function columns(app) {
  return [
    { head: text.due, cell: ({ id, fireTime }) => h("a", { href: app.href(["runs", id]), class: "when" }, time(fireTime)) },
    {
      head: text.report,
      cell: ({ reportId, placementId, names }) => link(app.href(blockPath(reportId, placementId)), names ? name(names.report) : text.reportIs(reportId)),
    },
    { head: text.document, cell: (run) => documents(app, run) },
    { head: text.state, cell: (run) => stateCell(run) },
    { head: text.took, class: "number", cell: (run) => took(run) },
    { head: text.rowsWritten, class: "number", cell: ({ rowsWritten }) => rowsWritten !== undefined && number(rowsWritten) },
    { head: text.askedBy, cell: (run) => askedBy(app, run) },
  ];
}

/**
 * The documents and places of a run; of a document that is not known any more, its id.
 * @param {Console} app
 * @param {Run} run
 */
export function documents(app, { names, externalWorkbookId: document }) {
  if (names?.blocks.length) return places(app, names);
  return document && link(app.href("placements", { document }), name(document, { max: 60 }));
}
