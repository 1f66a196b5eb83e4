import { h } from "./dom.mjs";

/** Rows rendered above and below those that are seen, lest a quick scroll shows none. */
const SPARE = 6;

/**
 * A list of rows of one height, of which only those near the window exist: thousands of them scroll as ten do. One row is current: Tab enters
 * the list there, and the arrow keys move it.
 * @template T
 */
export class VirtualList {
  /**
   * @param {{label: string, rowHeight: number, key: (item: T) => string, render: (item: T, index: number) => HTMLElement}} config
   */
  constructor({ label, rowHeight, key, render }) {
    this.rowHeight = rowHeight;
    this.key = key;
    this.render = render;
    /** @type {T[]} */
    this.items = [];
    /** @type {Map<string, {item: T, element: HTMLElement}>} */
    this.rows = new Map();
    this.current = 0;
    this.body = h("div", { class: "list-body", role: "list", "aria-label": label });
    this.element = h("div", {
      class: "list", onscroll: () => this.draw(), onkeydown: (/** @type {KeyboardEvent} */ e) => this.onKey(e),
      onfocusin: (/** @type {FocusEvent} */ e) => this.onFocus(e),
    }, this.body);
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.element);
  }

  /** @param {T[]} items */
  set(items) {
    this.items = items;
    this.current = Math.max(0, Math.min(this.current, items.length - 1));
    this.body.style.height = `${items.length * this.rowHeight}px`;
    this.draw();
  }

  /** Renders the rows near the window. A row whose item is the same object as before stays as it is. */
  draw() {
    const { scrollTop, clientHeight } = this.element;
    const from = Math.max(0, Math.floor(scrollTop / this.rowHeight) - SPARE);
    const to = Math.min(this.items.length, Math.ceil((scrollTop + clientHeight) / this.rowHeight) + SPARE);
    /** @type {number[]} */
    const wanted = [];
    for (let i = from; i < to; i++) wanted.push(i);
    const focused = this.rowOf(document.activeElement) >= 0 && this.current < this.items.length;
    if (focused && (this.current < from || this.current >= to)) wanted.push(this.current); // else its focus would be lost
    wanted.sort((a, b) => a - b);
    this.forget(new Set(wanted.map((i) => this.key(this.items[i]))));
    let next = this.body.firstElementChild;
    for (const index of wanted) {
      const element = this.row(index);
      if (element === next) next = next.nextElementSibling;
      else this.body.insertBefore(element, next);
    }
  }

  /**
   * Removes the rows whose keys are not wanted.
   * @param {Set<string>} wanted
   */
  forget(wanted) {
    for (const [key, row] of this.rows) {
      if (wanted.has(key)) continue;
      row.element.remove();
      this.rows.delete(key);
    }
  }

  /**
   * The element of the row at an index, in its place.
   * @param {number} index
   */
  row(index) {
    const item = this.items[index];
    const key = this.key(item);
    let row = this.rows.get(key);
    if (row?.item !== item) {
      const element = this.render(item, index);
      element.setAttribute("role", "listitem");
      if (row) this.replace(row.element, element);
      row = { item, element };
      this.rows.set(key, row);
    }
    row.element.style.transform = `translateY(${index * this.rowHeight}px)`;
    row.element.dataset.index = String(index);
    row.element.setAttribute("aria-posinset", String(index + 1));
    row.element.setAttribute("aria-setsize", String(this.items.length));
    for (const button of controls(row.element)) button.tabIndex = index === this.current ? 0 : -1;
    return row.element;
  }

  /**
   * Puts a row in place of its former self, the focus staying where it was.
   * @param {HTMLElement} old
   * @param {HTMLElement} element
   */
  replace(old, element) {
    const at = controls(old).indexOf(/** @type {HTMLElement} */ (document.activeElement));
    old.replaceWith(element);
    if (at >= 0) controls(element)[at]?.focus();
  }

  /**
   * The index of the row that holds an element, or -1.
   * @param {Element | null} element
   */
  rowOf(element) {
    const row = element && this.body.contains(element) ? /** @type {HTMLElement | null} */ (element.closest("[data-index]")) : null;
    return row ? Number(row.dataset.index) : -1;
  }

  /** @param {FocusEvent} event */
  onFocus(event) {
    const index = this.rowOf(/** @type {Element} */ (event.target));
    if (index < 0 || index === this.current) return;
    this.current = index;
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    const by = moves[/** @type {keyof typeof moves} */ (event.key)];
    if (by === undefined || !this.items.length) return;
    event.preventDefault();
    this.focus(Math.max(0, Math.min(this.items.length - 1, this.current + by)));
  }

  /** @param {number} index */
  focus(index) {
    this.current = index;
    const top = index * this.rowHeight;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + this.rowHeight > scrollTop + clientHeight) this.element.scrollTop = top + this.rowHeight - clientHeight;
    this.draw();
    const row = this.items.length && this.rows.get(this.key(this.items[index]));
    if (row) controls(row.element)[0]?.focus({ preventScroll: true });
  }
}

/**
 * @param {HTMLElement} row
 * @returns {HTMLElement[]}
 */
function controls(row) {
  return [.../** @type {NodeListOf<HTMLElement>} */ (row.querySelectorAll("button, a[href]"))];
}
