/** How a block is refreshed, and ending that it is. */
import { ask, h } from "../ui/dom.mjs";
import { facts, name } from "./show.mjs";
import { text } from "./text.mjs";

/**
 * @typedef {import("./console.mjs").Console} Console
 * @typedef {import("./placements.mjs").Placement} Placement
 */

/**
 * @param {Console} app
 * @param {{id: number}} report
 * @param {Placement} placement
 * @param {boolean} mine whether the person may change them
 */
export function settings(app, report, placement, mine) {
  const { onEdit, shiftRows, statusCell, fillRight } = placement;
  return [
    h(
      "div",
      { class: "card" },
      facts([
        [
          text.onEdit,
          mine ? onEditChoice(app, report, placement) : text.onEditChoice[/** @type {keyof typeof text.onEditChoice} */ (onEdit ?? "")],
        ],
        [text.shiftRows, shiftRows === undefined ? null : shiftRows ? text.yes : text.no],
        [text.statusCell, statusCell && name(statusCell)],
        [text.fillRight, fillRight && name(fillRight)],
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
 * @param {Console} app
 * @param {{id: number}} report
 * @param {Placement} placement
 */
function onEditChoice(app, report, { id, workbookId, resultLocation, onEdit = "" }) {
  const save = async (/** @type {any} */ event) => {
    const address = { placementId: id, externalWorkbookId: workbookId, resultLocation, addressOnly: true };
    await app.api.put(app.at(`/reports/${report.id}/connect-workbook`), { ...address, onEdit: event.target.value || null });
    app.notice({ sentence: text.saved });
    app.changed();
  };
  const options = Object.entries(text.onEditChoice).map(([value, label]) => h("option", { value, selected: value === onEdit }, label));
  return h(
    "select",
    { id: "on-edit", "aria-label": text.onEdit, onchange: (/** @type {any} */ event) => save(event).catch(app.fail) },
    options,
  );
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
