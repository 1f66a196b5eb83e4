/** How the console shows names, times, statuses and links. What people wrote stays a text of its own, whatever it holds. */
import { STATUSES, fill, h, mark } from "../ui/dom.mjs";
import { when, zoneShown } from "../ui/text.mjs";
import { text } from "./text.mjs";

/** What it says, in English. */
const words = {
  unnamed: "(no name)",
  yours: (/** @type {string} */ time) => `your browser’s clock: ${time}`,
};

/**
 * @typedef {{id: number, email?: string, firstName?: string}} User
 */

/** Of a name, so many characters are shown; of its tip, more. */
const SHOWN = 120;
const TIP = 1000;

/** How a state looks. @type {Record<string, import("../ui/dom.mjs").Look>} */
export const LOOKS = {
  ...STATUSES,
  MISSED: { mark: "alert", tone: "warn" },
  SUPERSEDED: { mark: "next", tone: "muted" },
  EDITED: { mark: "hand", tone: "muted" },
  QUEUED: { mark: "clock", tone: "muted" },
  RUNNING: { mark: "refresh", tone: "accent" },
  SUCCEEDED: { mark: "check", tone: "good" },
  SKIPPED: { mark: "next", tone: "muted" },
  STOPPED: { mark: "gone", tone: "muted" },
  PAUSED: { mark: "gone", tone: "warn" },
};

/**
 * The first characters of a text, whole ones, with an ellipsis if there are more.
 * @param {string} long
 * @param {number} most
 */
export function cut(long, most) {
  if (long.length <= most) return long;
  return `${[...long.slice(0, most * 2)].slice(0, most - 1).join("")}…`;
}

/**
 * A text that people wrote: a name, an address, a message. It is isolated from its surroundings, whatever way it is written, and a long one
 * is cut; the tip has more of it.
 * @param {string | number | undefined | null} written
 * @param {{max?: number, empty?: string}} [how]
 */
export function name(written, { max = SHOWN, empty = words.unnamed } = {}) {
  const whole = String(written ?? "").trim();
  if (!whole) return h("span", { class: "muted" }, empty);
  const shown = cut(whole, max);
  return h("bdi", { class: "name", title: whole.length > 24 ? cut(whole, TIP) : undefined }, shown);
}

/**
 * A sentence that people or machines wrote, such as why a run failed. It takes the lines it needs.
 * @param {string} written
 * @param {number} [max]
 */
export function message(written, max = 1000) {
  return h("bdi", { class: "message" }, cut(written.trim(), max));
}

/** A sentence with its first letter a capital, where it begins with a word: the name of a file stays as it is. @param {string} sentence */
export const capital = (sentence) => (/^\p{Ll}\p{L}*[\s,:]/u.test(sentence) ? sentence.charAt(0).toUpperCase() + sentence.slice(1) : sentence);

/**
 * Why a run failed. What a button here does is called as the button is.
 * @param {string} error
 * @param {number} [max]
 */
export function reason(error, max) {
  return message(capital(error).replace('refresh with onEdit "overwrite"', `choose “${text.overwrite}” at the block`), max);
}

/**
 * A link to another screen.
 * @param {string} href
 * @param {...import("../ui/dom.mjs").Child} children
 */
export function link(href, ...children) {
  return h("a", { href }, ...children);
}

/**
 * A time; its tip is the whole of it, by the clocks that are shown and by the browser's.
 * @param {string | undefined | null} iso
 */
export function time(iso) {
  return iso ? h("time", { datetime: iso, title: wholeTime(iso) }, when(iso)) : null;
}

/** @param {string} iso */
function wholeTime(iso) {
  const at = new Date(iso);
  const there = at.toLocaleString("en-GB", { dateStyle: "full", timeStyle: "long", timeZone: zoneShown() });
  const here = at.toLocaleString("en-GB", { dateStyle: "full", timeStyle: "long" });
  return there === here ? there : `${there} · ${words.yours(here)}`;
}

/**
 * A length of time: "850 ms", "3.2 s", "4 min", "2 h".
 * @param {number} ms
 */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} days`;
}

/**
 * A status or state with its mark, in words.
 * @param {string} code
 */
export function status(code) {
  return marked(code, statusWord(code));
}

/**
 * Words with the mark of a status or state.
 * @param {string} code one that is not known has the mark of those
 * @param {string | Node} words
 */
export function marked(code, words) {
  const { mark: sign, tone } = LOOKS[code] ?? LOOKS.UNKNOWN;
  return h("span", { class: `status ${tone}` }, mark(sign), words);
}

/** @param {string} code */
export function statusWord(code) {
  return text.status[/** @type {keyof typeof text.status} */ (code)] ?? code;
}

/**
 * A person, as well as they are known.
 * @param {{id?: number, email?: string, firstName?: string, name?: string} | undefined | null} user
 */
export function person(user) {
  if (!user) return null;
  return name(user.firstName || user.name || user.email || (user.id ? text.user(user.id) : ""), { empty: text.unknown });
}

/**
 * Replaces what an element holds; what can be opened there stays as it was.
 * @param {Element} element
 * @param {...(import("../ui/dom.mjs").Child | import("../ui/dom.mjs").Child[])} children
 */
export function refill(element, ...children) {
  const open = element.querySelector("details")?.open ?? false;
  fill(element, ...children);
  const details = element.querySelector("details");
  if (details) details.open = open;
}

/**
 * Facts as a list of terms: pairs of a term and what is said of it. Those that say nothing are left out.
 * @param {[string, import("../ui/dom.mjs").Child | import("../ui/dom.mjs").Child[]][]} pairs
 */
export function facts(pairs) {
  const said = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  return h(
    "dl",
    { class: "facts" },
    said.flatMap(([term, value]) => [h("dt", {}, term), h("dd", {}, ...[value].flat())]),
  );
}

/**
 * A spreadsheet host: its kind, and its name in the configuration unless that is the kind's.
 * @param {string} host
 * @param {string} [spreadsheets]
 */
export function hostName(host, spreadsheets) {
  const kind = text.hosts[/** @type {keyof typeof text.hosts} */ (host)] ?? name(host);
  return h("span", { class: "muted" }, kind, spreadsheets && spreadsheets !== host && [", ", name(spreadsheets)]);
}
