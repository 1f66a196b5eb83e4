/** Order, limit and totals of a query that is being built. */
import { h } from "../ui/dom.mjs";
import { words } from "./words.mjs";

/** @typedef {import("./draft.mjs").Draft} Draft */

/** @param {Draft} draft */
export function options(draft) {
  const { limit, offset, timezone } = draft.state;
  const order = h("p", { class: "b-hint" });
  const show = () => {
    const list = draft.state.order.map(([name, direction]) => `${draft.title(name)} (${direction === "asc" ? words.up : words.down})`);
    order.textContent = words.order(list.join(", "));
  };
  draft.followers.add(show);
  show();
  return h(
    "details",
    { class: "b-card" },
    h("summary", {}, words.options),
    order,
    h(
      "div",
      { class: "b-fields" },
      numberField(words.limit, limit, (n) => draft.set({ ...draft.state, limit: n }, { drawn: true })),
      numberField(words.offset, offset, (n) => draft.set({ ...draft.state, offset: n }, { drawn: true })),
      field(words.timezone, timezone, (text) => draft.set({ ...draft.state, timezone: text }, { drawn: true })),
    ),
    shownBoxes(draft),
  );
}

/**
 * @param {string} label
 * @param {number} value 0 is shown as none
 * @param {(n: number) => void} changed
 */
function numberField(label, value, changed) {
  const oninput = (/** @type {any} */ event) => changed(Math.max(0, Math.floor(Number(event.target.value)) || 0));
  return h("label", { class: "b-field" }, h("span", {}, label), h("input", { type: "number", min: 0, step: 1, value: value || "", oninput }));
}

/**
 * @param {string} label
 * @param {string} value
 * @param {(text: string) => void} changed
 */
function field(label, value, changed) {
  const oninput = (/** @type {any} */ event) => changed(event.target.value.trim());
  return h("label", { class: "b-field" }, h("span", {}, label), h("input", { type: "text", value, autocomplete: "off", oninput }));
}

/** What is shown beside the values. @param {Draft} draft */
export const shownBoxes = (draft) => h("div", {}, shownBox(draft, "rows"), shownBox(draft, "columns"), shownBox(draft, "filters"));

/**
 * @param {Draft} draft
 * @param {"rows" | "columns" | "filters"} which
 */
function shownBox(draft, which) {
  const onchange = (/** @type {any} */ event) =>
    draft.set({ ...draft.state, shown: { ...draft.state.shown, [which]: event.target.checked } }, { drawn: true });
  return h("label", { class: "b-check" }, h("input", { type: "checkbox", checked: draft.state.shown[which], onchange }), words.shown[which]);
}
