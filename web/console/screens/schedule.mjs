/** One schedule: its week, its next fires, its runs, and what may be done with it. */
import { h } from "../../ui/dom.mjs";
import { rhythm } from "../../ui/rhythm.mjs";
import { count, when } from "../../ui/text.mjs";
import { within } from "../grants.mjs";
import { duration, facts, link, name, person, reason, refill, status, time } from "../show.mjs";
import { text } from "../text.mjs";
import { act, isMine, lastOf, nextOf, ownerOf, targetOf, transferButton } from "../parts/schedule.mjs";
import { choice, shiftChoice } from "../parts/settings.mjs";
import { Table } from "../parts/table.mjs";
import { lastTicks } from "../parts/ticks.mjs";
import { weekPicture } from "../pictures/calendar.mjs";
import { firesIn, mondayOf, weekOf } from "../pictures/week.mjs";

/** What it says, in English. */
const words = {
  weekUnknown: (/** @type {string} */ zone) => `This browser does not know the time zone ${zone}.`,
  weekNextOnly: "Only the next fires are shown: this browser cannot expand the expression.",
  pause: "Pause",
  edit: "Edit",
  runStarted: "A run is made; it shows among the runs below.",
  nextFires: "Next fires",
  yourTime: " (on your clock ",
  nextPaused: "None while it is paused.",
  cron: "Cron",
  timezone: "Time zone",
  catchUp: "After an outage",
  catchUpIs: { latest: "runs once for what was missed", skip: "skips what was missed", all: "runs the first, then the rest" },
  overlap: "While a run is going on",
  overlapIs: { skip: "skips the fire", queue: "waits for it" },
  onEdit: "When someone edits a cell",
  onEditIs: { keep: "keeps the edit", overwrite: "writes over it", stop: "stops and asks" },
  shiftRows: "Rows below the blocks",
  shiftRowsIs: { "": "as each placement says", yes: "move with the block", no: "stay" },
  jitter: "Spread over",
  changed: "Changed",
  runs: "Runs",
  ticks: "Last ten ticks",
  runsNone: "No run yet.",
  fireTime: "Fire",
  lateBy: "Late by",
  outcomeHead: "State",
  trigger: "Made by",
  /** @type {Record<string, string>} */
  triggerIs: { schedule: "schedule", manual: "asked for", catchUp: "caught up", hook: "hook", change: "data changed" },
  why: "Why",
  superseded: "A newer run refreshes what this one waited for.",
  standsFor: (/** @type {number} */ n) => `stands for ${count(n, "missed fire")}`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../parts/schedule.mjs").Schedule} Schedule
 * @typedef {import("../../interface.d.ts").Run} Run
 * @typedef {import("../../interface.d.ts").Report} Report
 */

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, route) {
  const id = Number(route.ids[0]);
  const path = app.at(`/refresh-schedules/${id}`);
  const runs = new Table(app, { label: words.runs, path: `${path}/runs`, columns: runColumns(app), empty: words.runsNone });
  const element = h("section", { class: "screen" }, h("h2", { id: "schedule", tabindex: -1 }, text.schedule), h("p", {}, text.loading));

  /** @param {AbortSignal} signal */
  async function load(signal) {
    /** @type {[Schedule, void]} */
    const [schedule] = await Promise.all([app.api.get(`${path}?include=names,ticks`, { signal }), runs.load(signal)]);
    /** @type {Report | null} null if it is gone or not to be read */
    const report = await app.api.find(app.at(`/reports/${schedule.target.reportId}`), signal, [403, 404]);
    refill(
      element,
      h("div", { class: "head" }, h("h2", { id: "schedule", tabindex: -1 }, name(schedule.name)), ...buttons(app, path, schedule, report)),
      h("p", {}, targetOf(app, schedule)),
      facts([
        [text.times, h("b", {}, name(rhythm(schedule.cron, schedule.timezone)))],
        [text.next, nextOf(schedule)],
        [text.last, lastOf(app, schedule.lastRun)],
        [words.ticks, lastTicks(app, schedule.lastTicks ?? [])],
      ]),
      week(app, route, schedule, runs.items),
      h("h3", {}, words.runs),
      runs.element,
      h("h3", {}, words.nextFires),
      nextFires(schedule),
      h("h3", {}, text.settings),
      settings(app, path, schedule, rights(app, schedule, report).start),
    );
  }
  return { title: text.schedule, element, load };
}

/**
 * What the person may do with a schedule: all of it who may edit the report; who made it, to blocks of their own.
 * @param {Console} app
 * @param {Schedule} schedule
 * @param {Report | null} report
 */
export function rights(app, schedule, report) {
  const mine = isMine(app, schedule);
  const block = report?.externalWorkbookPlacements.find(({ id }) => id === schedule.target.placementId);
  const edit = report?.canEdit ?? false;
  return {
    pause: edit || (mine && within("ReportEdit", app.me.bound)),
    start: edit || (mine && block?.placedByUserId === app.me.user.id),
    transfer: report?.canManage ?? false,
  };
}

/**
 * @param {Console} app
 * @param {string} path
 * @param {Schedule} schedule
 * @param {Report | null} report
 */
