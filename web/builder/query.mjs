/** A state as the query of the semantic layer and the pivot that a report keeps of it, and back. */
import { KNOWN, columnOf, empty, hasResult, isWhole, parameterIn, settled } from "./state.mjs";

/**
 * @typedef {import("./state.mjs").State} State
 * @typedef {import("./state.mjs").Filter} Filter
 * @typedef {import("./state.mjs").Dimension} Dimension
 * @typedef {import("../interface.d.ts").PivotItems} PivotItems
 * @typedef {Pick<PivotItems, "columns" | "filters" | "measures" | "rows"> & {displayScale?: string, measuresAxis?: string, measuresPosition?: string,
 *   showRowTotals?: boolean, showColumnTotals?: boolean, showAppliedFilters?: boolean}} Pivot
 * @typedef {{dimension: string, granularity?: string, dateRange?: import("./state.mjs").Range["range"]}} TimeDimension
 * @typedef {{measures?: string[], dimensions?: string[], timeDimensions?: TimeDimension[], segments?: string[], filters?: any[],
 *   order?: Record<string, string>, limit?: number, offset?: number, timezone?: string}} Query in Cube's query format
 */

/**
 * The query of a state. Conditions without their values are left out: they say nothing yet.
 * @param {State} state
 * @returns {Query}
 */
export function queryOf(state) {
  const { values, segments, order, limit, offset, timezone } = state;
  const filters = state.filters.filter(isWhole).map(filterJSON);
  const dimensions = dimensionsOf(state).filter(({ grain }) => !grain);
  const timeDimensions = timesOf(state);
  return {
    ...(values.length && { measures: values }),
    ...(dimensions.length && { dimensions: dimensions.map(({ member }) => member) }),
    ...(timeDimensions.length && { timeDimensions }),
    ...(segments.length && { segments }),
    ...(filters.length && { filters }),
    ...(order.length && { order: Object.fromEntries(order) }),
    ...(limit && { limit }),
    ...(offset && { offset }),
    ...(timezone && { timezone }),
  };
}

/** @param {State} state */
const dimensionsOf = ({ rows, columns }) => [...rows, ...columns];

/**
 * The times that a query groups by, the first of a member with its range, and then the ranges of members that it does not group by.
 * @param {State} state
 * @returns {TimeDimension[]}
 */
function timesOf(state) {
  const ranges = new Map(state.ranges.map(({ member, range }) => [member, range]));
  const narrowed = (/** @type {string} */ member) => {
    const dateRange = ranges.get(member);
    ranges.delete(member);
    return dateRange && { dateRange };
  };
  const times = dimensionsOf(state).filter(({ grain }) => grain);
  const grouped = times.map(({ member, grain }) => ({ dimension: member, granularity: grain, ...narrowed(member) }));
  return [...grouped, ...[...ranges].map(([dimension, dateRange]) => ({ dimension, dateRange }))];
}

/**
 * @param {Filter} filter
 * @returns {unknown}
 */
function filterJSON(filter) {
  if ("of" in filter) return { [filter.join]: filter.of.map(filterJSON) };
  const { member, operator, values } = filter;
  return { member, operator, ...(values.length && { values }) };
}

/**
 * The pivot of a state; null where the result of the query is the table.
 * @param {State} state
 * @returns {Pivot | null}
 */
export function pivotOf(state) {
  const { rows, columns, values, shown, kept } = state;
  if (!kept && !needsPivot(state)) return null;
  return {
    columns: columns.map(columnOf),
    filters: [],
    measures: values,
    rows: rows.map(columnOf),
    ...kept,
    ...(shown.rows && { showRowTotals: true }),
    ...(shown.columns && { showColumnTotals: true }),
    ...(shown.filters && { showAppliedFilters: true }),
  };
}

/**
 * The pivot of a written query; null while it has none. It adds up what stands in one cell, so that rows and values alone are one, too.
 * @param {State} state
 * @returns {Pivot | null}
 */
export function pivotOfText(state) {
  const { rows, columns, values, kept } = state;
  return rows.length + columns.length + values.length ? pivotOf({ ...state, kept: kept ?? {} }) : null;
}

/**
 * The state of a written query's pivot.
 * @param {Pivot | null} pivot
 * @returns {State}
 */
