/** The blocks of the document: what is known of them, how their state reads, and the list of them. */
import { STATUSES, VirtualList, h, mark, nextTry } from "../ui/dom.mjs";
import { aged, count, number, standingOf, text, when } from "../ui/text.mjs";
import { parseLocation } from "./address.mjs";

/** What it says, in English. */
const words = {
  blocksOf: "Reports in this document",
  noBlocks: "No report stands in this document yet.",
  noBlocksHow: "Place one: Mooring writes its rows into the cells you choose, and keeps them true.",
  find: "Find a block",
  noDocument: "No spreadsheet is open here. Open Mooring from Excel or Google Sheets to see the reports in it.",
  noneFound: "No block matches.",
  needAttention: (/** @type {number} */ n) => `Needs attention (${number(n)})`,
  refreshAll: "All blocks",
  refreshSheet: "This sheet",
  refreshSelection: "Selection",
  state: { ...text.statuses, REFRESHING: "Refreshing…", DENIED: "No access", GONE: "Cells deleted" },
  refreshed: (/** @type {string} */ time, /** @type {string} */ by) => `Refreshed ${time}${by && ` ${by}`}`,
  bySchedule: "by schedule",
  byScheduleLate: "by schedule, late",
  byData: "after new data",
  byYou: "by you",
  by: (/** @type {string} */ who) => `by ${who}`,
  cellsKept: (/** @type {number} */ n, /** @type {boolean} */ mine) =>
    mine ? `${count(n, "cell")} of yours kept` : `${count(n, "edited cell")} kept`,
  editedSince: "The report was edited since. Refresh to see it.",
  valuesSince: "Its values were changed since. Refresh to see it.",
  waitsSince: (/** @type {string} */ time) => `since ${time}`,
  dataOf: (/** @type {string} */ time) => `data as of ${time}`,
  deniedWhy: "You may not read this report. Ask its owner for access.",
  goneWhy: "Refresh writes the block again where it stood; unlink ends it.",
  failedSince: (/** @type {string} */ time) => `Failed ${time}`,
  noRoom: (/** @type {string} */ what) => `No room for ${what}`,
  noRoomYet: "No room for the block",
  newRows: (/** @type {number} */ n) => count(n, "new row"),
  newColumns: (/** @type {number} */ n) => count(n, "new column"),
  inTheWay: (/** @type {string} */ cells) => `${cells} is in the way`,
};

/**
 * @typedef {import("./port.mjs").Rect} Rect
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Block} Block
 * @typedef {import("./shapes.mjs").Placement} Placement
 * @typedef {import("./shapes.mjs").Run} Run
 */

/** How a state looks. @type {Record<string, import("../ui/dom.mjs").Look>} */
const LOOKS = {
  ...STATUSES,
  DENIED: { mark: "lock", tone: "muted" },
  GONE: { mark: "gone", tone: "warn" },
};

/** States that someone should look at. */
const ATTENTION = ["FAILED", "CONFLICT", "GONE"];

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
function ordered(blocks) {
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
    placement: { lastRun, refreshedAt, asOf, edits, runAs, valuesChanged },
    run,
  } = block;
  const { reason, since } = standingOf(block.placement);
  const state = stateOf(block);
  const word = words.state[/** @type {keyof typeof words.state} */ (state)] ?? state;
  const kept = edits ? [words.cellsKept(edits.cells, runAs?.uid === me)] : [];
  switch (state) {
    case "UP_TO_DATE":
      return {
        word: asOf ? aged(state, word, asOf) : words.refreshed(when(refreshedAt), byWhom(run, me)),
        rest: [...(asOf ? [byWhom(run, me)] : []), ...(run ? [text.rowsChanged(run)] : []), ...kept],
      };
    case "CHANGED":
      return valuesChanged
        ? { word: aged(state, text.valuesChanged, asOf), rest: [words.valuesSince, ...kept] }
        : { word: aged(state, word, asOf), rest: [words.editedSince, ...kept] };
    case "UNKNOWN":
      return { word, rest: [] };
    case "FAILED":
      return {
        word: words.failedSince(when(since)),
        rest: [lastRun?.error ?? ""],
      };
    case "WAITING":
      return {
        word: text.waitsFor(reason),
        rest: [words.waitsSince(when(since)), asOf ? words.dataOf(when(asOf)) : "", lastRun?.error ?? ""],
      };
    case "CONFLICT":
      return lastRun?.conflict?.room
        ? { word: noRoom(block.placement), rest: [words.inTheWay(lastRun.conflict.room.cells)] }
        : { word, rest: [lastRun?.error ?? ""] };
    case "DENIED":
      return { word, rest: [words.deniedWhy] };
    case "GONE":
      return { word, rest: [words.goneWhy] };
    default:
      return { word, rest: [] };
  }
}

/**
 * What a block lacks that would grow into cells which are not its own, in words.
 * @param {Placement} placement
 */
export function noRoom({ refreshedAt, lastRun }) {
  const { rows = 0, columns = 0 } = lastRun?.conflict?.room ?? {};
  if (!refreshedAt) return words.noRoomYet;
  return words.noRoom([rows && words.newRows(rows), columns && words.newColumns(columns)].filter(Boolean).join(" and "));
}

/**
 * @param {Run | undefined} run
 * @param {number} me
 */
function byWhom(run, me) {
  if (!run) return "";
  if (run.trigger === "schedule") return words.bySchedule;
  if (run.trigger === "catchUp") return words.byScheduleLate;
  if (run.trigger === "hook" || run.trigger === "change") return words.byData;
  if (run.requestedBy?.id === me) return words.byYou;
  return run.requestedBy?.email ? words.by(run.requestedBy.email) : "";
}

