/**
 * Blocks in the demo's document: reading, writing and marking them.
 *
 * @typedef {import("../../demo/book.mjs").Sheet} Sheet
 * @typedef {import("../../demo/book.mjs").Change} Changed
 * @typedef {import("../../demo/book.mjs").NewCell} NewCell
 * @typedef {import("../../demo/document.mjs").Document} Workbook
 * @typedef {import("../../demo/book.mjs").Book} Book
 * @typedef {import("../port.mjs").Rect} Rect
 * @typedef {import("../steps.mjs").Step} Step
 */
import { absoluteReference, parseRange, parseReference } from "../../demo/reference.mjs";
import { EXCEL_NAMES, PortError, filtersMark, markName, stampMark, statusMark } from "../port.mjs";
import { columnsOfTable, expected, isFormula, marksOf, stays, stepsOf } from "../steps.mjs";

/**
 * What the page around the pane offers it: the document, what is selected, and a way to show cells.
 * @typedef {object} Desk
 * @property {string} id the document's externalWorkbookId
 * @property {Workbook} document
 * @property {{get(key: string): string | null, set(key: string, value: string | null): void}} settings
 * @property {() => Rect} selection
 * @property {(rect: Rect) => void} reveal
 * @property {(fn: () => void) => () => void} watchSelection
 */

/** The port, as far as blocks need it. @typedef {{desk: Desk, book: Book, standing: import("../port.mjs").Standing, sheet(name: string): Sheet}} DemoPort */

/** @param {DemoPort} port @param {Rect} rect */
export async function read(port, rect) {
  await port.desk.document.save();
  const sheet = port.sheet(rect.sheet);
  port.standing.keep(rect, typed(sheet, rect));
  /** @type {import("../port.mjs").Formula[]} */
  const formulas = [];
  const cells = Array.from({ length: rect.rows }, (_, row) => Array.from({ length: rect.columns }, (_, column) => {
    const cell = sheet.cell(rect.row + row, rect.column + column);
    if (cell?.formula !== undefined) formulas.push({ row, column, text: cell.formula });
    return port.desk.document.value(sheet.name, cell);
  }));
  return { cells, formulas };
}

/** Those of the document, but for array formulas, which belong to several cells. @param {DemoPort} port @param {number} most */
export async function formulas(port, most) {
  const found = port.book.sheets.map((sheet) => ({
    sheet: sheet.name,
    formulas: sheet.rows.flatMap((line, row) => (line?.cells ?? []).flatMap((cell, column) =>
      (cell?.formula === undefined || cell.array ? [] : [{ row, column, text: cell.formula }]))),
  }));
  return found.reduce((n, one) => n + one.formulas.length, 0) > most ? null : found;
}

/** How many columns the table has whose headings begin a block, 0 for none. @param {DemoPort} port @param {Rect} rect */
export function tableColumns(port, rect) {
  const tables = port.sheet(rect.sheet).parts.map((part) => /<table\s[^<>]*>/.exec(port.book.texts.get(part) ?? "")?.[0] ?? "");
  const areas = tables.filter((tag) => !/\sheaderRowCount="0"/.test(tag)).map((tag) => parseRange(/\sref="([^"]*)"/.exec(tag)?.[1] ?? ""));
  return columnsOfTable(areas, rect);
}

/** @param {DemoPort} port @param {import("../port.mjs").Patch} patch @param {{sheet: string, placementId: string}} at */
export async function apply(port, patch, at) {
  /** @type {import("../port.mjs").Mark[]} */
  let marks = [];
  const nameOf = await namesOf(at.placementId);
  await write(port, () => {
    const sheet = port.sheet(at.sheet);
    const sheets = [sheet, ...(patch.formulas ?? []).map(({ sheet: name }) => port.sheet(name))];
    for (const one of sheets) if (one.protected) throw locked(one);
    const had = found(port, nameOf(at.placementId))?.columns ?? 0;
    marks = marksOf(patch, at.placementId, had).map(({ id, area }) => ({ placementId: id, rect: { sheet: sheet.name, ...area } }));
    checkStanding(port, patch, sheet);
    if (marks.some(({ placementId }) => !port.standing.unmoved(placementId, found(port, nameOf(placementId))))) throw changed();
    const steps = stepsOf(patch, had);
    for (const { rect } of marks) port.standing.forget(rect);
    checkTexts(steps);
    const moved = marks.flatMap(({ placementId, rect }) => named(port, nameOf(placementId), rect));
    const changes = [...steps.flatMap((step) => changesOf(port.sheet(step.sheet ?? sheet.name), step)), ...moved];
    return [...changes, ...(changes.length > 0 && patch.stamp ? kept(nameOf(stampMark(at.placementId)), patch.stamp) : [])];
  });
  for (const { placementId, rect } of marks) port.standing.marks?.set(placementId, rect);
}

/** Writes what plan returns, or nothing if the file was changed by others. @param {DemoPort} port @param {() => Changed[]} plan */
async function write(port, plan) {
  try {
    await port.desk.document.write(plan);
  } catch (error) {
    const { name } = /** @type {Error} */ (error); // its class is the other page's
    throw name === "Stale" ? changed() : error;
  }
}

