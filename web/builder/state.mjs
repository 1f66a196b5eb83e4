/**
 * What a query of a semantic layer is made of while a person builds it, apart from any screen. Every change returns another state; the one
 * before stays as it was.
 */

/**
 * @typedef {"rows" | "columns" | "values" | "filters"} Zone
 * @typedef {{name: string, title?: string, type: string, role: "dimension" | "measure" | "segment" | "column", description?: string,
 *   insert?: string}} Member of a view, or a column of a written query
 * @typedef {{member: string, grain: string}} Dimension grain: how a time is grouped; "" for what is no time, or is not grouped
 * @typedef {{parameter: string}} ByParameter a value that a parameter says
 * @typedef {string | ByParameter} Value
 * @typedef {{member: string, operator: string, values: Value[]}} Condition
 * @typedef {{join: "and" | "or", of: Filter[]}} Group
 * @typedef {Condition | Group} Filter
 * @typedef {{member: string, range: Value | [Value, Value]}} Range of dates: one that moves with the day, such as "last 7 days", or its ends
 * @typedef {"asc" | "desc"} Direction
 * @typedef {{rows: boolean, columns: boolean, filters: boolean}} Shown totals of rows and of columns, and the filters that apply
 * @typedef {{displayScale?: string, measuresAxis?: string, measuresPosition?: string, filters?: string[]} | null} Kept what else a pivot says,
 *   which is not changed here; null: there is a pivot only where something else needs one
 * @typedef {{rows: Dimension[], columns: Dimension[], values: string[], ranges: Range[], segments: string[], filters: Filter[],
 *   order: [string, Direction][], limit: number, offset: number, timezone: string, shown: Shown, kept: Kept}} State values: measures;
 *   ranges, segments and filters: all of them hold; limit: 0 for none
 */

/** @returns {State} */
export const empty = () => ({
  rows: [],
  columns: [],
  values: [],
  ranges: [],
  segments: [],
  filters: [],
  order: [],
  limit: 0,
  offset: 0,
  timezone: "",
  shown: { rows: false, columns: false, filters: false },
  kept: null,
});

/** How a time may be grouped, besides what a data model has of its own. */
export const GRAINS = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];

/** Ranges of dates that move with the day. */
export const RANGES = [
  "today",
  "yesterday",
  "last 7 days",
  "last 30 days",
  "this week",
  "last week",
  "this month",
  "last month",
  "this quarter",
  "last quarter",
  "this year",
  "last year",
];

/** The operators of conditions, by the type of a member; of one that is not known, all. @type {Record<string, string[]>} */
const OPERATORS = {
  text: ["equals", "notEquals", "contains", "notContains", "startsWith", "notStartsWith", "endsWith", "notEndsWith", "set", "notSet"],
  number: ["equals", "notEquals", "gt", "gte", "lt", "lte", "set", "notSet"],
  boolean: ["equals", "notEquals", "set", "notSet"],
  date: ["beforeDate", "beforeOrOnDate", "afterDate", "afterOrOnDate", "onTheDate", "inDateRange", "notInDateRange", "set", "notSet"],
};

/** Operators of other tools, which a condition may have and people are not offered. */
const RARE = ["in", "notIn"];

/** All operators that a condition may have. */
export const KNOWN = [...new Set([...Object.values(OPERATORS).flat(), ...RARE])];

/** Operators without a value. */
export const BARE = ["set", "notSet"];

/** The name of the parameter that says a value; "" for one that stands there itself. @param {any} value */
export function parameterIn(value) {
  const alone = value && typeof value === "object" && Object.keys(value).length === 1;
  return alone && typeof value.parameter === "string" ? /** @type {string} */ (value.parameter) : "";
}

/** Whether values of a type are days, or times of them. @param {string} type */
export const isTime = (type) => type === "date" || type === "datetime";

/**
 * @param {string} type of a member
 * @param {string} [now] the operator that a condition has, which stays among them
 */
export function operatorsOf(type, now) {
  const offered = isTime(type) ? OPERATORS.date : (OPERATORS[type] ?? OPERATORS.text);
  return now && !offered.includes(now) ? [...offered, now] : offered;
}

/** The column of the result that a dimension makes. @param {Dimension} dimension */
export const columnOf = ({ member, grain }) => (grain ? `${member}.${grain}` : member);

/**
 * Where a member goes if nothing more is said.
 * @param {Member} member
 * @returns {Zone}
 */
