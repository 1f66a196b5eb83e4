/** The spreadsheets in which blocks stand: where each is, and the status of its worst block. */
import { h } from "../../ui/dom.mjs";
import { number } from "../../ui/text.mjs";
import { queryOf } from "../addresses.mjs";
import { link, name, status, statusWord } from "../show.mjs";
import { text } from "../text.mjs";
import { HOST, STATUSES } from "../parts/blocks.mjs";
import { filterBar, isNarrowed } from "../parts/filters.mjs";
import { refreshAt } from "../parts/refresh.mjs";
import { Table } from "../parts/table.mjs";
import { isUnlinkable, unlinkButton, whereabouts } from "../parts/whereabouts.mjs";

/** What it says, in English. */
const words = {
  /** The same behind a number. */
  few: {
    CONFLICT: "in need of a decision",
    FAILED: "failed",
    CHANGED: "of an edited report or for other values",
    UNKNOWN: "not refreshed yet",
    REFRESHING: "refreshing",
    EDITED: "with edited cells",
    WAITING: "waiting",
  },
  noDocuments: "No document matches these filters.",
  noneYet: "No block is placed in any document yet: open a spreadsheet, and place a report from Mooring’s task pane.",
  ofThem: "Of them",
  agentsFilter: "Agents",
  lost: "Not reached",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../pictures/wall.mjs").DocumentStatus} DocumentStatus
 */

/** The numbers of a document's blocks by what they are called. */
const COUNTS = /** @type {const} */ ([
  ["CONFLICT", "conflict"],
  ["FAILED", "failed"],
  ["CHANGED", "changed"],
  ["UNKNOWN", "unknown"],
  ["REFRESHING", "refreshing"],
  ["EDITED", "edited"],
  ["WAITING", "waiting"],
]);

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, route) {
  const { status: wanted, host, reach, search } = route.filters;
  const table = new Table(app, {
    label: text.places.documents,
    path: app.at(`/documents${queryOf({ status: wanted, host, reach, search, include: "link" })}`),
    columns: columns(app),
    empty: isNarrowed({ wanted, host, reach, search }) ? words.noDocuments : words.noneYet,
  });
  const statuses = STATUSES.filter((code) => code !== "EDITED").map((code) => /** @type {[string, string]} */ ([code, statusWord(code)]));
  const element = h(
    "section",
    { class: "screen" },
    h("h2", { tabindex: -1 }, text.places.documents),
    filterBar(app, route, [
      { name: "search", label: text.search },
      { name: "status", label: text.statusOf, options: [["", text.all], ...statuses] },
      HOST,
      {
        name: "reach",
        label: words.agentsFilter,
        options: [
          ["", text.all],
          ["lost", words.lost],
        ],
      },
    ]),
    table.element,
  );
  return { title: text.places.documents, element, load: table.load };
}

/**
 * @param {Console} app
 * @returns {import("../parts/table.mjs").Column<DocumentStatus>[]}
 */
function columns(app) {
  return [
    {
      head: text.document,
      cell: ({ externalWorkbookId: id, workbookName }) => link(app.href("placements", { document: id }), name(workbookName || id)),
    },
    { head: text.statusOf, cell: (document) => status(document.status) },
    {
      head: text.blocks,
      class: "number",
      cell: ({ externalWorkbookId: id, placements }) => link(app.href("placements", { document: id }), number(placements.total)),
    },
    { head: words.ofThem, cell: (document) => ofThem(app, document) },
    { head: text.whereIs, cell: (document) => whereabouts(document, document.link) },
    { head: text.actions, class: "actions", cell: (document) => actions(app, document) },
  ];
}

/**
 * How many of a document's blocks are what, each number a link to them.
 * @param {Console} app
 * @param {DocumentStatus} document
 */
function ofThem(app, { externalWorkbookId: id, placements }) {
  const said = COUNTS.filter(([, key]) => placements[key] > 0);
  return said.flatMap(([code, key], i) => [
    i > 0 && ", ",
    link(app.href("placements", { document: id, status: code }), `${number(placements[key])} ${words.few[code]}`),
  ]);
}

/**
 * What the person may do with a document. Whether they may edit all that is placed in it is for the server to say.
 * @param {Console} app
 * @param {DocumentStatus} document
 */
function actions(app, { externalWorkbookId: id, workbookName, lost, link: found }) {
  return [
    !lost && refreshButton(app, id),
    found && isUnlinkable(found) && app.may("ReportEdit") && [" ", unlinkButton(app, found, workbookName)],
  ].flat();
}

/**
 * @param {Console} app
 * @param {string} id
 */
function refreshButton(app, id) {
  const refresh = () => refreshAt(app, `/external-documents/${encodeURIComponent(id)}/refreshes`).catch(app.fail);
  return h("button", { id: `refresh-${id}`, onclick: refresh }, text.refresh);
}
