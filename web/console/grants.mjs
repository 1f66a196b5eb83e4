// @ts-check
// What a person may grant a device: the actions of their own key, and those that these imply; and how far it may go with their roles and
// with what they created.

/** What it says, in English. */
const words = {
  atMost: (/** @type {string[]} */ actions) => `${actions.join(", ")} where your roles or what you created allow it`,
  noBound: "No limit was kept when this was approved: sign it out and approve it again.",
};

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
 * The actions that a device may be let use beside those that are granted: only where the person's roles, or having created something, allow
 * it. A key with a bound approves no devices.
 * @param {string[]} held
 * @returns {string[]}
 */
export function allowances(held) {
  const granted = choices(held);
  return choices(["All"]).filter((action) => parsed(action) && !granted.includes(action));
}

/**
 * How far a device goes, in words. One that was approved before there were bounds has none: its person's roles and own assets are open to it.
 * @param {{actions: string[], bound?: string[]}} device
 */
export function reach({ actions, bound }) {
  const more = (bound ?? []).filter((action) => !actions.includes(action));
  return [actions.join(", "), !bound && words.noBound, more.length > 0 && words.atMost(more)].filter(Boolean).join("; ");
}

/**
 * Whether an action is within a bound; without one it is.
 * @param {string} action
 * @param {string[]} [bound]
 */
export function within(action, bound) {
  return bound === undefined || choices(bound).includes(action);
}

/**
 * What most devices need: to read, and to place and refresh.
 * @param {string} action
 */
export function preselected(action) {
  return ["ReportRead", "ReportEdit", "WorkbookRead"].includes(action);
}
