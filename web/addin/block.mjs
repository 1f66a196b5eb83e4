/** One block: its state, what happened and what helps, its edited cells, its options and schedules, and its end. */
import { ask, fill, h, mark } from "../ui/dom.mjs";
import { remedyOf, standingOf, text, when } from "../ui/text.mjs";
import { describe, head, stateLine, stateOf } from "./blocks.mjs";
import { schedules } from "./schedule.mjs";

/** What it says, in English. */
const words = {
  agentsLeaveOut: "No agent reaches this spreadsheet, so that schedules leave this block out: refresh it here.",
  where: "Where",
  lastRefresh: "Last refresh",
  whatNow: "What you can do",
  changeFirst: "Change the sheet or the report as it says, then refresh.",
  overwriteSure: "Write over what was changed in the sheet?",
  overwriteWhat: "The block becomes what the report says. What stands there now is kept in the run's record.",
  unlink: "Unlink",
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Block} Block
 */

/** Failures that a change of the report, or of rights on it, may end. */
const OF_REPORT = ["structure", "permanent", "auth"];

/**
 * @param {Pane} pane
 * @param {string} key of the block
 */
export function screen(pane, key) {
  const state = h("div", { class: "card" });
  const mends = h("div", { class: "mends" });
  const values = h("div");
  const options = h("div");
  const edits = h("section", { class: "card", hidden: true });
  const changes = h("section", { class: "card", hidden: true });
  const find = () => pane.store.state.blocks.find((block) => block.key === key);
  const first = find();
  const element = h("section", { class: "screen", "aria-label": first?.name ?? "" });
  if (!first) return element;
  fill(
    element,
    head(first.name, text.back, () => pane.show("blocks")),
    state,
    mends,
    values,
    edits,
    changes,
    schedules(pane, first),
    options,
    h("div", {}, h("button", { class: "plain danger", onclick: () => unlink(pane, first).catch(pane.fail) }, words.unlink)),
  );
  /** @type {string | undefined} */
  let shownEdits;
  const mended = changing(mends, (block) => mending(pane, block));
  const card = import("./options.mjs"); // once: it takes a task, in which a person may type what is drawn over then
  const said = changing(options, async (block) =>
    (await card).optionsCard(pane, block, options.querySelector("details")?.open),
  );
  const asked = changing(values, async (block) => {
    const report = await pane.reportOf(block);
    if (!report.parameters && !block.placement.parameters) return null;
    return (await import("./values.mjs")).valuesCard(pane, block, report, values, () => run(pane, block));
  });
  pane.store.watch(element, find, (block) => {
    if (!block) return void (element.isConnected && pane.screen === "block" && pane.show("blocks"));
    pane.wantRun(block);
    fill(state, ...facts(pane, block));
    mended(block, [stateOf(block), block.placement.lastRun?.runId]).catch(pane.fail);
    const { onEdit, shiftRows, fillRight, statusCell } = block.placement;
    asked(block, [block.placement.parameters, block.run?.parameters, stateOf(block), block.placement.lastRun?.runId]).catch(pane.fail);
    said(block, [onEdit, shiftRows, fillRight, statusCell]).catch(pane.fail);
    const edited = JSON.stringify([block.placement.edits, block.placement.lastRun?.runId]);
    if (edited === shownEdits) return;
    shownEdits = edited;
    if (block.placement.refreshedAt) listChanges(pane, block, changes).catch(pane.fail);
    if (block.placement.edits) listEdits(pane, block, edits).catch(pane.fail);
    else edits.hidden = true;
  });
  return element;
}

/**
 * Draws a part of the screen anew only where what it is drawn from is another: what a person does there goes on.
 * @param {HTMLElement} place
 * @param {(block: Block) => Promise<HTMLElement | null>} draw
 * @returns {(block: Block, from: unknown) => Promise<void>}
 */
function changing(place, draw) {
  let last = "";
  return async (block, from) => {
    const wanted = JSON.stringify(from);
    if (wanted === last) return;
    last = wanted;
    const drawn = await draw(block);
    if (wanted !== last) return;
    const focused = place.contains(document.activeElement);
    fill(place, drawn);
    if (focused && !place.contains(document.activeElement)) place.closest(".screen")?.querySelector("h2")?.focus();
  };
}

/**
 * What ends the block's trouble beside a refresh, where something does.
 * @param {Pane} pane
 * @param {Block} block
 */
async function mending(pane, block) {
  const state = stateOf(block);
  const { errorClass = "", conflict } = block.placement.lastRun ?? {};
  if (state === "CONFLICT" && conflict?.room) {
    return (await import("./room.mjs")).roomCard(pane, block, (how) => run(pane, block, how));
  }
  if (state !== "FAILED" || !OF_REPORT.includes(errorClass)) return null;
  return (await import("./report.mjs")).reportCard(pane, block);
}

/**
 * What helps a block, in words; "" where a card says so, or nothing is wrong.
 * @param {Block} block
 */
function help({ placement }) {
  const { conflict, errorClass } = placement.lastRun ?? {};
  if (standingOf(placement).reason === "addin_only") return words.agentsLeaveOut;
  if (errorClass !== "conflict" || conflict?.overwrite) return conflict?.room ? "" : remedyOf(placement);
  return conflict?.room || placement.syncStatus !== "CONFLICT" ? "" : words.changeFirst;
}

/**
 * What the block is and does, and what the person can do.
 * @param {Pane} pane
 * @param {Block} block
 */
function facts(pane, block) {
  const { placement } = block;
  const state = stateOf(block);
  const helps = help(block);
  const { conflict } = placement.lastRun ?? {};
  const busy = state === "REFRESHING" || Boolean(pane.store.state.progress);
  return [
    stateLine(block, pane.store.state.me?.user.id ?? 0),
    helps && h("p", {}, h("b", {}, `${words.whatNow}: `), helps),
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
        { id: "refresh-block", class: state === "CONFLICT" ? "" : "primary", disabled: busy, onclick: () => run(pane, block) },
        mark("refresh"),
        text.refresh,
      ),
      pane.port.host &&
        !block.gone &&
        h("button", { id: "go-to-block", onclick: () => pane.reveal(block) }, mark("target"), text.goTo(placement.resultLocation)),
      state === "CONFLICT" &&
        conflict?.overwrite &&
        !conflict.room &&
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
    await (await import("./runs.mjs")).refresh(pane, [now(pane, block)], how);
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
 * @param {Pane} pane
 * @param {Block} block
 */
async function unlink(pane, block) {
  await (await import("./unlink.mjs")).askToUnlink(pane, now(pane, block));
}

/**
 * A block as it is known by now.
 * @param {Pane} pane
 * @param {Block} block
 */
const now = ({ store }, block) => store.state.blocks.find(({ key }) => key === block.key) ?? block;

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {HTMLElement} place
 */
async function listEdits(pane, block, place) {
  await (await import("./edits.mjs")).showEdits(pane, block, place, () => run(pane, block));
}

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {HTMLElement} place
 */
async function listChanges(pane, block, place) {
  await (await import("./changes.mjs")).showChanges(pane, block, place, (how) => run(pane, block, how));
}
