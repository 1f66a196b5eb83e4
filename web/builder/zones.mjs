/** Rows, Columns and Values: what stands in them, and how it is moved, grouped, sorted and taken out. */
import { announce, fill, h, mark } from "../ui/dom.mjs";
import { DRAGGED, KEYS } from "./members.mjs";
import { GRAINS, columnOf, fits, group, isTime, put, shift, sort, take } from "./state.mjs";
import { words } from "./words.mjs";

/**
 * @typedef {import("./draft.mjs").Draft} Draft
 * @typedef {import("./state.mjs").Dimension} Dimension
 * @typedef {import("./state.mjs").Direction} Direction
 * @typedef {"rows" | "columns" | "values"} Zone
 * @typedef {{name: string, zone?: Zone, n?: number}} Dragged zone, n: where it stood
 */

/**
 * A zone with its heading, into which members are dragged.
 * @param {Draft} draft
 * @param {import("./state.mjs").Zone} zone
 * @param {() => import("../ui/dom.mjs").Child[]} content
 */
export function zoneOf(draft, zone, content) {
  const list = h("ul", { class: "b-chips" });
  const element = h(
    "section",
    {
      class: "b-zone",
      "data-zone": zone,
      "aria-label": words.zones[zone],
      ondragover: (/** @type {DragEvent} */ event) => over(event, element),
      ondragleave: () => element.classList.remove("b-over"),
      ondrop: (/** @type {DragEvent} */ event) => dropped(draft, zone, event, element),
    },
    h("h3", {}, words.zones[zone]),
    list,
  );
  const show = () => {
    const chips = content();
    fill(list, chips.length ? chips : h("li", { class: "b-none" }, words.zoneEmpty[zone]));
  };
  draft.followers.add((drawn) => !drawn && show());
  show();
  return element;
}

/**
 * @param {DragEvent} event
 * @param {HTMLElement} element
 */
function over(event, element) {
  if (!event.dataTransfer?.types.includes(DRAGGED)) return;
  event.preventDefault();
  element.classList.add("b-over");
}

/**
 * @param {Draft} draft
 * @param {import("./state.mjs").Zone} zone
 * @param {DragEvent} event
 * @param {HTMLElement} element
 */
function dropped(draft, zone, event, element) {
  element.classList.remove("b-over");
  const data = event.dataTransfer?.getData(DRAGGED);
  if (!data) return;
  event.preventDefault();
  /** @type {Dragged} */
  const { name, zone: from, n = 0 } = JSON.parse(data);
  const chips = [...element.querySelectorAll(".b-chip")];
  const at = chips.findIndex((chip) => event.clientY < chip.getBoundingClientRect().bottom);
  if (from && from === zone) return draft.set(shift(draft.state, zone, n, (at < 0 ? chips.length : at) - n));
  const member = draft.member(name, from === "values" ? "measure" : "dimension");
  if (fits(member, zone)) draft.set(put(draft.state, zone, member));
}

/**
 * @param {Draft} draft
 * @param {{sortable?: boolean}} [how] sortable: the query can be sorted here
 */
export function zones(draft, { sortable = true } = {}) {
  const dimensions = (/** @type {"rows" | "columns"} */ zone) => () =>
    draft.state[zone].map((one, n) => dimensionChip(draft, zone, n, one, sortable));
  return [
    zoneOf(draft, "rows", dimensions("rows")),
    zoneOf(draft, "columns", dimensions("columns")),
    zoneOf(draft, "values", () => draft.state.values.map((name, n) => chip(draft, "values", n, name, name, [sortable && sortButton(draft, name, idOf(name))]))),
  ];
}

/**
 * @param {Draft} draft
 * @param {"rows" | "columns"} zone
 * @param {number} n
 * @param {Dimension} dimension
 * @param {boolean} sortable
 */
function dimensionChip(draft, zone, n, dimension, sortable) {
  const { member, grain } = dimension;
  const other = zone === "rows" ? "columns" : "rows";
  const verb = zone === "rows" ? words.toColumns : words.toRows;
  const title = draft.title(member);
  const id = idOf(columnOf(dimension));
  return chip(
    draft,
    zone,
    n,
    member,
    columnOf(dimension),
    [
      (grain || isTime(draft.member(member).type)) && grainChoice(draft, zone, n, dimension, id),
      h("button", { id: `${id}-to`, class: "plain", "aria-label": words.move(verb, title), onclick: () => move(draft, other, member, `${id}-to`) }, verb),
      sortable && sortButton(draft, member, id),
    ],
  );
}

