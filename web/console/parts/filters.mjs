/** The filters of a list. They stand in the address: a filtered list can be sent to others, and Back leads to the one before. */
import { h } from "../../ui/dom.mjs";
import { when } from "../../ui/text.mjs";
import { text } from "../text.mjs";
import { suggestField } from "./suggest.mjs";

/** What it says, in English. */
const words = {
  filtersClear: "Clear the filters",
  anyTime: "Any time",
  since: (/** @type {string} */ time) => `Since ${time}`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../addresses.mjs").Route} Route
 * @typedef {{name: string, label: string, options?: [value: string, label: string][], type?: "text" | "since" | import("./suggest.mjs").Kind}} Field
 *   options: to choose from, the empty value for all; of a report, a person or a document its name is typed and suggested
 */

/** How far back a list may be asked to reach. */
const REACH = { "24h": 1, "7d": 7, "30d": 30 };

/**
 * @param {Console} app
 * @param {Route} route
 * @param {Field[]} fields
 */
export function filterBar(app, route, fields) {
  const apply = (/** @type {string} */ name, /** @type {string} */ value) =>
    app.go(route.screen.includes("/") ? pathOf(route) : [route.screen], { ...route.filters, [name]: value });
  const known = fields.map((field) => control(app, field, route.filters[field.name] ?? "", apply));
  const set = Object.keys(route.filters).length > 0;
  const clear = set && h("button", { class: "plain", id: "filters-clear", onclick: () => app.go(pathOf(route)) }, words.filtersClear);
  return h("form", { class: "filters", role: "search", onsubmit: (/** @type {Event} */ e) => e.preventDefault() }, known, clear);
}

/** @param {Route} route */
function pathOf({ screen, ids }) {
  const left = [...ids];
  return screen.split("/").map((part) => (part.startsWith(":") ? (left.shift() ?? "") : part));
}

/**
 * Whether a list is narrowed by any of some filters.
 * @param {Record<string, string | undefined>} filter
 */
export const isNarrowed = (filter) => Object.values(filter).some(Boolean);

/**
 * @param {Console} app
 * @param {Field} field
 * @param {string} value
 * @param {(name: string, value: string) => void} apply
 */
function control(app, { name, label, options, type = "text" }, value, apply) {
  const id = `filter-${name}`;
  if (type !== "text" && type !== "since") {
    const chosen = (/** @type {string} */ one) => void (one !== value && apply(name, one));
    return h("label", { class: "field", for: id }, h("span", {}, label), suggestField(app, { id, kind: type, value, chosen }).elements);
  }
  const choices = type === "since" ? sinceOptions(value) : options;
  const onchange = (/** @type {any} */ event) => apply(name, type === "since" ? instant(event.target.value) : event.target.value.trim());
  const input = choices
    ? h(
        "select",
        { id, onchange },
        withValue(choices, value).map(([v, l]) => h("option", { value: v, selected: v === value }, l)),
      )
    : h("input", { id, type: "search", value, onchange, autocomplete: "off" });
  return h("label", { class: "field", for: id }, h("span", {}, label), input);
}

/**
 * The options, with the value among them: an address may name another.
 * @param {[string, string][]} options
 * @param {string} value
 * @returns {[string, string][]}
 */
function withValue(options, value) {
  return options.some(([v]) => v === value) ? options : [...options, [value, value]];
}

/**
 * @param {string} value
 * @returns {[string, string][]}
 */
function sinceOptions(value) {
  const since = Number.isNaN(Date.parse(value)) ? value : words.since(when(value));
  return [["", words.anyTime], ...(value ? [/** @type {[string, string]} */ ([value, since])] : []), ...Object.entries(text.reach)];
}

/** @param {string} chosen */
function instant(chosen) {
  const days = REACH[/** @type {keyof typeof REACH} */ (chosen)];
  return days ? new Date(Date.now() - days * 86_400_000).toISOString() : chosen;
}
