/** The cells of a block that people changed, with the source's values. */
import { fill, h } from "../ui/dom.mjs";
import { cellText, count, number, text } from "../ui/text.mjs";
import { rectOf } from "./blocks.mjs";

/** What it says, in English. */
const words = {
  edits: "Edited cells",
  editsWhy: "These cells were changed by hand. Refreshes keep them until you take the source's value.",
  editYours: "Yours",
  editSource: "Source",
  editHidden: "Only who placed the block sees the values.",
  editInserted: "inserted row",
  editTake: "Take the source's",
  editTaken: "The next refresh takes the source's value.",
  editsTake: (/** @type {number} */ n) => `Take the source's value in ${count(n, "cell")}`,
  editsMore: (/** @type {number} */ n) => `Only the first ${number(n)} are shown.`,
  empty: "(empty)",
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Block} Block
 * @typedef {import("../interface.d.ts").Edit} Edit
 */

/** Edited cells that are shown. */
const SHOWN = 200;

/**
 * The cells that people changed: kept, unless the source's values are taken.
 * @param {Pane} pane
 * @param {Block} block
 * @param {HTMLElement} place
 * @param {() => Promise<void>} refresh
 */
export async function showEdits(pane, block, place, refresh) {
  const path = `/deployments/${block.deployment}/reports/${block.report}/placements/${encodeURIComponent(block.placement.id)}/edits`;
  const { items, pageInfo } = await pane.api.get(`${path}?first=${SHOWN}`);
  /** @type {Set<string>} */
  const taken = new Set();
  const take = h("button", { disabled: true, onclick: () => giveBack(pane, path, [...taken], refresh) }, words.editTake);
  const choose = (/** @type {any} */ event) => {
    if (event.target.checked) taken.add(event.target.value);
    else taken.delete(event.target.value);
    take.disabled = taken.size === 0;
    take.textContent = taken.size ? words.editsTake(taken.size) : words.editTake;
  };
  place.hidden = items.length === 0;
  fill(
    place,
    h("h3", {}, words.edits),
    h("p", { class: "hint" }, words.editsWhy),
    h(
      "ul",
      { class: "edits" },
      items.map((/** @type {Edit} */ edit) => h("li", {}, editLine(pane, block, edit, choose))),
    ),
    pageInfo.hasNextPage && h("p", { class: "hint" }, words.editsMore(SHOWN)),
    take,
  );
}

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {Edit} edit
 * @param {(event: Event) => void} choose
 */
function editLine(pane, block, edit, choose) {
  const { cell, column, yours, source, inserted, returned } = edit;
  const choice = h(
    "label",
    { class: "check" },
    h("input", { type: "checkbox", value: cell, "aria-label": `${words.editTake}: ${cell}`, onchange: choose }),
    words.editTake,
  );
  return [
    h(
      "div",
      { class: "edit-head" },
      h("button", { class: "plain", "aria-label": text.goTo(cell), onclick: () => go(pane, block, edit) }, cell.split("!").pop()),
      h("span", { class: "muted" }, inserted ? words.editInserted : column),
    ),
    yours === undefined
      ? h("p", { class: "hint" }, words.editHidden)
      : h(
          "dl",
          { class: "facts" },
          h("dt", {}, words.editYours),
          h("dd", {}, h("b", {}, cellText(yours) || words.empty)),
          !inserted && [h("dt", {}, words.editSource), h("dd", {}, cellText(source) || words.empty)],
        ),
    returned ? h("p", { class: "hint" }, words.editTaken) : !inserted && choice,
  ];
}

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {Edit} edit
 */
async function go(pane, block, edit) {
  const rect = rectOf({ ...block.placement, anchorCell: /** @type {string} */ (edit.cell.split("!").pop()), endResultCell: undefined });
  await pane.port.reveal(rect).catch(pane.fail);
}

/**
 * Takes the source's values in some cells, and refreshes.
 * @param {Pane} pane
 * @param {string} path
 * @param {string[]} cells
 * @param {() => Promise<void>} refresh
 */
async function giveBack(pane, path, cells, refresh) {
  try {
    await pane.api.delete(path, { cells });
    await refresh();
  } catch (error) {
    pane.fail(error);
  }
}
