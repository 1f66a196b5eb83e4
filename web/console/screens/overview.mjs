/** The overview: what is not true, since when and why; then all documents, and how runs went. */
import { fill, h } from "../../ui/dom.mjs";
import { number } from "../../ui/text.mjs";
import { duration, link, statusWord } from "../show.mjs";
import { text } from "../text.mjs";
import { causeItem, sorted } from "../parts/causes.mjs";
import { pausedItem, readPaused } from "../parts/paused.mjs";
import { latenessPicture, runsPicture } from "../pictures/hours.mjs";
import { Wall, readWall } from "../pictures/wall.mjs";

/** What it says, in English. */
const words = {
  window: "Time",
  needsYou: "Needs you",
  needsNothing: "Nothing needs you.",
  waitsOnly: "Waiting, goes on by itself",
  moreCauses: "There are more: see the list of those that failed.",
  pausedAll: "All paused schedules",
  ticks: "Runs that refreshed nothing",
  ticksNone: "None in this time.",
  ticksSkipped: "skipped, or missed",
  ticksSuperseded: "taken over by a newer run",
  ticksWhy: "A tick is skipped while the run before it still works, and missed while no agent is there. A newer run takes over what an older one waits for; nothing is lost by that.",
  blocksInAll: "blocks in all",
  documentsInAll: "documents in all",
  wallFirst: "Not all fit here.",
  documentsAll: "All documents",
  runsInAll: "runs in all",
  ofThemConflicts: "of them need a decision",
  ofThemWaiting: "of them waiting",
  failedOrWaiting: "Failed, or waiting",
  schedulesInAll: "schedules",
  schedulesPaused: "of them paused",
  lateness: "Lateness of scheduled runs",
  latenessIs: (/** @type {string} */ p50, /** @type {string} */ p99) =>
    `Half of them began within ${p50} after they were due, 99 % within ${p99}.`,
  noScheduledRuns: "No scheduled run in this time.",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../parts/causes.mjs").Cause} Cause
 */

/** The windows of time to choose from. */
const WINDOWS = /** @type {const} */ (["24h", "7d", "30d"]);

/** The statuses that someone should look at, the worst first, with their names in the numbers. */
const BAD = /** @type {const} */ ([
  ["CONFLICT", "conflict"],
  ["FAILED", "failed"],
  ["CHANGED", "changed"],
  ["UNKNOWN", "unknown"],
]);
const FINE = /** @type {const} */ ([
  ["REFRESHING", "refreshing"],
  ["UP_TO_DATE", "upToDate"],
  ["EDITED", "edited"],
]);

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, { filters }) {
  const window = WINDOWS.find((one) => one === filters.window) ?? "24h";
  const numbers = h("div", { class: "figures" });
  const needs = h("div", {});
  const wall = new Wall(app);
  const rest = h("p", { class: "muted" });
  const documents = h("div", { class: "figures" });
  const runs = h("div", { class: "stack" });
  const whole = app.may("ReportRead"); // numbers are of all, so that they are told only to who may read all
  const element = h(
    "section",
    { class: "screen" },
    h("div", { class: "head" }, h("h2", { tabindex: -1 }, text.places.overview), whole && windowChoice(app, window)),
    numbers,
    needs,
    whole && h("h3", {}, text.places.documents),
    documents,
    wall.element,
    rest,
    whole && h("h3", {}, text.places.runs),
    runs,
  );
  const load = async (/** @type {AbortSignal} */ signal) => {
    const [stats, { causes, complete }, paused, tiles] = await Promise.all([
      whole ? app.api.get(app.at(`/stats?window=${window}`), { signal }) : null,
      app.api.get(app.at("/causes"), { signal }),
      readPaused(app, signal),
      whole ? readWall(app, signal) : [],
    ]);
    if (stats) showNumbers(app, stats, { numbers, documents, runs });
    showNeeds(app, needs, causes, paused, complete);
    wall.show(tiles);
    fill(rest, stats?.documents.total > tiles.length && [words.wallFirst, " ", link(app.href("documents"), words.documentsAll)]);
  };
  return { title: text.places.overview, element, load };
}

/**
 * @param {Console} app
 * @param {string} chosen
 */
function windowChoice(app, chosen) {
  const links = WINDOWS.map((one) => {
    const href = app.href("overview", { window: one });
    const props = { id: `window-${one}`, class: "button", href, title: text.reach[one] };
    return h("a", { ...props, "aria-current": one === chosen && "true" }, one);
  });
  return h("p", { class: "segments", role: "group", "aria-label": words.window }, links);
}

/**
 * @param {Console} app
 * @param {any} stats
 * @param {{numbers: Element, documents: Element, runs: Element}} places
 */
