/** The options of a block: what people may say of how it behaves, when it is placed and later. */
import { h } from "../ui/dom.mjs";

/** What it says, in English. */
const words = {
  options: "Options",
  onEdit: "When someone edits a cell of it",
  onEditChoice: { keep: "Keep the edit", overwrite: "Write over it", stop: "Stop and ask" },
  shiftRows: "If it grows: move rows below",
  fillRight: "Formulas filled down (optional)",
  fillRightHow: "Columns to the right of the block, such as F:H, whose formulas new rows get.",
  statusCell: "Status cell (optional)",
  statusCellHow: "A cell of the same sheet, such as B1, that says when the block was refreshed.",
  save: "Save the options",
  saved: "The options are saved. They count from the next refresh on.",
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Block} Block
 * @typedef {{onEdit?: string, shiftRows?: boolean, fillRight?: string, statusCell?: string}} Options
 */

/**
 * The fields of options, which begin as they are. value returns what they say, null for what is the default.
 * @param {Options} [are]
 */
export function optionFields(are = {}) {
  const onEdit = h(
    "select",
    {},
    Object.entries(words.onEditChoice).map(([value, label]) => h("option", { value, selected: value === (are.onEdit ?? "keep") }, label)),
  );
  const shiftRows = h("input", { type: "checkbox", checked: Boolean(are.shiftRows) });
  const line = (/** @type {string} */ id, /** @type {string} */ value = "") =>
    h("input", { type: "text", "aria-describedby": id, autocomplete: "off", maxlength: 12, value });
  const fillRight = line("fill-right-how", are.fillRight);
  const statusCell = line("status-cell-how", are.statusCell);
  return {
    shiftRows,
    elements: [
      h("label", { class: "check" }, shiftRows, words.shiftRows),
      h("label", { class: "field" }, h("span", {}, words.onEdit), onEdit),
      h("label", { class: "field" }, h("span", {}, words.fillRight), fillRight),
      h("p", { class: "hint", id: "fill-right-how" }, words.fillRightHow),
      h("label", { class: "field" }, h("span", {}, words.statusCell), statusCell),
      h("p", { class: "hint", id: "status-cell-how" }, words.statusCellHow),
    ],
    value: () => ({
      onEdit: onEdit.value === "keep" ? null : onEdit.value,
      shiftRows: shiftRows.checked || null,
      fillRight: fillRight.value.trim() || null,
      statusCell: statusCell.value.trim() || null,
    }),
  };
}

/**
 * Changes options of a block, which stays where it is and whose it is. What its last run met is over then.
 * @param {Pane} pane
 * @param {Block} block
 * @param {Record<string, unknown>} options
 */
export async function setOptions(pane, { deployment, report, placement }, options) {
  const { id, workbookId, resultLocation, sheetName, anchorCell, host } = placement;
  const body = { placementId: id, externalWorkbookId: workbookId, resultLocation, sheetName, anchorCell, host, addressOnly: true, ...options };
  await pane.api.put(`/deployments/${deployment}/reports/${report}/connect-workbook`, body, { headers: { Prefer: "return=minimal" } });
  await pane.readReport(report);
}

/**
 * The options of a block, to be changed.
 * @param {Pane} pane
 * @param {Block} block
 * @param {boolean} [open] they are in sight
 */
export function optionsCard(pane, block, open = false) {
  const fields = optionFields(block.placement);
  const save = h("button", { id: "save-options" }, words.save);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (save.ariaDisabled) return;
    save.ariaDisabled = "true"; // a disabled one would lose the focus
    try {
      await setOptions(pane, block, fields.value());
      pane.notice({ sentence: words.saved });
    } catch (error) {
      pane.fail(error);
    }
    save.ariaDisabled = null;
  };
  return h("details", { class: "card", open }, h("summary", {}, words.options), h("form", { onsubmit: submit }, fields.elements, save));
}
