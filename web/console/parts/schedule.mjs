/** One schedule: what it refreshes, what it does next and did last, and whose it is. */
import { h } from "../../ui/dom.mjs";
import { link, message, name, status, time } from "../show.mjs";
import { text } from "../text.mjs";
import { bulkButton } from "./bulk.mjs";

/** What it says, in English. */
const words = {
  noNext: "none",
  neverRan: "never ran",
  newOwner: "New owner's user id",
  newOwnerWhy: "The new owner must be allowed to read the report. Whose rights the queries use stays as it is.",
  scheduleNoun: /** @type {[string, string]} */ (["schedule", "schedules"]),
  onePlacement: "one placement",
  inDocument: "in ",
  allPlacements: "all placements",
  you: "you",
  transfer: "Transfer",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").ScheduleTarget & {reportId: number}} Target
 * @typedef {Omit<import("../../interface.d.ts").Schedule, "target"> & {target: Target}} Schedule
 */

/**
 * What a schedule refreshes: a block, what stands of a report in a document, or all of the report.
 * @param {Console} app
 * @param {Target} target
 * @param {string} [reportName]
 */
export function targetOf(app, target, reportName) {
  const { reportId, placementId, externalWorkbookId, document = externalWorkbookId, address } = target;
  const report = link(app.href(["reports", reportId]), reportName ? name(reportName) : app.reportName(reportId));
  if (placementId) return [report, " ", link(app.href(["placements", reportId, placementId]), name(address || words.onePlacement))];
  if (document)
    return [report, " ", link(app.href("placements", { document, report: String(reportId) }), words.inDocument, name(document))];
  return [report, " ", link(app.href("placements", { report: String(reportId) }), words.allPlacements)];
}

/** @param {Schedule} schedule */
export function nextOf({ paused, pausedReason, nextFires }) {
  if (paused) return h("span", { class: "warn" }, pausedReason ? message(text.pausedSince(pausedReason), 300) : text.paused);
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

/**
 * Whether the person made a schedule.
 * @param {Pick<Console, "me">} app
 * @param {Pick<Schedule, "createdBy">} schedule
 */
export function isMine({ me }, { createdBy }) {
  return createdBy !== 0 && createdBy === me.user.id;
}

/**
 * Does something with a schedule, and says that, and what the server warns of.
 * @param {Console} app
 * @param {string} path
 * @param {string} [done] what to say
 */
export async function act(app, path, done) {
  const { warnings = [] } = await app.api.post(path, undefined);
  const said = [done, ...warnings.map((/** @type {{message: string}} */ one) => one.message)].filter(Boolean);
  if (said.length) app.notice({ sentence: said.join(" ") });
  app.changed();
}

/** What an action on many schedules names. */
export const BULK = { list: "/refresh-schedules", operation: "/bulk/refresh-schedules", noun: words.scheduleNoun };

/**
 * A button that hands the schedules that a filter matches to another person.
 * @param {Console} app
 * @param {Record<string, string | undefined>} filter
 */
export function transferButton(app, filter) {
  return bulkButton(app, { ...BULK, action: "transfer", label: words.transfer, filter, fields: newOwner });
}

/** Asks for a new owner. */
function newOwner() {
  const input = h("input", { id: "new-owner", type: "number", min: 1, step: 1, required: true });
  const label = h("label", { class: "field", for: "new-owner" }, h("span", {}, words.newOwner), input);
  const body = [label, h("p", { class: "hint" }, words.newOwnerWhy)];
  return { body, read: () => ({ owner: Number(input.value) }) };
}
