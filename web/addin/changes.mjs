/** What the last runs changed in a block: the rows before and after, and the way back. */
import { fill, h, mark } from "../ui/dom.mjs";
import { cellText, count, text, when } from "../ui/text.mjs";

/** What it says, in English. */
const words = {
  changes: "Last changes",
  rows: { changed: "changed", added: "added", removed: "removed", moved: "moved" },
  none: "nothing changed",
  restores: "put back an earlier change",
  show: "Rows before and after",
  showOf: (/** @type {string} */ time) => `Rows before and after ${time}`,
  row: "Row",
  before: "Before",
  after: "After",
  putBack: (/** @type {number} */ n) => `Put back ${count(n, "cell")}`,
  putBackOf: (/** @type {number} */ n, /** @type {string} */ time) => `Put back ${count(n, "cell")} changed ${time}`,
  hidden: "Only who placed the block sees the values.",
  dropped: "The rows were too many to keep.",
  first: (/** @type {number} */ n) => `The first ${count(n, "row")} are shown.`,
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Block} Block
 * @typedef {import("../interface.d.ts").ListedChange} Listed
 * @typedef {import("../interface.d.ts").Change} Change
 */

/** Changes that are listed, and rows of one that are shown. */
const LISTED = 5;
const ROWS = 20;

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {HTMLElement} place
 * @param {(how: import("./shapes.mjs").How) => Promise<void>} run refreshes the block
 */
export async function showChanges(pane, block, place, run) {
  const path = `/deployments/${block.deployment}/reports/${block.report}/placements/${encodeURIComponent(block.placement.id)}/changes`;
  const { items } = await pane.api.get(`${path}?first=${LISTED}`);
  place.hidden = items.length === 0;
  fill(
    place,
    h("h3", {}, words.changes),
    h(
      "ul",
      { class: "changes" },
      items.map((/** @type {Listed} */ change) => h("li", {}, line(change), rowsOf(pane, path, change), back(pane, change, run))),
    ),
  );
}

/** @param {Listed} change */
function line({ at, counts, restores }) {
  const kinds = /** @type {(keyof typeof words.rows)[]} */ (["changed", "added", "removed", "moved"]).filter((kind) => counts[kind]);
  const said = kinds.map((kind) => `${count(counts[kind], "row")} ${words.rows[kind]}`).join(", ") || words.none;
  return h("p", {}, h("b", {}, when(at)), ` · ${said}`, restores && ` · ${words.restores}`);
}

/**
 * The button that puts a change back, for who may and as long as there is something to put back.
 * @param {Pane} pane
 * @param {Listed} change
 * @param {(how: import("./shapes.mjs").How) => Promise<void>} run
 */
function back(pane, { runId, at, restorable }, run) {
  if (!restorable) return null;
  const label = words.putBackOf(restorable, when(at));
  const button = h("button", { "aria-label": label, onclick: () => run({ restores: runId }) }, mark("back"), words.putBack(restorable));
  pane.store.watch(
    button,
    ({ progress }) => Boolean(progress),
    (busy) => {
      button.disabled = busy;
    },
  );
  return button;
}

/**
 * @param {Pane} pane
 * @param {string} path
 * @param {Listed} change
 */
function rowsOf(pane, path, { runId, at, kept }) {
  if (!kept) return h("p", { class: "hint" }, words.dropped);
  const rows = h("div", {}, h("p", { class: "hint" }, text.loading));
  const open = () => details.open && !rows.querySelector("table") && read().catch(pane.fail);
  const read = async () => fill(rows, table(await pane.api.get(`${path}/${runId}`), when(at)));
  const details = h("details", { ontoggle: open }, h("summary", { "aria-label": words.showOf(when(at)) }, words.show), rows);
  return details;
}

/**
 * @param {Change} change
 * @param {string} time
 */
function table({ rows, values }, time) {
  if (values === "hidden") return [h("p", { class: "hint" }, words.hidden)];
  const cells = (/** @type {unknown[] | null} */ row) => (row ? row.map(cellText).join(" · ") : "");
  return [
    h(
      "div",
      { class: "table", tabindex: 0, role: "region", "aria-label": words.showOf(time) },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, [words.row, words.before, words.after].map((name) => h("th", { scope: "col" }, name)))),
        h(
          "tbody",
          {},
          rows.slice(0, ROWS).map(({ row, before, after }) => h("tr", {}, h("th", { scope: "row" }, row), h("td", {}, cells(before)), h("td", {}, cells(after)))),
        ),
      ),
    ),
    rows.length > ROWS && h("p", { class: "hint" }, words.first(ROWS)),
  ];
}
