/**
 * The addresses of screens. An address, such as #/1/placements?status=FAILED, names the deployment, the screen and its filters, so that it can
 * be sent to others.
 */

/**
 * @typedef {{deployment: number, screen: string, ids: string[], filters: Record<string, string>}} Route screen: the screen's pattern; ids: what
 *   stands for its colons
 */

/**
 * The route of an address's fragment, or null if there is no such screen.
 * @param {string} hash
 * @param {string[]} patterns of the screens, such as "reports/:report"
 * @returns {Route | null}
 */
export function parse(hash, patterns) {
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
 * The address of a screen: a fragment alone would be below the page's base address.
 * @param {number} deployment
 * @param {(string | number)[]} path
 * @param {Record<string, string | undefined>} [filters]
 */
export function address(deployment, path, filters) {
  return location.pathname + fragment(deployment, path, filters);
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
