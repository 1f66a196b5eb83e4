/** How the faces write numbers, times and where a block stands, and what several of them say, in English. */

const numbers = new Intl.NumberFormat("en");

/** @param {number} n */
export function number(n) {
  return numbers.format(n);
}

/**
 * A number with its noun: "1 row", "4 rows".
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 */
export function count(n, one, many = `${one}s`) {
  return `${number(n)} ${n === 1 ? one : many}`;
}

/** The time zone by whose clocks times are shown that name no other; without one, the browser's. @type {string | undefined} */
let clocks;

/** Shows times by the clocks of a zone from now on, if the browser knows it. @param {string | undefined} zone */
export function showClocksOf(zone) {
  clocks = zone && knowsZone(zone) ? zone : undefined;
}

/** The zone by whose clocks times are shown. */
export const zoneShown = () => clocks ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @param {string} timeZone */
function knowsZone(timeZone) {
  try {
    return Boolean(Intl.DateTimeFormat("en-GB", { timeZone }));
  } catch {
    return false;
  }
}

/**
 * A time as one would say it now: "07:00", "yesterday 07:00", "21 Nov, 07:00", "21 Nov 2025".
 * @param {string | undefined} iso
 * @param {Date} [now]
 * @param {string} [timeZone] whose clocks show it; without one, those that are shown
 */
export function when(iso, now = new Date(), timeZone = clocks) {
  if (!iso) return "";
  const at = new Date(iso);
  const clock = format(at, { hour: "2-digit", minute: "2-digit", timeZone });
  const days = dayOf(now, timeZone) - dayOf(at, timeZone);
  if (days === 0) return clock;
  if (days === 1) return `yesterday ${clock}`;
  if (days === -1) return `tomorrow ${clock}`;
  const [day, year] = [format(at, { day: "numeric", month: "short", timeZone }), format(at, { year: "numeric", timeZone })];
  return year === format(now, { year: "numeric", timeZone }) ? `${day}, ${clock}` : `${day} ${year}`;
}

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/**
 * @param {Date} date
 * @param {Intl.DateTimeFormatOptions} options
 */
function format(date, options) {
  const key = JSON.stringify(options);
  const known = formats.get(key) ?? new Intl.DateTimeFormat("en-GB", options);
  formats.set(key, known);
  return known.format(date);
}

/**
 * The number of a calendar day.
 * @param {Date} date
 * @param {string} [timeZone]
 */
function dayOf(date, timeZone) {
  const [day, month, year] = format(date, { day: "2-digit", month: "2-digit", year: "numeric", timeZone }).split("/").map(Number);
  return Date.UTC(year, month - 1, day) / 86_400_000;
}

/**
 * What a cell shows, as JSON has it.
 * @param {any} cell
 * @returns {string}
 */
export function cellText(cell) {
  if (cell === null || cell === undefined || cell === "") return "";
  if (typeof cell === "number") return numbers.format(cell);
  if (typeof cell === "boolean") return cell ? "TRUE" : "FALSE";
  if (typeof cell === "object") return cell.error ?? cell.formula ?? "";
  return cell;
}

/**
 * How many rows a run changed, as a status cell counts them: those that were only put back in order are written too, but have not changed.
 * @param {{rowsWritten?: number, changedRows?: number, movedRows?: number}} run
 */
const changedBy = ({ rowsWritten = 0, movedRows, changedRows = 0 }) => (movedRows ? changedRows : rowsWritten);

/**
 * What runs did to rows.
 * @param {...Parameters<typeof changedBy>[0]} runs
 */
function rowsChanged(...runs) {
  const changed = runs.reduce((sum, run) => sum + changedBy(run), 0);
  const moved = runs.reduce((sum, run) => sum + (run.movedRows ?? 0), 0);
  const said = [changed && `${count(changed, "row")} changed`, moved && `${count(moved, "row")} put back in order`].filter(Boolean);
  return said.join(", ") || "nothing changed";
}

/**
 * A sentence as one reads it: it begins with a capital and has an end.
 * @param {string} words
 */
export function sentence(words) {
  return words && words[0].toUpperCase() + words.slice(1) + (/[.!?…]$/.test(words) ? "" : ".");
}

/** What several modules of the faces say; the others say theirs themselves. */
export const text = {
  product: "Mooring",
  cancel: "Cancel",
  back: "All blocks",
  loading: "Reading…",
  backOnline: "Mooring is there again.",
  awayNow: "Mooring cannot be reached. Check your connection and try again.",
  unexpected: (/** @type {string} */ message) => `That did not work: ${message}`,
  signOut: "Sign out",
  signedInAs: (/** @type {string} */ who) => `Signed in as ${who}`,
  blocks: "Blocks",
  place: "Place a report",
  refresh: "Refresh",
  goTo: (/** @type {string} */ address) => `Go to ${address}`,
  rowsChanged,
  nextTry: (/** @type {string} */ time, /** @type {string} */ left) => `next try ${time}, ${left}`,
  nextTryNow: "tried again just now",
  leftSeconds: "in less than a minute",
  leftMinutes: (/** @type {number} */ n) => `in ${number(n)} min`,
  leftHours: (/** @type {number} */ n) => `in ${number(n)} h`,
  /** What the statuses of blocks are called. */
  statuses: {
    UP_TO_DATE: "Up to date",
    CHANGED: "Report edited",
    UNKNOWN: "Not refreshed yet",
    REFRESHING: "Refreshing",
    FAILED: "Failed",
    CONFLICT: "Needs a decision",
    WAITING: "Waiting",
  },
  valuesChanged: "Values changed",
  /** What a block waits for, by the reason. @type {Record<string, string>} */
  waits: {
    locked: "the file is open",
    missing: "the file is not there",
    quota: "the quota is used up",
    held: "another refresh is writing",
    source: "the source does not answer",
  },
  waitsOther: "it is tried again",
  waitsFor: (/** @type {string} */ reason) => `Waiting: ${text.waits[reason] ?? text.waitsOther}`,
  asOf: (/** @type {string} */ word, /** @type {string} */ time) => `${word} as of ${time}`,
  dataAsOf: (/** @type {string} */ word, /** @type {string} */ time) => `${word}, data as of ${time}`,
  dismiss: "Dismiss",
  inProgress: "This is being refreshed already. Wait until that has ended, then refresh again.",
  overwrite: "Write over the changes",
  /** A sentence of the server, whose way out is a button here. */
  inPane: (/** @type {string} */ fault) =>
    sentence(
      fault
        .replace(/refresh (?:once )?with onEdit (?:"keep" or )?"overwrite"/, () => `choose “${text.overwrite}”`)
        .replace(/refresh with shiftRows, /, ""),
    ),
};

