/** The end of a placement: Mooring follows the cells no more, which stay or are cleared. */
import { ask, h } from "../ui/dom.mjs";
import { text } from "../ui/text.mjs";
import { formatLocation } from "./address.mjs";
import { changedRows, equalChecksums, platformChecksum } from "./mooring.mjs";
import { parameterMarks } from "./parameters.mjs";
import { filtersMark, statusMark } from "./port.mjs";

/** What it says, in English. */
const words = {
  unlinkSure: "Unlink this block?",
  unlinkWhat: "Mooring follows these cells no more. The report itself stays.",
  unlinkKeep: "Unlink, keep the cells",
  unlinkClear: "Unlink and clear the cells",
  unlinked: "Unlinked. The cells stay.",
  unlinkedCleared: "Unlinked, and the cells are cleared.",
  clearEdited: "Some cells changed since the last refresh",
  clearEditedWhat: (/** @type {string} */ rows) => `Changed since Mooring wrote them: ${rows}. Clear them too?`,
  clearAll: "Clear everything",
  clearOurs: "Clear only unchanged rows",
  rowsOf: (/** @type {string} */ rows) => `rows ${rows}`,
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Block} Block
 * @typedef {import("./port.mjs").Rect} Rect
 */

/**
 * Ends the placement. Cells are cleared where they still are what was written, others only when the person says so.
 * @param {Pane} pane
 * @param {Block} block
 */
export async function askToUnlink(pane, block) {
  const how = await ask({
    title: words.unlinkSure,
    body: [h("p", {}, words.unlinkWhat)],
    choices: [
      { label: words.unlinkKeep, value: "keep" },
      // cells of a block that was never written are a person's
      ...(pane.port.host && block.placement.refreshedAt && !block.gone ? [{ label: words.unlinkClear, value: "clear", kind: /** @type {const} */ ("danger") }] : []),
    ],
    cancel: text.cancel,
  });
  if (!how) return;
  await pane.locate();
  const rect = pane.rect(block);
  const clear = how === "clear" ? await toClear(pane, block, rect) : [];
  if (!clear) return;
  await pane.api.delete(`/deployments/${block.deployment}/reports/${block.report}/connect-workbook`, { placementId: block.placement.id });
  if (pane.port.host) {
    if (clear.length) await clearRows(pane, block, rect, clear);
    const { id: placementId } = block.placement;
    const parameters = parameterMarks(await pane.port.marks().catch(() => []), placementId);
    for (const id of [placementId, statusMark(placementId), filtersMark(placementId), ...parameters]) {
      await pane.port.unmark(id).catch(() => {}); // a mark without a placement means nothing
    }
  }
  pane.store.set({ blocks: pane.store.state.blocks.filter((one) => one.key !== block.key) });
  await pane.show("blocks");
  pane.notice({ sentence: how === "clear" ? words.unlinkedCleared : words.unlinked });
}

/**
 * The rows to clear, or null when the person turned away.
 * @param {Pane} pane
 * @param {Block} block
 * @param {Rect} rect
 * @returns {Promise<{from: number, to: number}[] | null>}
 */
async function toClear(pane, block, rect) {
  const report = await pane.api.get(`/deployments/${block.deployment}/reports/${block.report}`);
  const written = report.externalWorkbookPlacements.find((/** @type {any} */ p) => p.id === block.placement.id)?.resultChecksum;
  const { cells } = await pane.port.read(rect);
  const all = [{ from: 0, to: rect.rows }];
  const now = written && isSecureContext ? await platformChecksum(cells) : null;
  if (now && equalChecksums(now, written)) return all;
  const changed = now ? changedRows(now, written) : all; // without a digest nothing tells whose they are
  const names = changed
    .map(({ from, to }) => (to - from > 1 ? `${rect.row + from + 1}–${rect.row + to}` : String(rect.row + from + 1)))
    .join(", ");
  const choice = await ask({
    title: words.clearEdited,
    body: [h("p", {}, words.clearEditedWhat(words.rowsOf(names)))],
    choices: [
      { label: words.clearOurs, value: "ours" },
      { label: words.clearAll, value: "all", kind: "danger" },
    ],
    cancel: text.cancel,
  });
  if (!choice) return null;
  return choice === "all" ? all : without(rect.rows, changed);
}

/**
 * The spans of rows that others leave of so many.
 * @param {number} rows
 * @param {{from: number, to: number}[]} others in ascending order
 */
export function without(rows, others) {
  const left = [];
  let from = 0;
  for (const other of others) {
    if (other.from > from) left.push({ from, to: other.from });
    from = Math.max(from, other.to);
  }
  if (from < rows) left.push({ from, to: rows });
  return left;
}

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {Rect} rect
 * @param {{from: number, to: number}[]} spans
 */
function clearRows(pane, block, rect, spans) {
  const { sheet, row, column, rows, columns } = rect;
  return pane.port.apply(
    {
      anchor: formatLocation({ sheet, row, column }),
      extent: { rows, columns },
      clear: spans.map(({ from, to }) => ({ row: from, column: 0, rows: to - from, columns })),
    },
    { sheet, placementId: block.placement.id },
  );
}
