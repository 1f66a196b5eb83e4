/**
 * The port to Google Sheets. The pane stands in a frame of a sidebar (apps-script/sidebar.html), which hands texts on to the script in
 * the spreadsheet (apps-script/Code.js). What those texts mean is decided here.
 */
import { PortError, SHEETS_NAMES, Standing, identityOf, markedPlacement, newIdentity } from "../port.mjs";
import { Relay, parentOrigin } from "./relay.mjs";

/** @typedef {import("../port.mjs").Port} Port */
/** @typedef {import("../port.mjs").Rect} Rect */
/** @typedef {import("./blocks.mjs").Named} Named */

const SETTING = "mooring.";
const ID = "mooring.document"; // Google's, which a copy keeps of its original
const IDENTITY = "mooring_document"; // as agents have a spreadsheet say which one it is
const LOOK = 5000; // ms between two looks at the selection: the script cannot tell of changes by itself
const GENERATION = /(_+)g([1-9][0-9]*)$/i; // of a name whose first holder marks nothing any more

/** What a list of blocks does not need is loaded when cells are read or written. */
const blocks = () => import("./blocks.mjs");

/**
 * @param {Window} window
 * @returns {Promise<Port>}
 */
export async function open(window) {
  return sheetsPort(new Relay(window, parentOrigin(window.location)), window);
}

/**
 * @param {{call(name: string, ...args: unknown[]): Promise<any>}} relay
 * @param {Pick<Window, "setInterval" | "clearInterval" | "document">} window
 * @returns {Port}
 */
export function sheetsPort(relay, window) {
  const spreadsheet = new Spreadsheet(relay);
  return {
    host: "SHEETS_A",
    kind: "sheets",
    document: () => spreadsheet.document(),
    identify: () => spreadsheet.identify(),
    adopt: (own) => spreadsheet.adopt(own),
    selection: () => selection(relay),
    read: async (rect) => (await blocks()).read(spreadsheet, rect),
    formulas: async (most) => (await blocks()).formulasOf(spreadsheet, most),
    parameters: async (cells) => (await import("./parameters.mjs")).parametersOf(spreadsheet, cells),
    apply: async (patch, at) => (await blocks()).apply(spreadsheet, patch, at),
    marks: () => spreadsheet.marks(),
    stamp: async (placementId) => (await blocks()).stampOf(spreadsheet, placementId),
    mark: async (placementId, rect) => (await blocks()).mark(spreadsheet, placementId, rect),
    unmark: async (placementId) => (await blocks()).unmark(spreadsheet, placementId),
    reveal: ({ sheet, ...area }) => relay.call("reveal", sheet, area),
    watch: (fn) => watch(relay, window, fn),
    settings: {
      get: (key) => relay.call("setting", SETTING + key),
      set: (key, value) => relay.call("setting", SETTING + key, value),
    },
  };
}

class Spreadsheet {
  /** @param {{call(name: string, ...args: unknown[]): Promise<any>}} relay */
  constructor(relay) {
    this.relay = relay;
    this.standing = new Standing();
    this.identified = false;
  }

  /**
   * A spreadsheet's id is Google's own. It is kept in the spreadsheet too: a copy has another one, and what was kept.
   * @returns {Promise<import("../port.mjs").Document>}
   */
  async document() {
    const { id, name } = await this.relay.call("document");
    const kept = await this.relay.call("setting", ID);
    return { id, name, ...(kept !== null && kept !== id ? { copyOf: kept } : {}) };
  }

  /**
   * A copy is called by its own id, whatever is decided of its blocks.
   * @param {boolean} own
   */
  async adopt(own) {
    const { id } = await this.relay.call("document");
    await this.relay.call("setting", ID, id);
    if (own) await this.relay.call("setting", IDENTITY, newIdentity());
  }

  /** Has the spreadsheet keep its id and its identity, unless it does. */
  async identify() {
    if (this.identified) return;
    const [id, identity] = await Promise.all([ID, IDENTITY].map((key) => this.relay.call("setting", key)));
    if (id === null) await this.adopt(false);
    if (!identityOf(identity)) await this.relay.call("setting", IDENTITY, newIdentity());
    this.identified = true;
  }

  /** The last generation of each mark. */
  async named() {
    /** @type {Map<string, Named>} by the name without its generation */
    const named = new Map();
    for (const [full, rect] of await this.relay.call("marks")) {
      const { name, generation } = generationOf(full.toLowerCase());
      if ((named.get(name)?.generation ?? 0) < generation) named.set(name, { name: full, generation, rect });
    }
    return named;
  }

  async marks() {
    const named = await this.named();
    const list = [...named].flatMap(([name, { rect }]) => {
      const placementId = markedPlacement(name, SHEETS_NAMES);
      return placementId === null ? [] : [{ placementId, rect }];
    });
    this.standing.listed(list);
    return list;
  }
}

/**
 * @param {{call(name: string): Promise<any>}} relay
 * @returns {Promise<Rect>}
 */
async function selection(relay) {
  const { says: _, ...rect } = (await relay.call("selection")) ?? {};
  if (!rect.sheet) throw new PortError("refused", "No cells are selected: select where the report is to stand.");
  return rect;
}

/**
 * Cells may have changed whenever the selection has, or what it says: people select a cell to type into it, or to choose from its list.
 * @param {{call(name: string): Promise<any>}} relay
 * @param {Pick<Window, "setInterval" | "clearInterval" | "document">} window
 * @param {(change: import("../port.mjs").Change) => void} fn
 */
function watch(relay, window, fn) {
  let was = "";
  const look = async () => {
    if (window.document.visibilityState !== "visible") return;
    const selected = await relay.call("selection").catch(() => null); // changes are a hint
    if (!selected) return;
    const now = JSON.stringify(selected);
    if (was !== "" && was !== now) fn({ kind: "cells" });
    was = now;
  };
  look();
  const timer = window.setInterval(look, LOOK);
  return () => window.clearInterval(timer);
}

/**
 * One of Google's names without its generation, and which generation it is. An id's underscores are written as two each.
 * @param {string} name
 */
function generationOf(name) {
  const [mark, underscores = "", number = ""] = GENERATION.exec(name) ?? [];
  if (!mark || underscores.length % 2 === 0) return { name, generation: 1 };
  return { name: name.slice(0, -1 - "g".length - number.length), generation: Number(number) };
}
