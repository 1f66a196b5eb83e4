// @ts-check
// What a person may grant a device: the actions of their own key, and those that these imply.

/** @type {Record<string, number>} */
const levels = { Read: 1, Edit: 2, Manage: 3 };
const kinds = ["Report", "Workbook"];

/** @param {string} action */
function parsed(action) {
  const kind = kinds.find((k) => action.startsWith(k));
  const level = kind && levels[action.slice(kind.length)];
  return kind && level ? { kind, level } : undefined;
}

/**
 * All that may be granted by who holds these actions, those that mean less first.
 * @param {string[]} held
 * @returns {string[]}
 */
export function choices(held) {
  const all = held.includes("All");
  const known = kinds.flatMap((kind) => Object.entries(levels)
    .filter(([, level]) => all || held.some((a) => parsed(a)?.kind === kind && (parsed(a)?.level ?? 0) >= level))
    .map(([name]) => kind + name));
  const others = held.filter((a) => a !== "All" && !known.includes(a));
  return [...known, ...others, ...(all ? ["All"] : [])];
}

/**
 * What most devices need: to read, and to place and refresh.
 * @param {string} action
 */
export function preselected(action) {
  return ["ReportRead", "ReportEdit", "WorkbookRead"].includes(action);
}
