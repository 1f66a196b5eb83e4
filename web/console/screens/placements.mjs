/** All blocks of the deployment, with filters. */
import { h } from "../../ui/dom.mjs";
import { queryOf } from "../addresses.mjs";
import { statusWord } from "../show.mjs";
import { text } from "../text.mjs";
import { FILTERS, STATUSES, columns } from "../parts/blocks.mjs";
import { REASONS } from "../parts/causes.mjs";
import { filterBar } from "../parts/filters.mjs";
import { refreshAll } from "../parts/refresh.mjs";
import { Table } from "../parts/table.mjs";

/** What it says, in English. */
const words = {
  noPlacements: "No block matches.",
  waiting: "Waits for",
};

/** @typedef {import("../console.mjs").Console} Console */

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, route) {
  const { status: wanted, reason, host, document, report, owner, since } = route.filters;
  const filter = { status: wanted, reason, host, document, report, owner, since };
  const table = new Table(app, {
    label: text.places.placements,
    path: app.at(`/placements${queryOf(filter)}`),
    columns: columns(app),
    empty: words.noPlacements,
  });
  const filters = filterBar(app, route, [
    {
      name: "status",
      label: text.statusOf,
      options: [["", text.all], ...STATUSES.map((code) => /** @type {[string, string]} */ ([code, statusWord(code)]))],
    },
    { name: "reason", label: words.waiting, options: [["", text.all], ...REASONS.map(reasonOption)] },
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
