/** What keys do to a text that is being edited, and where places in it are; apart from any screen. */

/** @typedef {{from: number, to: number, text: string, start: number, end: number}} Edit from, to: what text replaces; start, end: what is selected then */

/** One step of indentation. */
const STEP = "  ";

/**
 * Indents the lines that a selection touches, or takes a step back; at a caret, to the next stop.
 * @param {string} text
 * @param {number} start of the selection
 * @param {number} end
 * @param {boolean} back
 * @returns {Edit}
 */
export function indent(text, start, end, back) {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  if (!back && start === end) {
    const step = " ".repeat(STEP.length - ((start - from) % STEP.length));
    return { from: start, to: end, text: step, start: start + step.length, end: start + step.length };
  }
  const last = end > start && text[end - 1] === "\n" ? end - 1 : end; // a selection that ends before a line does not touch it
  const next = text.indexOf("\n", last);
  const to = next < 0 ? text.length : next;
  const old = text.slice(from, to).split("\n");
  const lines = old.map((line) => (back ? line.replace(/^ {1,2}|^\t/, "") : line && STEP + line));
  const grown = lines[0].length - old[0].length;
  const all = lines.join("\n");
  return { from, to, text: all, start: Math.max(from, start + grown), end: Math.max(from, end + all.length - (to - from)) };
}

/**
 * The place of a line and column, both from 1 and counted in characters; of one that is not there, the nearest.
 * @param {string} text
 * @param {number} line
 * @param {number} [column]
 */
export function offsetOf(text, line, column = 1) {
  const lines = text.split("\n");
  const at = Math.max(0, Math.min(lines.length - 1, line - 1));
  const before = lines.slice(0, at).reduce((sum, one) => sum + one.length + 1, 0);
  return before + [...lines[at]].slice(0, Math.max(0, column - 1)).join("").length;
}

/** @param {string} text */
export const linesIn = (text) => text.split("\n").length;

/**
 * What a name becomes that is inserted: set off from a word that stands before it. A table's, into nothing, begins a query of it.
 * @param {string} before what stands before the caret
 * @param {string} name
 * @param {boolean} isTable
 */
export function inserted(before, name, isTable) {
  if (isTable && !before.trim()) return `SELECT *\nFROM ${name}`;
  return /[\w")\],*]$/.test(before) ? ` ${name}` : name;
}
