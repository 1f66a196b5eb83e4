/** What needs a user and what waits, grouped by cause, so that a source that is down is one line and others stay in sight. */
import { ask, h, nextTry } from "../../ui/dom.mjs";
import { count, failureRemedy, waitRemedy } from "../../ui/text.mjs";
import { blockPath } from "../addresses.mjs";
import { link, marked, name, reason, time } from "../show.mjs";
import { text } from "../text.mjs";
import { conflictHelp, conflictOf } from "./conflict.mjs";
import { askFor, retryOf } from "./refresh.mjs";
import { readItems } from "./table.mjs";

/** What it says, in English. */
const words = {
  /** What a conflict is about, by what ends it. @type {Record<string, string>} */
  conflictCause: {
    conflict: "Cells were changed where the refresh writes",
    room: "There is no room for the new rows",
    clash: "The sheet is not as the refresh needs it",
    values: "Values are missing or not allowed",
  },
  showBlock: "Show the block",
  showBlocks: "Show the blocks",
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
  /** Who can mend a cause. @type {Record<string, string>} */
  who: {
    room: "Can be mended by who may edit the file, and here.",
    conflict: "Can be mended by who may edit the file.",
    clash: "Can be mended by who may edit the file or the report.",
    values: "Can be mended by who placed the block or may edit the report.",
    missing: "Can be mended by who keeps the file.",
    structure: "Can be mended by who may edit the report or the file.",
    auth: "Can be mended by the report’s owner.",
    transient: "Can be mended by who runs the source or keeps the file.",
    permanent: "Can be mended by who may edit the report or the file.",
    quota: "Can be mended by who runs Mooring.",
  },
  makeRoomSure: (/** @type {string} */ blocks) => `Make room for ${blocks}?`,
  makeRoomWhat: "The rows below move down as far as the report has grown, and formulas that refer to them follow.",
  showFile: "Show the file",
  decide: "Decide",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("./block.mjs").PlacementItem} PlacementItem
 * @typedef {Pick<import("../../interface.d.ts").Cause, "error" | "since" | "nextAttemptAt" | "documents"> &
 *   {status: string, reason?: string, errorClass?: string, placements: number, first: PlacementItem[]}} Cause
 */

/** The reasons for which blocks wait, that which needs a user first. */
export const REASONS = ["missing", "locked", "source", "quota", "held"];

/** So many blocks of a cause are refreshed at once; more are not refreshed by hand. */
const MOST = 500;

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

/** What is the matter with the blocks of a cause: what words and remedies are found by. @param {Cause} cause */
function kindOf({ status, reason: why = "", errorClass = "", first }) {
  if (status === "CONFLICT") return conflictOf(first[0]?.placement ?? {});
  return status === "WAITING" ? why : errorClass;
}

/**
 * What a cause is called, what helps, and who can do that; "" where there is nothing to do.
 * @param {Cause} cause
 */
export function wordsOf(cause) {
  const { status, nextAttemptAt = "" } = cause;
  const kind = kindOf(cause);
  const who = status !== "WAITING" || needed(cause) ? (words.who[kind] ?? "") : "";
  if (status === "WAITING") return { title: words.waitCause[kind] ?? words.otherCause, remedy: waitRemedy(kind), who };
  if (status === "CONFLICT") return { title: words.conflictCause[kind], remedy: conflictHelp(kind) || failureRemedy(kind, false), who };
  const again = Date.parse(nextAttemptAt) > Date.now();
  return { title: words.failedCause[kind] ?? words.failedOther, remedy: failureRemedy(kind, again), who: again ? "" : who };
}

/**
 * The list that a cause counts, where there is one of exactly these.
 * @param {Console} app
 * @param {Cause} cause
 */
function listOf(app, { status, reason: why }) {
  return status === "WAITING" ? app.href("placements", { status, reason: why }) : "";
}

/**
 * @param {Console} app
 * @param {Cause} cause
 * @param {boolean} complete whether all placements were counted
 */
