/**
 * What becomes of a string that is typed into a cell, or given to an API that reads it so. Only what the ports have to beware of is
 * here: how a number or a date may be written depends on the reader's language.
 */

/** @typedef {import("./book.mjs").Cell} Cell */

const ERRORS = /^#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A)$/;
const DAY = 86_400_000;

/**
 * @param {string} text
 * @param {{format: string, signs: boolean}} cell signs: a leading + - or @ begins a formula
 * @returns {Partial<Cell>}
 */
export function typed(text, { format, signs }) {
  // It is not known whether an apostrophe or a = is taken as such in a cell of text; a port should not depend on it.
  if (format === "@") return { value: text, formula: "" };
  if (text === "") return { value: null, formula: "" };
  if (text.startsWith("'")) return { value: text.slice(1), formula: "" };
  if (text.startsWith("=") && text.length > 1) return { value: shows(text), formula: text };
  const plain = plainValue(text);
  if (plain) return plain;
  if (signs && /^[+\-@]/.test(text)) return { value: shows(text), formula: "=" + text };
  return { value: text, formula: "" };
}

/**
 * @param {string} text
 * @returns {Partial<Cell> | null} null for text
 */
function plainValue(text) {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return { value: Number(text), formula: "" };
  if (/^(?:true|false)$/i.test(text)) return { value: text.toLowerCase() === "true", formula: "" };
  if (ERRORS.test(text)) return { value: { error: text }, formula: "" };
  if (/^\d+%$/.test(text)) return { value: parseInt(text, 10) / 100, formula: "", format: "0%" };
  if (/^\$\d+$/.test(text)) return { value: Number(text.slice(1)), formula: "", format: "$#,##0" };
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return { value: Date.parse(text) / DAY + 25569, formula: "", format: "yyyy-mm-dd" };
  const clock = /^(\d\d?):(\d\d)$/.exec(text);
  return clock && { value: (Number(clock[1]) * 60 + Number(clock[2])) / 1440, formula: "", format: "h:mm" };
}

/**
 * What a formula shows, as far as the tests need it.
 * @param {string} formula
 */
function shows(formula) {
  const sum = /^[=+]?(-?\d+)([+*-])(\d+)$/.exec(formula);
  if (!sum) return 0;
  const [a, b] = [Number(sum[1]), Number(sum[3])];
  return sum[2] === "+" ? a + b : sum[2] === "*" ? a * b : a - b;
}
