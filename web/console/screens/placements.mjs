/** All blocks of the deployment, with filters. */
import { REASONS } from "../parts/causes.mjs";
import { h } from "../../ui/dom.mjs";
import { filterBar } from "../parts/filters.mjs";
import { refreshAll } from "../parts/refresh-all.mjs";
import { retryButton } from "../parts/refresh.mjs";
import { link, name, statusWord, time } from "../show.mjs";
import { blockPath, queryOf } from "../addresses.mjs";
import { blockStatus, explanation } from "../parts/block.mjs";
import { Table } from "../parts/table.mjs";
import { text } from "../text.mjs";

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../ui/text.mjs").LastRun} LastRun
 * @typedef {{id: string, workbookId: string, workbookName?: string, host: string, spreadsheets?: string, sheetName: string, resultLocation: string,
 *   endResultCell?: string, syncStatus: string, placedAt?: string, refreshedAt?: string, asOf?: string, restoredAt?: string, placedByUserId?: number,
 *   refreshedByUserId?: number, runAs?: {uid: number, email?: string}, edits?: {rows: number, cells: number, since: string},
 *   onEdit?: string, shiftRows?: boolean, statusCell?: string, fillRight?: string, breakSignature?: boolean,
 *   managedBy?: {project: string}, lastRun?: LastRun}} Placement
 * @typedef {{reportId: number, reportName: string, placement: Placement}} PlacementItem
 */

export const STATUSES = ["CONFLICT", "FAILED", "CHANGED", "UNKNOWN", "REFRESHING", "UP_TO_DATE", "EDITED", "WAITING"];
export const HOSTS = /** @type {[string, string][]} */ (Object.entries(text.hosts));

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../addresses.mjs").Screen}
 */
export function screen(app, route) {
  const { status: wanted, reason, host, document, report, owner, since } = route.filters;
  const filter = { status: wanted, reason, host, document, report, owner, since };
  const table = new Table(app, {
    label: text.places.placements,
    path: app.at(`/placements${queryOf(filter)}`),
    columns: columns(app),
    empty: text.noPlacements,
  });
  const filters = filterBar(app, route, [
    {
      name: "status",
      label: text.statusOf,
      options: [["", text.all], ...STATUSES.map((code) => /** @type {[string, string]} */ ([code, statusWord(code)]))],
    },
    { name: "reason", label: text.waiting, options: [["", text.all], ...REASONS.map(reasonOption)] },
    { name: "host", label: text.host, options: [["", text.all], ...HOSTS] },
    { name: "document", label: text.document },
    { name: "report", label: text.reportNumber, type: "number" },
    { name: "owner", label: text.ownerNumber, type: "number" },
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

/**
 * The columns of a list of blocks; those of one report leave the report out.
 * @param {Console} app
 * @returns {import("../parts/table.mjs").Column<PlacementItem>[]}
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
    { head: text.owner, cell: ({ placement }) => owner(app, placement) },
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
    edits && h("p", {}, link(app.href(blockPath(reportId, id)), text.editsKept(edits.cells))),
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
