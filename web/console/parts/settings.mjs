/** How a block is refreshed, in sentences; changing that, and ending that it is. */
import { ask, h } from "../../ui/dom.mjs";
import { name } from "../show.mjs";
import { text } from "../text.mjs";

/** What it says, in English. */
const words = {
  /** @type {Record<string, string>} */
  onEditIs: {
    "": "Cells that people edit are kept until they take the source’s values.",
    keep: "Cells that people edit are kept until they take the source’s values.",
    overwrite: "Cells that people edit are written over.",
    stop: "When a cell was edited, the refresh stops and asks.",
  },
  /** @type {Record<string, string>} */
  shiftRowsIs: {
    "": "Rows below the block stay where they are: when it grows into filled cells, the refresh stops.",
    yes: "Rows below the block move down and up with it.",
    no: "Rows below the block stay where they are: when it grows into filled cells, the refresh stops.",
  },
  statusCellIs: " says when the block was refreshed.",
  fillRightIs: ["Formulas in ", " are filled down along with the rows."],
  change: "Change",
  onEdit: "When a cell is edited in the sheet",
  onEditChoice: { "": "As usual: keep the edit", keep: "Keep the edit", overwrite: "Write over it", stop: "Stop and ask" },
  shiftRows: "Rows below the block",
  shiftRowsChoice: { "": "As usual: they stay", yes: "They move with it", no: "They stay" },
  statusCell: "Status cell",
  statusCellHow: "A cell, such as B1",
  fillRight: "Formulas filled down",
  fillRightHow: "Columns, such as F:H",
  unlink: "Unlink",
  unlinkSure: "Unlink this block?",
  unlinkWhat: "Mooring refreshes these cells no more. The cells and the report stay.",
  unlinked: "Unlinked. The cells stay.",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("./block.mjs").Placement} Placement
 */

/**
 * @param {Console} app
 * @param {{id: number}} report
 * @param {Placement} placement
 * @param {{mine: boolean, open: boolean}} how mine: whether the person may change them; open: whether they are changing them
 */
export function settings(app, report, placement, { mine, open }) {
  const { onEdit = "", shiftRows, statusCell, fillRight } = placement;
  return h(
    "div",
    { class: "card" },
    h("p", {}, words.onEditIs[onEdit] ?? onEdit),
    h("p", {}, words.shiftRowsIs[said(shiftRows)]),
    statusCell && h("p", {}, name(statusCell), words.statusCellIs),
    fillRight && h("p", {}, words.fillRightIs[0], name(fillRight), words.fillRightIs[1]),
    mine && h("details", { id: "settings-change", open }, h("summary", {}, words.change), controls(app, report, placement)),
  );
}

/** @param {boolean | undefined} option */
const said = (option) => (option === undefined ? "" : option ? "yes" : "no");

/**
 * What changes the settings, each saved when it is chosen.
 * @param {Console} app
 * @param {{id: number}} report
 * @param {Placement} placement
 */
function controls(app, report, placement) {
  const { onEdit, shiftRows, statusCell = "", fillRight = "" } = placement;
  const save = (/** @type {Record<string, unknown>} */ option) => keep(app, report, placement, option).catch(app.fail);
  const field = (/** @type {string} */ label, /** @type {import("../../ui/dom.mjs").Child} */ input) => h("div", { class: "field" }, h("span", {}, label), input);
  return h(
    "div",
    { class: "stack" },
    h(
      "div",
      { class: "filters" },
      field(words.onEdit, choice("on-edit", words.onEdit, words.onEditChoice, onEdit ?? "", (value) => save({ onEdit: value || null }))),
      field(words.shiftRows, shiftChoice(words.shiftRows, words.shiftRowsChoice, shiftRows, (chosen) => save({ shiftRows: chosen }))),
      field(words.statusCell, typed("status-cell", words.statusCell, words.statusCellHow, statusCell, (value) => save({ statusCell: value || null }))),
      field(words.fillRight, typed("fill-right", words.fillRight, words.fillRightHow, fillRight, (value) => save({ fillRight: value || null }))),
    ),
    h("p", {}, h("button", { id: "unlink", class: "danger", onclick: () => unlink(app, report, placement).catch(app.fail) }, words.unlink)),
  );
}

/**
 * Keeps an option on the placement; null clears it.
 * @param {Console} app
 * @param {{id: number}} report
 * @param {Placement} placement
 * @param {Record<string, unknown>} option
 */
export async function keep(app, report, { id, workbookId, resultLocation }, option) {
  const address = { placementId: id, externalWorkbookId: workbookId, resultLocation, addressOnly: true };
  await app.api.put(app.at(`/reports/${report.id}/connect-workbook`), { ...address, ...option });
  app.notice({ sentence: text.saved });
  app.changed();
}

/**
 * A choice that is saved when it is made.
 * @param {string} id
 * @param {string} label
 * @param {Record<string, string>} labels by value
 * @param {string} chosen
 * @param {(value: string) => void} save
 */
export function choice(id, label, labels, chosen, save) {
  return h(
    "select",
    { id, "aria-label": label, onchange: (/** @type {any} */ event) => save(event.target.value) },
    Object.entries(labels).map(([value, words]) => h("option", { value, selected: value === chosen }, words)),
  );
}

/**
 * Whether rows move, as a choice that is saved when it is made, or in words where the person may not change it.
 * @param {string} label
 * @param {{"": string, yes: string, no: string}} labels "": nothing is said of it
 * @param {boolean | undefined} shiftRows
 * @param {false | ((shiftRows: boolean | null) => void)} save
 */
export function shiftChoice(label, labels, shiftRows, save) {
  const now = said(shiftRows);
  return save ? choice("shift-rows", label, labels, now, (value) => save(value === "" ? null : value === "yes")) : labels[now];
}

/**
 * A cell or columns, saved when the field is left.
 * @param {string} id
 * @param {string} label
 * @param {string} placeholder
 * @param {string} value
 * @param {(value: string) => void} save
 */
function typed(id, label, placeholder, value, save) {
  const onchange = (/** @type {any} */ event) => save(event.target.value.trim());
  return h("input", { id, type: "text", value, maxlength: 12, autocomplete: "off", placeholder, "aria-label": label, onchange });
}

/**
 * @param {Console} app
 * @param {{id: number}} report
 * @param {Placement} placement
 */
async function unlink(app, report, { id }) {
  const sure = await ask({
    title: words.unlinkSure,
    body: [h("p", {}, words.unlinkWhat)],
    choices: [{ label: words.unlink, value: true, kind: "danger" }],
    cancel: text.cancel,
  });
  if (!sure) return;
  await app.api.delete(app.at(`/reports/${report.id}/connect-workbook`), { placementId: id });
  await app.go(["reports", report.id]);
  app.notice({ sentence: words.unlinked });
}
