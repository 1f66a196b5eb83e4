/** All runs of the deployment, with filters; those that failed can be retried, those that have not ended be stopped, all at once. */
import { h, nextTry } from "../../ui/dom.mjs";
import { number } from "../../ui/text.mjs";
import { bulkButton } from "../parts/bulk.mjs";
import { filterBar } from "../parts/filters.mjs";
import { HOSTS } from "./placements.mjs";
import { blockPath, queryOf } from "../addresses.mjs";
import { duration, link, reason, name, status, statusWord, time } from "../show.mjs";
import { Table } from "../parts/table.mjs";
import { text } from "../text.mjs";

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {{placementId: string, runAsUserId?: number, state: string, errorClass?: string, error?: string, reason?: string,
 *   since?: string, nextAttemptAt?: string, supersededBy?: string, note?: string, rows?: number, columns?: number, rowsWritten?: number, cellsWritten?: number, movedRows?: number, returnedRows?: number, editedRows?: number[],
 *   overwritten?: {row: number, values: any[] | null}[]}} RunPlacement
 * @typedef {{id: string, reportId: number, placementId?: string, externalWorkbookId?: string, scheduleId?: number, trigger: string,
 *   state: string, fireTime: string, startedAt?: string, endedAt?: string, attempt: number, nextAttemptAt?: string, missedFires?: number,
 *   errorClass?: string, error?: string, rows?: number, columns?: number, rowsWritten?: number, cellsWritten?: number, hostCalls?: number,
 *   queryMs?: number, writeMs?: number, onEdit?: string, executor?: string, requestedBy?: {id: number, email?: string},
 *   placements: RunPlacement[]}} Run
 */

const STATES = ["FAILED", "QUEUED", "RUNNING", "SUCCEEDED", "SKIPPED", "STOPPED", "SUPERSEDED"];
/** The states whose runs are retried, and stopped. */
const RETRIED = ["FAILED", "CONFLICT"];
const STOPPED = ["QUEUED", "RUNNING"];

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../addresses.mjs").Screen}
 */
export function screen(app, route) {
  const { state, host, document, report, owner, since } = route.filters;
  const filter = { state, host, document, report, owner, since };
  const table = new Table(app, {
    label: text.places.runs,
    path: app.at(`/refreshes${queryOf(filter)}`),
    columns: columns(app),
    empty: text.noRuns,
  });
  const element = h(
    "section",
    { class: "screen" },
    h("div", { class: "head" }, h("h2", { tabindex: -1 }, text.places.runs), bulkButtons(app, filter)),
    filterBar(app, route, [
      { name: "state", label: text.state, options: stateOptions() },
      { name: "host", label: text.host, options: [["", text.all], ...HOSTS] },
      { name: "document", label: text.document },
      { name: "report", label: text.reportNumber, type: "number" },
      { name: "owner", label: text.ownerNumber, type: "number" },
      { name: "since", label: text.due, type: "since" },
    ]),
    table.element,
  );
  return { title: text.places.runs, element, load: table.load };
}

/** @returns {[string, string][]} */
function stateOptions() {
  const states = STATES.map((code) => /** @type {[string, string]} */ ([code, statusWord(code)]));
  return [["", text.all], ["CONFLICT", text.conflicts], ...states];
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
    filter: /** @type {Record<string, string>} */ (Object.fromEntries(Object.entries(filter).filter(([, value]) => value))),
  };
  if (RETRIED.includes(filter.state ?? "")) return bulkButton(app, { ...all, action: "retry", label: text.retryAll });
  if (STOPPED.includes(filter.state ?? "")) return bulkButton(app, { ...all, action: "stop", label: text.stopAll, kind: "danger" });
  return null;
}

/**
 * @param {Console} app
 * @returns {import("../parts/table.mjs").Column<Run>[]}
 */
export function columns(app) {
  return [
    { head: text.due, cell: ({ id, fireTime }) => h("a", { href: app.href(["runs", id]), class: "when" }, time(fireTime)) },
    {
      head: text.report,
      cell: ({ reportId, placementId }) => link(app.href(blockPath(reportId, placementId)), app.names.report(reportId)),
    },
    { head: text.state, cell: (run) => stateCell(run) },
    { head: text.took, class: "number", cell: (run) => took(run) },
    { head: text.rowsWritten, class: "number", cell: ({ rowsWritten }) => rowsWritten !== undefined && number(rowsWritten) },
    { head: text.askedBy, cell: (run) => askedBy(app, run) },
  ];
}

/** @param {Run} run */
export function stateCell({ state, errorClass = "", error, attempt, nextAttemptAt }) {
  // while a run waits for documents its attempts are no failures, and the failure of one block has but one
  const counts = attempt > 1 && (state === "RUNNING" || (state === "FAILED" && ["transient", "quota"].includes(errorClass)));
  return [
    status(errorClass === "conflict" ? "CONFLICT" : state),
    counts && h("span", { class: "muted" }, ` ${text.attempts(attempt)}`),
    error && h("p", { class: "why" }, reason(error, 200)),
    state === "QUEUED" && Date.parse(nextAttemptAt ?? "") > Date.now() && h("p", { class: "muted" }, nextTry(nextAttemptAt ?? "")),
  ];
}

/** @param {{startedAt?: string, endedAt?: string}} run */
export function took({ startedAt, endedAt }) {
  return startedAt && endedAt ? duration(Date.parse(endedAt) - Date.parse(startedAt)) : null;
}

/**
 * @param {Console} app
 * @param {Run} run
 */
export function askedBy(app, { trigger, scheduleId, requestedBy, missedFires }) {
  const who = requestedBy ? name(requestedBy.email || text.user(requestedBy.id), { max: 40 }) : null;
  if (!scheduleId) return who;
  return [
    link(app.href(["schedules", scheduleId]), text.scheduleBy[trigger] ?? text.scheduleBy.manual),
    missedFires ? h("span", { class: "muted" }, ` ${text.missed(missedFires)}`) : null,
  ];
}
