/** The overview: what is not true, since when and why; then all documents, and how runs went. */
import { fill, h } from "../ui/dom.mjs";
import { number } from "../ui/text.mjs";
import { latenessPicture, runsPicture } from "./hours.mjs";
import { retryButton } from "./retry.mjs";
import { blockPath } from "./routes.mjs";
import { duration, link, reason, name, status, statusWord, time } from "./show.mjs";
import { text } from "./text.mjs";
import { Wall, readWall } from "./wall.mjs";

/**
 * @typedef {import("./console.mjs").Console} Console
 * @typedef {import("./placements.mjs").PlacementItem} PlacementItem
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

/** How many failing blocks of each status are named here. */
const NAMED = 5;

/**
 * @param {Console} app
 * @param {import("./routes.mjs").Route} route
 * @returns {import("./routes.mjs").Screen}
 */
export function screen(app, { filters }) {
  const window = WINDOWS.find((one) => one === filters.window) ?? "24h";
  const numbers = h("div", { class: "figures" });
  const failing = h("div", {});
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
    h("h3", {}, text.needsYou),
    failing,
    whole && h("h3", {}, text.places.documents),
    documents,
    wall.element,
    rest,
    whole && h("h3", {}, text.places.runs),
    runs,
  );
  const load = async (/** @type {AbortSignal} */ signal) => {
    const [stats, bad, tiles] = await Promise.all([
      whole ? app.api.get(app.at(`/stats?window=${window}`), { signal }) : null,
      readFailing(app, signal),
      whole ? readWall(app, signal) : [],
    ]);
    if (stats) showNumbers(app, stats, { numbers, documents, runs });
    fill(failing, failingList(app, bad, stats?.placements));
    wall.show(tiles);
    fill(rest, stats?.documents.total > tiles.length && [text.wallFirst, " ", link(app.href("documents"), text.documentsAll)]);
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
  return h("p", { class: "segments", role: "group", "aria-label": text.window }, links);
}

/**
 * @param {Console} app
 * @param {any} stats
 * @param {{numbers: Element, documents: Element, runs: Element}} places
 */
function showNumbers(app, { since, runs, placements, documents, schedules, hours, lateness }, places) {
  const blocks = [...BAD, ...FINE].map(([code, key]) =>
    figure(app.href("placements", { status: code }), placements[key], statusWord(code), code),
  );
  fill(places.numbers, blocks, figure(app.href("placements"), placements.total, text.blocksInAll));
  const worst = BAD.map(
    ([code, key]) => documents[key] > 0 && figure(app.href("documents", { status: code }), documents[key], statusWord(code), code),
  );
  fill(places.documents, worst, figure(app.href("documents"), documents.total, text.documentsInAll));
  fill(
    places.runs,
    h(
      "div",
      { class: "figures" },
      figure(app.href("runs", { since, state: "FAILED" }), runs.failed, statusWord("FAILED"), "FAILED"),
      figure(app.href("runs", { since, state: "CONFLICT" }), runs.conflict, text.ofThemConflicts, "CONFLICT"),
      figure(app.href("runs", { since, state: "SUCCEEDED" }), runs.succeeded, statusWord("SUCCEEDED"), "SUCCEEDED"),
      figure(app.href("runs", { since }), runs.total, text.runsInAll),
      figure(app.href("schedules"), schedules.total, text.schedulesInAll),
      figure(app.href("schedules", { paused: "true" }), schedules.paused, text.schedulesPaused, schedules.paused && "STOPPED"),
    ),
    runsPicture(hours),
    h("h3", {}, text.lateness),
    h(
      "p",
      { class: "muted" },
      lateness.p50Ms == null ? text.noScheduledRuns : text.latenessIs(duration(lateness.p50Ms), duration(lateness.p99Ms)),
    ),
    lateness.p50Ms != null && latenessPicture(hours),
  );
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
 * The first blocks that a person should look at, the worst first.
 * @param {Console} app
 * @param {AbortSignal} signal
 * @returns {Promise<PlacementItem[]>}
 */
async function readFailing(app, signal) {
  const pages = await Promise.all(
    ["CONFLICT", "FAILED"].map((code) => app.api.get(app.at(`/placements?status=${code}&first=${NAMED}`), { signal })),
  );
  return pages.flatMap(({ items }) => items);
}

/**
 * @param {Console} app
 * @param {PlacementItem[]} items
 * @param {Record<string, number> | undefined} counts
 */
function failingList(app, items, counts) {
  if (!items.length) return h("p", { class: "empty card" }, text.nothingFails);
  const more = ["CONFLICT", "FAILED"].flatMap((code) => {
    const [all, shown] = [counts?.[code.toLowerCase()] ?? 0, items.filter(({ placement }) => placement.syncStatus === code).length];
    return all > shown ? [link(app.href("placements", { status: code }), text.allWith(all, statusWord(code)))] : [];
  });
  return [
    h(
      "ul",
      { class: "failing card" },
      items.map((item) => h("li", {}, failingItem(app, item))),
    ),
    more.length > 0 &&
      h(
        "p",
        { class: "more" },
        more.flatMap((one) => [one, " "]),
      ),
  ];
}

/**
 * @param {Console} app
 * @param {PlacementItem} item
 */
function failingItem(app, { reportId, reportName, placement }) {
  const { id, syncStatus, workbookName, workbookId, resultLocation, lastRun } = placement;
  return [
    status(syncStatus),
    h(
      "div",
      {},
      h(
        "p",
        {},
        h("a", { id: `failing-${id}`, href: app.href(blockPath(reportId, id)) }, name(reportName, { max: 60 })),
        " ",
        h(
          "span",
          { class: "muted" },
          text.inPlace,
          " ",
          name(workbookName || workbookId, { max: 60 }),
          " ",
          name(resultLocation, { max: 40 }),
        ),
      ),
      lastRun?.error && h("p", {}, reason(lastRun.error, 400)),
      h(
        "p",
        { class: "muted" },
        lastRun?.endedAt && [text.sinceWord, " ", time(lastRun.endedAt)],
        lastRun?.nextAttemptAt && [" · ", text.nextTry, " ", time(lastRun.nextAttemptAt)],
      ),
    ),
    retryButton(app, reportId, placement),
  ];
}
