/** A list of the server's that pages by cursor, as a table; on a narrow screen each row is a card. */
import { fill, h } from "../../ui/dom.mjs";

/** What it says, in English. */
const words = {
  more: "Show more",
  actions: "Actions",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../ui/dom.mjs").Child} Child
 */

/** How many rows are read at first, and with each step further; how many in a request at most. */
const PAGE = 100;
const REQUEST = 500;

/**
 * @template T
 * @typedef {{head: string, over?: () => Child, cell: (item: T) => Child | Child[], class?: string}} Column over: what stands below the
 *   head, above all cells
 */

/** What in a row can have the focus. */
const CONTROLS = /** @type {"button"} */ ("a, button, input");

/**
 * Where in the body of a table the focus is.
 * @param {HTMLElement} body
 */
function place(body) {
  const focused = document.activeElement;
  const row = focused?.closest("tr");
  if (!focused || !row || !body.contains(row)) return null;
  return { row: [...body.children].indexOf(row), control: [...row.querySelectorAll(CONTROLS)].indexOf(/** @type {any} */ (focused)) };
}

/** @template T */
export class Table {
  /**
   * @param {Console} app
   * @param {{label: string, path: string, columns: Column<T>[], empty: Child, page?: number}} config path: below /api/v1, its filters
   *   included; empty: what is said when there is no item; page: how many items are read at first
   */
  constructor(app, { label, path, columns, empty, page = PAGE }) {
    this.app = app;
    this.path = path;
    this.columns = columns;
    this.empty = empty;
    this.page = page;
    this.wanted = page;
    /** @type {T[]} */
    this.items = [];
    this.body = h("tbody", { role: "rowgroup" });
    const heads = columns.map(({ head, over, class: c }) =>
      h("th", { scope: "col", role: "columnheader", class: c }, head || h("span", { class: "spoken" }, words.actions), over?.()),
    );
    this.table = h(
      "table",
      { role: "table", "aria-label": label },
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)),
      this.body,
    );
    this.foot = h("p", { class: "foot" });
    this.element = h("div", { class: "table" }, this.table, this.foot);
  }

  /**
   * Reads as many items as are shown, at least a page of them, and shows them.
   * @param {AbortSignal} [signal]
   */
  load = async (signal) => {
    const { items, more } = await readItems(this.app, this.path, this.wanted, signal);
    this.items = items;
    const rows = items.map((item) => this.row(item));
    const focused = place(this.body);
    fill(
      this.body,
      rows.length ? rows : h("tr", { role: "row" }, h("td", { role: "cell", class: "empty", colspan: this.columns.length }, this.empty)),
    );
    const id = `more-${this.path.replace(/\W+/g, "-")}`;
    fill(this.foot, more && h("button", { id, onclick: () => this.showMore().catch(this.app.fail) }, words.more));
    if (focused && !this.body.contains(document.activeElement)) rows[focused.row]?.querySelectorAll(CONTROLS)[focused.control]?.focus();
  };

  async showMore() {
    this.wanted = this.items.length + this.page;
    await this.load();
  }

  /** @param {T} item */
  row(item) {
    const cells = this.columns.map(({ head, cell, class: c }, i) =>
      i === 0
        ? h("th", { scope: "row", role: "rowheader", class: c }, cell(item))
        : h("td", { role: "cell", class: c, "data-head": head }, cell(item)),
    );
    return h("tr", { role: "row" }, cells);
  }
}

/**
 * The first items of a list. A page of the server may be short, and have a next one.
 * @param {Console} app
 * @param {string} path
 * @param {number} wanted
 * @param {AbortSignal} [signal]
 * @returns {Promise<{items: any[], more: boolean}>}
 */
export async function readItems(app, path, wanted, signal) {
  const items = [];
  for (let after = ""; ;) {
    const first = Math.min(REQUEST, wanted - items.length);
    const query = `${path.includes("?") ? "&" : "?"}first=${first}${after && `&after=${encodeURIComponent(after)}`}`;
    const page = await app.api.get(path + query, { signal });
    items.push(...page.items);
    if (!page.pageInfo.hasNextPage) return { items, more: false };
    if (items.length >= wanted) return { items, more: true };
    after = page.pageInfo.endCursor;
  }
}
