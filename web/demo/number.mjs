/**
 * Values as a sheet shows them, by the number format of their cell.
 *
 * @typedef {import("./book.mjs").Value} Value
 */

/** The text that a cell shows. @param {Value} value @param {string} [format] */
export function shownValue(value, format = "General") {
  if (value === null) return "";
  if (typeof value === "number") return shownNumber(value, format);
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  return typeof value === "object" ? value.error : value;
}

/** @param {number} value @param {string} format */
function shownNumber(value, format) {
  const sections = format.split(";");
  const section = value < 0 && sections.length > 1 ? sections[1] : value === 0 && sections.length > 2 ? sections[2] : sections[0];
  const code = section.replace(/\[[^\]]*\]|_.|\*./g, "");
  if (/^(General|@)?$/i.test(code)) return general(value);
  const plain = code.replace(/"[^"]*"|\\./g, "");
  if (/[ymdhs]/i.test(plain)) return shownDate(value, code);
  if (!/[0#?]/.test(plain)) return literal(code);
  return withNumber(sections.length > 1 && value < 0 ? -value : value, code);
}

/** At most 11 characters, as spreadsheet programs show a number. @param {number} value */
function general(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e11 || size < 1e-9)) return value.toExponential().replace(/(\.\d{5})\d+/, "$1").replace("e", "E");
  return String(Number(value.toPrecision(10)));
}

/** @param {string} code */
function literal(code) {
  return code.replace(/"([^"]*)"|\\(.)/g, (_, quoted, one) => quoted ?? one);
}

/** @param {number} value @param {string} code */
function withNumber(value, code) {
  const digits = /[#0?][#0?,]*(?:\.([#0?]*))?(?:E\+?(0+))?/i.exec(code);
  if (!digits) return general(value);
  const [pattern, fraction = ""] = digits;
  if (code.includes("%")) value *= 100;
  let text;
  if (digits[2]) text = value.toExponential(fraction.length).replace(/e([+-])(\d)$/, "E$10$2");
  else {
    const [whole] = pattern.split(".");
    text = value.toLocaleString("en", {
      useGrouping: whole.includes(","),
      minimumIntegerDigits: Math.min(20, Math.max(1, whole.replace(/[^0]/g, "").length)),
      minimumFractionDigits: Math.min(20, fraction.replace(/[^0]/g, "").length),
      maximumFractionDigits: Math.min(20, fraction.length),
    });
  }
  return literal(code.slice(0, digits.index)) + text + literal(code.slice(digits.index + pattern.length));
}

const EPOCH = Date.UTC(1899, 11, 30);
const DAY = 86_400_000;
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** A serial day number. @param {number} value @param {string} code */
function shownDate(value, code) {
  const date = new Date(EPOCH + Math.round(value * DAY / 1000) * 1000);
  if (value < 0 || Number.isNaN(date.getTime())) return "#####";
  const half = /AM\/PM/i.test(code);
  let time = false;
  return code.replace(/"([^"]*)"|\\(.)|AM\/PM|y+|m+|d+|h+|s+(?:\.0+)?/gi, (token, quoted, one, at) => {
    if (quoted !== undefined || one !== undefined) return quoted ?? one;
    const minutes = /^m{1,2}$/i.test(token) && (time || /^m{1,2}:s/i.test(code.slice(at)));
    time = /^h/i.test(token);
    return datePart(date, minutes ? "n".repeat(token.length) : token.toLowerCase(), half);
  });
}

/** @param {Date} date @param {string} token @param {boolean} half whether hours count to 12 */
function datePart(date, token, half) {
  const two = (/** @type {number} */ n) => String(n).padStart(token.length > 1 ? 2 : 1, "0");
  const hours = date.getUTCHours();
  switch (token[0]) {
    case "y":
      return String(date.getUTCFullYear()).slice(token.length > 2 ? 0 : -2);
    case "m":
      return token.length > 2 ? MONTHS[date.getUTCMonth()].slice(0, token.length > 3 ? undefined : 3) : two(date.getUTCMonth() + 1);
    case "d":
      return token.length > 2 ? DAYS[date.getUTCDay()].slice(0, token.length > 3 ? undefined : 3) : two(date.getUTCDate());
    case "h":
      return two(half ? hours % 12 || 12 : hours);
    case "n":
      return two(date.getUTCMinutes());
    case "s":
      return two(date.getUTCSeconds());
    default:
      return hours < 12 ? "AM" : "PM";
  }
}

/** What a person typed, as the value or formula of a cell. A text that begins with ' stays a text. @param {string} text */
export function typedCell(text) {
  if (text === "") return { value: null };
  if (text.startsWith("'")) return { value: text.slice(1) };
  if (text.startsWith("=") && text.length > 1) return { value: null, formula: text };
  if (/^(true|false)$/i.test(text)) return { value: text.toLowerCase() === "true" };
  const found = /^\s*([+-]?)(\d{1,3}(?:,\d{3})+|\d+|(?=\.\d))(\.\d*)?([eE][+-]?\d+)?(\s*%)?\s*$/.exec(text);
  if (!found) return { value: text };
  const [, sign, whole, fraction = "", exponent = "", percent] = found;
  const number = Number(sign + (whole.replaceAll(",", "") || "0") + fraction + exponent);
  return Number.isFinite(number) ? { value: percent ? number / 100 : number } : { value: text };
}

/** What a cell shows while it is edited. @param {import("./book.mjs").Cell | undefined} cell */
export function editedText(cell) {
  if (!cell) return "";
  if (cell.formula !== undefined) return cell.formula;
  const text = shownEditing(cell.value);
  const read = typedCell(text);
  return typeof cell.value === "string" && (read.formula !== undefined || read.value !== cell.value) ? "'" + text : text;
}

/** @param {Value} value */
function shownEditing(value) {
  return typeof value === "number" ? String(value) : shownValue(value);
}
