/**
 * A worksheet's part: its cells are read into a Sheet, and the rest is kept as text with a gap where they stood.
 *
 * @typedef {import("./book.mjs").Cell} Cell
 * @typedef {import("./book.mjs").Value} Value
 * @typedef {import("./book.mjs").Sheet} Sheet
 */
import { columnName } from "../addin/address.mjs";
import { MAX_ROWS, cellName, fillFormula, parseCell } from "./reference.mjs";
import { FileError } from "./zip.mjs";
import { Scanner, decodeText, encodeText, escape } from "./xml.mjs";

const MAX_CELLS = 2_000_000;
const MAX_WIDTH = 1000; // columns
const GAP = "<sheetData/>";

/** Reads a part and returns its text without the cells. @param {Sheet} sheet @param {string} text @param {string[]} shared */
export function readSheet(sheet, text, shared) {
  const data = new Scanner(text);
  while (data.name !== "sheetData") if (!data.next()) return text;
  const { from, at } = data;
  const end = data.empty ? at : endOfData(text, at);
  readRows(sheet, text.slice(from, end), shared);
  const rest = text.slice(0, from) + GAP + text.slice(end);
  readLooks(sheet, rest);
  return rest;
}

/** @param {string} text @param {number} at */
function endOfData(text, at) {
  const close = /<\/(?:\w+:)?sheetData\s*>/g;
  close.lastIndex = at;
  if (!close.test(text)) throw new FileError("The file is cut off or damaged.");
  return close.lastIndex;
}

/** @param {Sheet} sheet @param {string} text */
function readLooks(sheet, text) {
  const scanner = new Scanner(text);
  while (scanner.next()) {
    if (scanner.closes) continue;
    const a = scanner.attributes();
    if (scanner.name === "col") {
      const to = Math.min(Number(a.max), 200); // beyond that a width says nothing to a person
      for (let i = Number(a.min); i <= to; i++) sheet.widths.set(i - 1, a.hidden === "1" || a.hidden === "true" ? 0 : Number(a.width));
    }
    if (scanner.name === "pane" && a.state === "frozen") sheet.frozen = { rows: Number(a.ySplit) || 0, columns: Number(a.xSplit) || 0 };
    if (scanner.name === "sheetProtection") sheet.protected = a.sheet === "1" || a.sheet === "true";
  }
}

/** @param {Sheet} sheet @param {string} text @param {string[]} shared */
function readRows(sheet, text, shared) {
  const scanner = new Scanner(text);
  const masters = new Map();
  let count = 0;
  let row = -1;
  let column = -1;
  while (scanner.next()) {
    if (scanner.closes) continue;
    if (scanner.name === "row") {
      const attributes = scanner.attributes();
      row = attributes.r ? Number(attributes.r) - 1 : row + 1;
      column = -1;
      if (!(row >= 0 && row < MAX_ROWS)) throw new FileError("The file has a row that no sheet has.");
      sheet.row(row).attributes = rowAttributes(attributes);
    } else if (scanner.name === "c") {
      const attributes = scanner.attributes();
      column = attributes.r ? (parseCell(attributes.r)?.column ?? MAX_WIDTH) : column + 1;
      if (column >= MAX_WIDTH || row < 0) throw new FileError("The file has a cell further out than this page shows.");
      if (++count > MAX_CELLS) throw new FileError("The sheet has more cells than this page shows.");
      sheet.row(row).cells[column] = readCell(scanner, attributes, { shared, masters, row, column });
      sheet.width = Math.max(sheet.width, column + 1);
    }
  }
}

/** @param {Record<string, string>} attributes */
function rowAttributes(attributes) {
  return Object.entries(attributes).filter(([name]) => KEPT.has(name)).map(([name, value]) => ` ${name}="${escape(value)}"`).join("");
}

const KEPT = new Set(["ht", "customHeight", "hidden", "s", "customFormat", "outlineLevel", "collapsed"]);

/**
 * @typedef {{shared: string[], masters: Map<string, {formula: string, row: number, column: number}>, row: number, column: number}} Context
 * @param {Scanner} scanner @param {Record<string, string>} attributes @param {Context} context @returns {Cell}
 */
