/** The blocks of the document: what is known of them, and how their state reads. */
import { aged, standingOf, text, when } from "../ui/text.mjs";
import { parseLocation } from "./address.mjs";

/**
 * @typedef {import("./port.mjs").Rect} Rect
 * @typedef {import("../ui/text.mjs").LastRun} LastRun
 * @typedef {{id: string, workbookId: string, resultLocation: string, sheetName: string, anchorCell: string, endResultCell?: string,
 *   syncStatus: string, refreshedAt?: string, asOf?: string, refreshedByUserId?: number, edits?: {rows: number, cells: number}, lastRun?: LastRun,
 *   runAs?: {uid: number, email?: string}, onEdit?: string, shiftRows?: boolean, statusCell?: string, fillRight?: string, breakSignature?: boolean, resultChecksum?: any}} Placement
 * @typedef {{trigger: string, state: string, rowsWritten?: number, movedRows?: number, requestedBy?: {id: number, email?: string}}} Run
 * @typedef {{key: string, deployment: number, report: number, name: string, status: string, placement: Placement, at: Rect,
 *   run?: Run, gone?: boolean}} Block a placement in this document; at: where the server knows it; gone: its mark stands no more
 */

/** States that someone should look at. */
export const ATTENTION = ["FAILED", "CONFLICT", "GONE"];

/**
 * @param {{access: string, deploymentId: number, reportId?: number, reportName?: string, placement: Placement}} item of the server's list
 * @returns {Block}
 */
export function blockOf({ access, deploymentId, reportId = 0, reportName = "", placement }) {
  const { lastRun } = placement;
  return {
    key: placement.id || `${deploymentId} ${placement.resultLocation}`,
    deployment: deploymentId,
    report: reportId,
    name: access === "DENIED" ? placement.resultLocation : reportName,
    status: access === "DENIED" ? "DENIED" : standingOf(placement).code,
    placement: lastRun?.error ? { ...placement, lastRun: { ...lastRun, error: text.inPane(lastRun.error) } } : placement,
    at: rectOf(placement),
  };
}

/**
 * Blocks in the order of their sheets' names, rows and columns.
 * @param {Block[]} blocks
 */
export function ordered(blocks) {
  return [...blocks].sort(
    ({ at: a }, { at: b }) => Number(a.sheet > b.sheet) - Number(a.sheet < b.sheet) || a.row - b.row || a.column - b.column,
  );
}

/**
 * The state that is shown: a block whose cells were deleted says so unless it is being refreshed.
 * @param {Block} block
 */
export function stateOf({ status, gone }) {
  return gone && !["DENIED", "REFRESHING", "UNKNOWN"].includes(status) ? "GONE" : status;
}

/**
 * The rectangle where the server knows the block.
 * @param {Placement} placement
 * @returns {Rect}
 */
export function rectOf({ sheetName, anchorCell, endResultCell }) {
  const { row, column, rows, columns } = parseLocation(endResultCell ? `${anchorCell}:${endResultCell.split("!").pop()}` : anchorCell);
  return { sheet: sheetName, row, column, rows, columns };
}

/**
 * One sentence on a block, as "Refreshed 07:00 by schedule · 4 rows changed · 2 cells of yours kept".
 * @param {Block} block
 * @param {number} me the person's id
 * @returns {{word: string, rest: string[]}}
 */
export function describe(block, me) {
  const {
    placement: { lastRun, refreshedAt, asOf, edits, runAs },
    run,
  } = block;
  const { reason, since } = standingOf(block.placement);
  const state = stateOf(block);
  const word = text.state[/** @type {keyof typeof text.state} */ (state)] ?? state;
  const kept = edits ? [text.cellsKept(edits.cells, runAs?.uid === me)] : [];
  switch (state) {
    case "UP_TO_DATE":
      return {
        word: asOf ? aged(state, word, asOf) : text.refreshed(when(refreshedAt), byWhom(run, me)),
        rest: [...(asOf ? [byWhom(run, me)] : []), ...(run ? [text.rowsChanged(run.rowsWritten ?? 0, run.movedRows)] : []), ...kept],
      };
    case "CHANGED":
      return { word: aged(state, word, asOf), rest: [text.editedSince, ...kept] };
    case "UNKNOWN":
      return { word, rest: [] };
    case "FAILED":
      return {
        word: text.failedSince(when(since)),
        rest: [lastRun?.error ?? ""],
      };
    case "WAITING":
      return {
        word: text.waitsFor(reason),
        rest: [text.waitsSince(when(since)), asOf ? text.dataOf(when(asOf)) : "", lastRun?.error ?? ""],
      };
    case "CONFLICT":
      return { word, rest: [lastRun?.error ?? ""] };
    case "DENIED":
      return { word, rest: [text.deniedWhy] };
    case "GONE":
      return { word, rest: [text.goneWhy] };
    default:
      return { word, rest: [] };
  }
}

/**
 * @param {Run | undefined} run
 * @param {number} me
 */
function byWhom(run, me) {
  if (!run) return "";
  if (run.trigger === "schedule") return text.bySchedule;
  if (run.trigger === "catchUp") return text.byScheduleLate;
  if (run.trigger === "hook" || run.trigger === "change") return text.byData;
  if (run.requestedBy?.id === me) return text.byYou;
  return run.requestedBy?.email ? text.by(run.requestedBy.email) : "";
}

/**
 * When a block that failed or waits is tried again; "" if it is not, or no such thing is said of it now.
 * @param {Block} block
 */
export function nextOf(block) {
  return ["FAILED", "WAITING"].includes(stateOf(block)) ? standingOf(block.placement).next : "";
}

/**
 * The blocks that match what is looked for.
 * @param {Block[]} blocks
 * @param {string} find
 * @param {boolean} urgent
 */
export function narrowed(blocks, find, urgent) {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length && !urgent) return blocks;
  return blocks.filter((block) => {
    if (urgent && !ATTENTION.includes(stateOf(block))) return false;
    const all = `${block.name} ${block.placement.resultLocation}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/**
 * Records that a report stands somewhere in this document, before anything is written there.
 * @param {{api: import("../ui/api.mjs").Api, port: import("./port.mjs").Port, store: {state: {document: import("./port.mjs").Document}}}} pane
 * @param {number} deployment
 * @param {number} report
 * @param {Record<string, unknown>} where
 * @returns {Promise<Placement>}
 */
export async function connect({ api, port, store }, deployment, report, where) {
  const { id, name, nonce } = store.state.document;
  const body = { ...where, externalWorkbookId: id, workbookName: name, nonce, placementId: crypto.randomUUID(), host: port.host, addressOnly: true };
  const headers = { Prefer: "return=minimal" }; // of the report's placements the one that was written: a report may have stood there before
  const answer = await api.put(`/deployments/${deployment}/reports/${report}/connect-workbook`, body, { headers });
  return answer.externalWorkbookPlacements[0];
}
