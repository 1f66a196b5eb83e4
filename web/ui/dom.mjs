/**
 * Elements, and state that shows in them. Text is always text: nothing in the faces parses markup, so that no name of a report or value of
 * a cell can become a part of a page.
 */

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
 * Replaces what an element holds. What had the focus keeps it if something of the same id is there afterwards.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement?.id : "";
  element.replaceChildren(...nodes(children));
  if (focused) document.getElementById(focused)?.focus();
}

/** The outlines of the marks, on a field of 16 × 16. */
const OUTLINES = {
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
};

/** @typedef {keyof typeof OUTLINES} Mark */

/**
 * A mark drawn inline, in the colour of the text around it. It is hidden from screen readers: words beside it say what it means.
 * @param {Mark} name
 * @returns {SVGElement}
 */
export function mark(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 16 16", class: `mark mark-${name}`, "aria-hidden": "true" })) svg.setAttribute(key, value);
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
 * @param {{title: string, body?: (Child | Child[])[], choices: {label: string, value: T, kind?: "primary" | "danger"}[], cancel: string}} question
 * @returns {Promise<T | undefined>}
 */
export function ask({ title, body = [], choices, cancel }) {
  return new Promise((resolve) => {
    /** @type {T | undefined} */
    let chosen;
    const dialog = h("dialog", { "aria-labelledby": "dialog-title", onclose: () => { dialog.remove(); resolve(chosen); } },
      h("h2", { id: "dialog-title" }, title), ...nodes(body),
      h("div", { class: "choices" },
        choices.map(({ label, value, kind }) => h("button", { class: kind, onclick: () => { chosen = value; dialog.close(); } }, label)),
        h("button", { onclick: () => dialog.close() }, cancel)));
    document.body.append(dialog);
    dialog.showModal();
  });
}