// ---- where a block stands: what it waits for, since when, when it is tried again, how old it is ----

/**
 * @typedef {import("../interface.d.ts").LastRun} LastRun
 * @typedef {{code: string, reason: string, since: string, next: string, error: string}} Standing
 *   code: the syncStatus, or WAITING; reason: what it waits for, or addin_only; next: when it is tried again, "" where that is not to come
 */

/**
 * @param {{syncStatus: string, lastRun?: LastRun}} placement
 * @param {number} [now]
 * @returns {Standing}
 */
export function standingOf({ syncStatus, lastRun }, now = Date.now()) {
  const { state, reason = "", error = "", since, endedAt, startedAt, nextAttemptAt = "" } = lastRun ?? {};
  const standing = { code: syncStatus, reason: "", since: since ?? endedAt ?? startedAt ?? "", next: "", error };
  const next = Date.parse(nextAttemptAt) > now ? nextAttemptAt : "";
  if (state === "QUEUED" && reason) return { ...standing, code: "WAITING", reason, next };
  if (state === "SKIPPED" && reason === "addin_only") return { ...standing, reason, error: "" };
  return ["FAILED", "CONFLICT"].includes(syncStatus) ? { ...standing, next } : { ...standing, error: "" };
}

/**
 * Until when one waits for the next try: "next try 05:14, in 2 min". Once that time has passed it is not named any more.
 * @param {string} iso
 * @param {number} [now]
 */
export function nextTryWords(iso, now = Date.now()) {
  const left = Date.parse(iso) - now;
  return left > 0 ? text.nextTry(when(iso, new Date(now)), leftWords(left)) : text.nextTryNow;
}

/** @param {number} ms */
function leftWords(ms) {
  if (ms < 60_000) return text.leftSeconds;
  return ms < 5_400_000 ? text.leftMinutes(Math.round(ms / 60_000)) : text.leftHours(Math.round(ms / 3_600_000));
}

/**
 * A state with the age of what stands in the block, where that is known: "Up to date as of 05:12".
 * @param {string} code
 * @param {string} word for the state
 * @param {string | undefined} asOf
 * @param {Date} [now]
 */
export function aged(code, word, asOf, now) {
  if (!asOf) return word;
  return code === "UP_TO_DATE" ? text.asOf(word, when(asOf, now)) : text.dataAsOf(word, when(asOf, now));
}

// ---- what helps ----

/** What helps while something waits, by its reason. @type {Record<string, string>} */
const WAITING = {
  locked: "Close the file if you have it open. Mooring goes on by itself once it is closed.",
  missing:
    "Put the file back where it was, or check its folder or service. Mooring looks for it for 24 hours, then once with each refresh.",
  quota: "Nothing to do: it goes on when there is quota again.",
  held: "Nothing to do: this one follows when that has ended.",
  source: "It goes on by itself when the source answers. If this lasts, tell who runs the source.",
};

/** What helps after a failure, by its class. @type {Record<string, string>} */
const FAILED = {
  transient: "It was tried for some time and is not tried again by itself. Refresh again once what it says is mended.",
  quota: "The quota was used up for too long. Refresh again later.",
  auth: "Your rights on the report or on its source have changed. Ask its owner, then refresh.",
  structure: "Correct the report or the sheet as it says, then refresh.",
  conflict: "Undo the change in the sheet, or let the refresh write over it.",
  permanent: "Correct what it says, then refresh.",
};

/** @param {string} reason for which something waits; one that is not known has general words */
export function waitRemedy(reason) {
  return WAITING[reason] ?? "Nothing to do: it is tried again.";
}

/**
 * @param {string} errorClass of a failure
 * @param {boolean} again whether it is tried again by itself
 */
export function failureRemedy(errorClass, again) {
  return again ? "Nothing to do: it is tried again by itself." : (FAILED[errorClass] ?? "");
}

/**
 * What helps a block; "" where nothing is wrong, or no refresh by an agent is to come.
 * @param {{syncStatus: string, lastRun?: LastRun}} placement
 * @param {number} [now]
 */
export function remedyOf(placement, now) {
  const { code, reason, next } = standingOf(placement, now);
  if (code === "WAITING") return waitRemedy(reason);
  return !reason && ["FAILED", "CONFLICT"].includes(code) ? failureRemedy(placement.lastRun?.errorClass ?? "", Boolean(next)) : "";
}
