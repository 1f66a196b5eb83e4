/** One run: what it did in each block, and what it wrote over. */
import { readRun } from "../../ui/api.mjs";
import { fill, h, nextTry } from "../../ui/dom.mjs";
import { cellText, count, failureRemedy, number, waitRemedy } from "../../ui/text.mjs";
import { blockPath } from "../addresses.mjs";
import { duration, facts, link, marked, message, name, reason, status, statusWord, time } from "../show.mjs";
import { text } from "../text.mjs";
import { conflictHelp, conflictOf } from "../parts/conflict.mjs";
import { refresh } from "../parts/refresh.mjs";
import { makeUpButton } from "../parts/schedule.mjs";
import { documents } from "./runs.mjs";
import { askedBy, isOn, mayStop, stateCell, stopButton, took } from "../parts/run.mjs";

/** What it says, in English. */
const words = {
  waitsFrom: "Since",
  addinLabel: "refreshed by the add-in only",
  run: "Run",
  runOf: "Run of",
  supersededBy: "The newer run",
  helps: "What helps",
  started: "Started",
  ended: "Ended",
  queryTook: "Query",
  writeTook: "Writing",
  result: "Result",
  size: (/** @type {number} */ rows, /** @type {number} */ columns) => `${count(rows, "row")} × ${count(columns, "column")}`,
  hostCalls: "Calls to the host",
  note: "Note",
  putBack: "Put back",
  putBackIs: (/** @type {{cells: number, left: number}} */ { cells, left }) =>
    left ? `${count(cells, "cell")}; ${count(left, "cell")} left, which ${left === 1 ? "holds" : "hold"} something else by now` : count(cells, "cell"),
  movedRows: "Rows put back in order",
  returnedRows: "Deleted rows that came back",
  editedRows: "Edited",
  overwritten: (/** @type {number} */ n) => `Typed by hand, written over or gone with its row: ${count(n, "row")}`,
  row: (/** @type {number} */ n) => `Row ${n}`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../parts/run.mjs").Run} Run
 * @typedef {import("../parts/run.mjs").RunPlacement} RunPlacement
 */

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, { ids: [id] }) {
  const element = h("section", { class: "screen" });
  const load = async (/** @type {AbortSignal} */ signal) => {
    /** @type {Run} */
    const run = readRun(await app.api.get(app.at(`/refreshes/${encodeURIComponent(id)}?include=names`), { signal }));
    const stops = isOn(run.state) && mayStop(app, run, await app.api.get(app.at(`/reports/${run.reportId}`), { signal }));
    const schedule = run.state === "SKIPPED" && run.scheduleId && (await app.api.find(app.at(`/refresh-schedules/${run.scheduleId}`), signal, [403, 404]));
    const makesUp = schedule && schedule.lastRun?.id === run.id && makeUpButton(app, schedule);
    const asked = run.placements.some(({ parameters = {} }) => Object.keys(parameters).length > 0);
    const valuesOf = asked ? await (await import("../parts/parameters.mjs")).valuesBy(app, run, signal) : () => /** @type {[string, null]} */ (["", null]);
    fill(
      element,
      h("div", { class: "head" }, h("h2", { tabindex: -1 }, words.runOf, " ", time(run.fireTime)), stops ? stopButton(app, run.id) : retryButton(app, run) || makesUp),
      h("div", { class: "card" }, runFacts(app, run)),
      run.placements.length > 0 && h("h3", {}, text.blocks),
      run.placements.map((block) => h("div", { class: "card" }, blockFacts(app, run, block, valuesOf(block)), overwritten(block))),
    );
  };
  return { title: words.run, element, load };
}

/**
 * @param {Console} app
 * @param {Run} run
 */
function retryButton(app, run) {
  const { placementId } = run;
  if (run.state !== "FAILED" || !placementId) return null;
  return h("button", { id: "retry", onclick: () => refresh(app, run.reportId, placementId).catch(app.fail) }, text.retry);
}

/**
 * @param {Console} app
 * @param {Run} run
 */
