/** What the last runs changed in a block: rows before and after. */
import { ask, fill, h } from "../../ui/dom.mjs";
import { cellText, count, number, when } from "../../ui/text.mjs";
import { name, time } from "../show.mjs";
import { text } from "../text.mjs";

/** What it says, in English. */
const words = {
  noChanges: "No run has written here yet.",
  nothingChanged: "nothing changed",
  changeOf: { changed: "changed", added: "added", removed: "removed", moved: "moved" },
  changesGone: "(the rows are not kept)",
  changesHidden: "Only who placed the block, and who may manage the report, see the values.",
  changesDropped: "The run changed more rows than are kept.",
  changedRows: "Rows before and after",
  allRows: (/** @type {number} */ n) => `Show all ${number(n)} rows`,
  rowHead: "Row",
  putBack: "Put back",
  restored: "put back what a run before had replaced",
  putBackOf: (/** @type {number} */ n, /** @type {string} */ time) => `Put back ${count(n, "value")} of ${time}`,
  putBackSure: (/** @type {number} */ n) => `Put back ${count(n, "value")} that this run replaced?`,
  putBackWhat: "They are written where what the run wrote still stands, and count as edited by hand from then on: refreshes keep them.",
  putBackAsked: "They are being put back.",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").ChangeCounts} Counts
 * @typedef {import("../../interface.d.ts").ListedChange} Change of a run
 * @typedef {import("../../interface.d.ts").ChangedRow} ChangedRow row: the sheet's number
 */

/** So many rows are shown at once. */
const SHOWN = 100;

export class Changes {
  /**
   * @param {Console} app
   * @param {string} path of the block's changes
   * @param {() => boolean} may whether the person may put back what a run wrote over
   */
  constructor(app, path, may) {
    this.app = app;
    this.path = path;
    this.may = may;
    /** @type {Map<string, HTMLElement>} */
    this.shown = new Map();
    this.element = h("div", { class: "changes card" });
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    const { items } = await this.app.api.get(this.path, { signal });
    const lines = items.map((/** @type {Change} */ change, /** @type {number} */ i) => {
      const key = `${change.runId} ${change.restorable && this.may()}`;
      const line = this.shown.get(key) ?? this.line(change, i === 0);
      this.shown.set(key, line);
      return line;
    });
    fill(this.element, lines.length ? lines : h("p", { class: "muted" }, words.noChanges));
  }

  /**
   * @param {Change} change
   * @param {boolean} open whether its rows are shown at once
   */
  line({ runId, at, counts, kept, restorable, restores }, open) {
    const said = [time(at), " · ", restores ? words.restored : countsOf(counts)];
    if (!kept) return h("p", {}, said, " ", h("span", { class: "muted" }, words.changesGone));
    const place = h("div", {}, text.loading);
    let asked = false;
    const ontoggle = async () => {
      if (asked) return;
      asked = true;
      fill(place, changedRows(await this.app.api.get(`${this.path}/${encodeURIComponent(runId)}`)));
    };
    const rows = h("details", { open, ontoggle: () => ontoggle().catch(this.app.fail) }, h("summary", {}, said), place);
    if (!restorable || !this.may()) return rows;
    const back = () => this.putBack(runId, restorable).catch(this.app.fail);
    return h("div", { class: "change" }, rows, h("button", { id: `put-back-${runId}`, "aria-label": words.putBackOf(restorable, when(at)), onclick: back }, words.putBack));
  }

  /**
   * Writes back what a run replaced, if the person is sure.
   * @param {string} runId
   * @param {number} values how many it kept
   */
  async putBack(runId, values) {
    const sure = await ask({
      title: words.putBackSure(values),
      body: [h("p", {}, words.putBackWhat)],
      choices: [{ label: words.putBack, value: true, kind: "primary" }],
      cancel: text.cancel,
    });
    if (!sure) return;
    await this.app.api.post(`${this.path}/${encodeURIComponent(runId)}/restore`, {});
    this.app.notice({ sentence: words.putBackAsked });
    this.app.changed();
  }
}

/** @param {Counts} counts */
export function countsOf(counts) {
  const said = /** @type {(keyof Counts)[]} */ (["changed", "added", "removed", "moved"]).filter((key) => counts[key]);
  return said.length ? said.map((key) => `${count(counts[key], "row")} ${words.changeOf[key]}`).join(", ") : words.nothingChanged;
}

/** @param {{columns: string[], values: string, rows: ChangedRow[]}} change */
function changedRows({ columns, values, rows }) {
  if (values === "hidden") return h("p", { class: "muted" }, words.changesHidden);
  if (values === "dropped") return h("p", { class: "muted" }, words.changesDropped);
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, words.rowHead),
    columns.map((column) => h("th", { scope: "col" }, name(column, { max: 40 }))),
  );
  const body = h(
    "tbody",
    {},
    rows.slice(0, SHOWN).map((row) => rowLine(row, columns.length)),
  );
  const more =
    rows.length > SHOWN &&
    h(
      "button",
      { onclick: () => (body.append(...rows.slice(SHOWN).map((row) => rowLine(row, columns.length))), /** @type {any} */ (more).remove()) },
      words.allRows(rows.length),
    );
  return [
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": words.changedRows }, h("table", {}, h("thead", {}, head), body)),
    more,
  ];
}

/**
 * @param {ChangedRow} row
 * @param {number} width
 */
function rowLine({ row, before, after }, width) {
  const kind = !before ? "added" : !after ? "removed" : "changed";
  const cells = Array.from({ length: width }, (_, i) => h("td", {}, cellChange(kind, cellText(before?.[i]), cellText(after?.[i]))));
  return h("tr", { class: kind }, h("th", { scope: "row" }, String(row), h("span", { class: "muted" }, ` ${words.changeOf[kind]}`)), cells);
}

/**
 * @param {string} kind
 * @param {string} before
 * @param {string} after
 */
function cellChange(kind, before, after) {
  const [old, now] = [before, after].map((shown) => name(shown, { max: 60, empty: text.emptyCell }));
  if (kind === "added") return after && h("ins", {}, now);
  if (kind === "removed") return before && h("del", {}, old);
  return before === after ? before && old : [h("del", {}, old), " → ", h("ins", {}, now)];
}
