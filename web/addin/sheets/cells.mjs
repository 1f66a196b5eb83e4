/** Cells as the script in a spreadsheet reads and writes them, and as the port does. */
import { PortError } from "../port.mjs";
import { isFormula, stays } from "../steps.mjs";

/** @typedef {import("../port.mjs").Cell} Cell */
/** @typedef {import("../port.mjs").PatchCell} PatchCell */
/** @typedef {import("../steps.mjs").Step} Step */
/** @typedef {string | number | boolean} Value "" for none */
/** @typedef {[row: number, column: number, text: string]} FormulaCell */

const LONGEST = 50_000; // characters of a cell
// Google takes no error as input, so an error is written as text; the mark, a zero-width space, keeps it apart from text that only
// reads like one. The agents write and read it so too.
const ERROR_MARK = "\u200b";
const ERROR = /^#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A|ERROR!|LOADING!)$/;

/**
 * What stands in a rectangle. The script cannot tell an error from a text that reads like one, but only formulas make errors.
 * @param {Value[][]} values
 * @param {FormulaCell[]} formulas
 * @param {{rows: number, columns: number}} size
 * @returns {import("../port.mjs").Content}
 */
export function cellsOf(values, formulas, { rows, columns }) {
  const cells = Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, k) => cellOf(values[i]?.[k] ?? "")));
  for (const [row, column] of formulas) {
    const value = values[row][column];
    if (typeof value === "string" && ERROR.test(value)) cells[row][column] = { error: value };
  }
  return { cells, formulas: formulas.map(([row, column, text]) => ({ row, column, text })) };
}

/**
 * @param {Value} value
 * @returns {Cell}
 */
function cellOf(value) {
  if (value === "") return null;
  if (typeof value === "string" && value.startsWith("#") && value.endsWith(ERROR_MARK)) return { error: value.slice(0, -1) };
  return value;
}

/**
 * What was typed into cells: a formula, else the value.
 * @param {Value[][]} values
 * @param {FormulaCell[]} formulas
 */
export function typedOf(values, formulas) {
  const typed = values.map((line) => [...line]);
  for (const [row, column, text] of formulas) typed[row][column] = text;
  return typed;
}

/**
 * Steps as the script takes them: cells as they are typed, those that stay left out, since a range is written whole.
 * @param {Step[]} steps
 * @returns {Step[]}
 */
export function writable(steps) {
  return steps.flatMap((step) => (step.do === "write" ? pieces(step).map(typedStep) : [step]));
}

/**
 * @param {{area: import("../steps.mjs").Area, cells: PatchCell[][], sheet?: string}} piece
 * @returns {Step}
 */
function typedStep({ cells, ...where }) {
  return { do: "write", ...where, cells: cells.map((line) => line.map(typed)) };
}

/**
 * @param {Extract<Step, {do: "write"}>} step one with a sheet has no cells that stay
 * @returns {{area: import("../steps.mjs").Area, cells: PatchCell[][], sheet?: string}[]}
 */
function pieces({ area, cells, sheet }) {
  if (!cells.some((line) => line.some(stays))) return [{ area, cells, ...(sheet !== undefined && { sheet }) }];
  return cells.flatMap((line, i) => {
    /** @type {{area: import("../steps.mjs").Area, cells: PatchCell[][]}[]} */
    const list = [];
    line.forEach((cell, k) => {
      if (stays(cell)) return;
      if (k > 0 && list.length > 0 && !stays(line[k - 1])) {
        const last = list[list.length - 1];
        last.cells[0].push(cell);
        last.area.columns++;
        return;
      }
      list.push({ area: { row: area.row + i, column: area.column + k, rows: 1, columns: 1 }, cells: [[cell]] });
    });
    return list;
  });
}

/**
 * What to type for a cell. Strings are read as if a person had typed them; the apostrophe keeps text text.
 * @param {PatchCell} cell
 * @returns {Value}
 */
function typed(cell) {
  if (cell === null) return "";
  if (typeof cell === "number" || typeof cell === "boolean") return cell;
  if (isFormula(cell)) return cell.formula;
  const text = typeof cell === "string" ? cell : /** @type {{error: string}} */ (cell).error + ERROR_MARK; // none stays here
  if (text.length > LONGEST) {
    throw new PortError("too_large", `A text has more than the ${LONGEST} characters that a cell holds: shorten it in the report.`);
  }
  return text === "" ? "" : "'" + text;
}

/**
 * A number that differs where texts differ; the script makes the same one (digest_ in apps-script/Code.js).
 * @param {string} text
 */
export function digest(text) {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x9e3779b1);
    b = Math.imul(b ^ text.charCodeAt(i), 0x5f356495);
  }
  return (b >>> 11) * 4294967296 + (a >>> 0);
}