export function causeItem(app, cause, complete) {
  const { status, since, nextAttemptAt = "", placements, documents, error, first } = cause;
  const { title, remedy, who } = wordsOf(cause);
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
      error && (status === "FAILED" || placements <= first.length) && h("p", { class: "why" }, reason(error, 400)),
      h("p", {}, remedy, remedy && who && " ", who && h("span", { class: "muted" }, who)),
      which(app, cause),
    ),
    h("div", { class: "choices" }, buttons(app, cause)),
  );
}

/**
 * What helps, as buttons: first what mends the cause, then asking for a refresh where that can help by now.
 * @param {Console} app
 * @param {Cause} cause
 */
function buttons(app, cause) {
  const [{ reportId, placement }] = cause.first;
  const kind = kindOf(cause);
  const one = new Set(cause.first.map((item) => item.reportId)).size === 1 && cause.placements <= cause.first.length;
  const leads = (/** @type {string} */ label, /** @type {string} */ href) =>
    h("a", { id: `leads-${placement.id}`, class: "button primary", href }, label);
  const many = (/** @type {string} */ label, /** @type {() => Promise<void>} */ act, kind = "") =>
    h("button", { id: `${label}-${placement.id}`.replace(/\W+/g, "-").toLowerCase(), class: kind, onclick: () => act().catch(app.fail) }, label);
  const retry = retryOf(placement);
  const again = retry && many(retry === "now" ? text.tryNow : text.retry, async () => askFor(app, await blocksOf(app, cause)));
  if (kind === "room") return [many(text.makeRoom, () => makeRoom(app, cause.placements, () => blocksOf(app, cause)), "primary")];
  const block = blockPath(reportId, placement.id);
  const several = cause.placements > 1;
  const where = several ? app.href("placements", { status: cause.status, reason: cause.reason }) : app.href(block);
  if (kind === "conflict") return [leads(words.decide, where)];
  if (kind === "clash" || kind === "values") return [leads(several ? words.showBlocks : words.showBlock, where), again];
  if (kind === "missing") return [leads(several ? words.showBlocks : words.showFile, where), again];
  return [(kind === "structure" || kind === "auth") && one && leads(text.openReport, app.href(["reports", reportId])), again];
}

/**
 * Has the rows below some blocks moved, if the person is sure.
 * @param {Console} app
 * @param {number} n how many blocks these are
 * @param {() => PlacementItem[] | Promise<PlacementItem[]>} blocks
 */
export async function makeRoom(app, n, blocks) {
  const choices = [{ label: text.makeRoom, value: true, kind: /** @type {const} */ ("primary") }];
  const sure = await ask({ title: words.makeRoomSure(count(n, "block")), body: [h("p", {}, words.makeRoomWhat)], choices, cancel: text.cancel });
  if (sure) await askFor(app, await blocks(), { shiftRows: true });
}

/**
 * All blocks of a cause: more than are named may have it.
 * @param {Console} app
 * @param {Cause} cause
 * @returns {Promise<PlacementItem[]>}
 */
async function blocksOf(app, cause) {
  const { first, placements, status, reason: why, error } = cause;
  if (placements <= first.length) return first;
  const filter = status === "WAITING" ? `status=WAITING&reason=${why}` : `status=${status}`;
  const { items } = await readItems(app, app.at(`/placements?${filter}`), MOST);
  const same = (/** @type {PlacementItem} */ { placement: p }) =>
    status === "CONFLICT" ? conflictOf(p) === conflictOf(first[0].placement) : status === "WAITING" || (p.lastRun?.error === error && p.lastRun?.state === "FAILED");
  return items.filter(same);
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
      status !== "FAILED" && placements > first.length && lastRun?.error && h("p", { class: "why" }, reason(lastRun.error, 300)),
    );
  });
  const list = h("ul", { class: "plain" }, lines, placements > first.length && h("li", { class: "muted" }, words.moreOfThem));
  return placements <= 2 ? list : h("details", { id: `which-${first[0].placement.id}` }, h("summary", {}, words.theseBlocks), list);
}
