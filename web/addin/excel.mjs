/** The port to Excel, by Office.js. It needs ExcelApi 1.7; events of all sheets, which are only hints, come with 1.9. */
import { officeCells } from "./mooring.mjs";
import { PortError } from "./port.mjs";
import { excelNaming } from "./marker.mjs";
import { Standing } from "./standing.mjs";
import { applyPatch, readRows, setMark, sheetOf } from "./excel-cells.mjs";
import { explain } from "./excel-errors.mjs";

/** @typedef {import("./port.mjs").Port} Port */
/** @typedef {import("./port.mjs").Rect} Rect */
/** @typedef {import("./port.mjs").Mark} Mark */
/** @typedef {import("./port.mjs").Change} Change */

const OFFICE_JS = "https://appsforoffice.microsoft.com/lib/1/hosted/office.js";
const API = "1.7";
const SETTING = "mooring.";
const IDENTITY = SETTING + "document";

/**
 * Loads Office.js, which only Excel's task pane can use, and opens the port.
 * @param {Window} window
 * @returns {Promise<Port>}
 */
export async function open(window) {
  await loadScript(window.document, OFFICE_JS);
  const { host } = await Office.onReady();
  if (host !== Office.HostType.Excel || !Office.context.requirements.isSetSupported("ExcelApi", API)) {
    throw new PortError("refused", "This version of Excel is too old for Mooring: use Excel on the web, Microsoft 365, or 2019.");
  }
  return excelPort(Excel, () => Office.context.document.url ?? "");
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
 * @param {() => string} address where the workbook is stored, "" while it is not
 * @returns {Port}
 */
export function excelPort(api, address) {
  const standing = new Standing();
  const identity = new Identity(address);
  /** @type {<T>(batch: (context: Excel.RequestContext) => Promise<T>) => Promise<T>} */
  const run = async (batch) => {
    try {
      return await api.run(batch);
    } catch (error) {
      throw explain(error);
    }
  };
  return {
    host: "SHEETS_B",
    kind: "excel",
    document: () => run((context) => identity.document(context)),
    adopt: (own) => run((context) => identity.adopt(context, own)),
    selection: () => run(selection),
    read: (rect) => run((context) => read(context, rect, standing)),
    apply: (patch, at) => run(async (context) => {
      await identity.save(context);
      await applyPatch(context, patch, at, standing);
    }),
    marks: () => run(async (context) => {
      const list = await marks(context);
      standing.listed(list);
      return list;
    }),
    mark: (placementId, rect) => run(async (context) => {
      await identity.save(context);
      const name = context.workbook.names.getItemOrNullObject(excelNaming.name(placementId)).load("name");
      await context.sync();
      setMark(context, name, placementId, rect);
      await context.sync();
      standing.marks?.set(placementId, rect);
    }),
    unmark: (placementId) => run(async (context) => {
      const name = context.workbook.names.getItemOrNullObject(excelNaming.name(placementId)).load("name");
      await context.sync();
      if (!name.isNullObject) name.delete();
      await context.sync();
      standing.marks?.delete(placementId);
    }),
    reveal: (rect) => run(async (context) => {
      const sheet = context.workbook.worksheets.getItem(rect.sheet);
      sheet.activate();
      sheet.getRangeByIndexes(rect.row, rect.column, rect.rows, rect.columns).select();
      await context.sync();
    }),
    watch: (fn) => watch(api, fn),
    settings: {
      get: (key) => run(async (context) => {
        const setting = context.workbook.settings.getItemOrNullObject(SETTING + key).load("value");
        await context.sync();
        return setting.isNullObject ? null : String(setting.value);
      }),
      set: (key, value) => run(async (context) => {
        const setting = context.workbook.settings.getItemOrNullObject(SETTING + key).load("value");
        await context.sync();
        if (value !== null) context.workbook.settings.add(SETTING + key, value);
        else if (!setting.isNullObject) setting.delete();
        await context.sync();
      }),
    },
  };
}

/**
 * What a workbook is called. It keeps its id in its settings with the addresses where it has been opened: a file that has the id but
 * stands elsewhere is a copy, or was moved. Nothing is kept before something is written to the workbook.
 */
class Identity {
  /** @param {() => string} address */
  constructor(address) {
    this.address = address;
    /** @type {{id: string, addresses: string[]} | null} */
    this.unsaved = null;
  }

  /** @param {Excel.RequestContext} context */
  async document(context) {
    context.workbook.load("name");
    const { id, addresses } = await this.load(context);
    const known = addresses.includes(this.address()) || this.address() === "";
    return { id, name: context.workbook.name, ...(known ? {} : { copyOf: id }) };
  }

  /**
   * @param {Excel.RequestContext} context
   * @param {boolean} own
   */
  async adopt(context, own) {
    const { id, addresses } = await this.load(context);
    this.unsaved = own ? this.fresh() : { id, addresses: [...addresses, this.address()] };
    await this.save(context);
  }

  /** @param {Excel.RequestContext} context */
  async save(context) {
    if (!this.unsaved) await this.load(context);
    if (!this.unsaved) return;
    context.workbook.settings.add(IDENTITY, JSON.stringify(this.unsaved));
    await context.sync();
    this.unsaved = null;
  }

  fresh() {
    return { id: crypto.randomUUID(), addresses: [this.address()] };
  }

  /**
   * @param {Excel.RequestContext} context
   * @returns {Promise<{id: string, addresses: string[]}>}
   */
  async load(context) {
    const setting = context.workbook.settings.getItemOrNullObject(IDENTITY).load("value");
    await context.sync();
    if (!setting.isNullObject) return JSON.parse(setting.value);
    this.unsaved ??= this.fresh();
    return this.unsaved;
  }
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
 * @param {Standing} standing
 * @returns {Promise<import("./port.mjs").Standing>}
 */
async function read(context, rect, standing) {
  const sheet = await sheetOf(context, rect.sheet);
  const rows = await readRows(context, sheet, rect, "values,valueTypes,formulas");
  /** @type {import("./port.mjs").Formula[]} */
  const formulas = [];
  rows.formulas.forEach((line, row) => line.forEach((text, column) => {
    // A text that looks like a formula is shown as its own formula.
    if (typeof text === "string" && text.startsWith("=") && text !== rows.values[row][column]) formulas.push({ row, column, text });
  }));
  standing.keep(rect, rows.formulas);
  const filled = officeCells(rows.values, rows.valueTypes).map((line) => line.map((cell) => (cell === "" ? null : cell)));
  const cells = filled.map((line) => padded(line, rect.columns));
  while (cells.length < rect.rows) cells.push(padded([], rect.columns));
  return { cells, formulas };
}

/**
 * @param {import("./mooring.mjs").Cell[]} line
 * @param {number} columns
 * @returns {import("./port.mjs").Cell[]}
 */
function padded(line, columns) {
  return Array.from({ length: columns }, (_, i) => /** @type {import("./port.mjs").Cell} */ (line[i] ?? null));
}

/**
 * @param {Excel.RequestContext} context
 * @returns {Promise<Mark[]>}
 */
async function marks(context) {
  const names = context.workbook.names.load("items/name");
  await context.sync();
  const ours = names.items.flatMap((item) => {
    const placementId = excelNaming.placement(item.name);
    if (placementId === null) return [];
    const range = item.getRangeOrNullObject();
    return [{ placementId, range, place: loadPlace(range) }];
  });
  await context.sync();
  return ours.filter(({ range }) => !range.isNullObject).map(({ placementId, place }) => ({ placementId, rect: place() }));
}

/**
 * Has a range tell its place with the next sync.
 * @param {Excel.Range} range
 * @returns {() => Rect}
 */
function loadPlace(range) {
  range.load("rowIndex,columnIndex,rowCount,columnCount");
  range.worksheet.load("name");
  return () => ({
    sheet: range.worksheet.name,
    row: range.rowIndex,
    column: range.columnIndex,
    rows: range.rowCount,
    columns: range.columnCount,
  });
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
