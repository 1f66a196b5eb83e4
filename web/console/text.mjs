/** All that the console's frame and lists say, in English; the screens on operation have texts of their own. */
import { count, number } from "../ui/text.mjs";

export const text = {
  product: "Mooring",
  cancel: "Cancel",
  loading: "Reading…",
  more: "Show more",
  menu: "Menu",
  deployment: "Deployment",
  deploymentIs: (/** @type {number} */ id) => `Deployment ${id}`,
  noDeployment: "No deployment",
  noDeploymentWhy: "Your account may not use any deployment of this service. Ask who runs it.",
  screens: "Screens",
  dismiss: "Dismiss",
  skip: "Skip to the screen",
  docs: "Documentation",
  away: "Mooring cannot be reached; trying again…",
  awayNow: "Mooring cannot be reached. Check your connection and try again.",
  backOnline: "Mooring is there again.",
  unexpected: (/** @type {string} */ message) => `That did not work: ${message}`,
  noScreen: "There is no such page",
  noScreenWhy: "The address names no screen of the console.",
  toOverview: "To the overview",
  notThere: "This is not there, or you may not read it",
  unnamed: "(no name)",
  nobody: "(unknown)",
  user: (/** @type {number} */ id) => `user ${id}`,

  // Signing in.
  signIn: "Sign in",
  signInTitle: "Sign in to Mooring",
  signOut: "Sign out",
  signedInAs: (/** @type {string} */ who) => `Signed in as ${who}`,
  key: "Key",
  keyWhy: "A key made by “mooring key create”. It is kept by the server, not by this page.",
  keyInstead: "Use a key instead",
  keyRefused: "This key is not valid here, or has ended.",
  signInAgain: "Your session has ended. Sign in again, and this page goes on where it was.",
  signInFailed: {
    denied: "The sign-in was denied.",
    refused: "You are signed in there, but this service has no place for you. Ask who runs it.",
    expired: "The sign-in took too long. Sign in again.",
    provider_unavailable: "The identity provider does not answer now. Try again soon, or use a key.",
  },

  /** What each screen is called. @type {Record<string, string>} */
  places: {
    overview: "Overview",
    documents: "Documents",
    placements: "Placements",
    runs: "Runs",
    reports: "Reports",
    workbooks: "Workbooks",
    schedules: "Schedules",
    calendar: "Calendar",
    agents: "Agents",
    quota: "Quota",
    keys: "Keys and devices",
    audit: "Audit",
  },

  status: {
    CONFLICT: "Needs a decision",
    FAILED: "Failed",
    CHANGED: "Report edited",
    UNKNOWN: "Not refreshed yet",
    REFRESHING: "Refreshing",
    UP_TO_DATE: "Up to date",
    EDITED: "Cells edited",
    QUEUED: "Waiting",
    RUNNING: "Running",
    SUCCEEDED: "Succeeded",
    SKIPPED: "Skipped",
    STOPPED: "Stopped",
  },

  // Filters.
  filtersClear: "Clear the filters",
  all: "All",
  anyTime: "Any time",
  since: (/** @type {string} */ time) => `Since ${time}`,
  reach: { "24h": "Last 24 hours", "7d": "Last 7 days", "30d": "Last 30 days" },

  // Bulk actions.
  bulkSure: (/** @type {string} */ label, /** @type {string} */ items) => `${label}: ${items}?`,
  bulkDo: (/** @type {string} */ label, /** @type {string} */ items) => `${label} (${items})`,
  bulkNone: "Nothing matches the filter now.",
  bulkTooMany: (/** @type {number} */ most) => `More than ${number(most)} match. Narrow the filter: a call takes ${number(most)} at most.`,
  bulkChanged: (/** @type {string} */ items) => `The filter matches another number now: ${items}.`,
  bulkDone: (/** @type {string} */ items, /** @type {number} */ refused) =>
    refused ? `Done for ${items}; ${count(refused, "was", "were")} refused:` : `Done for ${items}.`,
};
