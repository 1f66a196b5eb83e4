/**
 * The port of the pane beside the demo's grid: both pages are of one origin, and the page around the pane holds the document.
 *
 * @typedef {import("./blocks.mjs").Desk} Desk
 * @typedef {import("../port.mjs").Rect} Rect
 */
import { parseReference } from "../../demo/reference.mjs";
import { EXCEL_NAMES, PortError, Standing, markedPlacement } from "../port.mjs";

/** What a list of blocks does not need is loaded when cells are read or written. */
const blocks = () => import("./blocks.mjs");

/** @param {{parent: unknown}} window @returns {Promise<import("../port.mjs").Port>} */
export async function open(window) {
  const { desk } = /** @type {{desk?: Promise<Desk>}} */ (window.parent);
  if (!desk) throw new PortError("gone", "The demo's sheet is not there: open this page from /demo/.");
  return new DemoPort(await desk);
}

/**
 * @typedef {import("../port.mjs").Port} Port
 * @implements {Port}
 */
export class DemoPort {
  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
    this.standing = new Standing();
    this.host = /** @type {const} */ ("SHEETS_B");
    this.kind = /** @type {const} */ ("demo");
    this.settings = {
      get: async (/** @type {string} */ key) => desk.settings.get(key),
      set: async (/** @type {string} */ key, /** @type {string | null} */ value) => desk.settings.set(key, value),
    };
  }

  async document() {
    return { id: this.desk.id, name: this.desk.id };
  }

  async identify() {} // its id is the name of its file

  async adopt() {} // this document is never a copy

  async selection() {
    return this.desk.selection();
  }

  get book() {
    return this.desk.document.book;
  }

  /** @param {string} name */
  sheet(name) {
    const sheet = this.book.sheet(name);
    if (!sheet) throw new PortError("gone", `There is no sheet “${name}” any more.`);
    return sheet;
  }

  /** @type {Port["read"]} */
  async read(rect) {
    return (await blocks()).read(this, rect);
  }

  /** @param {number} most */
  async formulas(most) {
    return (await blocks()).formulas(this, most);
  }

  /** @param {Rect} rect */
  async tableColumns(rect) {
    return (await blocks()).tableColumns(this, rect);
  }

  /** @type {Port["apply"]} */
  async apply(patch, at) {
    await (await blocks()).apply(this, patch, at);
  }

  /** @type {Port["mark"]} */
  async mark(placementId, rect) {
    await (await blocks()).mark(this, placementId, rect);
  }

  /** @type {Port["unmark"]} */
  async unmark(placementId) {
    await (await blocks()).unmark(this, placementId);
  }

  async marks() {
    const marks = this.book.names.flatMap(({ name, reference }) => {
      const placementId = markedPlacement(name, EXCEL_NAMES);
      const rect = parseReference(reference.trim());
      return placementId !== null && rect && this.book.sheet(rect.sheet) ? [{ placementId, rect }] : [];
    });
    this.standing.listed(marks);
    return marks;
  }

  /** @type {Port["stamp"]} */
  async stamp(placementId) {
    return (await blocks()).stampOf(this, placementId);
  }

  /** @param {Rect} rect */
  async reveal(rect) {
    this.sheet(rect.sheet);
    this.desk.reveal(rect);
  }

  /** @param {(change: import("../port.mjs").Change) => void} fn */
  watch(fn) {
    const ends = [
      this.desk.document.listen(({ kind }) => {
        if (kind !== "state") fn({ kind: "cells" });
      }),
      this.desk.watchSelection(() => fn({ kind: "selection", rect: this.desk.selection() })),
    ];
    return () => ends.forEach((end) => end());
  }
}
