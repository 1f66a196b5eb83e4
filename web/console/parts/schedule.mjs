/** One schedule: what it refreshes, what it does next and did last, and whose it is. */
import { h } from "../../ui/dom.mjs";
import { zoneShown } from "../../ui/text.mjs";
import { link, message, name, person, status, time } from "../show.mjs";
import { text } from "../text.mjs";
import { bulkButton } from "./bulk.mjs";
import { suggestField } from "./suggest.mjs";

/** What it says, in English. */
const words = {
  noNext: "none",
  neverRan: "never ran",
  newOwner: "New owner",
  newOwnerWhy: "The new owner must be allowed to read the report. Whose rights the queries use stays as it is.",
  scheduleNoun: /** @type {[string, string]} */ (["schedule", "schedules"]),
  noBlock: "no block is placed there",
  more: (/** @type {number} */ n) => `and ${n} more`,
  you: "you",
  transfer: "Transfer",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").ScheduleTarget & {reportId: number}} Target
 * @typedef {import("../../interface.d.ts").Names} Names
 * @typedef {Omit<import("../../interface.d.ts").Schedule, "target"> & {target: Target}} Schedule
 */

/**
 * What a schedule refreshes: its report, and which blocks of it, by their documents and places.
 * @param {Console} app
 * @param {Pick<Schedule, "target" | "names">} schedule read with include=names
 */
export function targetOf(app, { target: { reportId }, names }) {
  const report = link(app.href(["reports", reportId]), names ? name(names.report) : text.reportIs(reportId));
  return [h("span", { class: "place" }, report), ...(names ? places(app, names) : [])];
}

/**
 * What is refreshed: the documents and places, as links to their blocks.
 * @param {Console} app
 * @param {Names} names
 */
export function places(app, { blocks, total }) {
  if (!blocks.length) return [h("span", { class: "place" }, words.noBlock)];
  const said = blocks.map(({ externalWorkbookId: document, workbookName, resultLocation }) =>
    h("span", { class: "place" }, link(app.href("placements", { document }), name(workbookName || document, { max: 60 })), " ", name(resultLocation, { max: 40 })),
  );
  return [...said, total > blocks.length && h("span", { class: "place" }, words.more(total - blocks.length))];
}

/** @param {Schedule} schedule */
export function nextOf({ paused, pausedReason, nextFires: [next] }) {
  if (paused) return h("span", { class: "warn" }, pausedReason ? message(text.pausedSince(pausedReason), 300) : text.paused);
  return next ? [weekday(next), " ", time(next)] : words.noNext;
}

/** The day of the week of a time. @param {string} iso */
export function weekday(iso) {
  return new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: zoneShown() }).format(new Date(iso));
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
 * Whose a schedule is, with all that are theirs.
 * @param {Console} app
 * @param {Pick<Schedule, "owner" | "names">} schedule read with include=names
 */
export function ownerOf(app, { owner, names }) {
  const called = owner === app.me.user.id ? words.you : names?.owner ? person(names.owner) : text.user(owner);
  return link(app.href("schedules", { owner: String(owner) }), called);
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

/**
 * What makes up for a last tick that refreshed nothing: a run now, which it leads to. Nothing elsewhere.
 * @param {Console} app
 * @param {Pick<Schedule, "id" | "lastRun" | "createdBy">} schedule
 */
export function makeUpButton(app, { id, lastRun, createdBy }) {
  if (lastRun?.state !== "SKIPPED" || lastRun.placements.length || !(isMine(app, { createdBy }) || app.may("ReportEdit"))) return null;
  const run = async () => {
    const { runId } = await app.api.post(app.at(`/refresh-schedules/${id}/run`), undefined);
    await app.go(["runs", runId]);
  };
  return h("button", { id: `run-${id}`, class: "primary", onclick: () => run().catch(app.fail) }, text.runNow);
}

/** What an action on many schedules names. */
export const BULK = { list: "/refresh-schedules", operation: "/bulk/refresh-schedules", noun: words.scheduleNoun };

/**
 * A button that hands the schedules that a filter matches to another person.
 * @param {Console} app
 * @param {Record<string, string | undefined>} filter
 */
export function transferButton(app, filter) {
  return bulkButton(app, { ...BULK, action: "transfer", label: words.transfer, filter, fields: () => newOwner(app) });
}

/** Asks for a new owner. @param {Console} app */
function newOwner(app) {
  let owner = "";
  const field = suggestField(app, { id: "new-owner", kind: "person", value: "", required: true, chosen: (id) => void (owner = id) });
  const label = h("label", { class: "field", for: "new-owner" }, h("span", {}, words.newOwner), field.elements);
  const read = async () => (await field.settled(), { owner: Number(owner) });
  return { body: [label, h("p", { class: "hint" }, words.newOwnerWhy)], read };
}
