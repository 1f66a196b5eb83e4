/**
 * The port to Google Sheets. The pane stands in a frame of a sidebar (apps-script/sidebar.html), which hands texts on to the script in
 * the spreadsheet (apps-script/Code.js). What those texts mean is decided here.
 */
import { PortError } from "./port.mjs";
import { generationOf, sheetsNaming } from "./marker.mjs";
import { Standing } from "./standing.mjs";
import { cellsOf, digest, typedOf, writable } from "./sheets-cells.mjs";
import { marksOf, parts, stepsOf } from "./steps.mjs";
import { Relay, parentOrigin } from "./sheets-relay.mjs";

/** @typedef {import("./port.mjs").Port} Port */
/** @typedef {import("./port.mjs").Rect} Rect */
/** @typedef {import("./port.mjs").Patch} Patch */
/** @typedef {{name: string, generation: number, rect: Rect}} Named */

const IDENTITY = "document";
const SETTING = "mooring.";
const LOOK = 5000; // ms between two looks at the selection: the script cannot tell of changes by itself

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
    adopt: () => spreadsheet.adopt(),
    selection: () => selection(relay),
    read: (rect) => spreadsheet.read(rect),
    apply: (patch, at) => spreadsheet.apply(patch, at),
    marks: () => spreadsheet.marks(),
    mark: (placementId, rect) => spreadsheet.mark(placementId, rect),
    unmark: (placementId) => spreadsheet.unmark(placementId),
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
   * @returns {Promise<import("./port.mjs").Document>}
   */
  async document() {
    const { id, name } = await this.relay.call("document");
    const kept = await this.relay.call("setting", SETTING + IDENTITY);
    return { id, name, ...(kept !== null && kept !== id ? { copyOf: kept } : {}) };
  }

  /** A copy is called by its own id, whatever is decided of its blocks. */
  async adopt() {
    const { id } = await this.relay.call("document");
    await this.relay.call("setting", SETTING + IDENTITY, id);
  }

  /** Keeps the spreadsheet's id in it before the first write. */
  async identify() {
    if (this.identified) return;
    if ((await this.relay.call("setting", SETTING + IDENTITY)) === null) await this.adopt();
    this.identified = true;
  }

  /** @param {Rect} rect */
  async read(rect) {
    const { sheet, ...area } = rect;
    const { values, formulas } = await this.relay.call("read", sheet, area);
    this.standing.keep(rect, typedOf(values, formulas));
    return cellsOf(values, formulas, rect);
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
      const placementId = sheetsNaming.placement(name);
      return placementId === null ? [] : [{ placementId, rect }];
    });
    this.standing.listed(list);
    return list;
  }

  /**
   * @param {Patch} patch
   * @param {{sheet: string, placementId: string}} at
   */
  async apply(patch, { sheet, placementId }) {
    await this.identify();
    const named = await this.named();
    const had = named.get(sheetsNaming.name(placementId))?.rect.columns ?? 0;
    const steps = writable(stepsOf(patch, had));
    const expected = this.standing.expected(sheet, patch).map(({ typed, ...area }) => ({ ...area, digest: digest(JSON.stringify(typed)) }));
    const stands = [];
    for (const { id, area } of marksOf(patch, placementId, had)) {
      const found = named.get(sheetsNaming.name(id));
      if (!this.standing.unmoved(id, found?.rect ?? null)) throw changed();
      if (found) stands.push({ name: found.name, place: found.rect });
      const moved = patch.shifts?.length || !found || JSON.stringify(found.rect) !== JSON.stringify({ sheet, ...area });
      if (moved) steps.push(markStep(id, found, area));
    }
    if (steps.length === 0) return;
    const all = parts(steps);
    this.standing.forgetSheet(sheet);
    for (const [i, part] of all.entries()) {
      try {
        await (i === 0 ? this.relay.call("write", sheet, stands, expected, part) : this.relay.call("write", sheet, [], [], part));
      } catch (error) {
        throw i === 0 ? error : partly(error);
      }
    }
  }

  /**
   * @param {string} placementId
   * @param {Rect} rect
   */
  async mark(placementId, { sheet, ...area }) {
    await this.identify();
    const found = (await this.named()).get(sheetsNaming.name(placementId));
    await this.relay.call("write", sheet, [], [], [markStep(placementId, found, area)]);
    this.standing.marks?.set(placementId, { sheet, ...area });
  }

  /** @param {string} placementId */
  async unmark(placementId) {
    const found = (await this.named()).get(sheetsNaming.name(placementId));
    if (found) await this.relay.call("write", found.rect.sheet, [], [], [{ do: "unmark", name: found.name }]);
    this.standing.marks?.delete(placementId);
  }
}

/**
 * The step that marks an area: under the name that stands, else under the first that can be had.
 * @param {string} placementId
 * @param {Named | undefined} found
 * @param {import("./steps.mjs").Area} area
 * @returns {any} a step that only the script knows
 */
function markStep(placementId, found, area) {
  const name = sheetsNaming.name(placementId);
  return { do: "mark", names: [found?.name ?? name, `${name}_g${Math.floor(Date.now() / 1000)}`], area };
}

/**
 * @param {{call(name: string): Promise<any>}} relay
 * @returns {Promise<Rect>}
 */
async function selection(relay) {
  const rect = await relay.call("selection");
  if (!rect) throw new PortError("refused", "No cells are selected: select where the report is to stand.");
  return rect;
}

/**
 * @param {{call(name: string): Promise<any>}} relay
 * @param {Pick<Window, "setInterval" | "clearInterval" | "document">} window
 * @param {(change: import("./port.mjs").Change) => void} fn
 */
function watch(relay, window, fn) {
  let was = "";
  const look = async () => {
    if (window.document.visibilityState !== "visible") return;
    const rect = await relay.call("selection").catch(() => null); // changes are a hint
    const now = JSON.stringify(rect);
    if (rect && was !== "" && was !== now) fn({ kind: "selection", rect });
    if (rect) was = now;
  };
  const timer = window.setInterval(look, LOOK);
  return () => window.clearInterval(timer);
}

function changed() {
  return new PortError("busy", "Cells of the block changed while it was being refreshed: refresh again.");
}

/** @param {unknown} error */
function partly(error) {
  const why = error instanceof Error ? error.message : String(error);
  return new PortError("busy", `The block was written in part. ${why} Refresh again to write the rest.`);
}