function showNumbers(app, { since, runs, placements, documents, schedules, hours, lateness }, places) {
  const blocks = [...BAD, ...FINE].map(([code, key]) =>
    figure(app.href("placements", { status: code }), placements[key], wordOf(code, placements.waiting), code),
  );
  // What waits has one of these statuses too, so that it stands behind their sum.
  const waiting = (/** @type {string} */ screen, /** @type {number} */ n) => figure(app.href(screen, { status: "WAITING" }), n, words.ofThemWaiting, "WAITING");
  fill(places.numbers, blocks, figure(app.href("placements"), placements.total, words.blocksInAll), waiting("placements", placements.waiting));
  const worst = BAD.map(
    ([code, key]) => documents[key] > 0 && figure(app.href("documents", { status: code }), documents[key], wordOf(code, documents.waiting), code),
  );
  fill(
    places.documents,
    worst,
    figure(app.href("documents"), documents.total, words.documentsInAll),
    documents.waiting > 0 && waiting("documents", documents.waiting),
  );
  fill(
    places.runs,
    h(
      "div",
      { class: "figures" },
      figure(app.href("runs", { since, state: "FAILED" }), runs.failed, statusWord("FAILED"), "FAILED"),
      figure(app.href("runs", { since, state: "CONFLICT" }), runs.conflict, words.ofThemConflicts, "CONFLICT"),
      figure(app.href("runs", { since, state: "SUCCEEDED" }), runs.succeeded, statusWord("SUCCEEDED"), "SUCCEEDED"),
      figure(app.href("runs", { since }), runs.total, words.runsInAll),
      figure(app.href("schedules"), schedules.total, words.schedulesInAll),
      figure(app.href("schedules", { paused: "true" }), schedules.paused, words.schedulesPaused, schedules.paused && "STOPPED"),
    ),
    runsPicture(hours),
    h("h3", {}, words.ticks),
    h(
      "div",
      { class: "figures" },
      figure(app.href("runs", { since, state: "SKIPPED" }), runs.skipped, words.ticksSkipped, "STOPPED"),
      figure(app.href("runs", { since, state: "SUPERSEDED" }), runs.superseded, words.ticksSuperseded, "STOPPED"),
    ),
    h("p", { class: "muted" }, runs.skipped + runs.superseded ? words.ticksWhy : words.ticksNone),
    h("h3", {}, words.lateness),
    h(
      "p",
      { class: "muted" },
      lateness.p50Ms == null ? words.noScheduledRuns : words.latenessIs(duration(lateness.p50Ms), duration(lateness.p99Ms)),
    ),
    lateness.p50Ms != null && latenessPicture(hours),
  );
}

/**
 * What a status is called beside its number. What waits after a try that failed has the status FAILED.
 * @param {string} code
 * @param {number} waiting how many wait
 */
function wordOf(code, waiting) {
  return code === "FAILED" && waiting ? words.failedOrWaiting : statusWord(code);
}

/**
 * A number that leads to exactly the list it counts.
 * @param {string} href
 * @param {number} n
 * @param {string} words
 * @param {string | 0} [code] of a status, whose colour it has if it is not 0
 */
function figure(href, n, words, code = "") {
  return h("a", { id: `figure-${href}`, class: `figure ${n ? code : ""}`, href }, h("b", {}, number(n)), " ", h("span", {}, words));
}

/**
 * What needs a user, and what waits by itself.
 * @param {Console} app
 * @param {Element} place
 * @param {Cause[]} causes
 * @param {Awaited<ReturnType<typeof readPaused>>} paused
 * @param {boolean} complete whether the causes are all
 */
function showNeeds(app, place, causes, paused, complete) {
  const open = new Set([...place.querySelectorAll("details[open]")].map((one) => one.id));
  const { needs, waits } = sorted(causes);
  const items = [...needs.map((cause) => causeItem(app, cause, complete)), ...paused.items.map((one) => pausedItem(app, one))];
  fill(
    place,
    h("h3", {}, words.needsYou),
    items.length ? h("ul", { class: "failing card" }, items) : h("p", { class: "empty card" }, words.needsNothing),
    paused.more && h("p", { class: "more" }, link(app.href("schedules", { paused: "true" }), words.pausedAll)),
    !complete && h("p", { class: "more" }, link(app.href("placements", { status: "FAILED" }), words.moreCauses)),
    waits.length > 0 && [
      h("h3", {}, words.waitsOnly),
      h(
        "ul",
        { class: "failing card" },
        waits.map((cause) => causeItem(app, cause, complete)),
      ),
    ],
  );
  for (const one of place.querySelectorAll("details")) one.open = open.has(one.id);
}
