/** How the blocks of a deployment stand, in one sentence and as one bar. */
import { h, mark } from "../../ui/dom.mjs";
import { count, number } from "../../ui/text.mjs";
import { LOOKS, statusWord } from "../show.mjs";

/** What it says, in English. */
const words = {
  none: "No block is placed yet.",
  all: (/** @type {number} */ n) => (n === 1 ? "The one block is up to date." : `All ${number(n)} blocks are up to date.`),
  of: (/** @type {number} */ n, /** @type {number} */ of) => `${number(n)} of ${count(of, "block")} ${n === 1 ? "is" : "are"} up to date.`,
  needs: (/** @type {number} */ n) => `${number(n)} ${n === 1 ? "needs" : "need"} you`,
  waits: (/** @type {number} */ n) => `${number(n)} ${n === 1 ? "waits" : "wait"}`,
  /** What all that wait wait for; behind how many those are. @type {Record<string, [one: string, many: string]>} */
  waitsFor: {
    locked: ["for its file", "for their files"],
    source: ["for its source", "for their source"],
    quota: ["for its quota", "for their quota"],
    held: ["for another refresh", "for another refresh"],
  },
  changed: (/** @type {number} */ n) => `${number(n)} ${n === 1 ? "has" : "have"} an edited report or other values`,
  unknown: (/** @type {number} */ n) => `${number(n)} ${n === 1 ? "is" : "are"} not refreshed yet`,
  refreshing: (/** @type {number} */ n) => `${number(n)} ${n === 1 ? "is" : "are"} refreshing`,
  nothingNeeds: "No block needs you.",
  bar: "Blocks by how they stand",
  /** What a part is called that several statuses have, of one block and of more. @type {Record<string, [one: string, many: string]>} */
  part: { NEEDS_YOU: ["needs you", "need you"], WAITS: ["waits", "wait"] },
  failedOrWaiting: "failed, or waiting",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {NonNullable<import("../../interface.d.ts").Causes["stances"]>} Stances
 * @typedef {{n: number, code: string, word: string, filter: Record<string, string>}} Part code: whose look it has
 */

/**
 * How the blocks stand, in a sentence or two.
 * @param {Partial<Stances> & {needsYou: number, waits: number}} counts without total: of those that the person may read
 * @param {Set<string>} reasons for which blocks wait
 */
export function sentence({ total, upToDate = 0, changed = 0, unknown = 0, refreshing = 0, needsYou, waits }, reasons) {
  if (total === 0) return words.none;
  if (total && upToDate === total) return words.all(total);
  const [reason] = reasons;
  const wait = [words.waits(waits), reasons.size === 1 && words.waitsFor[reason]?.[waits === 1 ? 0 : 1]].filter(Boolean).join(" ");
  const rest = [needsYou && words.needs(needsYou), waits && wait, changed && words.changed(changed), unknown && words.unknown(unknown), refreshing && words.refreshing(refreshing)];
  const said = rest.filter(Boolean).join(", ");
  return [total && words.of(upToDate, total), said ? `${said}.` : !total && words.nothingNeeds].filter(Boolean).join(" ");
}

/**
 * The parts of all blocks, the worst first, each of which is a list.
 * @param {Stances} counts
 * @returns {Part[]}
 */
export function partsOf({ needsYou, waits, changed, unknown, refreshing, upToDate }) {
  const part = (/** @type {number} */ n, /** @type {string} */ stance, code = stance) => ({
    n,
    code,
    word: words.part[stance]?.[n === 1 ? 0 : 1] ?? small(statusWord(stance)),
    filter: { stance },
  });
  return [
    part(needsYou, "NEEDS_YOU", "FAILED"),
    part(waits, "WAITS", "WAITING"),
    part(changed, "CHANGED"),
    part(unknown, "UNKNOWN"),
    part(refreshing, "REFRESHING"),
    part(upToDate, "UP_TO_DATE"),
  ];
}

/**
 * The same by status, where more blocks wait than were looked at: those that wait have one of these statuses too.
 * @param {import("../../interface.d.ts").StatusCounts} counts
 * @returns {Part[]}
 */
export function partsByStatus({ conflict, failed, changed, unknown, refreshing, upToDate, waiting }) {
  const part = (/** @type {number} */ n, /** @type {string} */ status, word = small(statusWord(status))) => ({ n, code: status, word, filter: { status } });
  return [
    part(conflict, "CONFLICT"),
    part(failed, "FAILED", waiting ? words.failedOrWaiting : undefined),
    part(changed, "CHANGED"),
    part(unknown, "UNKNOWN"),
    part(refreshing, "REFRESHING"),
    part(upToDate, "UP_TO_DATE"),
  ];
}

/** @param {string} word */
const small = (word) => word.charAt(0).toLowerCase() + word.slice(1);

/**
 * One bar of all blocks: each part is a link to those that it counts. Parts without any are left out.
 * @param {Console} app
 * @param {Part[]} parts
 */
export function bar(app, parts) {
  const shown = parts.filter(({ n }) => n > 0);
  if (!shown.length) return null;
  const links = shown.map(({ n, code, word, filter }) => {
    const href = app.href("placements", filter);
    const part = h("a", { id: `figure-${href}`, class: `figure part ${code}`, href }, mark(LOOKS[code]?.mark ?? "circle"), h("span", {}, h("b", {}, number(n)), " ", h("span", {}, word)));
    part.style.flexGrow = String(n);
    return part;
  });
  return h("div", { class: "parts", role: "group", "aria-label": words.bar }, links);
}