/**
 * When a block that failed or waits is tried again; "" if it is not, or no such thing is said of it now.
 * @param {Block} block
 */
function nextOf(block) {
  return ["FAILED", "WAITING"].includes(stateOf(block)) ? standingOf(block.placement).next : "";
}

/**
 * The line that says a block's state.
 * @param {Block} block
 * @param {number} me
 */
export function stateLine(block, me) {
  const { word, rest } = describe(block, me);
  const look = LOOKS[stateOf(block)] ?? LOOKS.UNKNOWN;
  const sign = mark(look.mark);
  const next = nextOf(block);
  if (stateOf(block) === "REFRESHING") sign.classList.add("spin");
  return h(
    "span",
    { class: `state ${look.tone}` },
    sign,
    h(
      "span",
      {},
      h("b", {}, word),
      next && [" · ", nextTry(next)],
      rest.filter(Boolean).map((one) => ` · ${one}`),
    ),
  );
}

/**
 * The head of a screen, with the way back.
 * @param {string} title
 * @param {string} back what the way back is called
 * @param {() => void} onBack
 */
export function head(title, back, onBack) {
  return h(
    "div",
    { class: "head" },
    h("button", { class: "plain", "aria-label": back, onclick: onBack }, mark("back")),
    h("h2", { tabindex: -1, title }, title),
  );
}

/**
 * The screen that lists the blocks.
 * @param {Pane} pane
 */
export function blocksScreen(pane) {
  const list = new VirtualList({
    label: words.blocksOf,
    rowHeight: 92,
    key: (/** @type {Block} */ block) => block.key,
    render: (block) => row(pane, block),
  });
  const find = h("input", { type: "search", "aria-label": words.find, placeholder: words.find, oninput: show });
  const urgent = h("input", { type: "checkbox", onchange: show });
  const urgentText = h("span");
  const narrow = h("div", { class: "narrow", hidden: true }, find, h("label", { class: "check" }, urgent, urgentText));
  const none = h("p", { class: "empty muted" });
  const screen = h("section", { class: "screen blocks", "aria-label": text.blocks }, toolbar(pane), narrow, none, list.element);

  function show() {
    const { blocks, loaded } = pane.store.state;
    const attention = blocks.filter((block) => ATTENTION.includes(stateOf(block))).length;
    if (!attention) urgent.checked = false;
    urgentText.textContent = words.needAttention(attention);
    urgent.disabled = !attention;
    narrow.hidden = blocks.length < 9;
    const found = narrowed(ordered(blocks), narrow.hidden ? "" : find.value, urgent.checked);
    none.hidden = found.length > 0;
    none.textContent = loaded ? whyNone(pane) : text.loading;
    list.set(found);
  }
  pane.store.watch(screen, (state) => state.blocks, show);
  pane.store.watch(screen, (state) => state.loaded, show);
  return screen;
}

/**
 * Why the list is empty.
 * @param {Pane} pane
 */
function whyNone({ port, store: { state } }) {
  if (state.blocks.length) return words.noneFound;
  if (!state.document.id) return words.noDocument;
  return port.host ? `${words.noBlocks} ${words.noBlocksHow}` : words.noBlocks;
}

/**
 * The blocks that match what is looked for.
 * @param {Block[]} blocks
 * @param {string} find
 * @param {boolean} urgent
 */
export function narrowed(blocks, find, urgent) {
  const wanted = find.toLowerCase().split(/\s+/).filter(Boolean);
  if (!wanted.length && !urgent) return blocks;
  return blocks.filter((block) => {
    if (urgent && !ATTENTION.includes(stateOf(block))) return false;
    const all = `${block.name} ${block.placement.resultLocation}`.toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
}

/** @param {Pane} pane */
function toolbar(pane) {
  const menu = h(
    "div",
    { popover: "auto", id: "refresh-menu" },
    [
      ["all", words.refreshAll],
      ["sheet", words.refreshSheet],
      ["selection", words.refreshSelection],
    ]
      .filter(([which]) => which === "all" || pane.port.host)
      .map(([which, label]) =>
        h(
          "button",
          {
            onclick: () => {
              menu.hidePopover();
              pane.refreshMany(which);
            },
          },
          label,
        ),
      ),
  );
  const refresh = h("button", { popovertarget: "refresh-menu" }, mark("refresh"), text.refresh, mark("down"));
  pane.store.watch(
    refresh,
    (state) => Boolean(state.progress) || !state.blocks.length,
    (busy) => {
      refresh.disabled = busy;
    },
  );
  return h(
    "div",
    { class: "toolbar" },
    refresh,
    menu,
    pane.port.host && h("button", { class: "primary", onclick: () => pane.show("place") }, mark("plus"), text.place),
  );
}

/**
 * @param {Pane} pane
 * @param {Block} block
 */
function row(pane, block) {
  const me = pane.store.state.me?.user.id ?? 0;
  pane.wantRun(block);
  const { resultLocation } = block.placement;
  const jump =
    pane.port.host &&
    stateOf(block) !== "GONE" &&
    h(
      "button",
      { class: "plain jump", "aria-label": text.goTo(resultLocation), onclick: () => pane.reveal(block) },
      mark("target"),
      resultLocation,
    );
  return h(
    "div",
    { class: "row" },
    h(
      "button",
      {
        class: "open",
        disabled: block.status === "DENIED",
        onclick: () => pane.show("block", block.key),
      },
      h("span", { class: "name" }, block.name),
      " ",
      stateLine(block, me),
      h("span", { class: "spoken" }, `, ${resultLocation}`),
    ),
    jump || h("span", { class: "jump muted" }, resultLocation),
  );
}

/**
 * Records that a report stands somewhere in this document, before anything is written there.
 * @param {Pane} pane
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
