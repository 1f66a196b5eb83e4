/** How a block is refreshed, and ending that it is. */
import { ask, h } from "../../ui/dom.mjs";
import { facts, name } from "../show.mjs";
import { text } from "../text.mjs";

/** What it says, in English. */
const words = {
  onEdit: "When a cell is edited in the sheet",
  onEditChoice: { "": "As usual: keep the edit", keep: "Keep the edit", overwrite: "Write over it", stop: "Stop and ask" },
  shiftRows: "Rows below the block",
  shiftRowsChoice: { "": "As usual: they stay", yes: "They move with it", no: "They stay" },
  statusCell: "Status cell",
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
 * @param {boolean} mine whether the person may change them
 */
export function settings(app, report, placement, mine) {
  const { onEdit, shiftRows, statusCell, fillRight } = placement;
  const save = (/** @type {Record<string, unknown>} */ option) => keep(app, report, placement, option).catch(app.fail);
  return [
    h(
      "div",
      { class: "card" },
      facts([
        [
          words.onEdit,
          mine
            ? choice("on-edit", words.onEdit, words.onEditChoice, onEdit ?? "", (value) => save({ onEdit: value || null }))
            : words.onEditChoice[/** @type {keyof typeof words.onEditChoice} */ (onEdit ?? "")],
        ],
        [words.shiftRows, shiftChoice(words.shiftRows, words.shiftRowsChoice, shiftRows, mine && ((said) => save({ shiftRows: said })))],
        [words.statusCell, statusCell && name(statusCell)],
        [words.fillRight, mine ? columnsField(fillRight ?? "", (value) => save({ fillRight: value || null })) : fillRight && name(fillRight)],
      ]),
      mine &&
        h(
          "p",
          {},
          h("button", { id: "unlink", class: "danger", onclick: () => unlink(app, report, placement).catch(app.fail) }, words.unlink),
        ),
    ),
  ];
}

/**
 * Keeps an option on the placement; null clears it.
 * @param {Console} app
 * @param {{id: number}} report
 * @param {Placement} placement
 * @param {Record<string, unknown>} option
 */
async function keep(app, report, { id, workbookId, resultLocation }, option) {
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
function choice(id, label, labels, chosen, save) {
  const options = Object.entries(labels).map(([value, words]) => h("option", { value, selected: value === chosen }, words));
  return h("select", { id, "aria-label": label, onchange: (/** @type {any} */ event) => save(event.target.value) }, options);
}

/**
 * Whether rows move, as a choice that is saved when it is made, or in words where the person may not change it.
 * @param {string} label
 * @param {{"": string, yes: string, no: string}} labels "": nothing is said of it
 * @param {boolean | undefined} shiftRows
 * @param {false | ((shiftRows: boolean | null) => void)} save
 */
export function shiftChoice(label, labels, shiftRows, save) {
  const said = shiftRows === undefined ? "" : shiftRows ? "yes" : "no";
  return save ? choice("shift-rows", label, labels, said, (value) => save(value === "" ? null : value === "yes")) : labels[said];
}

/**
 * The columns whose formulas are filled down, saved when the field is left.
 * @param {string} value
 * @param {(value: string) => void} save
 */
function columnsField(value, save) {
  return h("input", {
    id: "fill-right",
    type: "text",
    value,
    maxlength: 12,
    autocomplete: "off",
    placeholder: words.fillRightHow,
    "aria-label": words.fillRight,
    onchange: (/** @type {any} */ event) => save(event.target.value.trim()),
  });
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
