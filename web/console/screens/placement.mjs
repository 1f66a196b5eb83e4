/** One block: its state and what helps, its last runs, what they changed, how and when it is refreshed, what people edited. */
import { Problem } from "../../ui/api.mjs";
import { fill, h } from "../../ui/dom.mjs";
import { facts, link, name, time } from "../show.mjs";
import { text } from "../text.mjs";
import { blockStatus, explanation } from "../parts/block.mjs";
import { Changes } from "../parts/changes.mjs";
import { Edits } from "../parts/edits.mjs";
import { refresh } from "../parts/refresh.mjs";
import { remedies } from "../parts/remedies.mjs";
import { isOn, mayStop } from "../parts/run.mjs";
import { Scheduled } from "../parts/scheduled.mjs";
import { settings } from "../parts/settings.mjs";
import { isUnlinkable, unlinkButton, whereabouts } from "../parts/whereabouts.mjs";
import { Strip, readStrip } from "../pictures/strip.mjs";

/** What it says, in English. */
const words = {
  fromBackup: "Restored from a backup",
  lastRuns: "Last runs",
  whatChanged: "What changed",
  shownFor: "Shown for",
  schedule: "When it is refreshed",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../parts/block.mjs").Placement} Placement
 * @typedef {import("../parts/whereabouts.mjs").DocumentLink} DocumentLink
 * @typedef {import("../../interface.d.ts").Report} Report
 */

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, { ids: [report, id] }) {
  const path = `/reports/${encodeURIComponent(report)}`;
  const below = app.at(`${path}/placements/${encodeURIComponent(id)}`);
  let mine = false;
  const head = h("div", { class: "stack" });
  const strip = new Strip(app);
  const changes = new Changes(app, `${below}/changes`, () => mine);
  const edits = new Edits(
    app,
    `${below}/edits`,
    () => mine,
    () => refresh(app, Number(report), id),
  );
  const how = h("div", { class: "stack" });
  const values = h("section", { class: "stack", hidden: true, "aria-label": words.shownFor });
  const when = new Scheduled(app, Number(report));
  const element = h(
    "section",
    { class: "screen" },
    head,
    h("h3", {}, words.lastRuns),
    strip.element,
    h("h3", {}, words.whatChanged),
    changes.element,
    values,
    h("h3", {}, text.settings),
    how,
    h("h3", {}, words.schedule),
    when.element,
    h("h3", {}, text.edits),
    edits.element,
  );
  const load = async (/** @type {AbortSignal} */ signal) => {
    /** @type {Report} */
    const found = await app.api.get(app.at(path), { signal });
    const placement = found.externalWorkbookPlacements.find((one) => one.id === id);
    if (!placement) throw new Problem(404, {});
    mine = found.canEdit || placement.runAs?.uid === app.me.user.id;
    const { lastRun } = placement;
    const [run, document] = await Promise.all([
      lastRun && isOn(lastRun.state) && app.api.find(app.at(`/refreshes/${encodeURIComponent(lastRun.runId)}`), signal),
      app.api.find(`/external-documents/${encodeURIComponent(placement.workbookId)}`, signal),
    ]);
    fill(head, header(app, found, placement, { mine, document, stops: run ? mayStop(app, run, found) : false }));
    if (!typing(how)) fill(how, settings(app, found, placement, { mine, open: how.querySelector("details")?.open ?? false })); // else once what is typed is saved
    await Promise.all([
      !values.querySelector("form[data-typed]") && asked(app, found, placement, mine, values, signal),
      readStrip(app, found.id, id, signal).then((bars) => strip.show(bars)),
      changes.load(signal),
      when.load(placement, mine, signal),
      edits.load(signal),
    ]);
  };
  return { title: text.block, element, load };
}

/**
 * Shows what the block is shown for, where its report asks for something.
 * @param {Console} app
 * @param {Report} report
 * @param {Placement} placement
 * @param {boolean} mine
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
async function asked(app, report, placement, mine, place, signal) {
  place.hidden = !report.parameters?.length && !Object.keys(placement.parameters ?? {}).length;
  if (place.hidden) return;
  const { lastRun } = placement;
  const [{ valuesCard }, run] = await Promise.all([
    import("../parts/parameters.mjs"),
    lastRun && app.api.find(app.at(`/refreshes/${encodeURIComponent(lastRun.runId)}`), signal),
  ]);
  const used = run?.placements?.find((/** @type {{placementId: string}} */ one) => one.placementId === placement.id)?.parameters ?? {};
  if (place.querySelector("form[data-typed]")) return; // meanwhile
  fill(place, h("h3", {}, words.shownFor), valuesCard(app, report, placement, { mine, used, open: place.querySelector("details")?.open ?? false }));
}

/**
 * @param {Console} app
 * @param {Report} report
 * @param {Placement} placement
 * @param {import("../parts/remedies.mjs").Rights & {document: DocumentLink | null}} known document: what is known of its document
 */
function header(app, report, placement, { document, ...rights }) {
  return [
    h("h2", { tabindex: -1, class: "path" }, ...pathOf(app, report, placement)),
    h(
      "div",
      { class: "card" },
      h("div", { class: "head" }, h("p", { class: "standing" }, blockStatus(placement)), remedies(app, report, placement, rights)),
      ...explanation(placement),
      placementFacts(app, report, placement, document),
    ),
  ];
}

/**
 * Where the block is: report › document › place.
 * @param {Console} app
 * @param {Report} report
 * @param {Placement} placement
 */
function pathOf(app, report, { workbookId, workbookName, resultLocation, endResultCell }) {
  return [
    link(app.href(["reports", report.id]), name(report.name, { max: 80 })),
    " › ",
    link(app.href("placements", { document: workbookId }), name(workbookName || workbookId, { max: 60 })),
    " › ",
    name(endResultCell ? `${resultLocation}:${endResultCell}` : resultLocation, { max: 60 }),
  ];
}

/**
 * @param {Console} app
 * @param {Report} report
 * @param {Placement} p
 * @param {DocumentLink | null} document
 */
function placementFacts(app, report, p, document) {
  const placer = p.runAs?.uid === p.placedByUserId ? p.runAs?.email : "";
  return facts([
    [text.whereIs, [...whereabouts(p, document), document && report.canEdit && isUnlinkable(document) && unlinkButton(app, document)]],
    [text.refreshed, time(p.refreshedAt)],
    [words.fromBackup, p.restoredAt && time(p.restoredAt)],
    [
      text.placed,
      p.placedAt && [
        time(p.placedAt),
        p.placedByUserId ? [" ", text.by, " ", link(app.href("placements", { owner: String(p.placedByUserId) }), name(placer || text.user(p.placedByUserId), { max: 60 }))] : null,
      ].flat(),
    ],
    [text.managedBy, p.managedBy && name(p.managedBy.project)],
  ]);
}

/**
 * Whether a person is typing into a field of an element, and has not finished.
 * @param {Element} element
 */
function typing(element) {
  const field = element.contains(document.activeElement) ? document.activeElement : null;
  const chosen = field instanceof HTMLSelectElement && [...field.options].some((one) => one.selected !== one.defaultSelected);
  return chosen || ((field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) && field.value !== field.defaultValue);
}