export function placeOf({ role, type }) {
  if (role === "segment") return "filters";
  return role === "measure" || (role === "column" && type === "number") ? "values" : "rows";
}

/**
 * Whether a member can stand in a zone.
 * @param {Member} member
 * @param {Zone} zone
 */
export function fits({ role }, zone) {
  if (role === "column") return zone !== "filters";
  if (zone === "filters") return true;
  return zone === "values" ? role === "measure" : role === "dimension";
}

/**
 * Puts a member into a zone, at its end. What stands there already is not put there again; a dimension moves between rows and columns.
 * @param {State} state
 * @param {Zone} zone
 * @param {Member} member
 * @returns {State}
 */
export function put(state, zone, member) {
  if (!fits(member, zone)) return state;
  const { name } = member;
  if (zone === "filters") return filtered(state, member);
  if (zone === "values") return state.values.includes(name) ? state : valued(state, member);
  if (state[zone].some((one) => one.member === name)) return state;
  const other = zone === "rows" ? "columns" : "rows";
  const moved = state[other].filter((one) => one.member === name);
  const added = moved.length ? moved : [{ member: name, grain: isTime(member.type) ? "day" : "" }];
  const values = member.role === "column" ? state.values.filter((one) => one !== name) : state.values;
  return settled({ ...state, values, [other]: state[other].filter((one) => one.member !== name), [zone]: [...state[zone], ...added] });
}

/**
 * A column of a written query stands in one zone alone: it moves.
 * @param {State} state
 * @param {Member} member
 * @returns {State}
 */
function valued(state, { name, role }) {
  const others = (/** @type {Dimension[]} */ list) => (role === "column" ? list.filter(({ member }) => member !== name) : list);
  return settled({ ...state, rows: others(state.rows), columns: others(state.columns), values: [...state.values, name] });
}

/**
 * @param {State} state
 * @param {Member} member
 */
function filtered(state, { name, role, type }) {
  if (role === "segment") return state.segments.includes(name) ? state : { ...state, segments: [...state.segments, name] };
  if (!isTime(type) || role === "measure") return { ...state, filters: [...state.filters, condition(name, type)] };
  if (state.ranges.some((one) => one.member === name)) return { ...state, filters: [...state.filters, condition(name, type)] };
  return settled({ ...state, ranges: [...state.ranges, { member: name, range: "last 30 days" }] });
}

/**
 * A condition on a member, to begin with.
 * @param {string} member
 * @param {string} type
 * @returns {Condition}
 */
export const condition = (member, type) => ({ member, operator: operatorsOf(type)[0], values: type === "boolean" ? ["true"] : [] });

/**
 * Takes the nth out of rows, columns or values.
 * @param {State} state
 * @param {"rows" | "columns" | "values"} zone
 * @param {number} n
 * @returns {State}
 */
export const take = (state, zone, n) => settled({ ...state, [zone]: without(/** @type {any[]} */ (state[zone]), n) });

/**
 * Moves the nth of a zone by so many places within it.
 * @param {State} state
 * @param {"rows" | "columns" | "values"} zone
 * @param {number} n
 * @param {number} by
 * @returns {State}
 */
export function shift(state, zone, n, by) {
  const list = /** @type {any[]} */ (state[zone]);
  const to = Math.max(0, Math.min(list.length - 1, n + by));
  return settled({ ...state, [zone]: spliced(without(list, n), to, 0, list[n]) });
}

/**
 * Groups the nth of rows or columns by another span of time; "": not at all. One that the member has there already changes nothing.
 * @param {State} state
 * @param {"rows" | "columns"} zone
 * @param {number} n
 * @param {string} grain
 * @returns {State}
 */
export function group(state, zone, n, grain) {
  const changed = { ...state[zone][n], grain };
  const has = [...state.rows, ...state.columns].some((one) => columnOf(one) === columnOf(changed));
  return has ? state : settled({ ...state, [zone]: spliced(state[zone], n, 1, changed) });
}

/**
 * Orders the result by a member, after those that it is ordered by already; "": no more.
 * @param {State} state
 * @param {string} member
 * @param {Direction | ""} direction
 * @returns {State}
 */
export function sort(state, member, direction) {
  const known = state.order.some(([name]) => name === member);
  if (!direction) return { ...state, order: state.order.filter(([name]) => name !== member) };
  if (!known) return settled({ ...state, order: [...state.order, [member, direction]] });
  return { ...state, order: state.order.map(([name, was]) => [name, name === member ? direction : was]) };
}

