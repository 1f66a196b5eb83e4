/**
 * Reads a workbook from an .xlsx file and writes it back: parts that did not change are copied as they are packed.
 *
 * @typedef {import("./zip.mjs").Part} Part
 */
import { Book, Sheet, formulas } from "./book.mjs";
import { Calculator } from "./calc.mjs";
import { readSheet, writeSheet } from "./sheet.mjs";
import { Styles } from "./styles.mjs";
import { FileError, pack, readZip, unpackText, writeZip } from "./zip.mjs";
import { Scanner, decodeText, escape } from "./xml.mjs";

const MAX_SHEETS = 100;
const FOLLOWING = /\/(comments|drawing|table|vmlDrawing|chart)$/; // the kinds of parts whose references follow the rows

/** An .xlsx file: its workbook, and the parts that it came in. */
export class File {
  /** @param {Map<string, Part>} parts @param {string} workbook the workbook part's name */
  constructor(parts, workbook) {
    this.parts = parts;
    this.workbook = workbook;
    this.workbookText = "";
    this.stylesPart = "";
    this.book = new Book();
    /** @type {Map<string, string>} the book's texts as they were read */
    this.given = new Map();
  }

  /** @param {string} name */
  async text(name) {
    const part = this.parts.get(name);
    return part ? unpackText(part) : "";
  }

  /** The file with the workbook as it is when this is called. */
  async write() {
    const { book } = this;
    recalculate(book);
    const changed = new Map();
    for (const [name, text] of book.texts) {
      const sheet = book.sheets.find((s) => s.part === name);
      if (sheet?.changed || text !== this.given.get(name)) changed.set(name, sheet ? writeSheet(sheet, text) : text);
    }
    if (book.namesChanged) changed.set(this.workbook, withNames(this.workbookText, book));
    if (book.styles?.added()) changed.set(this.stylesPart, book.styles.write());
    if (changed.size) await this.dropCalculationOrder(changed);
    const parts = [...this.parts.values()].map((part) => (changed.has(part.name) ? pack(part.name, changed.get(part.name)) : part));
    return writeZip(await Promise.all(parts));
  }

  /** The list of formulas that spreadsheet programs keep is wrong once one moved; they make it anew. @param {Map<string, string>} changed */
  async dropCalculationOrder(changed) {
    const chain = [...this.parts.keys()].find((name) => name.endsWith("/calcChain.xml"));
    if (!chain) return;
    this.parts.delete(chain);
    const folder = this.workbook.slice(0, this.workbook.lastIndexOf("/") + 1);
    for (const name of ["[Content_Types].xml", `${folder}_rels/${this.workbook.slice(folder.length)}.rels`]) {
      const text = changed.get(name) ?? (await this.text(name));
      changed.set(name, text.replace(/<(?:Override|Relationship)\s[^<>]*calcChain[^<>]*(?:\/>|>\s*<\/\w+>)/g, ""));
    }
  }
}

/** Formulas get the values that they show now. @param {Book} book */
function recalculate(book) {
  const calculator = new Calculator(book);
  for (const sheet of book.sheets) {
    for (const { row, column, cell } of formulas(sheet)) {
      const value = calculator.value(sheet.name, cell);
      if (JSON.stringify(value) === JSON.stringify(cell.value)) continue;
      sheet.row(row).cells[column] = { ...cell, value };
      sheet.changed = true;
    }
  }
}

/** @param {Uint8Array} bytes */
export async function readXLSX(bytes) {
  const parts = readZip(bytes);
  const root = await relations(parts, "");
  const workbook = [...root.values()].find((r) => r.type.endsWith("/officeDocument"))?.target;
  if (!workbook || !parts.has(workbook)) throw new FileError("This is not an .xlsx file.");
  const file = new File(parts, workbook);
  file.workbookText = await file.text(workbook);
  const related = await relations(parts, workbook);
  const find = (/** @type {string} */ kind) => [...related.values()].find((r) => r.type.endsWith(kind))?.target ?? "";
  file.stylesPart = find("/styles");
  const styles = await file.text(file.stylesPart);
  file.book.styles = new Styles(styles || "<styleSheet/>");
  const shared = readTexts(await file.text(find("/sharedStrings")));
  readWorkbook(file, related);
  for (const sheet of file.book.sheets) {
    const text = await file.text(sheet.part);
    file.book.texts.set(sheet.part, readSheet(sheet, text, shared));
    await follow(file, sheet, sheet.part);
  }
  file.given = new Map(file.book.texts);
  return file;
}