function runFacts(app, run) {
  return facts([
    [text.state, stateCell(run)],
    [text.report, link(app.href(["reports", run.reportId]), run.names ? name(run.names.report) : text.reportIs(run.reportId))],
    [text.document, documents(app, run)],
    [text.askedBy, askedBy(app, run)],
    [text.due, time(run.fireTime)],
    [words.started, time(run.startedAt)],
    [words.ended, time(run.endedAt)],
    [text.took, took(run)],
    [words.queryTook, run.columns ? duration(run.queryMs ?? 0) : null],
    [words.writeTook, run.writeMs ? duration(run.writeMs) : null],
    [words.result, run.columns ? words.size(run.rows ?? 0, run.columns) : null], // a run that asked nothing has none
    [text.rowsWritten, run.columns ? number(run.rowsWritten ?? 0) : null],
    [words.hostCalls, run.columns ? number(run.hostCalls ?? 0) : null],
  ]);
}

/**
 * @param {Console} app
 * @param {Run} run
 * @param {RunPlacement} block
 * @param {[string, import("../../ui/dom.mjs").Child | import("../../ui/dom.mjs").Child[]]} values with which it asked
 */
function blockFacts(app, { reportId, names }, block, values) {
  const named = names?.blocks.find(({ placementId }) => placementId === block.placementId);
  const called = named ? [name(named.workbookName || named.externalWorkbookId, { max: 60 }), " ", name(named.resultLocation, { max: 40 })] : [name(block.placementId, { max: 60 })];
  return facts([
    [text.block, link(app.href(blockPath(reportId, block.placementId)), ...called)],
    [text.state, [blockState(block), block.error && h("p", {}, reason(block.error))]],
    [words.supersededBy, block.supersededBy && link(app.href(["runs", block.supersededBy]), words.run)],
    [words.waitsFrom, block.state === "QUEUED" && time(block.since)],
    [words.helps, helps(block)],
    values,
    [words.note, block.note && message(block.note)],
    [text.rowsWritten, block.state === "SUCCEEDED" && number(block.rowsWritten ?? 0)],
    [words.putBack, block.putBack && words.putBackIs(block.putBack)],
    [words.movedRows, block.movedRows ? number(block.movedRows) : null],
    [words.returnedRows, block.returnedRows ? number(block.returnedRows) : null],
    [words.editedRows, block.editedRows?.length ? count(block.editedRows.length, "row") : null],
  ]);
}

/** @param {RunPlacement} block */
function blockState({ state, errorClass, reason: why }) {
  if (why === "addin_only") return marked(state, `${statusWord(state)}: ${words.addinLabel}`);
  if (state === "QUEUED" && why) return marked("WAITING", text.waitsFor(why));
  return status(errorClass === "conflict" ? "CONFLICT" : state);
}

/**
 * What helps a block that was not refreshed, and when it is tried again.
 * @param {RunPlacement} block
 */
function helps({ state, errorClass = "", conflict, reason: why, nextAttemptAt = "" }) {
  const again = Date.parse(nextAttemptAt) > Date.now();
  const next = again ? [h("p", { class: "muted" }, nextTry(nextAttemptAt))] : [];
  if (why === "addin_only") return text.addinRemedy;
  if (state === "QUEUED" && why) return [waitRemedy(why), ...next];
  const ends = errorClass === "conflict" && conflictHelp(conflictOf({ lastRun: { conflict } }));
  return state === "FAILED" ? [ends || failureRemedy(errorClass, again), ...next] : again && next;
}

/**
 * What a person had typed where the run then wrote.
 * @param {RunPlacement} block
 */
function overwritten({ overwritten: rows }) {
  if (!rows?.length) return null;
  return h(
    "details",
    {},
    h("summary", {}, words.overwritten(rows.length)),
    h(
      "ul",
      { class: "plain" },
      rows
        .slice(0, 200)
        .map(({ row, values }) =>
          h(
            "li",
            {},
            words.row(row),
            ": ",
            values ? message(values.map(cellText).join(" | "), 300) : h("span", { class: "muted" }, text.hidden),
          ),
        ),
    ),
  );
}
