/** What needs a user and what waits, grouped by cause, so that a source that is down is one line and others stay in sight. */
import { h, nextTry } from "../../ui/dom.mjs";
import { count, failureRemedy, waitRemedy } from "../../ui/text.mjs";
import { blockPath } from "../addresses.mjs";
import { link, marked, name, reason, time } from "../show.mjs";
import { text } from "../text.mjs";
import { askFor, retryButton } from "./refresh.mjs";

/** What it says, in English. */
const words = {
  conflictCause: "Cells were changed where the refresh writes",
  /** What failed, by the class of the failure. @type {Record<string, string>} */
  failedCause: {
    transient: "The source or file did not answer",
    quota: "The quota was used up for too long",
    auth: "The rights are missing",
    structure: "The report or the sheet must be corrected",
    permanent: "The refresh failed permanently",
  },
  failedOther: "The refresh failed",
  blocksIn: (/** @type {number} */ blocks, /** @type {number} */ documents) => `${count(blocks, "block")} in ${count(documents, "document")}`,
  theseBlocks: "Which",
  moreOfThem: "The first of them; the list has all.",
  inPlace: "in",
  /** @type {Record<string, string>} */
  waitCause: {
    locked: "The file is open in a program",
    missing: "The file cannot be found",
    quota: "The quota is used up for now",
    held: "Another refresh is writing into the file",
    source: "The source does not answer",
  },
  otherCause: "It could not be refreshed yet",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("./block.mjs").PlacementItem} PlacementItem
 * @typedef {Pick<import("../../interface.d.ts").Cause, "error" | "since" | "nextAttemptAt" | "documents"> &
 *   {status: string, reason?: string, errorClass?: string, placements: number, first: PlacementItem[]}} Cause
 */

/** The reasons for which blocks wait, that which needs a user first. */
export const REASONS = ["missing", "locked", "source", "quota", "held"];

/**
 * The causes that need a user, and those where there is nothing to do, each in the order of their urgency.
 * @param {Cause[]} causes
 */
export function sorted(causes) {
  const waiting = causes.filter(({ status }) => status === "WAITING");
  const rank = (/** @type {Cause} */ { reason = "" }) => REASONS.indexOf(reason) + 1 || Infinity;
  waiting.sort((a, b) => rank(a) - rank(b));
  return {
    needs: [...causes.filter(({ status }) => status !== "WAITING"), ...waiting.filter(needed)],
    waits: waiting.filter((cause) => !needed(cause)),
  };
}

/**
 * Whether blocks wait until a user mends the cause.
 * @param {Cause} cause
 */
const needed = ({ status, reason: why = "" }) => status === "WAITING" && why === "missing";

/**
 * What a cause is called, and what helps.
 * @param {Cause} cause
 */
export function wordsOf({ status, reason: why = "", errorClass = "", nextAttemptAt = "" }) {
  if (status === "WAITING") return { title: words.waitCause[why] ?? words.otherCause, remedy: waitRemedy(why) };
  const title = status === "CONFLICT" ? words.conflictCause : (words.failedCause[errorClass] ?? words.failedOther);
  return { title, remedy: failureRemedy(errorClass, Date.parse(nextAttemptAt) > Date.now()) };
}

/**
 * The list that a cause counts, where there is one of exactly these.
 * @param {Console} app
 * @param {Cause} cause
 */
function listOf(app, { status, reason: why }) {
  if (status === "CONFLICT") return app.href("placements", { status });
  return status === "WAITING" ? app.href("placements", { status, reason: why }) : "";
}

/**
 * @param {Console} app
 * @param {Cause} cause
 * @param {boolean} complete whether all placements were counted
 */
export function causeItem(app, cause, complete) {
  const { status, since, nextAttemptAt = "", placements, documents, error, first } = cause;
  const { title, remedy } = wordsOf(cause);
  const list = listOf(app, cause);
  const said = words.blocksIn(placements, documents);
  return h(
    "li",
    { class: "cause" },
    h(
      "div",
      {},
      h("p", {}, marked(needed(cause) ? "MISSED" : status, h("b", {}, title))),
      h(
        "p",
        { class: "muted" },
        since && [text.sinceWord, " ", time(since), " · "],
        list && complete ? link(list, said) : said,
        Date.parse(nextAttemptAt) > Date.now() && [" · ", nextTry(nextAttemptAt)],
      ),
      status === "FAILED" && error && h("p", { class: "why" }, reason(error, 400)),
      remedy && h("p", {}, remedy),
      which(app, cause),
    ),
    placements <= first.length && button(app, cause),
  );
}

/**
 * A button for all blocks of a cause, where asking for a refresh can help.
 * @param {Console} app
 * @param {Cause} cause
 */
function button(app, { first }) {
  const [{ reportId, placement }] = first;
  const one = retryButton(app, reportId, placement);
  if (!one || first.length === 1) return one;
  const retry = () => askFor(app, first).catch(app.fail);
  return h("button", { id: `retry-all-${placement.id}`, onclick: retry }, one.textContent);
}

/**
 * The first blocks of a cause; those of a single one are named at once.
 * @param {Console} app
 * @param {Cause} cause
 */
function which(app, { status, placements, first }) {
  const lines = first.map(({ reportId, reportName, placement }) => {
    const { id, workbookName, workbookId, resultLocation, lastRun } = placement;
    return h(
      "li",
      {},
      h("a", { id: `failing-${id}`, href: app.href(blockPath(reportId, id)) }, name(reportName, { max: 60 })),
      " ",
      h(
        "span",
        { class: "muted" },
        words.inPlace,
        " ",
        name(workbookName || workbookId, { max: 60 }),
        " ",
        name(resultLocation, { max: 40 }),
      ),
      status !== "FAILED" && lastRun?.error && h("p", { class: "why" }, reason(lastRun.error, 300)),
    );
  });
  const list = h("ul", { class: "plain" }, lines, placements > first.length && h("li", { class: "muted" }, words.moreOfThem));
  return placements <= 2 ? list : h("details", { id: `which-${first[0].placement.id}` }, h("summary", {}, words.theseBlocks), list);
}
