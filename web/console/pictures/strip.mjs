/** The strip of a block's last runs: height is how long each took, colour is how it ended. One run is chosen, by mouse or by keys. */
import { readRun } from "../../ui/api.mjs";
import { fill, h } from "../../ui/dom.mjs";
import { count, number } from "../../ui/text.mjs";
import { duration, reason, status, statusWord, time } from "../show.mjs";
import { s } from "./svg.mjs";

/** What it says, in English. */
const words = {
  tookRows: (/** @type {string} */ time, /** @type {string} */ rows) => `in ${time}, ${rows} rows written`,
  noRunsYet: "No run of the last 90 days is known.",
  chooseRun: "Run",
  stripIs: (/** @type {number} */ n, /** @type {number} */ failed) =>
    `The last ${count(n, "run")}, ${number(failed)} failed; taller took longer`,
  axis: (/** @type {string} */ end) => `0–${end}`,
  earlier: "earlier",
  latest: "latest",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../parts/run.mjs").Run} Run
 * @typedef {{run: string, at: string, state: string, ms: number, rowsWritten: number, error: string}} Bar
 */

/** The states of runs that asked the source and wrote, or tried to: of others there is no time to tell. */
const DONE = ["SUCCEEDED", "FAILED", "CONFLICT"];

/** So many runs are shown, each as wide as the others. */
const LENGTH = 30;
const WIDTH = 100 / LENGTH;
const HEIGHT = 72;

/**
 * What a run did to one block. The run's own times are of all its blocks.
 * @param {Run} run
 * @param {string} placementId
 * @returns {Bar}
 */
export function barOf(run, placementId) {
  const block = run.placements.find((one) => one.placementId === placementId);
  const { state, errorClass, error = "", rowsWritten = 0 } = block ?? run;
  const ms = run.startedAt && run.endedAt ? Date.parse(run.endedAt) - Date.parse(run.startedAt) : 0;
  return { run: run.id, at: run.fireTime, state: errorClass === "conflict" ? "CONFLICT" : state, ms, rowsWritten, error };
}

/** The lengths at which the axis may end, in ms. */
const ENDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600].map((s) => s * 1000);

/**
 * Where the axis ends that has room for all bars: "0–1 s".
 * @param {number} longest in ms
 */
export function axisEnd(longest) {
  return ENDS.find((end) => longest <= end) ?? Math.ceil(longest / 3_600_000) * 3_600_000;
}

/**
 * How high a bar is; the shortest is seen too.
 * @param {number} ms
 * @param {number} end of the axis
 */
export function height(ms, end) {
  return Math.max(3, (Math.max(0, ms) / end) * HEIGHT);
}

export class Strip {
  /** @param {Console} app */
  constructor(app) {
    this.app = app;
    /** @type {Bar[]} from the earliest to the latest */
    this.bars = [];
    this.chosen = "";
    this.chart = h("div", {});
    this.range = h("input", {
      type: "range",
      id: "strip-run",
      min: 1,
      "aria-label": words.chooseRun,
      max: LENGTH,
      oninput: () => this.choose(this.range.valueAsNumber - 1 - this.empty()),
    });
    this.detail = h("div", { role: "status" });
    this.element = h("div", { class: "strip card" });
  }

  /** @param {Bar[]} bars the latest first */
  show(bars) {
    this.bars = [...bars].reverse();
    this.element.replaceChildren(...(bars.length ? [this.chart, this.range, this.detail] : [h("p", { class: "muted" }, words.noRunsYet)]));
    const kept = this.bars.findIndex(({ run }) => run === this.chosen);
    this.choose(kept < 0 ? this.bars.length - 1 : kept);
  }

  /** How many places are left free: the latest run stands at the right. */
  empty() {
    return LENGTH - this.bars.length;
  }

  /** @param {number} index of a run; before the first it is the first */
  choose(index) {
    index = Math.max(0, index);
    const bar = this.bars[index];
    if (!bar) return;
    this.chosen = index === this.bars.length - 1 ? "" : bar.run; // the latest stays chosen when another one comes
    this.range.valueAsNumber = this.empty() + index + 1;
    this.range.setAttribute("aria-valuetext", `${time(bar.at)?.textContent}, ${statusWord(bar.state)}, ${duration(bar.ms)}`);
    this.draw(index);
    const link = h("a", { id: "strip-link", href: this.app.href(["runs", bar.run]) }, time(bar.at));
    fill(
      this.detail,
      h("p", {}, link, " ", status(bar.state), DONE.includes(bar.state) && [" ", words.tookRows(duration(bar.ms), number(bar.rowsWritten))]),
      bar.error && h("p", { class: "why" }, reason(bar.error, 300)),
    );
  }

  /** @param {number} chosen */
  draw(chosen) {
    const end = axisEnd(Math.max(...this.bars.map(({ ms }) => ms)));
    const drawn = this.bars.map((bar, i) => {
      const tall = height(bar.ms, end);
      const x = (this.empty() + i) * WIDTH;
      return s(
        "g",
        { class: i === chosen ? "chosen" : undefined, onclick: () => this.choose(i) },
        s("title", {}, `${time(bar.at)?.textContent} · ${statusWord(bar.state)} · ${duration(bar.ms)}`),
        s("rect", { class: "ground", x: `${x}%`, y: 0, width: `${WIDTH}%`, height: HEIGHT }),
        s("rect", { class: bar.state, x: `${x + WIDTH * 0.12}%`, y: HEIGHT - tall, width: `${WIDTH * 0.76}%`, height: tall }),
      );
    });
    const failed = this.bars.filter(({ state }) => state === "FAILED" || state === "CONFLICT").length;
    const label = words.stripIs(this.bars.length, failed);
    fill(
      this.chart,
      h("p", { class: "axis muted" }, words.axis(duration(end).replace(/\.0 /, " "))),
      s("svg", { class: "bars", width: "100%", height: HEIGHT, role: "img", "aria-label": label }, s("line", { x1: 0, x2: "100%", y1: HEIGHT, y2: HEIGHT }), drawn),
      h("p", { class: "axis muted" }, h("span", {}, words.earlier), h("span", {}, words.latest)),
    );
  }
}

/**
 * Reads the last runs that touched a block. Those of a report's other blocks lie between them.
 * @param {Console} app
 * @param {number} reportId
 * @param {string} placementId
 * @param {AbortSignal} signal
 * @returns {Promise<Bar[]>} the latest first
 */
export async function readStrip(app, reportId, placementId, signal) {
  const page = await app.api.get(app.at(`/reports/${reportId}/refreshes?first=500`), { signal });
  const touched = (/** @type {Run} */ run) =>
    run.placementId === placementId || run.placements.some((one) => one.placementId === placementId);
  return page.items
    .map(readRun)
    .filter(touched)
    .slice(0, LENGTH)
    .map((/** @type {Run} */ run) => barOf(run, placementId));
}
