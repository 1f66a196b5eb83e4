/** A block that has no room: what it lacks, what is in the way, and what makes room for it. */
import { fill, h, mark } from "../ui/dom.mjs";
import { count, sentence, text } from "../ui/text.mjs";
import { faultOf } from "../ui/api.mjs";
import { noRoom } from "./blocks.mjs";
import { formatLocation, parseLocation } from "./address.mjs";
import { drawing, holds, windowOn } from "./grid.mjs";
import { setOptions } from "./options.mjs";

/** What it says, in English. */
const words = {
  holds: (/** @type {string} */ cells, /** @type {number} */ n) =>
    n === 1 ? `${cells} holds something that is not the report’s.` : `${count(n, "cell")} in ${cells} hold something that is not the report’s.`,
  around: (/** @type {string} */ cells) => `The cells around ${cells}`,
  looking: "Looking what would move…",
  make: (/** @type {number} */ n) => `Make room (insert ${count(n, "row")})`,
  makeRoom: "Make room",
  always: "Always make room",
  alwaysHow: "“Always make room” moves what stands below with each refresh from now on.",
  nothingMoves: "Nothing has to move any more: refresh.",
  byHand: "Move what stands there, or clear it, then refresh.",
  over: (/** @type {number} */ n) => `Write over ${count(n, "cell")}`,
  overHow: "What stands there is kept in the run’s record.",
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Block} Block
 * @typedef {import("./port.mjs").Rect} Rect
 * @typedef {import("./shapes.mjs").How} How
 * @typedef {NonNullable<NonNullable<import("../interface.d.ts").LastRun["conflict"]>["room"]>} Room
 */

/**
 * @param {Pane} pane
 * @param {Block} block whose conflict is about room
 * @param {(how?: How) => Promise<void>} run refreshes the block
 */
export function roomCard(pane, block, run) {
  const { conflict } = /** @type {import("../interface.d.ts").LastRun} */ (block.placement.lastRun);
  const room = /** @type {Room} */ (conflict?.room);
  const way = parseLocation(room.cells);
  const said = h("p", { class: "hint", role: "status" });
  const ways = h("div", { class: "choices" });
  const first = formatLocation({ row: way.row, column: way.column });
  const go = pane.port.host && h("button", { id: "go-to-way", onclick: () => pane.port.reveal(way).catch(pane.fail) }, mark("target"), text.goTo(first));
  const figure = h("div");
  fill(ways, go);
  if (conflict?.overwrite) {
    said.textContent = words.overHow;
    fill(ways, h("button", { class: "danger", onclick: () => run({ writeOver: true }) }, words.over(room.filled)), go);
  } else if (room.shiftRows) offer(pane, block, said, ways, go, run);
  else said.textContent = words.byHand;
  draw(pane, block, room, way).then((drawn) => fill(figure, drawn), () => {}); // the words say it too
  return h(
    "section",
    { class: "card room", "aria-labelledby": "no-room" },
    h("h3", { id: "no-room" }, noRoom(block.placement)),
    h("p", {}, words.holds(room.cells, room.filled)),
    figure,
    said,
    ways,
  );
}

/**
 * Offers to move what is in the way, once it is known that this can be done and what follows.
 * @param {Pane} pane
 * @param {Block} block
 * @param {HTMLElement} said
 * @param {HTMLElement} ways
 * @param {Node | string | false} go
 * @param {(how?: How) => Promise<void>} run
 */
async function offer(pane, block, said, ways, go, run) {
  const always = async () => {
    try {
      await setOptions(pane, block, { shiftRows: true });
      await run();
    } catch (error) {
      pane.fail(error);
    }
  };
  const buttons = (/** @type {string} */ label, make = () => run({ shiftRows: true })) =>
    fill(
      ways,
      h("button", { id: "make-room", class: "primary", onclick: make }, label),
      h("button", { id: "always-make-room", onclick: always }, words.always),
      go,
    );
  if (!pane.port.host) return buttons(words.makeRoom); // an agent does it
  said.textContent = words.looking;
  try {
    const would = await preview(pane, block);
    const moves = would.message.split("; ").join(", ");
    said.textContent = would.insertedRows ? `${sentence(moves)} ${words.alwaysHow}` : words.nothingMoves;
    if (would.insertedRows) buttons(words.make(would.insertedRows));
  } catch (/** @type {any} */ error) {
    const others = error.code === "not_placer"; // whose rows an agent moves
    said.textContent = others ? words.alwaysHow : text.inPane(faultOf(error)?.sentence ?? "");
    const byAgent = async () => (await import("./runs.mjs")).askAgent(pane, block, { shiftRows: true });
    if (others) buttons(words.makeRoom, byAgent);
  }
}

/**
 * What a refresh of a block by this pane that makes room would do: it writes nothing and makes no run.
 * @param {Pane} pane
 * @param {Block} block
 * @returns {Promise<{insertedRows: number, formulas?: number, message: string}>}
 */
async function preview(pane, block) {
  const { planned } = await import("./plan.mjs");
  const path = `/deployments/${block.deployment}/reports/${block.report}/placements/${encodeURIComponent(block.placement.id)}/preview`;
  return planned(pane, block, { path, with: { shiftRows: true }, shifts: true }, pane.ended.signal, () => {});
}

/**
 * The cells where the block ends and what is in the way begins.
 * @param {Pane} pane
 * @param {Block} block
 * @param {Room} room
 * @param {Rect} way
 */
async function draw(pane, block, room, way) {
  const written = Boolean(block.placement.refreshedAt);
  const at = pane.rect(block);
  const stands = written ? at : { ...at, rows: 0, columns: 0 };
  const grown = { ...at, rows: stands.rows + room.rows, columns: stands.columns + room.columns };
  const below = room.rows > 0;
  const from = below
    ? { row: stands.row + stands.rows - 2, column: stands.column }
    : { row: way.row - 1, column: stands.column + stands.columns - 2 };
  const part = windowOn(at.sheet, from, way);
  const { cells } = pane.port.host ? await pane.port.read(part) : { cells: [] };
  return drawing(words.around(room.cells), part, cells, (cell, filled) => {
    if (holds(stands, cell)) return "own";
    if (holds(way, cell) && (filled || !cells.length)) return "way";
    return holds(grown, cell) ? "new" : "";
  });
}
