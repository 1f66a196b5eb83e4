/** One report: its definition, where it stands, who changed it, and what a change of it reaches. */
import { fill, h } from "../../ui/dom.mjs";
import { facts, link, message, name, person, status, time } from "../show.mjs";
import { text } from "../text.mjs";
import { columns } from "../parts/blocks.mjs";
import { impact, worst } from "../parts/impact.mjs";
import { editLink } from "../parts/make.mjs";
import { refreshAt } from "../parts/refresh.mjs";
import { Table } from "../parts/table.mjs";
import { Versions } from "../parts/versions.mjs";

/** What it says, in English. */
const words = {
  refreshEverywhere: "Refresh everywhere",
  description: "Description",
  definition: "Definition",
  sql: "SQL",
  semanticQuery: "Query",
  pivot: "Pivot",
  rowKey: "Row key",
  parameters: "Parameters",
  folder: "Folder",
  publicId: "Public id",
  impact: "What a change reaches",
  notPlaced: "The report stands in no document.",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../parts/impact.mjs").Report} Report
 */

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, { ids: [id] }) {
  const path = app.at(`/reports/${encodeURIComponent(id)}`);
  const head = h("div", { class: "stack" });
  const reached = h("div", {});
  const versions = new Versions(app, path);
  const placed = new Table(app, {
    label: text.places.placements,
    path: app.at(`/placements?report=${encodeURIComponent(id)}`),
    columns: columns(app).slice(1),
    empty: words.notPlaced,
    page: 20,
  });
  const element = h(
    "section",
    { class: "screen" },
    head,
    h("h3", {}, text.blocks),
    placed.element,
    h("h3", {}, words.impact),
    reached,
    h("h3", {}, text.versions),
    versions.element,
  );
  const load = async (/** @type {AbortSignal} */ signal) => {
    /** @type {Report} */
    const report = await app.api.get(path, { signal });
    const declared = report.parameters?.length && (await import("../parts/parameters.mjs")).declarations(report.parameters);
    fill(head, header(app, report), definition(report, declared || null));
    fill(reached, impact(app, report));
    await Promise.all([placed.load(signal), versions.load(report, signal)]);
  };
  return { title: text.report, element, load };
}

/**
 * @param {Console} app
 * @param {Report} report
 */
function header(app, report) {
  const { externalWorkbookPlacements: placed, folderPath = [] } = report;
  return [
    h(
      "div",
      { class: "head" },
      h("h2", { tabindex: -1 }, name(report.name, { max: 80 })),
      editLink(app, report),
      placed.length > 0 && h("button", { id: "refresh", onclick: () => refreshAt(app, app.at(`/reports/${report.id}/refreshes`)).catch(app.fail) }, words.refreshEverywhere),
    ),
    h(
      "div",
      { class: "card" },
      facts([
        [text.statusOf, placed.length > 0 && status(worst(placed))],
        [words.description, report.description && message(report.description, 400)],
        [text.changedAt, [time(report.updatedAt), " ", text.by, " ", person(report.updatedBy ?? report.user)]],
        [text.made, [time(report.createdAt), " ", text.by, " ", person(report.user)]],
        [text.refreshed, time(report.refreshedAt)],
        [text.managedBy, report.managedBy && name(report.managedBy.project)],
        [words.folder, folderPath.length > 0 && name(folderPath.map((one) => one.name).join(" / "))],
        [words.publicId, name(report.publicId)],
        [
          text.links,
          [
            link(app.href("runs", { report: String(report.id) }), text.places.runs),
            ", ",
            link(app.href("schedules", { report: String(report.id) }), text.places.schedules),
            app.may("All") && [", ", link(app.href("audit", { asset: `report:${report.id}` }), text.places.audit)],
          ].flat(),
        ],
      ]),
    ),
  ];
}

/**
 * @param {Report} report
 * @param {HTMLElement | null} declared what it says of its parameters
 */
function definition({ sqlQuery, jsonQuery, pivotItems, rowKey }, declared) {
  return h(
    "details",
    { class: "card", open: true },
    h("summary", {}, words.definition),
    code(sqlQuery, words.sql),
    code(jsonQuery, words.semanticQuery),
    pivotItems ? code(JSON.stringify(pivotItems, null, 2), words.pivot) : null,
    declared && [h("h3", {}, words.parameters), declared],
    facts([[words.rowKey, rowKey?.length ? name(rowKey.join(", ")) : null]]),
  );
}

/**
 * A text of a definition, as it was written; it scrolls if it is long.
 * @param {string} written
 * @param {string} label
 */
function code(written, label) {
  if (!written) return null;
  return h("pre", { tabindex: 0, role: "region", "aria-label": label, dir: "auto" }, written);
}