/**
 * The button that takes something out of a zone.
 * @param {string} id
 * @param {string} title of what
 * @param {() => void} remove
 * @param {string} [tip]
 */
export const removeButton = (id, title, remove, tip) =>
  h("button", { id, class: "plain b-gone", "aria-label": words.remove(title), title: tip, onclick: remove }, mark("gone"));

/** @param {string} column */
const idOf = (column) => `b-${column.replace(/\W/g, "-")}`;

/**
 * @param {Draft} draft
 * @param {Zone} zone
 * @param {number} n
 * @param {string} member
 * @param {string} column
 * @param {import("../ui/dom.mjs").Child[]} more
 */
function chip(draft, zone, n, member, column, more) {
  const title = draft.title(member);
  const id = idOf(column);
  const data = JSON.stringify({ name: member, zone, n });
  return h(
    "li",
    {
      class: "b-chip",
      draggable: "true",
      ondragstart: (/** @type {DragEvent} */ event) => event.dataTransfer?.setData(DRAGGED, data),
      onkeydown: (/** @type {KeyboardEvent} */ event) => onKey(draft, zone, n, member, event),
    },
    h("bdi", { class: "b-title", title: member }, title),
    h("span", { class: "b-controls" }, more, removeButton(`${id}-gone`, title, () => remove(draft, zone, n), words.reorder)),
  );
}

/**
 * @param {Draft} draft
 * @param {"rows" | "columns"} zone
 * @param {number} n
 * @param {Dimension} dimension
 * @param {string} id
 */
function grainChoice(draft, zone, n, { member, grain }, id) {
  const grains = grain && !GRAINS.includes(grain) ? [...GRAINS, grain] : GRAINS;
  const option = (/** @type {string} */ value, /** @type {string} */ label) => h("option", { value, selected: value === grain }, label);
  return h(
    "select",
    {
      id: `${id}-grain`,
      "aria-label": words.grain(draft.title(member)),
      onchange: (/** @type {any} */ event) => {
        draft.set(group(draft.state, zone, n, event.target.value));
        document.getElementById(`${idOf(columnOf(draft.state[zone][n]))}-grain`)?.focus();
      },
    },
    option("", words.grainless),
    grains.map((one) => option(one, one)),
  );
}

/**
 * @param {Draft} draft
 * @param {string} member
 * @param {string} id
 */
function sortButton(draft, member, id) {
  /** @type {Record<string, Direction | "">} */
  const next = { "": "asc", asc: "desc", desc: "" };
  const now = draft.state.order.find(([name]) => name === member)?.[1] ?? "";
  const how = words.sorted[now];
  return h(
    "button",
    { id: `${id}-sort`, class: "plain", "aria-label": words.sortedBy(how, draft.title(member)), onclick: () => draft.set(sort(draft.state, member, next[now])) },
    how,
  );
}

/**
 * @param {Draft} draft
 * @param {"rows" | "columns"} zone
 * @param {string} member
 * @param {string} focus the control that has the focus afterwards
 */
function move(draft, zone, member, focus) {
  draft.set(put(draft.state, zone, draft.member(member)));
  announce(words.moved(draft.title(member), words.zones[zone]));
  document.getElementById(focus)?.focus();
}

/**
 * @param {Draft} draft
 * @param {Zone} zone
 * @param {number} n
 */
function remove(draft, zone, n) {
  draft.set(take(draft.state, zone, n));
  const left = document.querySelectorAll(`.b-zone[data-zone=${zone}] .b-chip`);
  const next = /** @type {HTMLElement | null | undefined} */ (left[Math.min(n, left.length - 1)]?.querySelector(".b-gone"));
  (next ?? document.getElementById("b-search"))?.focus();
}

/**
 * @param {Draft} draft
 * @param {Zone} zone
 * @param {number} n
 * @param {string} member
 * @param {KeyboardEvent} event
 */
function onKey(draft, zone, n, member, event) {
  const steps = /** @type {Record<string, number>} */ ({ ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 });
  const focus = /** @type {HTMLElement} */ (event.target).id;
  if (/** @type {HTMLElement} */ (event.target).tagName === "SELECT" && !event.altKey) return;
  if (event.altKey && steps[event.key]) draft.set(shift(draft.state, zone, n, steps[event.key]));
  else if (event.key === "Delete") return remove(draft, zone, n);
  else {
    const to = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key.toLowerCase()];
    const known = draft.member(member, zone === "values" ? "measure" : "dimension");
    if (!to || to === zone || !fits(known, to)) return;
    draft.set(put(draft.state, to, known));
  }
  event.preventDefault();
  document.getElementById(focus)?.focus();
}
