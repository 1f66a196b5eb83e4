/** The cells of a block that people changed and that refreshes keep, until the source's values are taken. */
import { fill, h } from "../../ui/dom.mjs";
import { cellText, count } from "../../ui/text.mjs";
import { name, time } from "../show.mjs";
import { text } from "../text.mjs";
import { Table } from "./table.mjs";

/** What it says, in English. */
const words = {
  editsWhy: "Cells that people changed. Refreshes keep them until the source’s values are taken.",
  noEdits: "No cell is edited.",
  cell: "Cell",
  column: "Column",
  yours: "In the sheet",
  source: "Source",
  seen: "Seen",
  insertedRow: "inserted row",
  returned: "The next refresh takes the source’s value.",
  chooseCell: (/** @type {string} */ cell) => `Take the source’s value in ${cell}`,
  takeSource: (/** @type {number} */ n) => (n ? `Take the source’s value in ${count(n, "cell")}` : "Take the source’s values"),
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").Edit} Edit
 */

export class Edits {
  /**
   * @param {Console} app
   * @param {string} path of the block's edits
   * @param {() => boolean} may whether the person may take the source's values
   * @param {() => Promise<void>} taken refreshes the block after that
   */
  constructor(app, path, may, taken) {
    this.app = app;
    this.path = path;
    this.may = may;
    this.taken = taken;
    /** @type {Set<string>} the cells that are chosen */
    this.chosen = new Set();
    this.table = new Table(app, { label: text.edits, path, columns: this.columns(), empty: words.noEdits });
    this.buttons = h("p", {});
    this.element = h("div", { class: "stack" }, h("p", { class: "muted" }, words.editsWhy), this.table.element, this.buttons);
  }

  /** @returns {import("./table.mjs").Column<Edit>[]} */
  columns() {
    return [
      { head: words.cell, cell: (edit) => [this.choice(edit), name(edit.cell, { max: 40 })] },
      { head: words.column, cell: ({ column, inserted }) => (inserted ? words.insertedRow : name(column, { max: 60 })) },
      {
        head: words.yours,
        cell: (edit) =>
          edit.yours === undefined ? h("span", { class: "muted" }, text.hidden) : name(cellText(edit.yours), { empty: text.emptyCell }),
      },
      {
        head: words.source,
        cell: ({ yours, source, inserted }) => (yours === undefined || inserted ? null : name(cellText(source), { empty: text.emptyCell })),
      },
      { head: words.seen, cell: ({ seenAt, returned }) => [time(seenAt), returned && h("p", { class: "muted" }, words.returned)] },
    ];
  }

  /** @param {Edit} edit */
  choice({ cell, inserted, returned }) {
    if (inserted || returned || !this.may()) return null;
    const onchange = (/** @type {any} */ event) => {
      if (event.target.checked) this.chosen.add(cell);
      else this.chosen.delete(cell);
      this.showButtons();
    };
    return h("input", {
      type: "checkbox",
      id: `edit-${cell}`,
      checked: this.chosen.has(cell),
      "aria-label": words.chooseCell(cell),
      onchange,
    });
  }

  showButtons() {
    const take = async () => {
      const cells = [...this.chosen].map((cell) => cell.split("!").pop());
      await this.app.api.delete(this.path, { cells });
      this.chosen.clear();
      await this.taken();
    };
    const n = this.chosen.size;
    fill(
      this.buttons,
      this.may() &&
        this.table.items.length > 0 &&
        h("button", { id: "take-source", disabled: n === 0, onclick: () => take().catch(this.app.fail) }, words.takeSource(n)),
    );
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    await this.table.load(signal);
    this.showButtons();
  }
}