/** @param {DemoPort} port @param {import("../port.mjs").Patch} patch @param {Sheet} sheet */
function checkStanding(port, patch, sheet) {
  for (const stood of expected(port.standing, sheet.name, patch)) {
    if (JSON.stringify(typed(port.sheet(stood.sheet ?? sheet.name), stood)) !== JSON.stringify(stood.typed)) throw changed();
  }
}

/** @param {Sheet} sheet @param {Step} step @returns {Changed[]} */
function changesOf(sheet, step) {
  const { row, column, rows, columns } = step.area;
  const at = { sheet: sheet.name, row, column };
  const all = (/** @type {(row: number, column: number) => NewCell | undefined} */ cell) =>
    Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, k) => cell(i, k)));
  switch (step.do) {
    case "insert":
    case "delete":
      return [{ kind: "shift", ...at, rows: step.do === "insert" ? rows : -rows, columns }];
    case "clear":
      return [{ kind: "set", ...at, cells: all(() => ({ value: null })) }];
    case "write":
      return [{ kind: "set", ...at, cells: step.cells.map((cells) => cells.map(writtenCell)) }];
    case "format":
      return [{ kind: "format", ...at, rows, columns, format: step.format }];
  }
}

/** The names of a placement's marks, by their ids. @param {string} placementId @returns {Promise<(id: string) => string>} */
async function namesOf(placementId) {
  const ids = [placementId, statusMark(placementId), filtersMark(placementId), stampMark(placementId)];
  const names = await Promise.all(ids.map((id) => markName(id, EXCEL_NAMES)));
  return (id) => names[ids.indexOf(id)];
}

/** Where a block stands by its mark. @param {DemoPort} port @param {string} mark @returns {Rect | null} */
function found(port, mark) {
  const wanted = mark.toLowerCase();
  const name = port.book.names.find((n) => n.name.toLowerCase() === wanted);
  const rect = name ? parseReference(name.reference.trim()) : null;
  return rect && port.book.sheet(rect.sheet) ? rect : null;
}

/**
 * What puts a mark where it belongs: nothing if it stands there.
 * @param {DemoPort} port @param {string} name @param {Rect | null} rect @returns {Changed[]}
 */
function named(port, name, rect) {
  const reference = rect && absoluteReference(rect);
  const known = port.book.names.find((n) => n.name.toLowerCase() === name.toLowerCase());
  return (known?.reference ?? null) === reference ? [] : [{ kind: "name", name, reference }];
}

/** What keeps a stamp: a name for a text. @param {string} name @param {string} stamp @returns {Changed[]} */
function kept(name, stamp) {
  return [{ kind: "name", name, reference: `"${stamp}"` }];
}

/** @param {DemoPort} port @param {string} placementId */
export async function stampOf(port, placementId) {
  const wanted = (await markName(stampMark(placementId), EXCEL_NAMES)).toLowerCase();
  const text = port.book.names.find((n) => n.name.toLowerCase() === wanted)?.reference.trim();
  return text?.match(/^"(.*)"$/)?.[1] ?? null;
}

/** @param {DemoPort} port @param {string} placementId @param {Rect} rect */
export async function mark(port, placementId, rect) {
  const name = await markName(placementId, EXCEL_NAMES);
  await write(port, () => named(port, name, { ...rect, sheet: port.sheet(rect.sheet).name }));
}

/** @param {DemoPort} port @param {string} placementId */
export async function unmark(port, placementId) {
  const name = await markName(placementId, EXCEL_NAMES);
  await write(port, () => named(port, name, null));
}

const LONGEST = 32_767; // characters in a cell of an .xlsx file

/** @param {Step[]} steps */
function checkTexts(steps) {
  for (const step of steps) {
    if (step.do !== "write" || !step.cells.flat().some((cell) => typeof cell === "string" && cell.length > LONGEST)) continue;
    throw new PortError("too_large", "A text of the result is longer than a cell holds: shorten it in the report's query.");
  }
}

/** @param {Sheet} sheet */
function locked(sheet) {
  return new PortError("protected", `The sheet “${sheet.name}” is protected: unprotect it, then refresh again.`);
}

function changed() {
  return new PortError("busy", "Cells were changed while the refresh was at work: nothing was written.");
}

/** What was typed into an area's cells. @param {Sheet} sheet @param {{row: number, column: number, rows: number, columns: number}} area */
function typed(sheet, { row, column, rows, columns }) {
  return Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, k) => {
    const cell = sheet.cell(row + i, column + k);
    return cell?.formula ?? [cell?.value ?? null];
  }));
}

/** @param {import("../port.mjs").PatchCell} cell @returns {NewCell | undefined} */
function writtenCell(cell) {
  if (stays(cell)) return undefined;
  if (isFormula(cell)) {
    const { formula, value = null } = /** @type {{formula: string, value?: import("../port.mjs").Cell}} */ (cell);
    return { value, formula };
  }
  return { value: /** @type {import("../port.mjs").Cell} */ (cell === "" ? null : cell) };
}
