/**
 * The port to Google Sheets. The pane stands in a frame of a sidebar (apps-script/sidebar.html), which hands texts on to the script in
 * the spreadsheet (apps-script/Code.js). What those texts mean is decided here.
 */
import { PortError } from "../port.mjs";
import { Relay, parentOrigin } from "./relay.mjs";
import { Spreadsheet } from "./spreadsheet.mjs";

/** @typedef {import("../port.mjs").Port} Port */
/** @typedef {import("../port.mjs").Rect} Rect */

const SETTING = "mooring.";
const LOOK = 5000; // ms between two looks at the selection: the script cannot tell of changes by itself

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
 * @param {(change: import("../port.mjs").Change) => void} fn
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
