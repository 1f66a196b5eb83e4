/** How the console shows where a block stands: its state and age, why it is not refreshed, since when, when it is tried again, what helps. */
import { h, nextTry } from "../../ui/dom.mjs";
import { aged, remedyOf, standingOf } from "../../ui/text.mjs";
import { marked, reason, statusWord, time } from "../show.mjs";
import { text } from "../text.mjs";
import { conflictRemedy } from "./conflict.mjs";

/** What it says, in English. */
const words = {
  dataOf: "data as of",
  /** @type {Record<string, string>} */
  waitWhy: {
    locked: "The file is open in a program, so that nothing can be written into it.",
    missing: "The file, or the folder or service it is on, is not there.",
    quota: "The spreadsheet service or the source asks to wait.",
    held: "Another refresh is writing into this file.",
    source: "The source that the report asks, such as a database, does not answer.",
  },
  otherWhy: "It could not be refreshed yet.",
  addinWhy: "No agent reaches this spreadsheet: it is refreshed by the add-in only.",
};

/**
 * @typedef {import("../../interface.d.ts").Placement} Placement
 * @typedef {Required<Pick<import("../../interface.d.ts").DocumentPlacement, "reportId" | "reportName">> & {placement: Placement}} PlacementItem
 */

/**
 * The state of a block with its mark, and the age of what stands in it.
 * @param {Placement} placement
 */
export function blockStatus(placement) {
  const { code, reason: why } = standingOf(placement);
  if (code === "WAITING") return marked(code, text.waitsFor(why));
  const word = placement.valuesChanged ? text.valuesChanged : statusWord(code);
  return marked(code, ["UP_TO_DATE", "CHANGED"].includes(code) ? aged(code, word, placement.asOf) : word);
}

/**
 * Why a block is not refreshed and what helps, in paragraphs; none where nothing is wrong.
 * @param {Placement} placement
 * @param {number} [max] how much of the reason is shown
 */
export function explanation(placement, max) {
  const { code, reason: why, since, next, error } = standingOf(placement);
  if (why === "addin_only") return [h("p", { class: "why" }, words.addinWhy, " ", text.addinRemedy)];
  if (!["WAITING", "FAILED", "CONFLICT"].includes(code)) return [];
  const remedy = conflictRemedy(placement) || remedyOf(placement);
  return [
    error ? h("p", { class: "why" }, reason(error, max)) : code === "WAITING" && h("p", { class: "why" }, (words.waitWhy[why] ?? words.otherWhy)),
    h(
      "p",
      { class: "muted" },
      since && [text.sinceWord, " ", time(since)],
      since && next && " · ",
      next && nextTry(next),
      code === "WAITING" && placement.asOf && [" · ", words.dataOf, " ", time(placement.asOf)],
    ),
    remedy && h("p", {}, remedy),
  ];
}