export function stateOfPivot(pivot) {
  if (!pivot) return empty();
  const all = (/** @type {string[]} */ names) => names.map((member) => ({ member, grain: "" }));
  return { ...empty(), ...arranged(pivot, all) };
}

/** Whether a state says more than the result of its query does. @param {Pick<State, "rows" | "columns" | "shown">} state */
const needsPivot = ({ rows, columns, shown }) => columns.length > 0 || Object.values(shown).some(Boolean) || !isFlat(rows);

/** Whether dimensions stand as in a result: times behind the others. @param {Dimension[]} dimensions */
const isFlat = (dimensions) => dimensions.every(({ grain }, i) => grain || dimensions.slice(0, i).every((before) => !before.grain));

/**
 * The state of a report's query and pivot; null where the builder cannot show all of it.
 * @param {string} jsonQuery
 * @param {Pivot | null} [pivot]
 * @returns {State | null}
 */
export function stateOf(jsonQuery, pivot = null) {
  const query = parsed(jsonQuery);
  if (!query) return null;
  try {
    const state = settled({ ...read(query), ...pivoted(columnsIn(query), pivot ?? null, query) });
    return whole(state, query, pivot ?? null) ? state : null;
  } catch (error) {
    if (error instanceof TypeError) return null; // of another form than Cube takes
    throw error;
  }
}

/** @param {string} text */
function parsed(text) {
  try {
    const query = JSON.parse(text);
    return query && typeof query === "object" && !Array.isArray(query) ? query : null;
  } catch {
    return null;
  }
}

/** Whether the state says all that the query and the pivot do. @type {(state: State, query: any, pivot: Pivot | null) => boolean} */
function whole(state, query, pivot) {
  const same = canonical(plain(queryOf(state)), Boolean(pivot)) === canonical(plain(query), Boolean(pivot));
  return same && isSound(state) && samePivot(pivotOf(state), pivot);
}

/** A member's name: its view and its own. A third part would be a grain. */
const MEMBER = /^[^.]+\.[^.]+$/;

/** @param {Dimension} dimension */
const memberOf = ({ member }) => member;

/** @param {State} state */
function isSound(state) {
  const { rows, columns, values, segments, order, limit, offset, timezone } = state;
  const lists = Array.isArray(values) && Array.isArray(segments);
  const named = lists && [...rows.map(memberOf), ...columns.map(memberOf), ...values, ...segments].every((name) => MEMBER.test(name));
  const texts = [...rows, ...columns].map(({ grain }) => grain).concat(timezone).every((text) => typeof text === "string");
  const directions = order.every(([, direction]) => ["asc", "desc"].includes(direction));
  return named && texts && directions && Number.isInteger(limit) && Number.isInteger(offset) && hasResult(state);
}

/**
 * Whether two texts are the same query, in other words or another order of its members: one that a person did not change is not written anew.
 * @param {string} a
 * @param {string} b
 */
export function sameQuery(a, b) {
  const [one, other] = [parsed(a), parsed(b)];
  return a === b || Boolean(one && other && canonical(plain(one)) === canonical(plain(other)));
}

/**
 * Whether two pivots are the same; what is not shown and what nothing is said of are.
 * @param {Pivot | null} a
 * @param {Pivot | null} b
 */
export const samePivot = (a, b) => canonical(cleared(a)) === canonical(cleared(b));

/** @param {any} query @returns {State} */
function read(query) {
  const times = /** @type {TimeDimension[]} */ (query.timeDimensions ?? []);
  const ranges = times.filter(({ dateRange }) => dateRange).map(({ dimension, dateRange }) => ({ member: dimension, range: ends(dateRange) }));
  return {
    ...empty(),
    ranges,
    segments: [...(query.segments ?? [])],
    filters: (query.filters ?? []).map(filterOf),
    order: Array.isArray(query.order) ? query.order.map((/** @type {any} */ one) => [...one]) : Object.entries(query.order ?? {}),
    limit: query.limit ?? 0,
    offset: query.offset ?? 0,
    timezone: query.timezone ?? "",
  };
}

/** @param {any} range @returns {any} both ends of a range that has one */
const ends = (range) => (Array.isArray(range) && range.length === 1 ? [range[0], range[0]] : range);

/**
 * @param {any} filter as Cube takes it; of one that it does not take, something that is not the same
 * @returns {Filter}
 */
