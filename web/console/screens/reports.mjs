/** The reports of the deployment. */
import { h } from "../../ui/dom.mjs";
import { number } from "../../ui/text.mjs";
import { queryOf } from "../addresses.mjs";
import { link, name, person, status, time } from "../show.mjs";
import { text } from "../text.mjs";
import { filterBar, isNarrowed } from "../parts/filters.mjs";
import { worst } from "../parts/impact.mjs";
import { newLink } from "../parts/make.mjs";
import { Table } from "../parts/table.mjs";

/** What it says, in English. */
const words = {
  noReports: "No report matches these filters.",
  noneYet: "There is no report yet, or none that you may read.",
  sortBy: "Sorted by",
  sorts: { updatedAt: "Last changed", name: "Name", createdAt: "Newest" },
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").Report & {error?: string}} Report error: its stored record cannot be read, and little else is known
 */

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, route) {
  const { search, workbookId, sortBy = "updatedAt" } = route.filters;
  const sortDirection = sortBy === "name" ? "asc" : "desc";
  const table = new Table(app, {
    label: text.places.reports,
    path: app.at(`/reports${queryOf({ search, workbookId, sortBy, sortDirection })}`),
    columns: columns(app),
    empty: isNarrowed({ search, workbookId }) ? words.noReports : words.noneYet,
  });
  const element = h(
    "section",
    { class: "screen" },
    h("div", { class: "head" }, h("h2", { tabindex: -1 }, text.places.reports), newLink(app)),
    filterBar(app, route, [
      { name: "search", label: text.search },
      { name: "workbookId", label: text.workbook, type: "workbook" },
      {
        name: "sortBy",
        label: words.sortBy,
        options: [
          ["", words.sorts.updatedAt],
          ["name", words.sorts.name],
          ["createdAt", words.sorts.createdAt],
        ],
      },
    ]),
    table.element,
  );
  return { title: text.places.reports, element, load: table.load };
}

/**
 * @param {Console} app
 * @returns {import("../parts/table.mjs").Column<Report>[]}
 */
function columns(app) {
  return [
    {
      head: text.report,
      cell: (report) =>
        report.error
          ? [text.reportIs(report.id), h("p", { class: "bad" }, report.error)]
          : link(app.href(["reports", report.id]), name(report.name)),
    },
    { head: text.statusOf, cell: ({ externalWorkbookPlacements: placed = [] }) => placed.length > 0 && status(worst(placed)) },
    {
      head: text.blocks,
      class: "number",
      cell: ({ id, externalWorkbookPlacements: placed = [] }) =>
        link(app.href("placements", { report: String(id) }), number(placed.length)),
    },
    { head: text.refreshed, cell: ({ refreshedAt }) => time(refreshedAt) },
    { head: text.changedAt, cell: ({ updatedAt }) => time(updatedAt) },
    { head: text.changedBy, cell: ({ updatedBy, user }) => person(updatedBy ?? user) },
  ];
}
