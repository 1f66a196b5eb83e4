/** What helps a block, as buttons: the one that fits its state first. A remedy that cannot work is not among them. */
import { ask, h } from "../../ui/dom.mjs";
import { standingOf } from "../../ui/text.mjs";
import { text } from "../text.mjs";
import { makeRoom } from "./causes.mjs";
import { lacksRoom, overwrites } from "./conflict.mjs";
import { refresh, retryOf } from "./refresh.mjs";
import { isOn, stopButton } from "./run.mjs";

/** What it says, in English. */
const words = {
  overwriteSure: "Write over what was changed in the sheet?",
  overwriteWhat: "The block becomes what the report says. What stands there now is kept, and can be put back afterwards.",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("./block.mjs").Placement} Placement
 * @typedef {import("../../interface.d.ts").Report} Report
 * @typedef {{mine: boolean, stops: boolean}} Rights mine: to decide over what is written there; stops: to stop the run that has not ended
 */

/** The failures after which the report is what to look at. */
const OF_REPORT = ["structure", "auth"];

/**
 * @param {Console} app
 * @param {Report} report
 * @param {Placement} placement
 * @param {Rights} rights
 */
export function remedies(app, report, placement, { mine, stops }) {
  const { lastRun, syncStatus } = placement;
  const act = (/** @type {string} */ id, /** @type {string} */ label, /** @type {string} */ kind, /** @type {() => Promise<void>} */ fn) =>
    h("button", { id, class: kind, onclick: () => fn().catch(app.fail) }, label);
  const again = (/** @type {string} */ kind, label = refreshLabel(placement)) =>
    label && act("refresh", label, kind, () => refresh(app, report.id, placement.id));
  const stop = lastRun && stops && stopButton(app, lastRun.runId);
  if (isOn(lastRun?.state ?? "")) return [again("primary"), stop];
  if (syncStatus === "CONFLICT" && lacksRoom(placement))
    return [mine && act("make-room", text.makeRoom, "primary", () => makeRoom(app, 1, () => [{ reportId: report.id, reportName: report.name, placement }])), again("")];
  if (syncStatus === "CONFLICT")
    return [mine && overwrites(placement) && act("overwrite", text.overwrite, "danger", () => overwrite(app, report, placement)), again("primary")];
  if (syncStatus === "FAILED" && OF_REPORT.includes(lastRun?.errorClass ?? ""))
    return [h("a", { id: "open-report", class: "button primary", href: app.href(["reports", report.id]) }, text.openReport), again("")];
  return [again("primary")];
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
 * @param {Placement} placement
 */
async function overwrite(app, report, placement) {
  const choices = [{ label: text.overwrite, value: true, kind: /** @type {const} */ ("danger") }];
  const sure = await ask({ title: words.overwriteSure, body: [h("p", {}, words.overwriteWhat)], choices, cancel: text.cancel });
  if (sure) await refresh(app, report.id, placement.id, { onEdit: "overwrite" });
}
