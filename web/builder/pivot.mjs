/** The pivot of a written query: its columns put into Rows, Columns and Values, and the totals that are shown. */
import { announce, fill, h } from "../ui/dom.mjs";
import { shownBoxes } from "./options.mjs";
import { placeOf, put } from "./state.mjs";
import { words } from "./words.mjs";
import { zones } from "./zones.mjs";

/**
 * @typedef {import("./draft.mjs").Draft} Draft
 * @typedef {import("./state.mjs").Member} Member
 */

/**
 * The columns of a result as members of a pivot, by their names: numbers are measured unless a person wants it otherwise.
 * @param {{name: string}[]} columns
 * @param {unknown[][]} rows the first ones
 * @returns {Map<string, Member>}
 */
export function columnsOf(columns, rows) {
  const isNumber = (/** @type {number} */ n) => rows.some((row) => typeof row[n] === "number");
  return new Map(columns.map(({ name }, n) => [name, { name, type: isNumber(n) ? "number" : "text", role: "column" }]));
}

export class PivotPanel {
  /**
   * @param {Draft} draft whose members are the query's columns
   * @param {() => Promise<Map<string, Member>>} read the columns of the query as it is now
   */
  constructor(draft, read) {
    this.draft = draft;
    this.read = read;
    this.columns = h("div", { class: "b-columns" });
    const { rows, columns, values } = draft.state;
    this.element = h(
      "details",
      { class: "b-card", open: rows.length + columns.length + values.length > 0, ontoggle: () => this.element.open && void this.load() },
      h("summary", {}, words.pivotPanel),
      h("p", { class: "b-hint" }, words.pivotHow),
      this.columns,
      h("div", { class: "b-zones" }, zones(draft, { sortable: false })),
      shownBoxes(draft),
    );
  }

  /** Shows the query's columns; those of a query that does not run are not known. */
  async load() {
    if (!this.element.open) return;
    this.draft.members = await this.read();
    const of = [...this.draft.members.values()];
    fill(this.columns, of.length ? of.map((one) => this.button(one)) : h("p", { class: "b-hint" }, words.noColumns));
  }

  /** @param {Member} column */
  button(column) {
    const zone = placeOf(column);
    const add = () => {
      this.draft.set(put(this.draft.state, zone, column));
      announce(words.moved(column.name, words.zones[zone]));
    };
    return h("button", { onclick: add }, h("bdi", { class: "name" }, column.name));
  }
}