function readCell(scanner, attributes, context) {
  const style = Number(attributes.s) || 0;
  if (scanner.empty) return { value: null, style };
  let raw = "";
  let inline = "";
  /** @type {{formula?: string, array?: string}} */
  let formula = {};
  let phonetic = false;
  while (scanner.next() && !(scanner.name === "c" && scanner.closes)) {
    if (scanner.name === "f" && !scanner.closes) formula = readFormula(scanner, context);
    else if (scanner.name === "v" && scanner.closes) raw = scanner.text();
    else if (scanner.name === "rPh") phonetic = !scanner.closes;
    else if (scanner.name === "t" && scanner.closes && !phonetic) inline += scanner.text();
  }
  /** @type {Cell} */
  const cell = { value: valueOf(attributes.t, raw, inline, context.shared), style, ...formula };
  if (attributes.t === "s") cell.shared = Number(raw);
  return cell;
}

/** @param {string | undefined} type @param {string} raw @param {string} inline @param {string[]} shared @returns {Value} */
function valueOf(type, raw, inline, shared) {
  switch (type) {
    case "s":
      return shared[Number(raw)] ?? "";
    case "inlineStr":
      return decodeText(inline);
    case "str":
    case "d":
      return decodeText(raw) || null;
    case "b":
      return raw === "1" || raw === "true";
    case "e":
      return { error: raw };
    default:
      return raw === "" || !Number.isFinite(Number(raw)) ? null : Number(raw);
  }
}

/** @param {Scanner} scanner @param {Context} context */
function readFormula(scanner, { masters, row, column }) {
  const a = scanner.attributes();
  let text = "";
  if (!scanner.empty && scanner.next()) text = scanner.text();
  if (a.t === "shared" && text) masters.set(a.si, { formula: "=" + text, row, column });
  const master = a.t === "shared" ? masters.get(a.si) : undefined;
  if (master) return { formula: fillFormula(master.formula, row - master.row, column - master.column) };
  if (a.t === "dataTable" || !text) return {};
  return a.t === "array" ? { formula: "=" + text, array: a.ref } : { formula: "=" + text };
}

/** The part's text with the sheet's cells. @param {Sheet} sheet @param {string} rest */
export function writeSheet(sheet, rest) {
  const prefix = /<((?:\w+:)?)worksheet[\s>]/.exec(rest)?.[1] ?? "";
  /** @type {string[]} */
  const out = [];
  sheet.rows.forEach((row, i) => {
    if (!row) return;
    const cells = row.cells.map((cell, column) => (cell ? writeCell(cell, columnName(column) + (i + 1), prefix) : "")).join("");
    if (cells || row.attributes) out.push(`<${prefix}row r="${i + 1}"${row.attributes}>${cells}</${prefix}row>`);
  });
  const used = `A1:${cellName(Math.max(0, sheet.rows.length - 1), Math.max(0, sheet.width - 1))}`;
  return rest.replace(GAP, () => `<${prefix}sheetData>${out.join("")}</${prefix}sheetData>`)
    .replace(/(<(?:\w+:)?dimension\s[^<>]*?ref=")[^"]*"/, (_, start) => `${start}${used}"`);
}

/** @param {Cell} cell @param {string} name @param {string} p the prefix of element names */
function writeCell(cell, name, p) {
  const { value, formula } = cell;
  const start = `<${p}c r="${name}"${cell.style ? ` s="${cell.style}"` : ""}`;
  if (formula === undefined && (value === null || value === "")) return cell.style ? start + "/>" : "";
  const kind = cell.array ? ` t="array" ref="${cell.array}"` : "";
  const f = formula === undefined ? "" : `<${p}f${kind}>${escape(formula.slice(1))}</${p}f>`;
  const typed = (/** @type {string} */ type, /** @type {string} */ text) => `${start}${type}>${f}<${p}v>${text}</${p}v></${p}c>`;
  if (value === null) return `${start}>${f}</${p}c>`;
  if (typeof value === "number") return typed("", String(value));
  if (typeof value === "boolean") return typed(' t="b"', value ? "1" : "0");
  if (typeof value === "object") return ERRORS.has(value.error) ? typed(' t="e"', escape(value.error)) : writeText(value.error);
  return writeText(value);

  function writeText(/** @type {string} */ text) {
    if (formula !== undefined) return typed(' t="str"', encodeText(text));
    if (cell.shared !== undefined) return typed(' t="s"', String(cell.shared));
    return `${start} t="inlineStr"><${p}is><${p}t xml:space="preserve">${encodeText(text)}</${p}t></${p}is></${p}c>`;
  }
}

const ERRORS = new Set(["#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA"]);
