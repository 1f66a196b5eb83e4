/**
 * What in a workbook's file refers to cells, besides the cells themselves, and follows them when rows are inserted or removed: merges,
 * rules, links, filters, tables, comments, drawings, charts, names. These parts are kept as text, and only their references change.
 *
 * @typedef {{name: string, part: string, parts: string[]}} Sheet its own part, and those of what stands on it
 * @typedef {{texts: Map<string, string>, sheets: Sheet[]}} Book
 * @typedef {{name: string, reference: string, attributes: string, home: string | null}} DefinedName home is the sheet it belongs to alone
 * @typedef {import("./reference.mjs").Shift} Shift
 */
import { MAX_COLUMNS, parseRange, shiftFormula, shiftReference, shiftRows } from "./reference.mjs";
import { escape, unescape } from "./xml.mjs";

const MAX_MERGES = 5000;

/**
 * The texts of a book's parts after cells of a sheet have moved.
 * @param {Book} book @param {Sheet} sheet @param {Shift} shift
 */
export function shiftTexts(book, sheet, shift) {
  const texts = new Map();
  for (const [name, text] of book.texts) {
    const home = book.sheets.find((s) => s.part === name || s.parts.includes(name));
    texts.set(name, home === sheet ? shiftOwn(text, sheet.name, shift) : shiftFormulasIn(text, home?.name ?? "", shift));
  }
  return texts;
}

/** @param {DefinedName[]} names @param {string} sheet @param {Shift} shift */
export function shiftNames(names, sheet, shift) {
  return names.map((name) => ({ ...name, reference: shiftFormula(name.reference, name.home ?? "", { ...shift, sheet }) }));
}

/** A part of the sheet itself. @param {string} text @param {string} sheet @param {Shift} shift */
function shiftOwn(text, sheet, shift) {
  text = shiftFormulasIn(text, sheet, shift);
  text = text.replace(/(\s(?:ref|sqref|topLeftCell|activeCell)=")([^"]*)(")/g, (_, start, references, end) =>
    start + shiftList(references, shift) + end);
  text = withoutLost(text);
  if (shift.columns < MAX_COLUMNS) return text;
  return text
    .replace(/(<(?:\w+:)?row>)(\d+)(<)/g, (_, start, row, end) => start + shiftedRow(Number(row), shift) + end)
    .replace(/(<x:Row>)(\d+)(<)/g, (_, start, row, end) => start + shiftedRow(Number(row), shift) + end)
    .replace(/(<x:Anchor>)([^<]*)(<)/g, (_, start, anchor, end) => start + shiftAnchor(anchor, shift) + end);
}

/** The formulas of rules, charts and links. @param {string} text @param {string} home @param {Shift} shift */
function shiftFormulasIn(text, home, shift) {
  text = text.replace(/(<(?:\w+:)?(?:f|formula|formula1|formula2)(?:\s[^<>]*)?>)([^<]+)(<)/g, (_, start, formula, end) =>
    start + escape(shiftFormula(unescape(formula), home, shift)) + end);
  return text.replace(/(\slocation=")([^"]*)(")/g, (_, start, formula, end) =>
    start + escape(shiftFormula(unescape(formula), home, shift)) + end);
}

/** The ranges of a list that are left. @param {string} list @param {Shift} shift */
function shiftList(list, shift) {
  const moved = list.split(" ").map((reference) => (parseRange(reference) ? shiftReference(reference, shift) : reference));
  return moved.filter((reference) => reference !== "#REF!").join(" ");
}

/** Merges, links, comments and rules whose cells are all gone. @param {string} text */
function withoutLost(text) {
  return text
    .replace(/<(?:\w+:)?(?:mergeCell|hyperlink)\s[^<>]*?\bref=""[^<>]*?(?:\/>|>\s*<\/[^>]*>)/g, "")
    .replace(/<((?:\w+:)?(?:comment|dataValidation|conditionalFormatting))\s[^<>]*?\b(?:ref|sqref)=""[^<>]*?(?:\/>|>[\s\S]*?<\/\1>)/g, "");
}

/** @param {number} row @param {Shift} shift */
function shiftedRow(row, shift) {
  return (shiftRows(row, row, shift) ?? [shift.row, shift.row])[0];
}

/** A note's box: column, offset, row, offset, and the same of its other corner. @param {string} anchor @param {Shift} shift */
function shiftAnchor(anchor, shift) {
  const fields = anchor.split(",").map(Number);
  for (const i of [2, 6]) fields[i] = shiftedRow(fields[i], shift);
  return fields.join(", ");
}

/** The merged areas that a sheet's text names. @param {string | undefined} text */
export function mergesOf(text) {
  const merges = [];
  for (const [, reference] of (text ?? "").matchAll(/<(?:\w+:)?mergeCell\s[^<>]*?\bref="([^"]*)"/g)) {
    const area = parseRange(reference);
    if (area && merges.push(area) === MAX_MERGES) break;
  }
  return merges;
}