function filterOf(filter) {
  const join = filter.or ? "or" : filter.and ? "and" : null;
  if (join) return { join, of: filter[join].map(filterOf) };
  const { member = filter.dimension, operator, values = [] } = filter;
  return { member, operator: KNOWN.includes(operator) ? operator : "", values: values.map((/** @type {any} */ value) => (parameterIn(value) ? value : String(value))) };
}

/** The dimensions of a query in the order of its result. @param {any} query @returns {Dimension[]} */
function columnsIn(query) {
  const flat = (query.dimensions ?? []).map((/** @type {string} */ member) => ({ member, grain: "" }));
  const times = (query.timeDimensions ?? []).filter((/** @type {TimeDimension} */ { granularity }) => granularity);
  return [...flat, ...times.map((/** @type {any} */ { dimension, granularity }) => ({ member: dimension, grain: granularity }))];
}

/**
 * Where the dimensions and measures stand.
 * @param {Dimension[]} dimensions
 * @param {Pivot | null} pivot
 * @param {any} query
 * @returns {Pick<State, "rows" | "columns" | "values"> & Partial<State>}
 */
function pivoted(dimensions, pivot, query) {
  const values = query.measures ?? [];
  if (!pivot) return { rows: dimensions, columns: [], values };
  const byColumn = new Map(dimensions.map((one) => [columnOf(one), one]));
  return arranged(pivot, (columns) => columns.flatMap((column) => byColumn.get(column) ?? []));
}

/**
 * @param {Pivot} pivot
 * @param {(columns: string[]) => Dimension[]} named the dimensions of columns
 * @returns {Pick<State, "rows" | "columns" | "values" | "shown" | "kept">}
 */
function arranged(pivot, named) {
  const { rows, columns, measures, filters, showRowTotals, showColumnTotals, showAppliedFilters, ...kept } = pivot;
  const state = {
    rows: named(rows),
    columns: named(columns),
    values: measures,
    shown: { rows: Boolean(showRowTotals), columns: Boolean(showColumnTotals), filters: Boolean(showAppliedFilters) },
  };
  const more = { ...kept, ...(filters.length && { filters }) };
  return { ...state, kept: Object.keys(more).length || !needsPivot(state) ? more : null };
}

/** A query in the one form of those that mean the same: lists that are empty left out, old names replaced. @param {any} query */
function plain(query) {
  const { filters, order, timeDimensions, ...rest } = query;
  return {
    ...rest,
    filters: (filters ?? []).map(plainFilter),
    order: Array.isArray(order) ? order : Object.entries(order ?? {}),
    ...plainTimes(timeDimensions ?? []),
  };
}

/** Times apart from the ranges that narrow them, whichever of a member's they stand at. @param {any[]} times */
function plainTimes(times) {
  const groups = times.map(({ dateRange, ...rest }) => rest);
  const ranges = times.flatMap(({ dimension, dateRange }) => (dateRange ? [JSON.stringify([dimension, ends(dateRange)])] : []));
  const says = (/** @type {any} */ { dimension, ...rest }) => Object.values(rest).some((value) => value !== undefined && value !== null);
  return { groups: groups.filter(says), ranges: ranges.sort() };
}

/** @param {any} filter @returns {unknown} */
function plainFilter(filter) {
  const join = filter.or ? "or" : filter.and ? "and" : null;
  if (join) return { ...filter, [join]: filter[join].map(plainFilter) };
  const { dimension, member = dimension, values = [], ...rest } = filter;
  const text = (/** @type {unknown} */ value) => (typeof value === "object" ? value : String(value));
  return { ...rest, member, values: values.map(text) };
}

/** @param {Pivot | null} pivot without what is not shown, and what is as it is where nothing is said */
function cleared(pivot) {
  return pivot && Object.fromEntries(Object.entries(pivot).filter(([, value]) => value !== false && value !== undefined));
}

/**
 * JSON with the members of objects in order, without those that say nothing. The order of measures and dimensions counts only where no pivot
 * says another.
 * @param {unknown} value
 * @param {boolean} [pivoted]
 */
function canonical(value, pivoted = false) {
  return JSON.stringify(value, (key, v) => {
    if (Array.isArray(v)) {
      if (!v.length) return undefined;
      const free = pivoted && ["measures", "dimensions"].includes(key);
      return free ? [...v].sort() : v;
    }
    return v && typeof v === "object" ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v;
  });
}
