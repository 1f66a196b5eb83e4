/** The status wall: one tile a document, in the colour and with the sign of its worst block. */
import { OUTLINES, STATUSES, h } from "../../ui/dom.mjs";
import { count, number } from "../../ui/text.mjs";
import { cut, statusWord } from "../show.mjs";
import { s } from "./svg.mjs";

/** What it says, in English. */
const words = {
  wallIs: (/** @type {number} */ n) => `${count(n, "document")}, the worst first; arrow keys go from one to the next`,
  ofBlocks: (/** @type {number} */ n, /** @type {number} */ of) => `${number(n)} of ${count(of, "block")}`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").StatusCounts} Counts
 * @typedef {import("../../interface.d.ts").Document} DocumentStatus
 */

/** What is asked for in turn, the worst first; the empty one is all. */
const ASKED = ["CONFLICT", "FAILED", "CHANGED", "UNKNOWN", ""];
/** So many of each: the overview stays below 100 kB however many fail. */
const TILES = 50;
/** A tile and the gap beside it, in pixels. */
const SIZE = 24;
const STEP = 28;
/** Around the wall, for the line of the tile that has the focus. */
const EDGE = 2;

/**
 * Reads the documents that the wall shows: the first of each status, the worst first, each once.
 * @param {Console} app
 * @param {AbortSignal} signal
 * @returns {Promise<DocumentStatus[]>}
 */
export async function readWall(app, signal) {
  const pages = await Promise.all(
    ASKED.map((status) => app.api.get(app.at(`/documents?first=${TILES}${status && `&status=${status}`}`), { signal })),
  );
  /** @type {Map<string, DocumentStatus>} */
  const documents = new Map();
  for (const { items } of pages) for (const item of items) documents.set(item.externalWorkbookId, item);
  return [...documents.values()].sort((a, b) => rank(a) - rank(b));
}

/** The looks of documents, the worst first. */
const ORDER = ["CONFLICT", "FAILED", "WAITING", "CHANGED", "UNKNOWN", "REFRESHING", "UP_TO_DATE"];

/** @param {DocumentStatus} document */
const rank = (document) => (ORDER.indexOf(lookOf(document)) + 1 || Infinity);

/**
 * Whose look a document has: its status, or that of what waits. It fails only if that is known, not where all of it waits.
 * @param {Pick<DocumentStatus, "status" | "placements">} document
 */
export function lookOf({ status, placements: { waiting, total } }) {
  const fails = status === "CONFLICT" || (status === "FAILED" && waiting < total);
  return waiting && !fails ? "WAITING" : status;
}

/** A wall that fits its tiles into the width it has. */
export class Wall {
  /** @param {Console} app */
  constructor(app) {
    this.app = app;
    /** @type {DocumentStatus[]} */
    this.documents = [];
    this.columns = 0;
    this.element = h("div", { class: "wall", onkeydown: (/** @type {KeyboardEvent} */ event) => this.onKey(event) });
    new ResizeObserver(() => this.columns !== this.fitting() && this.draw()).observe(this.element);
  }

  fitting() {
    return Math.max(1, Math.floor((this.element.clientWidth - 2 * EDGE + STEP - SIZE) / STEP));
  }

  /** @param {DocumentStatus[]} documents */
  show(documents) {
    this.documents = documents;
    this.draw();
  }

  draw() {
    this.columns = this.fitting();
    const focused = this.element.contains(document.activeElement) ? document.activeElement?.id : "";
    const rows = Math.ceil(this.documents.length / this.columns);
    const tiles = this.documents.map((document, i) => this.tile(document, i));
    const size = { width: 2 * EDGE + this.columns * STEP, height: 2 * EDGE + rows * STEP };
    this.element.replaceChildren(s("svg", { ...size, role: "group", "aria-label": words.wallIs(this.documents.length) }, tiles));
    const again = /** @type {SVGElement | null} */ (focused ? document.getElementById(focused) : this.element.querySelector(".tile"));
    again?.setAttribute("tabindex", "0");
    if (focused) again?.focus();
  }

  /**
   * @param {DocumentStatus} document
   * @param {number} index
   */
  tile(document, index) {
    const { externalWorkbookId: id, workbookName, placements } = document;
    const status = lookOf(document);
    const x = EDGE + (index % this.columns) * STEP;
    const y = EDGE + Math.floor(index / this.columns) * STEP;
    const label = tileLabel(workbookName || id, status, placements);
    return s(
      "a",
      { id: `tile-${id}`, href: this.app.href("placements", { document: id }), class: `tile ${status}`, tabindex: -1, "aria-label": label },
      s("title", {}, label),
      s("rect", { x, y, width: SIZE, height: SIZE, rx: 4 }),
      s("path", { d: OUTLINES[STATUSES[status]?.mark ?? "circle"], transform: `translate(${x + 4} ${y + 4})` }),
    );
  }

  /**
   * The arrow keys go from tile to tile: Tab leaves the wall.
   * @param {KeyboardEvent} event
   */
  onKey(event) {
    const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns, Home: -Infinity, End: Infinity };
    const by = moves[/** @type {keyof typeof moves} */ (event.key)];
    const tiles = /** @type {SVGElement[]} */ ([...this.element.querySelectorAll(".tile")]);
    const at = tiles.indexOf(/** @type {any} */ (document.activeElement));
    if (by === undefined || at < 0) return;
    event.preventDefault();
    const to = tiles[Math.max(0, Math.min(tiles.length - 1, at + by))];
    tiles[at].setAttribute("tabindex", "-1");
    to.setAttribute("tabindex", "0");
    to.focus();
  }
}

/**
 * @param {string} name
 * @param {string} status
 * @param {Counts} placements
 */
export function tileLabel(name, status, placements) {
  const worst = { CONFLICT: placements.conflict, FAILED: placements.failed, WAITING: placements.waiting, CHANGED: placements.changed, UNKNOWN: placements.unknown }[
    status
  ];
  return `${cut(name, 80)}: ${statusWord(status)}, ${worst ? words.ofBlocks(worst, placements.total) : count(placements.total, "block")}`;
}
