/** One block: its state, what happened and what helps, its edited cells, its schedules, and its end. */
import { ask, fill, h, mark } from "../ui/dom.mjs";
import { cellText, count, number, remedyOf, standingOf, text, when } from "../ui/text.mjs";
import { describe, head, rectOf, stateLine, stateOf } from "./blocks.mjs";
import { formatLocation } from "./address.mjs";
import { changedRows, equalChecksums, platformChecksum } from "./mooring.mjs";
import { statusMark } from "./port.mjs";
import { schedules } from "./schedule.mjs";

/** What it says, in English. */
const words = {
  agentsLeaveOut: "No agent reaches this spreadsheet, so that schedules leave this block out: refresh it here.",
  where: "Where",
  lastRefresh: "Last refresh",
  whatNow: "What you can do",
  overwriteSure: "Write over what was changed in the sheet?",
  overwriteWhat: "The block becomes what the report says. What stands there now is kept in the run's record.",
  edits: "Edited cells",
  editsWhy: "These cells were changed by hand. Refreshes keep them until you take the source's value.",
  editYours: "Yours",
  editSource: "Source",
  editHidden: "Only who placed the block sees the values.",
  editInserted: "inserted row",
  editTake: "Take the source's",
  editTaken: "The next refresh takes the source's value.",
  editsTake: (/** @type {number} */ n) => `Take the source's value in ${count(n, "cell")}`,
  editsMore: (/** @type {number} */ n) => `Only the first ${number(n)} are shown.`,
  empty: "(empty)",
  unlink: "Unlink",
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
 * @typedef {import("../interface.d.ts").Edit} Edit
 */

/** Edited cells that are shown. */
const SHOWN = 200;

/**
 * @param {Pane} pane
 * @param {string} key of the block
 */
export function screen(pane, key) {
  const state = h("div", { class: "card" });
  const edits = h("section", { class: "card", hidden: true });
  const find = () => pane.store.state.blocks.find((block) => block.key === key);
  const first = find();
  const element = h("section", { class: "screen", "aria-label": first?.name ?? "" });
  if (!first) return element;
  fill(
    element,
    head(first.name, text.back, () => pane.show("blocks")),
    state,
    edits,
    schedules(pane, first),
    ending(pane, first),
  );
  /** @type {string | undefined} */
  let shownEdits;
  pane.store.watch(element, find, (block) => {
    if (!block) return void (element.isConnected && pane.screen === "block" && pane.show("blocks"));
    pane.wantRun(block);
    fill(state, ...facts(pane, block));
    const now = JSON.stringify([block.placement.edits, block.placement.lastRun?.runId]);
    if (now === shownEdits) return;
    shownEdits = now;
    if (block.placement.edits) showEdits(pane, block, edits).catch(pane.fail);
    else edits.hidden = true;
  });
  return element;
}

/**
 * What the block is and does, and what the person can do.
 * @param {Pane} pane
 * @param {Block} block
 */
function facts(pane, block) {
  const { placement } = block;
  const state = stateOf(block);
  const help = standingOf(placement).reason === "addin_only" ? words.agentsLeaveOut : remedyOf(placement);
  const busy = state === "REFRESHING" || Boolean(pane.store.state.progress);
  return [
    stateLine(block, pane.store.state.me?.user.id ?? 0),
    help && h("p", {}, h("b", {}, `${words.whatNow}: `), help),
    h(
      "dl",
      { class: "facts" },
      h("dt", {}, words.where),
      h("dd", {}, placement.resultLocation),
      placement.refreshedAt && state !== "UP_TO_DATE" && [h("dt", {}, words.lastRefresh), h("dd", {}, when(placement.refreshedAt))],
    ),
    h(
      "div",
      { class: "choices" },
      h(
        "button",
        { id: "refresh-block", class: "primary", disabled: busy, onclick: () => run(pane, block) },
        mark("refresh"),
        text.refresh,
      ),
      pane.port.host &&
        !block.gone &&
        h("button", { id: "go-to-block", onclick: () => pane.reveal(block) }, mark("target"), text.goTo(placement.resultLocation)),
      state === "CONFLICT" &&
        h("button", { id: "overwrite-block", class: "danger", disabled: busy, onclick: () => overwrite(pane, block) }, text.overwrite),
    ),
  ];
}

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {import("./runs.mjs").How} [how]
 */
async function run(pane, block, how) {
  try {
    const { refresh } = await import("./runs.mjs");
    await refresh(pane, [block], how);
  } catch (error) {
    pane.fail(error);
  }
}

/**
 * @param {Pane} pane
 * @param {Block} block
 */
async function overwrite(pane, block) {
  const sure = await ask({
    title: words.overwriteSure,
    body: [h("p", {}, describe(block, 0).rest[0]), h("p", {}, words.overwriteWhat)],
    choices: [{ label: text.overwrite, value: true, kind: "danger" }],
    cancel: text.cancel,
  });
  if (sure) await run(pane, block, { onEdit: "overwrite" });
}

/**
 * The cells that people changed: kept, unless the source's values are taken.
 * @param {Pane} pane
 * @param {Block} block
 * @param {HTMLElement} place
 */
async function showEdits(pane, block, place) {
  const path = `/deployments/${block.deployment}/reports/${block.report}/placements/${encodeURIComponent(block.placement.id)}/edits`;
  const { items, pageInfo } = await pane.api.get(`${path}?first=${SHOWN}`);
  /** @type {Set<string>} */
  const taken = new Set();
  const take = h("button", { disabled: true, onclick: () => giveBack(pane, block, path, [...taken]) }, words.editTake);
  const choose = (/** @type {any} */ event) => {
    if (event.target.checked) taken.add(event.target.value);
    else taken.delete(event.target.value);
    take.disabled = taken.size === 0;
    take.textContent = taken.size ? words.editsTake(taken.size) : words.editTake;
  };
  place.hidden = items.length === 0;
  fill(
    place,
    h("h3", {}, words.edits),
    h("p", { class: "hint" }, words.editsWhy),
    h(
      "ul",
      { class: "edits" },
      items.map((/** @type {Edit} */ edit) => h("li", {}, editLine(pane, block, edit, choose))),
    ),
    pageInfo.hasNextPage && h("p", { class: "hint" }, words.editsMore(SHOWN)),
    take,
  );
}

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {Edit} edit
 * @param {(event: Event) => void} choose
 */
function editLine(pane, block, edit, choose) {
  const { cell, column, yours, source, inserted, returned } = edit;
  const choice = h(
    "label",
    { class: "check" },
    h("input", { type: "checkbox", value: cell, "aria-label": `${words.editTake}: ${cell}`, onchange: choose }),
    words.editTake,
  );
  return [
    h(
      "div",
      { class: "edit-head" },
      h("button", { class: "plain", "aria-label": text.goTo(cell), onclick: () => go(pane, block, edit) }, cell.split("!").pop()),
      h("span", { class: "muted" }, inserted ? words.editInserted : column),
    ),
    yours === undefined
      ? h("p", { class: "hint" }, words.editHidden)
      : h(
          "dl",
          { class: "facts" },
          h("dt", {}, words.editYours),
          h("dd", {}, h("b", {}, cellText(yours) || words.empty)),
          !inserted && [h("dt", {}, words.editSource), h("dd", {}, cellText(source) || words.empty)],
        ),
    returned ? h("p", { class: "hint" }, words.editTaken) : !inserted && choice,
  ];
}

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {Edit} edit
 */
async function go(pane, block, edit) {
  const rect = rectOf({ ...block.placement, anchorCell: /** @type {string} */ (edit.cell.split("!").pop()), endResultCell: undefined });
  await pane.port.reveal(rect).catch(pane.fail);
}

/**
 * Takes the source's values in some cells, and refreshes.
 * @param {Pane} pane
 * @param {Block} block
 * @param {string} path
 * @param {string[]} cells
 */
async function giveBack(pane, block, path, cells) {
  try {
    await pane.api.delete(path, { cells });
    await run(pane, block);
  } catch (error) {
    pane.fail(error);
  }
}

/**
 * @param {Pane} pane
 * @param {Block} block
 */
function ending(pane, block) {
  return h("div", {}, h("button", { class: "plain danger", onclick: () => unlink(pane, block).catch(pane.fail) }, words.unlink));
}

/**
 * Ends the placement. Cells are cleared where they still are what was written, others only when the person says so.
 * @param {Pane} pane
 * @param {Block} block
 */
async function unlink(pane, block) {
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
    for (const id of [block.placement.id, statusMark(block.placement.id)]) {
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
