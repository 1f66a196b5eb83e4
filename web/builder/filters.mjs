/** The Filters: ranges of dates, segments, and conditions with their alternatives. */
import { h } from "../ui/dom.mjs";
import { BARE, RANGES, condition, isTime, isWhole, join, operatorsOf, parameterIn, part, setFilter, setRange, spliced, takeSegment } from "./state.mjs";
import { words } from "./words.mjs";
import { removeButton, zoneOf } from "./zones.mjs";

/**
 * @typedef {import("./draft.mjs").Draft} Draft
 * @typedef {import("./state.mjs").Filter} Filter
 * @typedef {import("./state.mjs").Condition} Condition
 * @typedef {import("./state.mjs").Range} Range
 * @typedef {import("./state.mjs").Value} Value
 * @typedef {import("../ui/dom.mjs").Child} Child
 */

/** Operators that take both ends, and those that take one value alone. */
const BOTH = ["inDateRange", "notInDateRange"];
const ONE = ["gt", "gte", "lt", "lte", "beforeDate", "beforeOrOnDate", "afterDate", "afterOrOnDate", "onTheDate"];

/** @param {Draft} draft */
export function filters(draft) {
  return zoneOf(draft, "filters", () => [
    ...draft.state.ranges.map((range, n) => rangeChip(draft, n, range)),
    ...draft.state.segments.map((name, n) => segmentChip(draft, n, name)),
    ...draft.state.filters.map((filter, n) => filterChip(draft, n, filter)),
  ]);
}

/**
 * @param {Draft} draft
 * @param {number} n
 * @param {string} name
 */
function segmentChip(draft, n, name) {
  const title = draft.title(name);
  const remove = removeButton(`b-segment-${n}-gone`, title, () => draft.set(takeSegment(draft.state, n)));
  return h("li", { class: "b-chip" }, h("bdi", { class: "b-title", title: name }, title), remove);
}

/**
 * @param {Draft} draft
 * @param {number} n
 * @param {Range} range
 */
function rangeChip(draft, n, { member, range }) {
  const title = draft.title(member);
  const id = `b-range-${n}`;
  const known = typeof range === "string" && !RANGES.includes(range) ? [...RANGES, range] : RANGES;
  const day = new Date().toISOString().slice(0, 10);
  const by = byOptions(draft, parameterIn(range));
  const choose = (/** @type {any} */ event) => draft.set(setRange(draft.state, n, saidBy(event.target.value) ?? (event.target.value || [day, day])));
  return h(
    "li",
    { class: "b-chip" },
    h("bdi", { class: "b-title", title: member }, title),
    h(
      "select",
      { id, "aria-label": words.rangeOf(title), onchange: choose },
      known.map((one) => h("option", { value: one, selected: one === range }, one)),
      h("option", { value: "", selected: Array.isArray(range) }, words.between),
      by,
    ),
    Array.isArray(range) && dates(draft, title, range, id, (ends) => setRange(draft.state, n, ends)),
    removeButton(`${id}-gone`, title, () => draft.set(setRange(draft.state, n, null))),
  );
}

/**
 * Both ends of a range of dates.
 * @param {Draft} draft
 * @param {string} title
 * @param {Value[]} values
 * @param {string} id
 * @param {(ends: [Value, Value]) => import("./state.mjs").State} change
 */
function dates(draft, title, values, id, change) {
  /** @type {[Value, Value]} */
  const ends = [values[0] ?? "", values[1] ?? ""];
  return h(
    "span",
    { class: "b-dates" },
    [words.from(title), words.to(title)].map((label, i) =>
      byOr(draft, label, ends[i], `${id}-${i}`, (value, drawn) => {
        ends[i] = value;
        if ((ends[0] && ends[1]) || !drawn) draft.set(change([...ends]), { drawn });
      }, dayField),
    ),
  );
}

/** What the value of an option begins with that names a parameter. */
const BY = "@";

/** @param {string} option @returns {import("./state.mjs").ByParameter | undefined} */
const saidBy = (option) => (option.startsWith(BY) ? { parameter: option.slice(BY.length) } : undefined);

/**
 * The parameters among which one may be chosen, with the one that is.
 * @param {Draft} draft
 * @param {string} chosen
 */
function byOptions(draft, chosen) {
  const names = [...new Set([...draft.parameters, ...(chosen ? [chosen] : [])])];
  return names.map((one) => h("option", { value: BY + one, selected: one === chosen }, BY + one));
}

/**
 * A value, which is typed or said by a parameter where there are some.
 * @param {Draft} draft
 * @param {string} label
 * @param {Value} value
 * @param {string} id
 * @param {(value: Value, drawn: boolean) => void} changed drawn: what shows it shows it already
 * @param {(label: string, value: string, id: string, changed: (value: string) => void) => HTMLElement} typed
 */
function byOr(draft, label, value, id, changed, typed) {
  const chosen = parameterIn(value);
  const own = typeof value === "string" && typed(label, value, id, (text) => changed(text, true));
  if (!chosen && !draft.parameters.length) return own || "";
  const choose = (/** @type {any} */ event) => changed(saidBy(event.target.value) ?? "", false);
  const by = h("select", { id: `${id}-by`, "aria-label": words.byParameter(label), onchange: choose }, h("option", { value: "" }, words.typed), byOptions(draft, chosen));
  return h("span", { class: "b-by" }, own, by);
}

/**
 * A field for a day; one with a time, or in words, stays a text.
 * @param {string} label
 * @param {string} value
 * @param {string} id
 * @param {(value: string) => void} changed
 */
function dayField(label, value, id, changed) {
  const type = !value || /^\d{4}-\d\d-\d\d$/.test(value) ? "date" : "text";
  return h("input", { type, id, "aria-label": label, value, oninput: (/** @type {any} */ event) => changed(event.target.value) });
}

