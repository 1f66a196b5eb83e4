/**
 * Where each screen is. An address, such as #/1/placements?status=FAILED, names the deployment, the screen and its filters, so that it can
 * be sent to others.
 */

/**
 * @typedef {import("./console.mjs").Console} Console
 * @typedef {{deployment: number, screen: string, ids: string[], filters: Record<string, string>}} Route screen: a key of screens; ids: what
 *   stands for its colons
 * @typedef {{title: string, element: HTMLElement, load: (signal: AbortSignal) => Promise<void>}} Screen load reads what the screen shows:
 *   at first, and again after changes
 * @typedef {{screen: (app: Console, route: Route) => Screen}} ScreenModule
 */

/** The module of each screen, by its pattern. @type {Record<string, () => Promise<ScreenModule>>} */
export const screens = {
  overview: () => import("./screens/overview.mjs"),
  documents: () => import("./screens/documents.mjs"),
  placements: () => import("./screens/placements.mjs"),
  "placements/:report/:placement": () => import("./screens/placement.mjs"),
  runs: () => import("./screens/runs.mjs"),
  "runs/:run": () => import("./screens/run.mjs"),
  reports: () => import("./screens/reports.mjs"),
  "reports/:report": () => import("./screens/report.mjs"),
  workbooks: () => import("./screens/workbooks.mjs"),
  "workbooks/:workbook": () => import("./screens/workbook.mjs"),
  schedules: () => import("./screens/schedules.mjs"),
  "schedules/:id": () => import("./screens/schedule.mjs"),
  calendar: () => import("./screens/calendar.mjs"),
  agents: () => import("./screens/agents.mjs"),
  quota: () => import("./screens/quota.mjs"),
  keys: () => import("./screens/keys.mjs"),
  audit: () => import("./screens/audit.mjs"),
};

/** The screens that the navigation shows, failures first. */
export const places = Object.keys(screens).filter((pattern) => !pattern.includes("/"));

/** The action that a place needs in the deployment, where it is not enough to read some reports. @type {Record<string, string>} */
export const needs = { documents: "ReportRead", agents: "All", audit: "All" };

/**
 * The route of an address's fragment, or null if there is no such screen.
 * @param {string} hash
 * @param {string[]} [patterns]
 * @returns {Route | null}
 */
export function parse(hash, patterns = Object.keys(screens)) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [deployment, ...parts] = path.split("/").map(decoded);
  if (!/^\d{1,15}$/.test(deployment)) return null;
  for (const screen of patterns) {
    const ids = matched(screen.split("/"), parts);
    if (ids) return { deployment: Number(deployment), screen, ids, filters: Object.fromEntries(new URLSearchParams(query)) };
  }
  return null;
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * @param {string[]} pattern
 * @param {string[]} parts
 */
function matched(pattern, parts) {
  const ids = [];
  if (pattern.length !== parts.length) return null;
  for (const [i, part] of parts.entries()) {
    if (pattern[i].startsWith(":") && part) ids.push(part);
    else if (pattern[i] !== part) return null;
  }
  return ids;
}

/**
 * The fragment of a screen's address.
 * @param {number} deployment
 * @param {(string | number)[]} path
 * @param {Record<string, string | undefined>} [filters] empty ones are left out
 */
export function fragment(deployment, path, filters = {}) {
  return `#/${[deployment, ...path].map(encodeURIComponent).join("/")}${queryOf(filters)}`;
}

/**
 * The path of a block's screen; of its report's if the block has no id yet.
 * @param {number} reportId
 * @param {string | undefined} placementId
 */
export function blockPath(reportId, placementId) {
  return placementId ? ["placements", reportId, placementId] : ["reports", reportId];
}

/**
 * A query of the filters that say something, with its question mark.
 * @param {Record<string, string | number | undefined>} filters
 */
export function queryOf(filters) {
  const said = Object.entries(filters).flatMap(([name, value]) => (value || value === 0 ? [[name, String(value)]] : []));
  return said.length ? `?${new URLSearchParams(said)}` : "";
}
