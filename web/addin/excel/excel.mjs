/** The port to Excel, by Office.js. It needs ExcelApi 1.7; events of all sheets, which are only hints, come with 1.9. */
import { Identity, explain, getSetting, listMarks, loadPlace, setSetting, sheetOf } from "./workbook.mjs";
import { PortError, Standing } from "../port.mjs";

/** @typedef {import("../port.mjs").Port} Port */
/** @typedef {import("../port.mjs").Rect} Rect */
/** @typedef {import("../port.mjs").Change} Change */

const OFFICE_JS = "https://appsforoffice.microsoft.com/lib/1/hosted/office.js";
const API = "1.7";

/**
 * Loads Office.js, which only Excel's task pane can use, and opens the port.
 * @param {Window} window
 * @returns {Promise<Port>}
 */
export async function open(window) {
  await loadScript(window.document, OFFICE_JS);
  const { host } = await Office.onReady();
  if (host !== Office.HostType.Excel || !Office.context.requirements.isSetSupported("ExcelApi", API)) {
    throw new PortError("refused", "This version of Excel is too old for Mooring: use Excel on the web or Microsoft 365.");
  }
  if (Office.context.requirements.isSetSupported("OpenBrowserWindowApi", "1.1")) window.document.addEventListener("click", openOutside);
  return excelPort(Excel, addressOf(Office.context.document));
}

const SILENCE = 3000; // ms until Excel is taken not to say where the workbook is

/**
 * Where the workbook is, asked anew each time: url is what it was when the pane began. What was last said counts where nothing is said now.
 * @param {Pick<Office.Document, "url" | "getFilePropertiesAsync">} document
 * @returns {() => Promise<string>}
 */
export function addressOf(document) {
  let last = "";
  return async () => {
    const now = await new Promise((resolve) => {
      setTimeout(resolve, SILENCE, "");
      document.getFilePropertiesAsync(({ value }) => resolve(value?.url));
    }).catch(() => "");
    last = now || last || document.url || "";
    return last;
  };
}

/**
 * Opens a link in the person's browser: a pane's own window would not know who is signed in there.
 * @param {Event} event
 */
function openOutside(event) {
  /** @type {HTMLAnchorElement | null} */
  const link = /** @type {Element} */ (event.target).closest("a[target]");
  if (!link) return;
  event.preventDefault();
  Office.context.ui.openBrowserWindow(link.href);
}

/**
 * @param {Document} document
 * @param {string} address
 */
function loadScript(document, address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = resolve;
    script.onerror = () => reject(new PortError("busy", "Excel's own script did not load: check the connection, then reload the pane."));
    document.head.append(script);
  });
}

/**
 * @param {typeof Excel} api
 * @param {() => Promise<string>} address where the workbook is stored, "" while it is not
 * @returns {Port}
 */
export function excelPort(api, address) {
  const standing = new Standing();
  const identity = new Identity();
  /** @type {<T>(batch: (context: Excel.RequestContext) => Promise<T>) => Promise<T>} */
  const run = async (batch) => {
    try {
      return await api.run(batch);
    } catch (error) {
      throw explain(error);
    }
  };
  /**
   * A function of a batch, in one of its own.
   * @param {(context: Excel.RequestContext, ...args: any[]) => Promise<any>} of
   */
  const alone = (of) => (/** @type {any[]} */ ...args) => run((context) => of(context, ...args));
  /**
   * One of a module that is loaded then: what a list of blocks does not need.
   * @param {() => Promise<any>} load
   * @param {string} name
   */
  const later = (load, name) => async (/** @type {any[]} */ ...args) => alone((await load())[name])(...args);
  return {
    host: "SHEETS_B",
    kind: "excel",
    document: () => run((context) => identity.document(context)),
    address,
    identify: () => run((context) => identity.identify(context)),
    adopt: async (own) => {
      if (own) await run((context) => identity.renew(context));
    },
    selection: () => run(selection),
    read: (rect) => later(() => import("./read.mjs"), "read")(rect, standing),
    formulas: later(() => import("./read.mjs"), "formulasOf"),
    tableColumns: later(() => import("./read.mjs"), "tableColumns"),
    parameters: later(() => import("./parameters.mjs"), "parametersOf"),
    apply: async (patch, at) => {
      await run((context) => identity.check(context));
      return later(() => import("./cells.mjs"), "applyPatch")(patch, at, standing);
    },
    marks: async () => {
      const list = await run(listMarks);
      standing.listed(list);
      return list;
    },
    stamp: later(() => import("./marks.mjs"), "stampOf"),
    mark: async (placementId, rect) => {
      await later(() => import("./marks.mjs"), "mark")(placementId, rect);
      standing.marks?.set(placementId, rect);
    },
    unmark: async (placementId) => {
      await later(() => import("./marks.mjs"), "unmark")(placementId);
      standing.marks?.delete(placementId);
    },
    reveal: alone(reveal),
    watch: (fn) => watch(api, fn),
    settings: {
      get: alone(getSetting),
      set: alone(setSetting),
    },
  };
}

/**
 * @param {Excel.RequestContext} context
 * @returns {Promise<Rect>}
 */
async function selection(context) {
  const range = context.workbook.getSelectedRange();
  const place = loadPlace(range);
  await context.sync();
  return place();
}

/**
 * @param {Excel.RequestContext} context
 * @param {Rect} rect
 */
async function reveal(context, { sheet: name, row, column, rows, columns }) {
  const sheet = await sheetOf(context, name);
  sheet.activate();
  sheet.getRangeByIndexes(row, column, rows, columns).select();
  await context.sync();
}

/**
 * @param {typeof Excel} api
 * @param {(change: Change) => void} fn
 */
function watch(api, fn) {
  /** @type {OfficeExtension.EventHandlerResult<any>[]} */
  let handlers = [];
  let ended = false;
  const end = () => {
    ended = true;
    for (const handler of handlers.splice(0)) {
      api.run(handler.context, async (context) => {
        handler.remove();
        await context.sync();
      }).catch(() => {}); // the workbook is being closed
    }
  };
  api.run(async (context) => {
    const sheets = context.workbook.worksheets;
    const tell = (/** @type {Change["kind"]} */ kind) => async () => fn({ kind });
    handlers = [
      sheets.onChanged.add(tell("cells")),
      sheets.onSelectionChanged.add(tell("selection")),
      sheets.onAdded.add(tell("sheets")),
      sheets.onDeleted.add(tell("sheets")),
    ];
    await context.sync();
    if (ended) end();
  }).catch(() => {}); // changes are a hint: the pane asks anyway
  return end;
}
