/** The overview: how all blocks stand, what needs someone and why; then how refreshes went, what comes next, and all documents. */
import { fill, h } from "../../ui/dom.mjs";
import { number } from "../../ui/text.mjs";
import { duration, link, statusWord } from "../show.mjs";
import { text } from "../text.mjs";
import { causeItem, sorted } from "../parts/causes.mjs";
import { nextTicks, readNext } from "../parts/next.mjs";
import { pausedItem, readPaused } from "../parts/paused.mjs";
import { bar, partsByStatus, partsOf, sentence } from "../parts/stances.mjs";
import { runsPicture } from "../pictures/hours.mjs";
import { Wall, readWall } from "../pictures/wall.mjs";

/** What it says, in English. */
const words = {
  window: "Time",
  needsYou: "Needs you",
  needsNothing: "Nothing needs you.",
  waitsOnly: "Waiting, nothing to do",
  moreCauses: "There are more: see the list of those that failed.",
  pausedAll: "All paused schedules",
  wallFirst: "Not all fit here.",
  documentsAll: "All documents",
  /** @type {Record<string, string>} */
  refreshes: { "24h": "Refreshes, last 24 h", "7d": "Refreshes, last 7 days", "30d": "Refreshes, last 30 days" },
  noRefreshes: "No refresh in this time: none was due, and nobody asked for one.",
  ofThemConflicts: "need a decision",
  superseded: "taken over by a newer run",
  skippedWhy: "A refresh is skipped while the one before it still works, and where no agent is there at its time.",
  next: "Next",
  schedulesInAll: "schedules in all",
  schedulesPaused: "paused",
  documentsInAll: "documents in all",
  late: (/** @type {string} */ p50, /** @type {string} */ p99) => `Scheduled refreshes began late: half of them within ${p50}, 99 % within ${p99}.`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../parts/causes.mjs").Cause} Cause
 * @typedef {import("../../interface.d.ts").Stats} Stats
 * @typedef {{causes: Cause[], complete: boolean, stances?: import("../parts/stances.mjs").Stances}} Causes
 */

/** The windows of time to choose from. */
const WINDOWS = /** @type {const} */ (["24h", "7d", "30d"]);

/** Lateness below that is nothing to look at, in milliseconds. */
const LATE = 1000;

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, { filters }) {
  const window = WINDOWS.find((one) => one === filters.window) ?? "24h";
  const summary = h("div", { class: "summary" });
  const needs = h("div", { class: "stack" });
  const runs = h("div", { class: "stack" });
  const next = h("div", { class: "stack" });
  const documents = h("div", { class: "stack" });
  const wall = new Wall(app);
  const rest = h("p", { class: "muted" });
  const whole = app.may("ReportRead"); // numbers are of all, so that they are told only to who may read all
  const element = h(
    "section",
    { class: "screen" },
    h("h2", { tabindex: -1, class: "spoken" }, text.places.overview),
    summary,
    needs,
    whole && h("div", { class: "head" }, h("h3", {}, words.refreshes[window]), windowChoice(app, window)),
    runs,
    next,
    whole && h("h3", {}, text.places.documents),
    documents,
    wall.element,
    rest,
  );
  const load = async (/** @type {AbortSignal} */ signal) => {
    const [stats, causes, paused, ticks, tiles] = await Promise.all([
      whole ? /** @type {Promise<Stats>} */ (app.api.get(app.at(`/stats?window=${window}`), { signal })) : null,
      /** @type {Promise<Causes>} */ (app.api.get(app.at("/causes"), { signal })),
      readPaused(app, signal),
      readNext(app, signal),
      whole ? readWall(app, signal) : [],
    ]);
    showSummary(app, summary, causes, stats);
    showNeeds(app, needs, causes, paused);
    if (stats) showRuns(app, runs, stats);
    fill(next, h("h3", {}, words.next), nextTicks(app, ticks), stats && schedules(app, stats));
    fill(documents, stats && h("p", {}, figure(app.href("documents"), stats.documents.total, words.documentsInAll)));
    wall.show(tiles);
    fill(rest, stats && stats.documents.total > tiles.length && [words.wallFirst, " ", link(app.href("documents"), words.documentsAll)]);
  };
  return { title: text.places.overview, element, load };
}

/**
 * How all blocks stand: the largest thing on the page, and below it the same as a bar.
 * @param {Console} app
 * @param {Element} place
 * @param {Causes} causes
 * @param {Stats | null} stats
 */
function showSummary(app, place, { causes, stances }, stats) {
  const { needs, waits } = sorted(causes);
  const sum = (/** @type {Cause[]} */ list) => list.reduce((n, { placements }) => n + placements, 0);
  const { total, upToDate } = stats?.placements ?? {};
  const counts = stances ?? { total, upToDate, needsYou: sum(needs), waits: sum(waits) };
  const parts = stances ? partsOf(stances) : stats && partsByStatus(stats.placements);
  fill(
    place,
    h("p", { class: "sentence" }, sentence(counts, new Set(waits.map(({ reason = "" }) => reason)))),
    parts && bar(app, parts),
  );
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
 * How refreshes went: the picture, and below it what its colours mean, each with its number, which leads to these runs.
 * @param {Console} app
 * @param {Element} place
 * @param {Stats} stats
 */
function showRuns(app, place, { since, runs, hours, lateness }) {
  if (!runs.total) return fill(place, h("p", { class: "empty card" }, words.noRefreshes));
  const key = (/** @type {string} */ state, /** @type {number} */ n, /** @type {string} */ look, word = statusWord(state).toLowerCase()) =>
    h("li", {}, look && h("span", { class: `key ${look}`, "aria-hidden": "true" }), figure(app.href("runs", { since, state }), n, word));
  fill(
    place,
    h(
      "div",
      { class: "card" },
      runsPicture(hours),
      h(
        "ul",
        { class: "legend" },
        key("SUCCEEDED", runs.succeeded, "good"),
        key("FAILED", runs.failed, "bad"),
        runs.conflict > 0 && key("CONFLICT", runs.conflict, "", words.ofThemConflicts),
        key("SKIPPED", runs.skipped, "skipped"),
        runs.superseded > 0 && key("SUPERSEDED", runs.superseded, "", words.superseded),
      ),
      runs.skipped > 0 && h("p", { class: "muted" }, words.skippedWhy),
      (lateness.p99Ms ?? 0) > LATE && h("p", { class: "warn" }, words.late(duration(lateness.p50Ms ?? 0), duration(lateness.p99Ms ?? 0))),
    ),
  );
}

/**
 * @param {Console} app
 * @param {Stats} stats
 */
function schedules(app, { schedules: { total, paused } }) {
  const all = figure(app.href("schedules"), total, words.schedulesInAll);
  return h("p", {}, all, paused > 0 && [", ", figure(app.href("schedules", { paused: "true" }), paused, words.schedulesPaused)]);
}

/**
 * A number that leads to exactly the list it counts.
 * @param {string} href
 * @param {number} n
 * @param {string} words
 */
function figure(href, n, words) {
  return h("a", { id: `figure-${href}`, class: "figure", href }, h("b", {}, number(n)), " ", h("span", {}, words));
}

/**
 * What needs a user, and what waits by itself.
 * @param {Console} app
 * @param {Element} place
 * @param {Causes} known
 * @param {Awaited<ReturnType<typeof readPaused>>} paused
 */
function showNeeds(app, place, { causes, complete }, paused) {
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
