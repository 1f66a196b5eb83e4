/** Builder states that a person might reach, at random but the same for the same seed. Used by tests alone. */
import * as build from "../state.mjs";

/** @type {import("../state.mjs").Member[]} */
export const members = [
  ...["region", "customer", "status", "channel"].map((name) => ({ name: `orders.${name}`, type: "text", role: "dimension" })),
  { name: "orders.open", type: "boolean", role: "dimension" },
  { name: "orders.quantity", type: "number", role: "dimension" },
  { name: "orders.placed_at", type: "date", role: "dimension" },
  { name: "orders.paid_at", type: "datetime", role: "dimension" },
  ...["count", "amount", "average"].map((name) => ({ name: `orders.${name}`, type: "number", role: "measure" })),
  { name: "orders.large", type: "boolean", role: "segment" },
  { name: "orders.returned", type: "boolean", role: "segment" },
];

/** mulberry32. @param {number} seed @returns {() => number} numbers from 0 up to 1 */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * A state after some changes, with a result, all of whose conditions have their values.
 * @param {number} seed
 */
export function randomState(seed) {
  const next = random(seed);
  const below = (/** @type {number} */ n) => Math.floor(next() * n);
  const one = (/** @type {any[]} */ list) => list[below(list.length)];
  const text = () => one(["North", "", "a'b\"c", "ü → 😀", "%", "{}", "12.5", "2026-01-01", " "]);
  let state = build.put(build.empty(), one(["rows", "columns"]), members[0]);
  if (next() < 0.3) state = build.put(state, one(["rows", "columns"]), one(members.filter(({ type }) => type === "date")));
  if (next() < 0.5) state = build.put(state, "values", one(members.filter(({ role }) => role === "measure")));
  for (let i = below(40); i > 0; i--) state = changed(state, { below, one, next, text });
  if (next() < 0.2) state = { ...state, kept: { displayScale: "thousands", measuresAxis: "rows" } };
  return build.hasResult(state) ? state : build.put(state, "rows", members[0]);
}

/**
 * @param {import("../state.mjs").State} state
 * @param {{below: (n: number) => number, one: (list: any[]) => any, next: () => number, text: () => string}} dice
 */
function changed(state, { below, one, next, text }) {
  const zone = one(["rows", "columns", "values"]);
  const n = below(state[zone].length || 1);
  const there = state[zone].length > 0;
  const shown = [...state.rows, ...state.columns].map(({ member }) => member).concat(state.values);
  const changes = [
    () => build.put(state, one(["rows", "columns", "values", "filters"]), one(members)),
    () => fill(build.put(state, "filters", one(members)), { one, text, below }),
    () => (there ? build.shift(state, zone, n, one([-2, -1, 1, 2])) : state),
    () => (there && next() < 0.4 ? build.take(state, zone, n) : state),
    () => (there && zone !== "values" && state[zone][n].member.endsWith("_at") ? build.group(state, zone, n, one(["", ...build.GRAINS])) : state),
    () => (shown.length ? build.sort(state, one(shown), one(["asc", "desc", ""])) : state),
    () => (state.ranges.length ? build.setRange(state, 0, one([null, ...build.RANGES, ["2026-01-01", "2026-03-31"]])) : state),
    () => (state.filters.length > 1 ? build.join(state, 1 + below(state.filters.length - 1)) : state),
    () => (state.filters[0]?.of?.length > 2 ? build.part(state, 0, 1) : state),
    () => ({ ...state, shown: { ...state.shown, [one(["rows", "columns", "filters"])]: next() < 0.5 } }),
    () => ({ ...state, limit: one([0, 1, 500]), offset: one([0, 10]), timezone: one(["", "Europe/Berlin"]) }),
  ];
  return fill(one(changes)(), { one, text, below });
}

/** Gives conditions an operator and the values that it needs. */
function fill(state, { one, text, below }) {
  const filled = (filter) => {
    if (filter.of) return { ...filter, of: filter.of.map(filled) };
    if (build.isWhole(filter)) return filter;
    const operator = one(build.KNOWN);
    if (build.BARE.includes(operator)) return { ...filter, operator, values: [] };
    if (/Date/.test(operator)) return { ...filter, operator, values: ["2026-01-01", "2026-12-31"].slice(/Range/.test(operator) ? 0 : 1) };
    return { ...filter, operator, values: Array.from({ length: 1 + below(3) }, () => text() || "x") };
  };
  return { ...state, filters: state.filters.map(filled) };
}