/**
 * @param {State} state
 * @param {number} n
 * @param {Range["range"] | null} range null: none
 * @returns {State}
 */
export function setRange(state, n, range) {
  const ranges = range === null ? without(state.ranges, n) : spliced(state.ranges, n, 1, { ...state.ranges[n], range });
  return settled({ ...state, ranges });
}

/** @param {State} state @param {number} n @returns {State} */
export const takeSegment = (state, n) => ({ ...state, segments: without(state.segments, n) });

/**
 * Replaces the filter at a path: its number, then in groups the numbers below; null takes it away, and a group of one becomes that one.
 * @param {State} state
 * @param {number[]} path
 * @param {Filter | null} filter
 * @returns {State}
 */
export const setFilter = (state, path, filter) => ({ ...state, filters: replaced(state.filters, path, filter) });

/**
 * @param {Filter[]} list
 * @param {number[]} path
 * @param {Filter | null} filter
 * @returns {Filter[]}
 */
function replaced(list, [n, ...rest], filter) {
  const old = list[n];
  if (!rest.length) return filter === null ? without(list, n) : spliced(list, n, 1, filter);
  if (!("of" in old)) return list;
  const of = replaced(old.of, rest, filter);
  if (!of.length) return without(list, n);
  return spliced(list, n, 1, of.length === 1 && old.of.length > 1 ? of[0] : { ...old, of });
}

/** The alternatives of a filter. @param {Filter} filter @returns {Filter[]} */
const alternatives = (filter) => ("of" in filter && filter.join === "or" ? filter.of : [filter]);

/** Alternatives as a filter. @param {Filter[]} of @returns {Filter} */
const anyOf = (of) => (of.length === 1 ? of[0] : { join: "or", of });

/**
 * Makes the nth filter an alternative to the one before it: either of them holds then.
 * @param {State} state
 * @param {number} n from 1
 * @returns {State}
 */
export function join(state, n) {
  const joined = anyOf([...alternatives(state.filters[n - 1]), ...alternatives(state.filters[n])]);
  return { ...state, filters: spliced(state.filters, n - 1, 2, joined) };
}

/**
 * Parts the nth filter, which has alternatives, before one of them: both parts hold then.
 * @param {State} state
 * @param {number} n
 * @param {number} before from 1
 * @returns {State}
 */
export function part(state, n, before) {
  const of = alternatives(state.filters[n]);
  return { ...state, filters: spliced(state.filters, n, 1, anyOf(of.slice(0, before)), anyOf(of.slice(before))) };
}

/**
 * Whether a filter says enough to be asked: its values are there.
 * @param {Filter} filter
 * @returns {boolean}
 */
export function isWhole(filter) {
  if ("of" in filter) return filter.of.every(isWhole);
  const { operator, values } = filter;
  if (BARE.includes(operator)) return true;
  return values.length > 0 && values.every((value) => value !== "");
}

/** Whether a query of this has a result. @param {State} state */
export const hasResult = ({ rows, columns, values }) => rows.length + columns.length + values.length > 0;

/**
 * A state in its one form: ordered by what it shows alone, and ranges in the order of the times that they narrow, the others behind.
 * @param {State} state
 * @returns {State}
 */
export function settled(state) {
  const times = [...state.rows, ...state.columns].filter(({ grain }) => grain);
  const shown = new Set([...state.rows, ...state.columns].map(({ member }) => member).concat(state.values));
  const at = (/** @type {Range} */ { member }) => {
    const n = times.findIndex((time) => time.member === member);
    return n < 0 ? times.length : n;
  };
  return {
    ...state,
    order: state.order.filter(([member]) => shown.has(member)),
    ranges: [...state.ranges].sort((a, b) => at(a) - at(b)),
  };
}

/**
 * A list with others in place of so many of its items.
 * @template T
 * @param {T[]} list
 * @param {number} n
 * @param {number} gone
 * @param {...T} others
 * @returns {T[]}
 */
export const spliced = (list, n, gone, ...others) => [...list.slice(0, n), ...others, ...list.slice(n + gone)];

/**
 * @template T
 * @param {T[]} list
 * @param {number} n
 * @returns {T[]}
 */
const without = (list, n) => spliced(list, n, 1);