/** Keeps the parts that belong to a sheet and refer to cells. @param {File} file @param {Sheet} sheet @param {string} part */
async function follow(file, sheet, part) {
  for (const { type, target } of (await relations(file.parts, part)).values()) {
    if (!FOLLOWING.test(type) || file.book.texts.has(target) || !file.parts.has(target)) continue;
    file.book.texts.set(target, await file.text(target));
    if (!type.endsWith("/chart")) sheet.parts.push(target);
    await follow(file, sheet, target);
  }
}

/** @param {File} file @param {Map<string, {type: string, target: string}>} related */
function readWorkbook(file, related) {
  const { book } = file;
  const scanner = new Scanner(file.workbookText);
  /** @type {Record<string, string> | null} */
  let name = null;
  while (scanner.next()) {
    if (scanner.name === "sheet" && !scanner.closes) {
      const a = scanner.attributes();
      const part = related.get(a.id)?.target ?? "";
      if (related.get(a.id)?.type.endsWith("/worksheet") && file.parts.has(part)) book.sheets.push(new Sheet(a.name ?? "", part));
      else book.sheets.push(new Sheet(a.name ?? "", "")); // a sheet of a chart keeps its place among them
      if (book.sheets.length > MAX_SHEETS) throw new FileError("The file has more sheets than this page shows.");
    }
    if (scanner.name !== "definedName") continue;
    if (!scanner.closes) name = scanner.attributes();
    else if (name) book.names.push(definedName(name, scanner.text(), book));
  }
  if (!book.sheets.length) throw new FileError("The file has no sheet.");
}

/** @param {Record<string, string>} attributes @param {string} reference @param {Book} book */
function definedName({ name = "", ...attributes }, reference, book) {
  const home = attributes.localSheetId === undefined ? null : (book.sheets[Number(attributes.localSheetId)]?.name ?? null);
  const text = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(value)}"`).join("");
  return { name, reference, attributes: text, home };
}

/** @param {string} text @param {Book} book */
function withNames(text, book) {
  const prefix = /<((?:\w+:)?)workbook[\s>]/.exec(text)?.[1] ?? "";
  const names = book.names
    .map((n) => `<${prefix}definedName name="${escape(n.name)}"${n.attributes}>${escape(n.reference)}</${prefix}definedName>`).join("");
  const element = names ? `<${prefix}definedNames>${names}</${prefix}definedNames>` : "";
  const old = new RegExp(`<${prefix}definedNames\\s*/>|<${prefix}definedNames\\s*>[\\s\\S]*?</${prefix}definedNames>`);
  if (old.test(text)) return text.replace(old, () => element);
  const before = new RegExp(`</${prefix}sheets>(?:<${prefix}(functionGroups|externalReferences)[\\s>][\\s\\S]*?</${prefix}\\1>)*`);
  return text.replace(before, (all) => all + element);
}

/** What a part is related to, by the relation's id; targets are names of parts. @param {Map<string, Part>} parts @param {string} part */
async function relations(parts, part) {
  const slash = part.lastIndexOf("/") + 1;
  const rels = parts.get(part.slice(0, slash) + "_rels/" + part.slice(slash) + ".rels");
  const found = new Map();
  if (!rels) return found;
  const scanner = new Scanner(await unpackText(rels));
  while (scanner.next()) {
    if (scanner.name !== "Relationship" || scanner.closes) continue;
    const { Id = "", Type = "", Target = "", TargetMode } = scanner.attributes();
    if (TargetMode !== "External") found.set(Id, { type: Type, target: resolve(part.slice(0, slash), Target) });
  }
  return found;
}

/** @param {string} folder @param {string} target */
function resolve(folder, target) {
  return new URL(target, "file:///" + folder).pathname.slice(1);
}

/** The table of texts. @param {string} xml */
function readTexts(xml) {
  /** @type {string[]} */
  const texts = [];
  const scanner = new Scanner(xml);
  let text = "";
  let phonetic = false;
  while (scanner.next()) {
    const { name, closes } = scanner;
    if (name === "si" && (closes || scanner.empty)) {
      texts.push(decodeText(text));
      text = "";
    } else if (name === "rPh") phonetic = !closes;
    else if (name === "t" && closes && !phonetic) text += scanner.text();
  }
  return texts;
}