function buttons(app, path, schedule, report) {
  const may = rights(app, schedule, report);
  /** @type {(verb: string, label: string, done?: string) => HTMLElement} */
  const button = (verb, label, done) => h("button", { id: `schedule-${verb}`, onclick: () => act(app, `${path}/${verb}`, done).catch(app.fail) }, label);
  return [
    may.start && h("a", { id: "schedule-edit", class: "button primary", href: app.href(["schedules", schedule.id, "edit"]) }, words.edit),
    schedule.paused ? may.start && button("resume", text.resume) : may.pause && button("pause", words.pause),
    may.start && button("run", text.runNow, words.runStarted),
    may.transfer &&
      app.may("ReportRead") &&
      transferButton(app, { report: String(schedule.target.reportId), owner: String(schedule.owner) }),
  ];
}

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @param {Schedule} schedule
 * @param {Run[]} runs
 */
function week(app, route, schedule, runs) {
  const now = Date.now();
  try {
    const shown = weekOf(schedule.timezone, route.filters.week || mondayOf(schedule.timezone, now), now);
    const { fires, exact } = firesIn(schedule, runs, shown, now);
    const address = (/** @type {string} */ monday) => app.href(["schedules", route.ids[0]], { week: monday });
    return [weekPicture(shown, fires, now, address), !exact && h("p", { class: "hint" }, words.weekNextOnly)];
  } catch (error) {
    if (error instanceof RangeError) return h("p", { class: "hint" }, words.weekUnknown(schedule.timezone));
    throw error;
  }
}

/**
 * The next fires by the schedule's clocks, and by the person's own where these show another time.
 * @param {Schedule} schedule
 */
function nextFires({ paused, nextFires: fires, timezone }) {
  if (paused) return h("p", { class: "muted" }, words.nextPaused);
  const clock = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short", timeZone: timezone });
  const ownClock = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short" });
  const items = fires.map((at) => {
    const there = clock.format(new Date(at));
    return h("li", {}, there, there !== ownClock.format(new Date(at)) && h("span", { class: "muted" }, words.yourTime, when(at, new Date(), ownClock.resolvedOptions().timeZone), ")"));
  });
  return h("ol", { class: "fires" }, items);
}

/**
 * @param {Console} app
 * @param {string} path
 * @param {Schedule} one
 * @param {boolean} mine whether the person may change it
 */
function settings(app, path, one, mine) {
  const { cron, timezone, catchUp, overlap, onEdit, jitterSeconds, key, managedBy, updatedAt, updatedBy } = one;
  const keep = (/** @type {Parameters<typeof save>[2]} */ change) => void save(app, path, change).catch(app.fail);
  return facts([
    [words.cron, cron.map((spec) => h("code", {}, name(spec), " "))],
    [words.timezone, timezone],
    [words.catchUp, mine ? choice("catch-up", words.catchUp, words.catchUpIs, catchUp, (said) => keep({ catchUp: said })) : words.catchUpIs[catchUp]],
    [words.overlap, mine ? choice("overlap", words.overlap, words.overlapIs, overlap, (said) => keep({ overlap: said })) : words.overlapIs[overlap]],
    [words.onEdit, onEdit && (words.onEditIs[onEdit] ?? onEdit)],
    [words.shiftRows, shiftChoice(words.shiftRows, words.shiftRowsIs, one.shiftRows, mine && ((shiftRows) => keep({ shiftRows })))],
    [words.jitter, jitterSeconds > 0 && duration(jitterSeconds * 1000)],
    [text.key, key && name(key)],
    [text.managedBy, managedBy && name(managedBy.project)],
    [text.ownerIs, ownerOf(app, one)],
    [words.changed, [time(updatedAt), " ", person(updatedBy)]],
  ]);
}

/**
 * Changes a setting of a schedule. Of null each placement says.
 * @param {Console} app
 * @param {string} path
 * @param {{catchUp?: string, overlap?: string, shiftRows?: boolean | null}} change
 */
async function save(app, path, change) {
  await app.api.put(path, change);
  app.notice({ sentence: text.saved });
  app.changed();
}

/**
 * Why a tick made no refresh, or its run failed.
 * @param {Run} run
 */
function whyOf({ state, error }) {
  if (error) return reason(error, 300);
  return state === "SUPERSEDED" ? words.superseded : null;
}

/**
 * @param {Console} app
 * @returns {import("../parts/table.mjs").Column<Run>[]}
 */
function runColumns(app) {
  return [
    { head: words.fireTime, class: "short", cell: (run) => link(app.href(["runs", run.id]), time(run.fireTime)) },
    { head: words.outcomeHead, cell: (run) => status(run.state) },
    {
      head: words.trigger,
      cell: (run) => [words.triggerIs[run.trigger] ?? run.trigger, run.missedFires ? ` · ${words.standsFor(run.missedFires)}` : ""],
    },
    {
      head: words.lateBy,
      class: "short",
      cell: (run) => run.startedAt && duration(Math.max(0, Date.parse(run.startedAt) - Date.parse(run.fireTime))),
    },
    {
      head: text.took,
      class: "short",
      cell: (run) => run.startedAt && run.endedAt && duration(Date.parse(run.endedAt) - Date.parse(run.startedAt)),
    },
    { head: words.why, class: "long", cell: whyOf },
  ];
}
