/** All blocks of the deployment, with filters. */
import { h } from "../../ui/dom.mjs";
import { queryOf } from "../addresses.mjs";
import { statusWord } from "../show.mjs";
import { text } from "../text.mjs";
import { FILTERS, STATUSES, columns } from "../parts/blocks.mjs";
import { REASONS } from "../parts/causes.mjs";
import { filterBar, isNarrowed } from "../parts/filters.mjs";
import { refreshAll } from "../parts/refresh.mjs";
import { Table } from "../parts/table.mjs";

/** What it says, in English. */
const words = {
  noPlacements: "No block matches these filters.",
  noneYet: "No block is placed yet: open a spreadsheet, and place a report from Mooring’s task pane.",
  waiting: "Waits for",
  /** How the overview counts blocks, each once. @type {Record<string, string>} */
  stances: { NEEDS_YOU: "Needs you", WAITS: "Waits, goes on by itself" },
};

/** @typedef {import("../console.mjs").Console} Console */

const STANCES = ["NEEDS_YOU", "WAITS", "CHANGED", "UNKNOWN", "REFRESHING", "UP_TO_DATE"];

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, route) {
  const { stance, status: wanted, reason, host, document, report, owner, since } = route.filters;
  const filter = stance ? { stance, host, document, report, owner, since } : { status: wanted, reason, host, document, report, owner, since };
  const table = new Table(app, {
    label: text.places.placements,
    path: app.at(`/placements${queryOf(filter)}`),
    columns: columns(app),
    empty: isNarrowed(filter) ? words.noPlacements : words.noneYet,
  });
  const options = (/** @type {string[]} */ codes) => codes.map((code) => /** @type {[string, string]} */ ([code, words.stances[code] ?? statusWord(code)]));
  /** @type {import("../parts/filters.mjs").Field[]} */
  const standing = stance
    ? [{ name: "stance", label: text.statusOf, options: [["", text.all], ...options(STANCES)] }]
    : [
        { name: "status", label: text.statusOf, options: [["", text.all], ...options(STATUSES)] },
        { name: "reason", label: words.waiting, options: [["", text.all], ...REASONS.map(reasonOption)] },
      ];
  const filters = filterBar(app, route, [
    ...standing,
    ...FILTERS,
    { name: "since", label: text.placed, type: "since" },
  ]);
  const element = h(
    "section",
    { class: "screen" },
    h("div", { class: "head" }, h("h2", { tabindex: -1 }, text.places.placements), refreshAll(app, filter)),
    filters,
    table.element,
  );
  return { title: text.places.placements, element, load: table.load };
}

/**
 * @param {string} code
 * @returns {[string, string]}
 */
function reasonOption(code) {
  const label = text.waits[code];
  return [code, label.charAt(0).toUpperCase() + label.slice(1)];
}
