/** Where a report goes: the selected cell, what stands there and below it, and the first write. */
import { fill, h, mark } from "../ui/dom.mjs";
import { cellText, count } from "../ui/text.mjs";
import { blockOf, connect } from "./blocks.mjs";
import { formatLocation } from "./address.mjs";
import { COLUMNS, drawing, holds, windowOn } from "./grid.mjs";
import { optionFields } from "./options.mjs";

/** What it says, in English. */
const words = {
  at: "Top left cell",
  atHow: "The cell that is selected in the sheet. Select another one to move it.",
  covers: (/** @type {string} */ address) => `It fills ${address}.`,
  drawn: (/** @type {string} */ address) => `The cells at ${address}`,
  show: "Show on the sheet",
  free: "These cells are empty.",
  filled: (/** @type {number} */ n, /** @type {string} */ cells) => `${count(n, "cell")} there ${n === 1 ? "is" : "are"} filled (${cells}).`,
  kept: "The run keeps what stood there.",
  which: (/** @type {number} */ n) => `What stands there: ${count(n, "cell")}`,
  more: (/** @type {number} */ n) => `and ${count(n, "more cell")}`,
  overlaps: (/** @type {string} */ name) => `It would cover the block “${name}”.`,
  below: (/** @type {string} */ cell) => `Something stands below, in ${cell}: it moves when the block grows.`,
  belowStays: (/** @type {string} */ cell) => `Something stands below, in ${cell}: the block stops when it grows that far.`,
  options: "Options",
  here: "Place it here",
  elsewhere: "Place elsewhere",
  noneFree: "No free cells are near. Select a cell where the block has room.",
  over: (/** @type {number} */ n) => `Write over ${count(n, "cell")}`,
  placed: (/** @type {string} */ name) => `“${name}” is placed.`,
  placing: "Placing…",
  undo: "Undo: put back what stood there",
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./port.mjs").Rect} Rect
 * @typedef {import("../interface.d.ts").Report} Report
 * @typedef {{row: number, column: number, value: import("./port.mjs").Cell}} Filled
 */

/** Cells that a warning names, and that are listed. */
const NAMED = 3;
const LISTED = 50;

/** Cells read at once to look for filled ones, and columns to the right among which a free place is looked for. */
const LOOKED = 20_000;
const BESIDE = 40;

/** Rows below the block in which something may be in the way when it grows. */
const BELOW = 200;

/**
 * @typedef {{card: HTMLElement, goes: HTMLElement, target?: ReturnType<typeof target>}} Showing where the first rows of a report are shown, and where
 *   it goes, once that was offered
 */

/**
 * Draws where a report goes. offer says how large it is and what else the placement says, and withdraw that neither counts any more: until the
 * next offer nothing can be placed. What the person has chosen meanwhile stays.
 * @param {Pane} pane
 * @param {Report} report
 * @param {HTMLElement} place
 */
export function target(pane, report, place) {
  /** @type {{size: {rows: number, columns: number}, more: object} | null} */
  let offered = null;
  /** @type {Rect | null} */
  let rect = null;
  let chosen = false; // the person has said whether rows below move
  const at = h("output", {});
  const covers = h("p", { class: "hint" });
  const warning = h("p", { role: "status" });
  const below = h("p", { class: "hint" });
  const figure = h("div");
  const ways = h("div", { class: "choices" });
  const list = h("div");
  const options = optionFields();
  /** @type {Filled | undefined} */
  let under;
  const told = () => {
    const said = options.shiftRows.checked ? words.below : words.belowStays;
    below.textContent = under ? said(formatLocation(under)) : "";
  };
  options.shiftRows.addEventListener("change", () => {
    chosen = true;
    told();
  });
  const go = (/** @type {string} */ label, /** @type {string} */ kind, /** @type {boolean} */ over) => {
    const button = h("button", { class: kind, onclick: () => rect && write(pane, report, rect, { options: { ...options.value(), ...offered?.more }, over }, button) }, label);
    return button;
  };
  const look = async () => {
    const now = offered;
    if (!now) return;
    const { sheet, row, column } = await pane.port.selection();
    if (now !== offered) return;
    const next = { sheet, row, column, ...now.size };
    if (rect && formatLocation(rect) === formatLocation(next)) return;
    rect = next;
    at.textContent = formatLocation({ sheet, row, column });
    covers.textContent = words.covers(formatLocation(rect));
    fill(ways);
    const { filled, under: beneath, overlapped, figure: drawn } = await standing(pane, rect);
    if (rect !== next) return; // the person has moved on meanwhile
    under = beneath;
    if (!chosen) options.shiftRows.checked = Boolean(under);
    told();
    const stops = overlapped ? words.overlaps(overlapped) : filled.length ? `${words.filled(filled.length, named(filled))} ${words.kept}` : "";
    fill(warning, mark(stops ? "alert" : "check"), stops || words.free);
    warning.className = `state ${overlapped ? "bad" : stops ? "warn" : "good"}`;
    fill(list, filled.length > 0 && !overlapped && listOf(filled));
    const away = h("button", { class: "primary", onclick: () => elsewhere(pane, next).catch(pane.fail) }, words.elsewhere);
    fill(ways, stops ? [away, !overlapped && go(words.over(filled.length), "danger", true)] : go(words.here, "primary", false));
    fill(figure, drawn);
  };
  const card = h(
    "div",
    { class: "card" },
    h("h3", {}, words.at),
    h("p", {}, at),
    h("p", { class: "hint" }, words.atHow),
    covers,
    figure,
    h(
      "div",
      { class: "choices" },
      h("button", { onclick: () => rect && pane.port.reveal(rect).catch(pane.fail) }, mark("target"), words.show),
    ),
    warning,
    list,
    options.elements[0],
    below,
    h("details", {}, h("summary", {}, words.options), options.elements.slice(1)),
    ways,
  );
  const end = pane.port.watch(() => (card.isConnected || !shown ? look().catch(pane.fail) : end()));
  let shown = false;
  fill(place, card);
  const turn = (/** @type {typeof offered} */ to) => {
    offered = to;
    rect = null;
    fill(ways);
    place.hidden = !to;
  };
  return {
    offer: (/** @type {{rows: number, columns: number}} */ size, /** @type {object} */ more) => {
      turn({ size, more });
      look().then(() => {
        shown = true;
      }, pane.fail);
    },
    withdraw: () => turn(null),
  };
}

/** @param {Filled[]} filled */
function named(filled) {
  return filled.slice(0, NAMED).map((cell) => formatLocation(cell)).join(", ") + (filled.length > NAMED ? ", …" : "");
}

/**
 * The cells that would be written over, with what they hold.
 * @param {Filled[]} filled
 */
function listOf(filled) {
  return h(
    "details",
    {},
    h("summary", {}, words.which(filled.length)),
    h(
      "ul",
      { class: "filled", tabindex: 0, "aria-label": words.which(filled.length) },
      filled.slice(0, LISTED).map((cell) => h("li", {}, h("b", {}, formatLocation(cell)), ` ${cellText(cell.value)}`)),
      filled.length > LISTED && h("li", {}, words.more(filled.length - LISTED)),
    ),
  );
}

/** How many rows of so many columns are read at once. @param {number} columns */
const readable = (columns) => Math.max(1, Math.floor(LOOKED / columns));

/**
 * The filled cells of what was read, by row.
 * @param {Rect} area
 * @param {import("./port.mjs").Cell[][]} cells
 * @returns {Filled[]}
 */
function filledIn(area, cells) {
  return cells.flatMap((row, r) =>
    row.flatMap((value, c) => (value === null || value === "" ? [] : [{ row: area.row + r, column: area.column + c, value }])),
  );
}

/**
 * What stands where a report would go, as far as it is looked at: filled cells, the first one below, the name of a block that it would cover,
 * and a drawing of it.
 * @param {Pane} pane
 * @param {Rect} rect
 */
async function standing(pane, rect) {
  const { touches } = await import("./runs.mjs");
  await pane.locate();
  const overlapped = pane.store.state.blocks.find((block) => !block.gone && touches(pane.rect(block), rect))?.name;
  const from = { row: Math.max(0, rect.row - 1), column: Math.max(0, rect.column - 1) };
  const columns = Math.max(rect.columns + 2, COLUMNS);
  const area = { sheet: rect.sheet, ...from, rows: Math.min(rect.rows + 1 + BELOW, readable(columns)), columns };
  const { cells } = await pane.port.read(area);
  const all = filledIn(area, cells);
  const filled = all.filter((cell) => holds(rect, cell));
  const under = all.find((cell) => cell.row >= rect.row + rect.rows && holds({ ...rect, rows: Infinity }, cell));
  const part = windowOn(rect.sheet, from, filled[0] ?? rect);
  const shown = cells.slice(part.row - area.row).map((row) => row.slice(part.column - area.column));
  const figure = drawing(words.drawn(formatLocation({ row: rect.row, column: rect.column })), part, shown, (cell, isFilled) =>
    holds(rect, cell) ? (isFilled ? "way" : "new") : "",
  );
  return { overlapped, filled, under, figure };
}

/**
 * Selects the nearest free cells to the right of a rectangle, which has an empty column before it.
 * @param {Pane} pane
 * @param {Rect} rect
 */
async function elsewhere(pane, rect) {
  const { touches } = await import("./runs.mjs");
  const columns = rect.columns + BESIDE;
  const rows = Math.min(rect.rows, readable(columns));
  const { cells } = await pane.port.read({ ...rect, rows, columns });
  const filled = new Set(filledIn(rect, cells).map(({ column }) => column));
  const blocks = pane.store.state.blocks.filter((block) => !block.gone).map((block) => pane.rect(block));
  for (let column = rect.column + 1; column <= rect.column + BESIDE; column++) {
    const next = { ...rect, column };
    const wide = { ...next, column: column - 1, columns: rect.columns + 1 };
    const taken = Array.from({ length: wide.columns }, (_, i) => filled.has(wide.column + i)).some(Boolean);
    if (!taken && !blocks.some((block) => touches(block, wide))) return pane.port.reveal(next);
  }
  pane.notice({ sentence: words.noneFree, tone: "warn", sign: "alert" });
}

/**
 * Records the placement and writes it.
 * @param {Pane} pane
 * @param {Report} report
 * @param {Rect} rect
 * @param {{options: Record<string, unknown>, over: boolean}} how
 * @param {HTMLButtonElement} button
 */
async function write(pane, report, rect, { options, over }, button) {
  const label = button.textContent ?? "";
  if (button.ariaDisabled) return;
  button.ariaDisabled = "true"; // a disabled one would lose the focus
  button.textContent = words.placing;
  try {
    const { mayWrite } = await import("./document.mjs");
    if (!(await mayWrite(pane))) throw new DOMException("", "AbortError"); // the person does not want rows here
    const placement = await connect(pane, report.deploymentId, report.id, {
      resultLocation: formatLocation({ sheet: rect.sheet, row: rect.row, column: rect.column }),
      ...options,
    });
    const block = blockOf({
      access: "GRANTED",
      deploymentId: report.deploymentId,
      reportId: report.id,
      reportName: report.name,
      placement,
    });
    pane.store.set({ blocks: [...pane.store.state.blocks.filter((one) => one.key !== block.key), block] });
    const { refresh } = await import("./runs.mjs");
    // what the person saw and gave up is replaced by the run, which keeps it
    const [outcome] = await refresh(pane, [block], over ? { writeOver: true } : {});
    await (outcome?.error ? pane.show("block", block.key) : pane.show("blocks"));
    const undo = () => refresh(pane, [pane.store.state.blocks.find(({ key }) => key === block.key) ?? block], { restores: outcome.runId });
    const more = over && outcome?.runId ? [h("button", { onclick: () => undo().catch(pane.fail) }, mark("refresh"), words.undo)] : [];
    if (outcome && !outcome.error) pane.notice({ sentence: words.placed(report.name), more });
  } catch (error) {
    button.ariaDisabled = null;
    button.textContent = label;
    pane.fail(error);
  }
}
