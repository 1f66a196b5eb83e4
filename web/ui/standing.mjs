/** What the state of a block means to people: what it waits for, since when, when it is tried again, and what helps. */
import { h } from "./dom.mjs";
import { text, when } from "./text.mjs";
import { addinOnly, remedies, waits } from "./waiting.mjs";

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
  if (state === "SKIPPED" && reason === "addin_only") return { ...standing, reason, error: "", remedy: addinOnly.remedy, retry: "" };
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

/** @type {ReturnType<typeof setInterval> | undefined} */
let clock;

/** Makes the words of all next tries that are shown true again, and the names of what they are a part of. */
function tick() {
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("time.next-try"))) {
    const before = one.textContent ?? "";
    const words = nextTryWords(one.getAttribute("datetime") ?? "");
    if (before === words) continue;
    one.textContent = words;
    const named = one.closest("[aria-label]");
    named?.setAttribute("aria-label", (named.getAttribute("aria-label") ?? "").replace(before, words));
  }
}

/**
 * The next try as an element whose words stay true as time passes.
 * @param {string} iso
 */
export function nextTry(iso) {
  clock ??= setInterval(tick, 1000);
  return h("time", { class: "next-try", datetime: iso }, nextTryWords(iso));
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

/**
 * A run as it is read. One that was stopped did nothing more in any block; runs of earlier versions may have no list of these.
 * @template {{state: string, placements?: any[] | null}} R
 * @param {R} run
 * @returns {R & {placements: any[]}}
 */
export function readRun(run) {
  const placements = run.placements ?? [];
  if (run.state !== "STOPPED") return { ...run, placements };
  const settled = (/** @type {any} */ one) => (["QUEUED", "RUNNING"].includes(one.state) ? { ...one, state: "STOPPED" } : one);
  return { ...run, placements: placements.map(settled) };
}