/**
 * @param {Draft} draft
 * @param {number} n
 * @param {Filter} filter
 */
function filterChip(draft, n, filter) {
  const joiner =
    n > 0 && h("button", { id: `b-join-${n}`, class: "plain b-join", onclick: () => draft.set(join(draft.state, n)) }, words.and);
  const of = "of" in filter && filter.join === "or" ? filter.of : [filter];
  const split = (/** @type {number} */ i) =>
    h("button", { id: `b-part-${n}-${i}`, class: "plain b-join", onclick: () => draft.set(part(draft.state, n, i)) }, words.or);
  const alone = of.length === 1;
  const parts = of.flatMap((one, i) => [i > 0 && split(i), fieldsOf(draft, one, alone ? [n] : [n, i])]);
  return h("li", { class: "b-filter" }, joiner, h("div", { class: "b-chip" }, parts));
}

/**
 * @param {Draft} draft
 * @param {Filter} filter
 * @param {number[]} path
 * @returns {HTMLElement}
 */
function fieldsOf(draft, filter, path) {
  if (!("of" in filter)) return conditionFields(draft, filter, path);
  const parts = filter.of.flatMap((one, i) => [i > 0 && h("span", { class: "b-join" }, words[filter.join]), fieldsOf(draft, one, [...path, i])]);
  return h("div", { class: "b-group" }, parts);
}

/**
 * @param {Draft} draft
 * @param {Condition} filter
 * @param {number[]} path
 */
function conditionFields(draft, filter, path) {
  const { member, operator } = filter;
  const title = draft.title(member);
  const { type } = draft.member(member);
  const id = `b-filter-${path.join("-")}`;
  const choose = (/** @type {any} */ event) => draft.set(setFilter(draft.state, path, withOperator(filter, event.target.value, type)));
  const unfilled = h("span", { class: "b-hint", hidden: isWhole(filter) }, words.unfilled);
  const typed = () => {
    unfilled.hidden = isWhole(at(draft.state.filters, path));
  };
  return h(
    "div",
    { class: "b-condition", oninput: typed },
    h("bdi", { class: "b-title", title: member }, title),
    h(
      "select",
      { id: `${id}-operator`, "aria-label": words.operatorOf(title), onchange: choose },
      operatorsOf(type, operator).map((one) => h("option", { value: one, selected: one === operator }, words.operators[one])),
    ),
    !BARE.includes(operator) && valuesOf(draft, filter, path, id),
    removeButton(`${id}-gone`, title, () => draft.set(setFilter(draft.state, path, null))),
    unfilled,
  );
}

/**
 * A condition with another operator, and of its values those that it can have.
 * @param {Condition} filter
 * @param {string} operator
 * @param {string} type
 * @returns {Condition}
 */
function withOperator({ member, values }, operator, type) {
  if (BARE.includes(operator)) return { member, operator, values: [] };
  if (BOTH.includes(operator)) return { member, operator, values: [values[0] ?? "", values[1] ?? ""] };
  const begun = values.length ? values : condition(member, type).values;
  return { member, operator, values: ONE.includes(operator) ? begun.slice(0, 1) : begun };
}

/**
 * @param {Draft} draft
 * @param {Condition} filter
 * @param {number[]} path
 * @param {string} id
 */
function valuesOf(draft, filter, path, id) {
  const title = draft.title(filter.member);
  const { type } = draft.member(filter.member);
  const now = () => /** @type {Condition} */ (at(draft.state.filters, path));
  const write = (/** @type {Value[]} */ values) => setFilter(draft.state, path, { ...now(), values });
  if (BOTH.includes(filter.operator)) return dates(draft, title, filter.values, id, write);
  const values = filter.values.length ? filter.values : [""];
  const set = (/** @type {number} */ i) => (/** @type {Value} */ value, /** @type {boolean} */ drawn) =>
    draft.set(write(values.length > 1 ? spliced(now().values, i, 1, value) : [value]), { drawn });
  const typed = (/** @type {string} */ label, /** @type {string} */ value, /** @type {string} */ fieldId, /** @type {(value: string) => void} */ changed) =>
    valueField(label, type, value, fieldId, changed);
  const more = !ONE.includes(filter.operator) && type !== "boolean";
  return h(
    "span",
    { class: "b-values" },
    values.map((value, i) => byOr(draft, words.valueOf(title), value, `${id}-${i}`, set(i), typed)),
    more &&
      h(
        "button",
        {
          id: `${id}-more`,
          class: "plain",
          "aria-label": `${words.orValue} ${words.orValueOf(title)}`,
          onclick: () => {
            draft.set(write([...now().values, ""]));
            document.getElementById(`${id}-${now().values.length - 1}`)?.focus();
          },
        },
        words.orValue,
      ),
  );
}

/**
 * @param {string} label
 * @param {string} type
 * @param {string} value
 * @param {string} id
 * @param {(value: string) => void} changed
 */
function valueField(label, type, value, id, changed) {
  const onchange = (/** @type {any} */ event) => changed(event.target.value);
  if (isTime(type)) return dayField(label, value, id, changed);
  if (type !== "boolean") {
    const inputmode = type === "number" ? "decimal" : undefined;
    return h("input", { type: "text", id, "aria-label": label, value, inputmode, autocomplete: "off", oninput: onchange });
  }
  const options = Object.entries(words.trueFalse).map(([key, word]) => h("option", { value: key, selected: key === value }, word));
  return h("select", { id, "aria-label": label, onchange }, options);
}

/**
 * @param {Filter[]} list
 * @param {number[]} path
 * @returns {Filter}
 */
function at(list, [n, ...rest]) {
  const filter = list[n];
  return rest.length && "of" in filter ? at(filter.of, rest) : filter;
}
