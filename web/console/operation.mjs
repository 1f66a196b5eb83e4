/** What the screens on schedules and operation say, in English. */
import { count, number } from "../ui/text.mjs";

const day = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });
const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: "UTC" });
const dayOfMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", timeZone: "UTC" });
const lastDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/**
 * A date such as 2026-11-23 as "Mon 23 Nov".
 * @param {string} date
 */
export function dayName(date) {
  return day.format(Date.parse(date)).replace(",", "");
}

/**
 * The same in two words for the head of a column.
 * @param {string} date
 */
export function dayHead(date) {
  return { weekday: weekday.format(Date.parse(date)), day: dayOfMonth.format(Date.parse(date)) };
}

/**
 * @param {string} first
 * @param {string} last
 */
export function dayRange(first, last) {
  return `${dayName(first)} – ${lastDay.format(Date.parse(last))}`;
}

/**
 * A minute of the day as "07:05"; the end of the day as "24:00".
 * @param {number} minute
 */
export function clockTime(minute) {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}

export const words = {
  // The week.
  week: (/** @type {string} */ zone) => `Fires of the week, by the clocks of ${zone}`,
  weekBefore: "Week before",
  weekAfter: "Week after",
  weekThis: "This week",
  weekTable: "As a table",
  weekDay: "Day",
  weekFires: "Fires",
  weekNone: "No fires",
  weekNow: (/** @type {string} */ time) => `Now: ${time}`,
  weekUnknown: (/** @type {string} */ zone) => `This browser does not know the time zone ${zone}.`,
  weekNextOnly: "Only the next fires are shown: this browser cannot expand the expression.",
  gap: (/** @type {string} */ on, /** @type {string} */ from, /** @type {string} */ to) =>
    `${on}: ${from}–${to} does not exist. What is due then fires at the first instant after.`,
  twice: (/** @type {string} */ on, /** @type {string} */ from, /** @type {string} */ to) =>
    `${on}: ${from}–${to} occurs twice. What is due then fires the first time only.`,
  fires: (/** @type {number} */ n) => count(n, "fire"),
  fireAt: (/** @type {string} */ on, /** @type {string} */ time, /** @type {string} */ outcome) => `${on}, ${time}: ${outcome}`,
  /** What became of a fire. */
  outcome: {
    due: "to come",
    paused: "does not fire, paused",
    running: "not ended yet",
    done: "succeeded",
    failed: "failed",
    stopped: "stopped",
    skipped: "skipped",
    waiting: "waits",
    superseded: "taken over by a newer run",
    caughtUp: "caught up late",
    missed: "missed",
    unknown: "no run known",
  },
  missedBy: (/** @type {string} */ time) => `missed; the run of ${time} stands for it`,

  // The calendar of all schedules.
  calendarTitle: "Calendar",
  calendarOf: (/** @type {number} */ n, /** @type {boolean} */ more) =>
    more ? `Of the first ${number(n)} schedules` : `Of ${count(n, "schedule")}`,
  calendarSkipped: (/** @type {number} */ n) =>
    `${count(n, "schedule")} with expressions that this browser cannot expand ${n === 1 ? "shows" : "show"} the next fires only.`,
  zone: "Time zone",

  // Schedules.
  schedules: "Schedules",
  scheduleNone: "No schedule matches.",
  schedule: "Schedule",
  times: "When",
  target: "What",
  next: "Next",
  last: "Last run",
  owner: "Owner",
  report: "Report",
  state: "State",
  active: "Active",
  paused: "Paused",
  pausedSince: (/** @type {string} */ why) => `Paused: ${why.replace(/^paused /, "")}`,
  noNext: "none",
  neverRan: "never ran",
  pauseAll: "Pause all",
  resumeAll: "Resume all",
  newOwner: "New owner's user id",
  newOwnerWhy: "The new owner must be allowed to read the report. Whose rights the queries use stays as it is.",
  scheduleNoun: /** @type {[string, string]} */ (["schedule", "schedules"]),
  reportIs: (/** @type {number} */ id) => `report ${id}`,
  onePlacement: "one placement",
  inDocument: "in ",
  allPlacements: "all placements",
  you: "you",

  // One schedule.
  pause: "Pause",
  resume: "Resume",
  runNow: "Run now",
  runStarted: "A run is made; it shows among the runs below.",
  transfer: "Transfer",
  nextFires: "Next fires",
  yourTime: " (on your clock ",
  nextPaused: "None while it is paused.",
  settings: "Settings",
  cron: "Cron",
  timezone: "Time zone",
  catchUp: "After an outage",
  catchUpIs: { latest: "runs once for what was missed", skip: "skips what was missed", all: "runs the first, then the rest" },
  overlap: "While a run is going on",
  overlapIs: { skip: "skips the fire", queue: "waits for it" },
  onEdit: "When someone edits a cell",
  onEditIs: { keep: "keeps the edit", overwrite: "writes over it", stop: "stops and asks" },
  shiftRows: "Rows below the blocks",
  shiftRowsIs: { "": "as each placement says", yes: "move with the block", no: "stay" },
  jitter: "Spread over",
  key: "Key",
  managedBy: "Managed by",
  changed: "Changed",
  runs: "Runs",
  runsNone: "No run yet.",
  fireTime: "Fire",
  started: "Started",
  lateBy: "Late by",
  took: "Took",
  outcomeHead: "State",
  trigger: "Made by",
  /** @type {Record<string, string>} */
  triggerIs: { schedule: "schedule", manual: "asked for", catchUp: "caught up", hook: "hook", change: "data changed" },
  why: "Why",
  superseded: "A newer run refreshes what this one waited for.",
  standsFor: (/** @type {number} */ n) => `stands for ${count(n, "missed fire")}`,

  // Agents.
  agents: "Agents",
  agent: "Agent",
  agentsNone: "No agent has been heard of for ten minutes: nothing is refreshed until one starts.",
  agentState: { alive: "Alive", draining: "Draining", gone: "Gone" },
  agentsAlive: (/** @type {number} */ n) => `${count(n, "agent")} alive`,
  waiting: (/** @type {number} */ n) => `${count(n, "run")} waiting`,
  load: "Load",
  loadIs: (/** @type {number} */ working, /** @type {number} */ capacity) =>
    `${number(working)} of yours at work, room for ${number(capacity)}`,
  version: "Version",
  startedAt: "Started",
  seenAt: "Last heard",
  atWork: "At work on",
  machine: "Machine",

  // Quota.
  quota: "Quota",
  quotaNone: "No spreadsheet account here has a quota.",
  account: "Account",
  limit: "Limit",
  limitPer: (/** @type {number} */ n, /** @type {string} */ per) => `${number(n)} a ${per}`,
  used: "Used",
  usedOf: (/** @type {number} */ used, /** @type {number} */ limit) => `${number(used)} of ${number(limit)}`,
  unlimited: (/** @type {number} */ used) => `${number(used)}, no limit`,
  noLimit: "no limit",
  severalDocuments: "several documents",
  waitsUntil: " until ",
  accounts: "Spreadsheet accounts",
  ownLimits: "Limits of the service",
  schedulesOfUser: "Your schedules",
  schedulesOfTenant: "Schedules of the account",
  requests: "Requests",

  // Keys and devices.
  keys: "Keys and devices",
  keysSession: "This session",
  signedInAs: "Signed in as",
  mayDo: "May",
  mayAtMost: "At most",
  nothing: "nothing",
  endsAt: "Ends",
  devices: "Devices",
  device: "Device",
  devicesWhy: "What you have signed in by a code: panes, sidebars, command lines. A device, or a key for some actions only, sees no other.",
  devicesNone: "No device is signed in by you.",
  atMost: (/** @type {string[]} */ actions) => `${actions.join(", ")} where your roles or what you created allow it`,
  noBound: "No limit was kept when this was approved: sign it out and approve it again.",
  approve: "Approve a device",
  address: "Address",
  approvedAt: "Approved",
  usedAt: "Last used",
  revoke: "Revoke",
  revokeSure: (/** @type {string} */ name) => `Revoke “${name}”?`,
  revokeWhat: "Its tokens end within 5 seconds. To use it again it is signed in by another code.",
  revoked: (/** @type {string} */ name) => `“${name}” is signed out.`,
  revocations: "Revoked tokens",
  revocationsWhy: "A key or token that is lost ends within 5 seconds everywhere.",
  revocationsNone: "No token is revoked.",
  revocationsOthers: "You may revoke a token of your own; the list is for those who may do everything in all deployments.",
  token: "Token or its id",
  tokenHow: "What “mooring key create” printed, or the id (jti) in it.",
  tokenRevoke: "Revoke",
  tokenRevoked: "Revoked. It is refused everywhere within 5 seconds.",
  revokedAt: "Revoked",
  by: "By",
  until: "Kept until",
  deploymentIds: "Deployments",
  actions: "Actions",

  // Audit.
  audit: "Audit",
  auditNone: "No change matches.",
  auditOf: "Where",
  auditHere: "This deployment",
  auditAccount: "The account: settings, keys, devices, links",
  at: "When",
  who: "Who",
  user: "User id",
  operator: "the operator, or the service itself",
  did: "Did",
  asset: "Asset",
  history: "history",
  assetHow: "such as report:17",
  pointers: "Changed",
  from: "From",
  since: "Since",
};
