/** One workbook: its dashboard as it is drafted and as it is published, and the reports that its charts show. */
import { fill, h } from "../../ui/dom.mjs";
import { count } from "../../ui/text.mjs";
import { facts, link, name, person, time } from "../show.mjs";
import { text } from "../text.mjs";

/** What it says, in English. */
const words = {
  published: "Published",
  notPublished: "Nothing is published.",
  draft: "Draft",
  draftSame: "The draft is what is published.",
  noDraft: "There is no draft.",
  widgets: "Holds",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("./workbooks.mjs").Workbook} Workbook
 * @typedef {import("../../interface.d.ts").Dashboard} Dashboard
 */

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, { ids: [id] }) {
  const element = h("section", { class: "screen" });
  const load = async (/** @type {AbortSignal} */ signal) => {
    /** @type {Workbook & {dashboardDraft: Dashboard | null, dashboardPublished: Dashboard | null}} */
    const workbook = await app.api.get(app.at(`/workbooks/${encodeURIComponent(id)}`), { signal });
    const { dashboardDraft: draft, dashboardPublished: published } = workbook;
    const same = draft && published && JSON.stringify(draft) === JSON.stringify(published);
    fill(
      element,
      h("h2", { tabindex: -1 }, name(workbook.name, { max: 80 })),
      h("div", { class: "card" }, workbookFacts(app, workbook)),
      h("h3", {}, words.published),
      dashboard(app, published, words.notPublished),
      h("h3", {}, words.draft),
      same ? h("p", { class: "card muted" }, words.draftSame) : dashboard(app, draft, words.noDraft),
    );
  };
  return { title: text.workbook, element, load };
}

/**
 * @param {Console} app
 * @param {Workbook} workbook
 */
function workbookFacts(app, { id, slug, version, updatedAt, updatedBy, createdAt, user, managedBy }) {
  return facts([
    [text.slug, slug && name(slug)],
    [text.version, String(version)],
    [text.changedAt, [time(updatedAt), " ", text.by, " ", person(updatedBy ?? user)]],
    [text.made, [time(createdAt), " ", text.by, " ", person(user)]],
    [text.managedBy, managedBy && name(managedBy.project)],
    [
      text.links,
      [
        link(app.href("reports", { workbookId: String(id) }), text.places.reports),
        app.may("All") && [", ", link(app.href("audit", { asset: `workbook:${id}` }), text.places.audit)],
      ].flat(),
    ],
  ]);
}

/**
 * A dashboard by its charts: the reports that they show, each once.
 * @param {Console} app
 * @param {Dashboard | null | undefined} shown
 * @param {string} none what is said when there is none
 */
function dashboard(app, shown, none) {
  if (!shown) return h("p", { class: "card muted" }, none);
  const widgets = shown.widgets ?? [];
  const reports = [...new Set(widgets.flatMap(({ config }) => (config?.reportId ? [config.reportId] : [])))];
  return h(
    "div",
    { class: "card" },
    facts([
      [text.name, shown.title && name(shown.title)],
      [words.widgets, count(widgets.length, "widget")],
      [
        text.places.reports,
        reports.length > 0 &&
          h(
            "ul",
            { class: "plain" },
            reports.map((id) => h("li", {}, link(app.href(["reports", id]), app.reportName(id)))),
          ),
      ],
    ]),
  );
}
