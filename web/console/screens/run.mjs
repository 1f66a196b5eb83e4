/** One run: what it did in each block, and what it wrote over. */
import { readRun } from "../../ui/api.mjs";
import { fill, h, nextTry } from "../../ui/dom.mjs";
import { cellText, count, failureRemedy, number, waitRemedy } from "../../ui/text.mjs";
import { refresh } from "../parts/refresh.mjs";
import { blockPath } from "../addresses.mjs";
import { duration, facts, link, marked, message, name, reason, status, statusWord, time } from "../show.mjs";
import { askedBy, isOn, mayStop, stateCell, stopButton, took } from "../parts/run.mjs";
import { text } from "../text.mjs";

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
    const run = readRun(await app.api.get(app.at(`/refreshes/${encodeURIComponent(id)}`), { signal }));
    const stops = isOn(run.state) && mayStop(app, run, await app.api.get(app.at(`/reports/${run.reportId}`), { signal }));
    fill(
      element,
      h("div", { class: "head" }, h("h2", { tabindex: -1 }, text.runOf, " ", time(run.fireTime)), stops ? stopButton(app, run.id) : retryButton(app, run)),
      h("div", { class: "card" }, runFacts(app, run)),
      run.placements.length > 0 && h("h3", {}, text.blocks),
      run.placements.map((block) => h("div", { class: "card" }, blockFacts(app, run, block), overwritten(block))),
    );
  };
  return { title: text.run, element, load };
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
    [text.report, link(app.href(["reports", run.reportId]), app.reportName(run.reportId))],
    [
      text.document,
      run.externalWorkbookId && link(app.href("placements", { document: run.externalWorkbookId }), name(run.externalWorkbookId)),
    ],
    [text.askedBy, askedBy(app, run)],
    [text.due, time(run.fireTime)],
    [text.started, time(run.startedAt)],
    [text.ended, time(run.endedAt)],
    [text.took, took(run)],
    [text.queryTook, run.columns ? duration(run.queryMs ?? 0) : null],
    [text.writeTook, run.writeMs ? duration(run.writeMs) : null],
    [text.result, run.columns ? text.size(run.rows ?? 0, run.columns) : null], // a run that asked nothing has none
    [text.rowsWritten, run.columns ? number(run.rowsWritten ?? 0) : null],
    [text.hostCalls, run.columns ? number(run.hostCalls ?? 0) : null],
  ]);
}

/**
 * @param {Console} app
 * @param {Run} run
 * @param {RunPlacement} block
 */
function blockFacts(app, { reportId }, block) {
  return facts([
    [text.block, link(app.href(blockPath(reportId, block.placementId)), name(block.placementId, { max: 60 }))],
    [text.state, [blockState(block), block.error && h("p", {}, reason(block.error))]],
    [text.supersededBy, block.supersededBy && link(app.href(["runs", block.supersededBy]), text.run)],
    [text.waitsFrom, block.state === "QUEUED" && time(block.since)],
    [text.helps, helps(block)],
    [text.note, block.note && message(block.note)],
    [text.rowsWritten, block.state === "SUCCEEDED" && number(block.rowsWritten ?? 0)],
    [text.movedRows, block.movedRows ? number(block.movedRows) : null],
    [text.returnedRows, block.returnedRows ? number(block.returnedRows) : null],
    [text.editedRows, block.editedRows?.length ? count(block.editedRows.length, "row") : null],
  ]);
}

/** @param {RunPlacement} block */
function blockState({ state, errorClass, reason: why }) {
  if (why === "addin_only") return marked(state, `${statusWord(state)}: ${text.addinLabel}`);
  if (state === "QUEUED" && why) return marked("WAITING", text.waitsFor(why));
  return status(errorClass === "conflict" ? "CONFLICT" : state);
}

/**
 * What helps a block that was not refreshed, and when it is tried again.
 * @param {RunPlacement} block
 */
function helps({ state, errorClass = "", reason: why, nextAttemptAt = "" }) {
  const again = Date.parse(nextAttemptAt) > Date.now();
  const next = again ? [h("p", { class: "muted" }, nextTry(nextAttemptAt))] : [];
  if (why === "addin_only") return text.addinRemedy;
  if (state === "QUEUED" && why) return [waitRemedy(why), ...next];
  return state === "FAILED" ? [failureRemedy(errorClass, again), ...next] : again && next;
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
    h("summary", {}, text.overwritten(rows.length)),
    h(
      "ul",
      { class: "plain" },
      rows
        .slice(0, 200)
        .map(({ row, values }) =>
          h(
            "li",
            {},
            text.row(row),
            ": ",
            values ? message(values.map(cellText).join(" | "), 300) : h("span", { class: "muted" }, text.hidden),
          ),
        ),
    ),
  );
}
