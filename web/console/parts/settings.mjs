/** How a block is refreshed, and ending that it is. */
import { ask, h } from "../../ui/dom.mjs";
import { facts, name } from "../show.mjs";
import { text } from "../text.mjs";

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
  const shifts = shiftRows === undefined ? "" : shiftRows ? "yes" : "no";
  return [
    h(
      "div",
      { class: "card" },
      facts([
        [
          text.onEdit,
          mine
            ? choice("on-edit", text.onEdit, text.onEditChoice, onEdit ?? "", (value) => save({ onEdit: value || null }))
            : text.onEditChoice[/** @type {keyof typeof text.onEditChoice} */ (onEdit ?? "")],
        ],
        [
          text.shiftRows,
          mine
            ? choice("shift-rows", text.shiftRows, text.shiftRowsChoice, shifts, (value) =>
                save({ shiftRows: value === "" ? null : value === "yes" }),
              )
            : text.shiftRowsChoice[shifts],
        ],
        [text.statusCell, statusCell && name(statusCell)],
        [text.fillRight, mine ? columnsField(fillRight ?? "", (value) => save({ fillRight: value || null })) : fillRight && name(fillRight)],
      ]),
      mine &&
        h(
          "p",
          {},
          h("button", { id: "unlink", class: "danger", onclick: () => unlink(app, report, placement).catch(app.fail) }, text.unlink),
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
    placeholder: text.fillRightHow,
    "aria-label": text.fillRight,
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
    title: text.unlinkSure,
    body: [h("p", {}, text.unlinkWhat)],
    choices: [{ label: text.unlink, value: true, kind: "danger" }],
    cancel: text.cancel,
  });
  if (!sure) return;
  await app.api.delete(app.at(`/reports/${report.id}/connect-workbook`), { placementId: id });
  await app.go(["reports", report.id]);
  app.notice({ sentence: text.unlinked });
}
