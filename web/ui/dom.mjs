/**
 * Elements, and state that shows in them. Text is always text: nothing in the faces parses markup, so that no name of a report or value of
 * a cell can become a part of a page.
 */

import { nextTryWords, zoneShown } from "./text.mjs";

/** What it says, in English. */
const words = {
  zone: "Times in",
  zoneYours: (/** @type {string} */ zone, /** @type {string} */ time) => `Your browser’s clock is that of ${zone}: ${time}`,
  zoneIsYours: "Your browser’s clock is the same",
};

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Makes an element. Of props, functions become listeners (onclick), class and dataset mean what they do in HTML, true and false set and
 * leave out an attribute, and all else becomes an attribute.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) setProp(element, name, value);
  element.append(...nodes(children));
  return element;
}

/**
 * @param {HTMLElement} element
 * @param {string} name
 * @param {unknown} value
 */
function setProp(element, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (typeof value === "function") {
    element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
  } else if (name === "value") {
    /** @type {HTMLInputElement} */ (element).value = String(value);
  } else if (name === "href" && !/^(https?:|\/|#|\.)/.test(String(value))) {
    throw new TypeError(`not an address to lead to: ${value}`); // such as javascript:
  } else {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @param {(Child | Child[])[]} children
 * @returns {(Node | string)[]}
 */
function nodes(children) {
  return children.flat().flatMap((child) => {
    if (child === null || child === undefined || child === false) return [];
    return [child instanceof Node ? child : String(child)];
  });
}

/**
 * Replaces what an element holds. What had the focus keeps it if something of the same id is there afterwards, or a link to the same place.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  element.replaceChildren(...nodes(children));
  if (focused?.id) return document.getElementById(focused.id)?.focus();
  const href = focused?.getAttribute("href");
  if (href) [...element.querySelectorAll("a")].find((link) => link.getAttribute("href") === href)?.focus({ preventScroll: true });
}

/** The outlines of the marks, on a field of 16 × 16. */
export const OUTLINES = {
  check: "M3 8.5l3.5 3.5L13 5",
  alert: "M8 2.5l6 11H2zM8 6.5v3.5M8 12v.1",
  hand: "M11.5 2.5l2 2L6 12l-3 1 1-3z",
  refresh: "M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3",
  clock: "M8 2.5a5.5 5.5 0 1 0 .01 0M8 5v3l2 1.5",
  lock: "M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
  plus: "M8 3v10M3 8h10",
  next: "M6 3.5L10.5 8 6 12.5",
  back: "M10 3.5L5.5 8l4.5 4.5",
  circle: "M8 3a5 5 0 1 0 .01 0",
  gone: "M4 4l8 8M12 4l-8 8",
  person: "M8 2.5a2.5 2.5 0 1 0 .01 0M3 13.5c0-3 2-4.5 5-4.5s5 1.5 5 4.5",
  away: "M2 6.5c3.5-3 8.5-3 12 0M4.5 9.5c2-1.700 5-1.700 7 0M8 12.5v.1M3 2.5l10 11",
  target: "M8 4.5a3.5 3.5 0 1 0 .01 0M8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3",
  down: "M3.5 6L8 10.5 12.5 6",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
};

/** @typedef {keyof typeof OUTLINES} Mark */
/** @typedef {{mark: Mark, tone: string}} Look */

/** How the statuses of blocks look, the worst first: never by their colour alone. @type {Record<string, Look>} */
export const STATUSES = {
  CONFLICT: { mark: "hand", tone: "warn" },
  FAILED: { mark: "alert", tone: "bad" },
  CHANGED: { mark: "refresh", tone: "accent" },
  UNKNOWN: { mark: "circle", tone: "muted" },
  REFRESHING: { mark: "refresh", tone: "accent" },
  UP_TO_DATE: { mark: "check", tone: "good" },
  WAITING: { mark: "clock", tone: "muted" },
};

/**
 * A mark drawn inline, in the colour of the text around it. It is hidden from screen readers: words beside it say what it means.
 * @param {Mark} name
 * @returns {SVGElement}
 */
export function mark(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 16 16", class: `mark mark-${name}`, "aria-hidden": "true" }))
    svg.setAttribute(key, value);
  const path = document.createElementNS(svg.namespaceURI, "path");
  path.setAttribute("d", OUTLINES[name]);
  svg.append(path);
  return /** @type {SVGElement} */ (svg);
}

/**
 * A value that others watch.
 * @template {object} S
 */
export class Store {
  /** @param {S} state */
  constructor(state) {
    this.state = state;
    /** @type {Set<() => void>} */
    this.watchers = new Set();
    this.due = false;
  }

  /**
   * Changes some members. Watchers are told once for all changes of one turn.
   * @param {Partial<S>} change
   */
  set(change) {
    this.state = { ...this.state, ...change };
    if (this.due) return;
    this.due = true;
    queueMicrotask(() => {
      this.due = false;
      for (const watcher of [...this.watchers]) watcher();
    });
  }

  /**
   * Calls fn now and whenever what select picks has changed, until the element is no longer part of the document.
   * @template T
   * @param {Element} element
   * @param {(state: S) => T} select
   * @param {(value: T) => void} fn
   */
  watch(element, select, fn) {
    let last = select(this.state);
    let shown = false;
    const watcher = () => {
      shown ||= element.isConnected;
      if (shown && !element.isConnected) return void this.watchers.delete(watcher);
      const value = select(this.state);
      if (value === last) return;
      last = value;
      fn(value);
    };
    this.watchers.add(watcher);
    fn(last);
  }
}

/**
 * Lets a screen reader say a sentence; the page has an element #announcer for it.
 * @param {string} sentence
 */
export function announce(sentence) {
  const element = document.getElementById("announcer");
  if (element) element.textContent = sentence;
}

/**
 * Asks the person to choose, and resolves to the chosen value, or to undefined when they turn away.
 * @template T
 * @param {object} question
 * @param {string} question.title
 * @param {(Child | Child[])[]} [question.body]
 * @param {{label: string, value: T, kind?: "primary" | "danger"}[]} question.choices
 * @param {string} question.cancel what turning away is called
 * @returns {Promise<T | undefined>}
 */
export function ask({ title, body = [], choices, cancel }) {
  return new Promise((resolve) => {
    /** @type {T | undefined} */
    let chosen;
    const dialog = h(
      "dialog",
      {
        "aria-labelledby": "dialog-title",
        onclose: () => {
          dialog.remove();
          resolve(chosen);
        },
      },
      h("h2", { id: "dialog-title" }, title),
      ...nodes(body),
      h(
        "div",
        { class: "choices" },
        choices.map(({ label, value, kind }) =>
          h(
            "button",
            {
              class: kind,
              onclick: () => {
                chosen = value;
                dialog.close();
              },
            },
            label,
          ),
        ),
        h("button", { onclick: () => dialog.close() }, cancel),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** @type {ReturnType<typeof setInterval> | undefined} */
let clock;

/** Makes the words of all next tries that are shown true again, and the names of what they are a part of. */
function tick() {
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("time.next-try"))) {
    const before = one.textContent ?? "";
    const words = nextTryWords(one.getAttribute("datetime") ?? "");
    if (before === words) continue;
    one.textContent = words;
    const named = one.closest("[aria-label]");
    named?.setAttribute("aria-label", (named.getAttribute("aria-label") ?? "").replace(before, words));
  }
}

/**
 * The next try as an element whose words stay true as time passes.
 * @param {string} iso
 */
export function nextTry(iso) {
  clock ??= setInterval(tick, 1000);
  return h("time", { class: "next-try", datetime: iso }, nextTryWords(iso));
}

/** Whose clocks the times of a page are of, which its head says once; the browser's where a pointer rests. */
export function zone() {
  const [there, here] = [zoneShown(), Intl.DateTimeFormat().resolvedOptions().timeZone];
  const title = there === here ? words.zoneIsYours : words.zoneYours(here, new Date().toLocaleTimeString("en-GB", { timeStyle: "short" }));
  return h("p", { id: "zone", class: "muted", title }, h("span", {}, words.zone, " "), there);
}

// ---- lists -----------------------------------------------------------------------------------------------------

/** Rows rendered above and below those that are seen, lest a quick scroll shows none. */
const SPARE = 6;

/**
 * A list of rows of one height, of which only those near the window exist: thousands of them scroll as ten do. One row is current: Tab
 * enters the list there, and the arrow keys move it.
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
    this.element = h(
      "div",
      {
        class: "list",
        onscroll: () => this.draw(),
        onkeydown: (/** @type {KeyboardEvent} */ e) => this.onKey(e),
        onfocusin: (/** @type {FocusEvent} */ e) => this.onFocus(e),
      },
      this.body,
    );
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
      if (next && !next.isConnected) next = element; // it was rendered anew
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
