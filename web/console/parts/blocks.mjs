/** Lists of blocks: their columns, and what they are filtered by. */
import { h } from "../../ui/dom.mjs";
import { count } from "../../ui/text.mjs";
import { blockPath } from "../addresses.mjs";
import { link, name, time } from "../show.mjs";
import { text } from "../text.mjs";
import { blockStatus, explanation } from "./block.mjs";
import { retryButton } from "./refresh.mjs";

/** What it says, in English. */
const words = {
  host: "Kind",
  owner: "Placed by",
  editsKept: (/** @type {number} */ cells) => `${count(cells, "edited cell")} kept`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("./block.mjs").Placement} Placement
 * @typedef {import("./block.mjs").PlacementItem} PlacementItem
 */

export const STATUSES = ["CONFLICT", "FAILED", "CHANGED", "UNKNOWN", "REFRESHING", "UP_TO_DATE", "EDITED", "WAITING"];

/** @type {import("./filters.mjs").Field} */
export const HOST = { name: "host", label: words.host, options: [["", text.all], .../** @type {[string, string][]} */ (Object.entries(text.hosts))] };

/** The filters that lists of blocks and of their runs have in common. @type {import("./filters.mjs").Field[]} */
export const FILTERS = [
  HOST,
  { name: "document", label: text.document, type: "document" },
  { name: "report", label: text.report, type: "report" },
  { name: "owner", label: text.person, type: "person" },
];

/**
 * The columns of a list of blocks; those of one report leave the report out.
 * @param {Console} app
 * @returns {import("./table.mjs").Column<PlacementItem>[]}
 */
export function columns(app) {
  return [
    {
      head: text.report,
      cell: ({ reportId, reportName, placement }) => link(app.href(blockPath(reportId, placement.id)), name(reportName)),
    },
    {
      head: text.document,
      cell: ({ placement: p }) => [
        link(app.href("placements", { document: p.workbookId }), name(p.workbookName || p.workbookId, { max: 60 })),
        " ",
        h("span", { class: "muted" }, name(p.resultLocation, { max: 40 })),
      ],
    },
    { head: text.statusOf, cell: (item) => stateCell(app, item) },
    { head: text.refreshed, cell: ({ placement }) => time(placement.refreshedAt) },
    { head: words.owner, cell: ({ placement }) => owner(app, placement) },
    {
      head: text.actions,
      class: "actions",
      cell: ({ reportId, placement }) => retryButton(app, reportId, placement),
    },
  ];
}

/**
 * @param {Console} app
 * @param {PlacementItem} item
 */
function stateCell(app, { reportId, placement }) {
  const { id, edits } = placement;
  return [
    blockStatus(placement),
    edits && h("p", {}, link(app.href(blockPath(reportId, id)), words.editsKept(edits.cells))),
    ...explanation(placement, 200),
  ];
}

/**
 * @param {Console} app
 * @param {Placement} placement
 */
function owner(app, { runAs, placedByUserId }) {
  if (!placedByUserId) return null;
  const email = runAs?.uid === placedByUserId ? runAs.email : "";
  return link(app.href("placements", { owner: String(placedByUserId) }), name(email || text.user(placedByUserId), { max: 40 }));
}
