/** Asking for refreshes: of one block, or of all that a filter matches, one after another, with progress and a way to stop. */
import { Problem } from "../../ui/api.mjs";
import { h } from "../../ui/dom.mjs";
import { count, number, standingOf } from "../../ui/text.mjs";
import { queryOf } from "../addresses.mjs";
import { text } from "../text.mjs";
import { confirmed, isDoable } from "./bulk.mjs";
import { readItems } from "./table.mjs";

/** What it says, in English. */
const words = {
  refreshAsked: "The refresh is asked for.",
  refreshAll: "Refresh all",
  asking: (/** @type {number} */ n, /** @type {number} */ of) => `Asking for refreshes: ${number(n)} of ${number(of)}`,
  askedFor: (/** @type {string} */ blocks, /** @type {number} */ refused) =>
    refused ? `Refreshes asked for ${blocks}; ${count(refused, "was", "were")} refused.` : `Refreshes asked for ${blocks}.`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("./block.mjs").PlacementItem} PlacementItem
 */

/**
 * Asks an agent to refresh a block.
 * @param {Console} app
 * @param {number} reportId
 * @param {string} placementId
 * @param {Record<string, unknown>} [how] options of the run
 */
export async function refresh(app, reportId, placementId, how = {}) {
  await refreshAt(app, app.at(`/reports/${reportId}/refreshes`), { placementId, ...how });
}

/**
 * Asks agents to refresh what stands at a path.
 * @param {Console} app
 * @param {string} path of refreshes
 * @param {Record<string, unknown>} [body]
 */
export async function refreshAt(app, path, body = {}) {
  await app.api.post(path, body);
  app.notice({ sentence: words.refreshAsked });
  app.changed();
}

/**
 * Whether asking for a refresh helps a block, and how that is called: after a failure that is final, and at once where a user can have
 * mended what it waits for.
 * @param {{syncStatus: string, lastRun?: import("../../ui/text.mjs").LastRun}} placement
 * @returns {"" | "retry" | "now"}
 */
export function retryOf(placement) {
  const { code, reason } = standingOf(placement);
  if (code === "WAITING") return ["locked", "missing"].includes(reason) ? "now" : "";
  const final = !["QUEUED", "RUNNING"].includes(placement.lastRun?.state ?? "");
  return final && !reason && ["FAILED", "CONFLICT"].includes(code) ? "retry" : "";
}

/**
 * A button to refresh a block where that helps.
 * @param {Console} app
 * @param {number} reportId
 * @param {import("./block.mjs").Placement} placement
 */
export function retryButton(app, reportId, placement) {
  const { id } = placement;
  const retry = retryOf(placement);
  if (!id || !retry) return null;
  const label = retry === "now" ? text.tryNow : text.retry;
  return h("button", { id: `retry-${id}`, onclick: () => refresh(app, reportId, id).catch(app.fail) }, label);
}

/** More blocks than that are refreshed by schedules, not by hand. */
const MOST = 200;

/**
 * @param {Console} app
 * @param {Record<string, string | undefined>} filter of the blocks
 */
export function refreshAll(app, filter) {
  return h("button", { id: "refresh-all", onclick: () => run(app, filter).catch(app.fail) }, words.refreshAll);
}

/**
 * @param {Console} app
 * @param {Record<string, string | undefined>} filter
 */
async function run(app, filter) {
  const { items, more } = await readItems(app, app.at(`/placements${queryOf(filter)}`), MOST);
  const blocks = /** @type {PlacementItem[]} */ (items).filter(
    ({ placement: p }) => p.id && p.syncStatus !== "REFRESHING",
  );
  if (!isDoable(app, more ? MOST + 1 : blocks.length, MOST)) return;
  const sure = await confirmed({ label: words.refreshAll, noun: ["block", "blocks"] }, blocks.length, false);
  if (sure) await askFor(app, blocks);
}

/**
 * Asks for a refresh of each of some blocks; of one, as its own button does.
 * @param {Console} app
 * @param {PlacementItem[]} blocks
 * @param {Record<string, unknown>} [how] options of the runs
 */
export async function askFor(app, blocks, how = {}) {
  if (blocks.length === 1) return refresh(app, blocks[0].reportId, blocks[0].placement.id, how);
  let [done, refused, stopped] = [0, 0, false];
  const stop = h("button", { onclick: () => (stopped = true) }, text.stop);
  for (const { reportId, placement } of blocks) {
    if (stopped) break;
    app.notice({ sentence: words.asking(done + refused, blocks.length), tone: "muted", sign: "refresh", more: stop });
    try {
      await app.api.post(app.at(`/reports/${reportId}/refreshes`), { placementId: placement.id, ...how });
      done++;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      refused++; // such as one that is being refreshed by now
    }
  }
  app.notice({ sentence: words.askedFor(count(done, "block"), refused), tone: refused ? "warn" : "good" });
  app.changed();
}
