/** The workbooks of the deployment. */
import { h } from "../../ui/dom.mjs";
import { queryOf } from "../addresses.mjs";
import { link, name, person, time } from "../show.mjs";
import { text } from "../text.mjs";
import { filterBar } from "../parts/filters.mjs";
import { Table } from "../parts/table.mjs";

/** What it says, in English. */
const words = {
  noWorkbooks: "No workbook matches the search.",
  noneYet: "There is no workbook yet: dashboards are made over the interface, or as code.",
  workbookIs: (/** @type {number} */ id) => `Workbook ${id}`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").Workbook & {error?: string}} Workbook
 */

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, route) {
  const { search } = route.filters;
  const table = new Table(app, {
    label: text.places.workbooks,
    path: app.at(`/workbooks${queryOf({ search })}`),
    columns: columns(app),
    empty: search ? words.noWorkbooks : words.noneYet,
  });
  const element = h(
    "section",
    { class: "screen" },
    h("h2", { tabindex: -1 }, text.places.workbooks),
    filterBar(app, route, [{ name: "search", label: text.search }]),
    table.element,
  );
  return { title: text.places.workbooks, element, load: table.load };
}

/**
 * @param {Console} app
 * @returns {import("../parts/table.mjs").Column<Workbook>[]}
 */
function columns(app) {
  return [
    {
      head: text.workbook,
      cell: ({ id, name: called, error }) =>
        error ? [words.workbookIs(id), h("p", { class: "bad" }, error)] : link(app.href(["workbooks", id]), name(called)),
    },
    { head: text.slug, cell: ({ slug }) => slug && name(slug) },
    { head: text.version, class: "number", cell: ({ version }) => version },
    { head: text.changedAt, cell: ({ updatedAt }) => time(updatedAt) },
    { head: text.changedBy, cell: ({ updatedBy, user }) => person(updatedBy ?? user) },
    { head: text.managedBy, cell: ({ managedBy }) => managedBy && name(managedBy.project) },
    {
      head: text.links,
      cell: ({ id }) => link(app.href("reports", { workbookId: String(id) }), text.places.reports),
    },
  ];
}
