/** All that the faces say, in English, and how they write numbers, times and where a block stands. */

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

/**
 * A time as one would say it now: "07:00", "yesterday 07:00", "21 Nov, 07:00", "21 Nov 2025".
 * @param {string | undefined} iso
 * @param {Date} [now]
 * @param {string} [timeZone] whose clocks show it; without one, the browser's
 */
export function when(iso, now = new Date(), timeZone) {
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
 * What a run did to rows. Those that were only put back in order are written too, but have not changed.
 * @param {number} rows
 * @param {number} [moved]
 */
function rowsChanged(rows, moved = 0) {
  if (moved) return `${count(rows, "row")} written, ${number(moved)} put back in order`;
  return rows ? `${count(rows, "row")} changed` : "nothing changed";
}

/** Why a person is asked before rows go into a file. */
const ROWS_FOR_ALL =
  "Rows that you may see are written into it, for all who can open it. If you did not expect that, ask the person who gave it to you.";

export const text = {
  product: "Mooring",
  cancel: "Cancel",
  back: "All blocks",
  loading: "Reading…",

  // Without a server, without a document.
  away: (/** @type {string} */ readAt) =>
    readAt ? `Mooring cannot be reached. This is what was read ${readAt}; trying again…` : "Mooring cannot be reached; trying again…",
  backOnline: "Mooring is there again.",
  storageAway: (/** @type {string} */ readAt) =>
    `Mooring’s storage does not answer.${readAt && ` This is what was read ${readAt}.`} It goes on by itself when the storage is back.`,
  awayNow: "Mooring cannot be reached. Check your connection and try again.",
  unexpected: (/** @type {string} */ message) => `That did not work: ${message}`,

  // Signing in.
  signIn: "Sign in",
  signInTitle: "Sign in to Mooring",
  signInWhy: "Reports are shown with your own rights. You approve this pane once, in your browser; no password is typed here.",
  signInAgain: "Your sign-in has ended. Sign in again, and what you were doing goes on.",
  codeIs: "Your code",
  codeWhere: "Open this page, check that it shows the same code, and approve:",
  codeOpen: "Open the page",
  codeCopy: "Copy the code",
  codeCopied: "The code is copied.",
  codeWaiting: (/** @type {string} */ left) => `Waiting for your approval… ${left} left`,
  codeExpired: "The code has expired.",
  codeDenied: "The request was denied.",
  codeAgain: "Get another code",
  haveKey: "Use a key instead",
  key: "Key",
  keyWhy: "A key made by “mooring key create”. It stays on this device.",
  keyUse: "Use this key",
  keyRefused: "This key is not valid here, or has ended.",
  signOut: "Sign out",
  signedInAs: (/** @type {string} */ who) => `Signed in as ${who}`,
  console: "Open the console",

  // Blocks.
  blocks: "Blocks",
  blocksOf: "Reports in this document",
  noBlocks: "No report stands in this document yet.",
  noBlocksHow: "Place one: Mooring writes its rows into the cells you choose, and keeps them true.",
  find: "Find a block",
  noDocument: "No spreadsheet is open here. Open Mooring from Excel or Google Sheets to see the reports in it.",
  noneFound: "No block matches.",
  needAttention: (/** @type {number} */ n) => `Needs attention (${number(n)})`,
  place: "Place a report",
  refresh: "Refresh",
  refreshAll: "All blocks",
  refreshSheet: "This sheet",
  refreshSelection: "Selection",
  nothingSelected: "No block stands there.",
  goTo: (/** @type {string} */ address) => `Go to ${address}`,

  // What a block's state is called.
  state: {
    UP_TO_DATE: "Up to date",
    CHANGED: "Report edited",
    UNKNOWN: "Not refreshed yet",
    REFRESHING: "Refreshing…",
    FAILED: "Failed",
    CONFLICT: "Needs a decision",
    WAITING: "Waiting",
    DENIED: "No access",
    GONE: "Cells deleted",
  },
  refreshed: (/** @type {string} */ time, /** @type {string} */ by) => `Refreshed ${time}${by && ` ${by}`}`,
  bySchedule: "by schedule",
  byScheduleLate: "by schedule, late",
  byData: "after new data",
  byYou: "by you",
  by: (/** @type {string} */ who) => `by ${who}`,
  rowsChanged,
  cellsKept: (/** @type {number} */ n, /** @type {boolean} */ mine) =>
    mine ? `${count(n, "cell")} of yours kept` : `${count(n, "edited cell")} kept`,
  editedSince: "The report was edited since. Refresh to see it.",
  nextTry: (/** @type {string} */ time, /** @type {string} */ left) => `next try ${time}, ${left}`,
  nextTryNow: "tried again just now",
  leftSeconds: "in less than a minute",
  leftMinutes: (/** @type {number} */ n) => `in ${number(n)} min`,
  leftHours: (/** @type {number} */ n) => `in ${number(n)} h`,
  waitsFor: (/** @type {string} */ what) => `Waiting: ${what}`,
  waitsSince: (/** @type {string} */ time) => `since ${time}`,
  asOf: (/** @type {string} */ word, /** @type {string} */ time) => `${word} as of ${time}`,
  dataAsOf: (/** @type {string} */ word, /** @type {string} */ time) => `${word}, data as of ${time}`,
  dataOf: (/** @type {string} */ time) => `data as of ${time}`,
  tryNow: "Try now",
  agentsLeaveOut: "No agent reaches this spreadsheet, so that schedules leave this block out: refresh it here.",
  deniedWhy: "You may not read this report. Ask its owner for access.",
  goneWhy: "Refresh writes the block again where it stood; unlink ends it.",
  failedSince: (/** @type {string} */ time) => `Failed ${time}`,

  // Refreshing.
  refreshing: (/** @type {number} */ n, /** @type {number} */ of, /** @type {string} */ name) =>
    of > 1 ? `Refreshing ${number(n)} of ${number(of)}: ${name}` : `Refreshing ${name}`,
  steps: { query: "Asking the source", read: "Reading the sheet", write: "Writing the changes", finish: "Finishing" },
  stop: "Stop",
  stopping: "Stopping…",
  done: (/** @type {number} */ n, /** @type {number} */ rows, /** @type {number} */ moved) =>
    `${count(n, "block")} refreshed, ${rowsChanged(rows, moved)}.`,
  stoppedAfter: (/** @type {number} */ n) => `Stopped after ${count(n, "block")}.`,
  failedCount: (/** @type {number} */ n) => `${count(n, "block")} not refreshed:`,
  byAgent: "Refresh by an agent",
  askedAgent: "An agent refreshes it now.",
  dismiss: "Dismiss",
  inProgress: "This is being refreshed already. Wait until that has ended, then refresh again.",
  leaseLost: "The refresh took too long and was given up. Refresh again.",

  // One block.
  where: "Where",
  lastRefresh: "Last refresh",
  whatNow: "What you can do",
  overwrite: "Write over the changes",
  /** A sentence of the server, whose way out is a button here. */
  inPane: (/** @type {string} */ sentence) => sentence.replace('refresh with onEdit "overwrite"', () => `choose “${text.overwrite}”`),
  overwriteSure: "Write over what was changed in the sheet?",
  overwriteWhat: "The block becomes what the report says. What stands there now is kept in the run's record.",
  edits: "Edited cells",
  editsWhy: "These cells were changed by hand. Refreshes keep them until you take the source's value.",
  editYours: "Yours",
  editSource: "Source",
  editHidden: "Only who placed the block sees the values.",
  editInserted: "inserted row",
  editTake: "Take the source's",
  editTaken: "The next refresh takes the source's value.",
  editsTake: (/** @type {number} */ n) => `Take the source's value in ${count(n, "cell")}`,
  editsMore: (/** @type {number} */ n) => `Only the first ${number(n)} are shown.`,
  empty: "(empty)",
  unlink: "Unlink",
  unlinkSure: "Unlink this block?",
  unlinkWhat: "Mooring follows these cells no more. The report itself stays.",
  unlinkKeep: "Unlink, keep the cells",
  unlinkClear: "Unlink and clear the cells",
  unlinked: "Unlinked. The cells stay.",
  unlinkedCleared: "Unlinked, and the cells are cleared.",
  clearEdited: "Some cells changed since the last refresh",
  clearEditedWhat: (/** @type {string} */ rows) => `Changed since Mooring wrote them: ${rows}. Clear them too?`,
  clearAll: "Clear everything",
  clearOurs: "Clear only unchanged rows",
  rowsOf: (/** @type {string} */ rows) => `rows ${rows}`,

  // Schedules.
  schedule: "Schedule",
  scheduleNone: "This block is refreshed only when someone asks for it.",
  scheduleAdd: "Schedule it",
  scheduleHow: "How often",
  scheduleAt: "At",
  scheduleOn: "On",
  scheduleCron: "Cron expression",
  scheduleZone: (/** @type {string} */ zone) => `Times are of ${zone}.`,
  scheduleOften: { weekdays: "Every weekday", daily: "Every day", weekly: "Every week", hourly: "Every hour", custom: "Custom (cron)" },
  days: ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
  everyDay: (/** @type {string} */ day) => `Every ${day}`,
  scheduleSave: "Save the schedule",
  scheduleSaved: "The schedule is saved.",
  scheduleNext: (/** @type {string} */ time) => `Next refresh ${time}`,
  scheduleWhole: "with the whole document",
  scheduleReport: "with all placements of the report",
  paused: "Paused",
  pause: "Pause",
  resume: "Resume",
  remove: "Delete",
  removeSure: "Delete this schedule?",

  // Placing a report.
  placeFind: "Find a report",
  placeNone: "No report matches.",
  placeIn: "Deployment",
  placeShown: (/** @type {number} */ n) => `The first ${number(n)} are shown. Type more of the name to find others.`,
  placeBack: "Another report",
  preview: "First rows",
  size: (/** @type {number} */ rows, /** @type {number} */ columns) =>
    `${count(rows, "row")} × ${count(columns, "column")}, the header included`,
  placeAt: "Top left cell",
  placeAtHow: "The cell that is selected in the sheet. Select another one to move it.",
  placeCovers: (/** @type {string} */ address) => `It fills ${address}.`,
  placeShow: "Show on the sheet",
  placeFree: "These cells are empty.",
  placeFilled: (/** @type {number} */ n, /** @type {string} */ cells) =>
    `${count(n, "cell")} there ${n === 1 ? "is" : "are"} filled (${cells}). Placing the report writes over ${n === 1 ? "it" : "them"}; the run keeps what stood there.`,
  placeOverlaps: (/** @type {string} */ name) => `It would cover the block “${name}”. Choose another cell.`,
  placeOptions: "Options",
  onEdit: "When someone edits a cell of it",
  onEditChoice: { keep: "Keep the edit", overwrite: "Write over it", stop: "Stop and ask" },
  shiftRows: "Rows below move with the block",
  fillRight: "Formulas filled down (optional)",
  fillRightHow: "Columns to the right of the block, such as F:H, whose formulas new rows get.",
  statusCell: "Status cell (optional)",
  statusCellHow: "A cell of the same sheet, such as B1, that says when the block was refreshed.",
  placeHere: "Place it here",
  placeOver: "Place it and write over these cells",
  placed: (/** @type {string} */ name) => `“${name}” is placed.`,
  placing: "Placing…",

  // A copied document.
  copied: "This is a copy: give it its own placements?",
  copiedWhat:
    "The document was copied from another one whose blocks Mooring keeps true. With placements of its own, this copy is refreshed too.",
  copiedRows: ROWS_FOR_ALL,
  copiedOwn: "Give it its own",
  copiedSame: "It is the same document",
  copiedLater: "Not now",
  copiedDone: (/** @type {number} */ n) => `${count(n, "block")} now belong${n === 1 ? "s" : ""} to this copy.`,

  // A document that this device has not seen at its address.
  unseen: "Refresh in this file?",
  unseenWhat: (/** @type {string} */ name) =>
    `“${name}” says that it is a document whose blocks Mooring keeps, and this device has not seen it here before. ` + ROWS_FOR_ALL,
  unseenRefresh: "Refresh here",
  renamed: "The file says by now that it is another document than the one whose blocks are shown: reload the pane.",
};

// ---- where a block stands: what it waits for, since when, when it is tried again, what helps ----

/**
 * @typedef {{label: string, remedy: string, now: boolean}} Wait
 *   label: behind "Waiting: "; now: whether a try at once can help, as a user has mended it
 */

/** @type {Record<string, Wait>} */
const WAITS = {
  locked: {
    label: "the file is open",
    remedy: "Close the file if you have it open. Mooring goes on by itself once it is closed.",
    now: true,
  },
  missing: {
    label: "the file is not there",
    remedy:
      "Put the file back where it was, or check its folder or service. Mooring looks for it for 24 hours, then once with each refresh.",
    now: true,
  },
  quota: {
    label: "the quota is used up",
    remedy: "Nothing to do: it goes on when there is quota again.",
    now: false,
  },
  held: {
    label: "another refresh is writing",
    remedy: "Nothing to do: this one follows when that has ended.",
    now: false,
  },
  source: {
    label: "the source does not answer",
    remedy: "Nothing to do: it goes on when the source answers. If this lasts, tell who runs the source.",
    now: false,
  },
};

/** @type {Wait} */
const OTHER = {
  label: "it is tried again",
  remedy: "Nothing to do: it is tried again.",
  now: false,
};

/**
 * @param {string} reason one that is not known has general words
 * @returns {Wait}
 */
export function waits(reason) {
  return WAITS[reason] ?? OTHER;
}

/** What helps where only an add-in reaches the spreadsheet. */
export const addinRemedy = "Open the spreadsheet and refresh there.";

/** What helps after a failure, by its class. @type {Record<string, string>} */
const WAYS_OUT = {
  transient: "It was tried for some time and is not tried again by itself. Refresh again once what it says is mended.",
  quota: "The quota was used up for too long. Refresh again later.",
  auth: "Your rights on the report or on its source have changed. Ask its owner, then refresh.",
  structure: "Correct the report or the sheet as it says, then refresh.",
  conflict: "Undo the change in the sheet, or let the refresh write over it.",
  permanent: "Correct what it says, then refresh.",
};

/**
 * What helps after a failure.
 * @param {string} errorClass
 * @param {boolean} again whether it is tried again by itself
 */
export function remedies(errorClass, again) {
  if (again) return "Nothing to do: it is tried again by itself.";
  return WAYS_OUT[errorClass] ?? "";
}

/**
 * @typedef {{runId: string, state: string, reason?: string, since?: string, error?: string, errorClass?: string, nextAttemptAt?: string,
 *   startedAt?: string, endedAt?: string}} LastRun
 * @typedef {{code: string, reason: string, since: string, next: string, error: string, remedy: string, retry: "" | "retry" | "now"}} Standing
 *   code: the syncStatus, or WAITING; reason: what it waits for, or addin_only; next: when it is tried again, "" where that is not to come;
 *   retry: whether asking for a refresh helps, and how that is called
 */

/**
 * @param {{syncStatus: string, lastRun?: LastRun}} placement
 * @param {number} [now]
 * @returns {Standing}
 */
export function standingOf({ syncStatus, lastRun }, now = Date.now()) {
  const { state, reason = "", errorClass = "", error = "", since, endedAt, startedAt } = lastRun ?? {};
  const standing = { code: syncStatus, reason: "", since: since ?? endedAt ?? startedAt ?? "", next: "", error, remedy: "" };
  const next = nextOf(lastRun, now);
  if (state === "QUEUED" && reason) {
    const { remedy, now: soon } = waits(reason);
    return { ...standing, code: "WAITING", reason, next, remedy, retry: soon ? "now" : "" };
  }
  if (state === "SKIPPED" && reason === "addin_only") return { ...standing, reason, error: "", remedy: addinRemedy, retry: "" };
  if (!["FAILED", "CONFLICT"].includes(syncStatus)) return { ...standing, error: "", retry: "" };
  const ended = state !== "QUEUED" && state !== "RUNNING";
  return { ...standing, next, remedy: remedies(errorClass, Boolean(next)), retry: ended ? "retry" : "" };
}

/**
 * When something is tried again, if that is to come.
 * @param {{nextAttemptAt?: string} | undefined} tried
 * @param {number} now
 */
function nextOf(tried, now) {
  const next = tried?.nextAttemptAt ?? "";
  return Date.parse(next) > now ? next : "";
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
