/** What refreshes a block by itself, and on whose behalf it is queried. */
import { fill, h } from "../../ui/dom.mjs";
import { rhythm } from "../../ui/rhythm.mjs";
import { link, marked, name, time } from "../show.mjs";
import { text } from "../text.mjs";
import { readItems } from "./table.mjs";

/** What it says, in English. */
const words = {
  none: "No schedule refreshes this block: it is refreshed when someone asks for it.",
  next: "next",
  make: "New schedule",
  edit: "Edit",
  runAs: "It is queried on behalf of ",
  runAsWhy: ": what it shows is what they may see.",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("./block.mjs").Placement} Placement
 * @typedef {import("./schedule.mjs").Schedule} Schedule
 */

/** A report has few schedules; so many are looked through. */
const MOST = 200;

export class Scheduled {
  /**
   * @param {Console} app
   * @param {number} report
   */
  constructor(app, report) {
    this.app = app;
    this.report = report;
    this.element = h("div", { class: "card" });
  }

  /**
   * @param {Placement} placement
   * @param {boolean} mine whether the person may have it refreshed by itself
   * @param {AbortSignal} signal
   */
  async load(placement, mine, signal) {
    const { items } = await readItems(this.app, this.app.at(`/refresh-schedules?report=${this.report}`), MOST, signal);
    const ours = /** @type {Schedule[]} */ (items).filter(({ target }) => covers(target, placement));
    const { runAs } = placement;
    const make = this.app.href(["schedules", "new"], { report: String(this.report), placement: placement.id });
    fill(
      this.element,
      ours.length ? h("ul", { class: "plain" }, ours.map((one) => this.line(one))) : h("p", {}, words.none),
      mine && h("p", {}, h("a", { id: "make-schedule", class: "button", href: make }, words.make)),
      runAs && h("p", {}, words.runAs, name(runAs.email || text.user(runAs.uid)), words.runAsWhy),
    );
  }

  /** @param {Schedule} schedule */
  line({ id, name: called, cron, timezone, paused, nextFires }) {
    return h(
      "li",
      {},
      h("b", {}, name(rhythm(cron, timezone))),
      " · ",
      paused ? marked("PAUSED", text.paused) : nextFires[0] && [words.next, " ", time(nextFires[0])],
      " · ",
      link(this.app.href(["schedules", id]), name(called || words.edit, { max: 60 })),
    );
  }
}

/**
 * Whether a schedule refreshes a block.
 * @param {Schedule["target"]} target
 * @param {Pick<Placement, "id" | "workbookId">} placement
 */
export function covers({ placementId, externalWorkbookId }, { id, workbookId }) {
  if (placementId) return placementId === id;
  return !externalWorkbookId || externalWorkbookId === workbookId;
}
