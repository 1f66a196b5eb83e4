/** One block: its state, its last runs, what they changed, what people edited, how it is refreshed. */
import { Problem } from "../../ui/api.mjs";
import { ask, fill, h } from "../../ui/dom.mjs";
import { standingOf } from "../../ui/text.mjs";
import { facts, link, name, time } from "../show.mjs";
import { text } from "../text.mjs";
import { blockStatus, explanation } from "../parts/block.mjs";
import { Changes } from "../parts/changes.mjs";
import { Edits } from "../parts/edits.mjs";
import { refresh, retryOf } from "../parts/refresh.mjs";
import { isOn, mayStop, stopButton } from "../parts/run.mjs";
import { settings } from "../parts/settings.mjs";
import { isUnlinkable, unlinkButton, whereabouts } from "../parts/whereabouts.mjs";
import { Strip, readStrip } from "../pictures/strip.mjs";

/** What it says, in English. */
const words = {
  fromBackup: "Restored from a backup",
  where: "Where",
  runAs: "Queried on behalf of",
  lastRuns: "Last runs",
  whatChanged: "What changed",
  overwriteSure: "Write over what was changed in the sheet?",
  overwriteWhat: "The block becomes what the report says. What stands there now is kept in the run’s record.",
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
  const changes = new Changes(app, `${below}/changes`);
  const edits = new Edits(
    app,
    `${below}/edits`,
    () => mine,
    () => refresh(app, Number(report), id),
  );
  const how = h("div", { class: "stack" });
  const element = h(
    "section",
    { class: "screen" },
    head,
    h("h3", {}, words.lastRuns),
    strip.element,
    h("h3", {}, words.whatChanged),
    changes.element,
    h("h3", {}, text.edits),
    edits.element,
    h("h3", {}, text.settings),
    how,
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
    if (!typing(how)) fill(how, settings(app, found, placement, mine)); // else once what is typed is saved
    await Promise.all([readStrip(app, found.id, id, signal).then((bars) => strip.show(bars)), changes.load(signal), edits.load(signal)]);
  };
  return { title: text.block, element, load };
}

/**
 * @param {Console} app
 * @param {Report} report
 * @param {Placement} placement
 * @param {{mine: boolean, stops: boolean, document: DocumentLink | null}} known mine: whether the person may decide over what is written
 *   there; stops: whether they may stop the run that has not ended; document: what is known of its document
 */
function header(app, report, placement, { mine, stops, document }) {
  const { syncStatus, lastRun } = placement;
  const ended = !isOn(lastRun?.state ?? "");
  const label = refreshLabel(placement);
  return [
    h(
      "div",
      { class: "head" },
      h("h2", { tabindex: -1 }, name(report.name, { max: 80 })),
      label && h("button", { id: "refresh", class: "primary", onclick: () => refresh(app, report.id, placement.id).catch(app.fail) }, label),
      ended &&
        mine &&
        syncStatus === "CONFLICT" &&
        h("button", { id: "overwrite", class: "danger", onclick: () => overwrite(app, report, placement).catch(app.fail) }, text.overwrite),
      lastRun && stops && stopButton(app, lastRun.runId),
    ),
    h("div", { class: "card" }, h("p", {}, blockStatus(placement)), ...explanation(placement), placementFacts(app, report, placement, document)),
  ];
}

/**
 * What asking for a refresh is called here; "" where it could not help, or one is going on.
 * @param {Placement} placement
 */
function refreshLabel(placement) {
  const { code, reason } = standingOf(placement);
  const retry = retryOf(placement);
  if (retry) return retry === "now" ? text.tryNow : text.retry;
  return code === "WAITING" || reason === "addin_only" || isOn(placement.lastRun?.state ?? "") ? "" : text.refresh;
}

/**
 * @param {Console} app
 * @param {Report} report
 * @param {Placement} p
 * @param {DocumentLink | null} document
 */
function placementFacts(app, report, p, document) {
  return facts([
    [text.report, link(app.href(["reports", report.id]), name(report.name))],
    [text.document, link(app.href("placements", { document: p.workbookId }), name(p.workbookName || p.workbookId))],
    [text.whereIs, [...whereabouts(p, document), document && report.canEdit && isUnlinkable(document) && unlinkButton(app, document)]],
    [words.where, [name(p.resultLocation, { max: 60 }), p.endResultCell && [" – ", name(p.endResultCell, { max: 20 })]].flat()],
    [text.refreshed, time(p.refreshedAt)],
    [words.fromBackup, p.restoredAt && time(p.restoredAt)],
    [
      text.placed,
      p.placedAt && [
        time(p.placedAt),
        p.placedByUserId ? [" ", link(app.href("placements", { owner: String(p.placedByUserId) }), text.user(p.placedByUserId))] : null,
      ].flat(),
    ],
    [words.runAs, p.runAs && name(p.runAs.email || text.user(p.runAs.uid))],
    [text.managedBy, p.managedBy && name(p.managedBy.project)],
  ]);
}

/**
 * @param {Console} app
 * @param {Report} report
 * @param {Placement} placement
 */
async function overwrite(app, report, placement) {
  const sure = await ask({
    title: words.overwriteSure,
    body: [h("p", {}, words.overwriteWhat)],
    choices: [{ label: text.overwrite, value: true, kind: "danger" }],
    cancel: text.cancel,
  });
  if (sure) await refresh(app, report.id, placement.id, { onEdit: "overwrite" });
}

/**
 * Whether a person is typing into a field of an element, and has not finished.
 * @param {Element} element
 */
function typing(element) {
  const field = element.contains(document.activeElement) ? document.activeElement : null;
  return field instanceof HTMLInputElement && field.value !== field.defaultValue;
}
