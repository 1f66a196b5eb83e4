/**
 * What formulas show: arithmetic, comparison and the functions that summaries are made of. A formula with anything else keeps the value
 * that the file says it had.
 *
 * @typedef {import("./book.mjs").Book} Book
 * @typedef {import("./book.mjs").Cell} Cell
 * @typedef {import("./book.mjs").Value} Value
 * @typedef {import("./book.mjs").Area} Area
 * @typedef {Value[][]} Matrix
 */
import { parseRange, unquoteSheet } from "./reference.mjs";

/** Thrown for what this calculator does not know. */
class Unknown extends Error {}

/** Computes the cells of a book, each once for every version of it. */
export class Calculator {
  /** @param {Book} book */
  constructor(book) {
    this.book = book;
    this.version = -1;
    /** @type {Map<Cell, Value>} */
    this.known = new Map();
  }

  /** What a cell shows. @param {string} sheet @param {Cell | undefined} cell @returns {Value} */
  value(sheet, cell) {
    if (cell?.formula === undefined) return cell?.value ?? null;
    if (this.version !== this.book.version) this.known.clear();
    this.version = this.book.version;
    const known = this.known.get(cell);
    if (known !== undefined) return known;
    this.known.set(cell, cell.value); // what a formula that needs itself sees
    const value = cell.array ? cell.value : this.compute(sheet, cell);
    this.known.set(cell, value);
    return value;
  }

  /** @param {string} sheet @param {Cell} cell @returns {Value} */
  compute(sheet, cell) {
    try {
      return single(new Parser(this, sheet, cell.formula ?? "").parse());
    } catch (error) {
      if (error instanceof Unknown || error instanceof RangeError) return cell.value;
      throw error;
    }
  }

  /** The values of an area, as far as the sheet is filled. @param {string} sheet @param {Area} area @returns {Matrix} */
  area(sheet, area) {
    const found = this.book.sheet(sheet);
    if (!found) throw new Unknown();
    const rows = Math.min(area.rows, Math.max(1, found.rows.length - area.row));
    const columns = Math.min(area.columns, Math.max(1, found.width - area.column));
    return Array.from({ length: rows }, (_, i) =>
      Array.from({ length: columns }, (_, k) => this.value(found.name, found.cell(area.row + i, area.column + k))));
  }
}

const TOKEN = /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|"((?:[^"]|"")*)"|((?:'(?:[^']|'')+'|[\p{L}_][\p{L}\p{N}_.]*)!)?(\$?[A-Za-z]{1,3}\$?[1-9]\d*(?::\$?[A-Za-z]{1,3}\$?[1-9]\d*)?)(?![\p{L}\p{N}_.(])|([\p{L}_][\p{L}\p{N}_.]*)|(<=|>=|<>|[-+*/^&=<>(),%])|(#[A-Z0-9/]+[!?]?))/yu;

/** @typedef {{kind: "number" | "text" | "reference" | "name" | "mark" | "error" | "end", text: string, sheet?: string}} Token */

class Parser {
  /** @param {Calculator} calculator @param {string} sheet @param {string} formula */
  constructor(calculator, sheet, formula) {
    this.calculator = calculator;
    this.sheet = sheet;
    this.tokens = tokens(formula.slice(1));
    this.at = 0;
  }

  parse() {
    const value = this.comparison();
    if (this.peek().kind !== "end") throw new Unknown();
    return value;
  }

  peek() {
    return this.tokens[this.at];
  }

  /** Takes one of these marks, if it is next. @param {string[]} marks */
  take(...marks) {
    const { kind, text } = this.peek();
    if (kind !== "mark" || !marks.includes(text)) return "";
    this.at++;
    return text;
  }

  /** @returns {Value | Matrix} */
  comparison() {
    let left = this.concatenation();
    for (let mark; (mark = this.take("=", "<>", "<", ">", "<=", ">="));) left = compare(mark, single(left), single(this.concatenation()));
    return left;
  }

  concatenation() {
    let left = this.sum();
    while (this.take("&")) left = join(single(left), single(this.sum()));
    return left;
  }

  sum() {
    let left = this.product();
    for (let mark; (mark = this.take("+", "-"));) left = arithmetic(mark, single(left), single(this.product()));
    return left;
  }

  product() {
    let left = this.power();
    for (let mark; (mark = this.take("*", "/"));) left = arithmetic(mark, single(left), single(this.power()));
    return left;
  }

  power() {
    let left = this.signed();
    while (this.take("^")) left = arithmetic("^", single(left), single(this.signed()));
    return left;
  }

  /** @returns {Value | Matrix} */
  signed() {
    const mark = this.take("+", "-");
    if (mark) return arithmetic(mark, 0, single(this.signed()));
    let value = this.primary();
    while (this.take("%")) value = arithmetic("/", single(value), 100);
    return value;
  }

  /** @returns {Value | Matrix} */
  primary() {
    if (this.take("(")) {
      const value = this.comparison();
      if (!this.take(")")) throw new Unknown();
      return value;
    }
    const token = this.tokens[this.at++];
    switch (token.kind) {
      case "number":
        return Number(token.text);
      case "text":
        return token.text;
      case "error":
        return { error: token.text };
      case "reference":
        return this.reference(token);
      case "name":
        return this.call(token.text.toUpperCase());
      default:
        throw new Unknown();
    }
  }

  /** @param {Token} token */
  reference({ text, sheet }) {
    const area = parseRange(text.replaceAll("$", ""));
    if (!area) throw new Unknown();
    return this.calculator.area(sheet ?? this.sheet, area);
  }

  /** @param {string} name @returns {Value | Matrix} */
  call(name) {
    if (name === "TRUE" || name === "FALSE") return name === "TRUE";
    const run = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (!run || !this.take("(")) throw new Unknown();
    const args = [];
    if (!this.take(")")) {
      do args.push(this.comparison());
      while (this.take(","));
      if (!this.take(")")) throw new Unknown();
    }
    return run(args);
  }
}

/** @param {string} text @returns {Token[]} */
function tokens(text) {
  /** @type {Token[]} */
  const list = [];
  TOKEN.lastIndex = 0;
  for (let found; TOKEN.lastIndex < text.length && (found = TOKEN.exec(text));) {
    const [, number, quoted, sheet, reference, name, mark, error] = found;
    if (number !== undefined) list.push({ kind: "number", text: number });
    else if (quoted !== undefined) list.push({ kind: "text", text: quoted.replaceAll('""', '"') });
    else if (reference) list.push({ kind: "reference", text: reference, sheet: sheet && unquoteSheet(sheet.slice(0, -1)) });
    else if (name) list.push({ kind: "name", text: name });
    else list.push(error ? { kind: "error", text: error } : { kind: "mark", text: mark });
    if (TOKEN.lastIndex === text.length) return [...list, { kind: "end", text: "" }];
  }
  throw new Unknown();
}

/** @param {Value | Matrix} value @returns {Value} */
function single(value) {
  if (!Array.isArray(value)) return value;
  if (value.length === 1 && value[0].length === 1) return value[0][0];
  throw new Unknown();
}

/** @param {Value} value @returns {number | {error: string}} */
function number(value) {
  if (typeof value === "object" && value !== null) return value;
  if (typeof value === "string") return value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : { error: "#VALUE!" };
  return Number(value);
}

/** @param {string} mark @param {Value} left @param {Value} right @returns {Value} */
function arithmetic(mark, left, right) {
  const a = number(left);
  const b = number(right);
  if (typeof a === "object") return a;
  if (typeof b === "object") return b;
  if (mark === "/" && b === 0) return { error: "#DIV/0!" };
  const value = { "+": a + b, "-": a - b, "*": a * b, "/": a / b, "^": a ** b }[mark] ?? NaN;
  return Number.isFinite(value) ? value : { error: "#NUM!" };
}

/** @param {Value} value */
function isError(value) {
  return typeof value === "object" && value !== null;
}

/** @param {Value} left @param {Value} right @returns {Value} */
function join(left, right) {
  if (isError(left)) return left;
  if (isError(right)) return right;
  return shown(left) + shown(right);
}

/** @param {Value} value */
function shown(value) {
  return value === null ? "" : typeof value === "boolean" ? String(value).toUpperCase() : String(value);
}

/** @param {string} mark @param {Value} left @param {Value} right @returns {Value} */
function compare(mark, left, right) {
  if (isError(left)) return left;
  if (isError(right)) return right;
  const [a, b] = [left, right].map((v, i) => v ?? (typeof [right, left][i] === "string" ? "" : 0));
  const order = typeof a === typeof b ? orderOf(a, b) : RANK.indexOf(typeof a) - RANK.indexOf(typeof b);
  return { "=": order === 0, "<>": order !== 0, "<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0 }[mark] ?? false;
}

const RANK = ["number", "string", "boolean"];

/** @param {Value} a @param {Value} b */
function orderOf(a, b) {
  if (typeof a !== "string") return Number(a) - Number(b);
  const [x, y] = [a.toLowerCase(), String(b).toLowerCase()];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** @typedef {(args: (Value | Matrix)[]) => Value} Run @type {Record<string, Run>} */
const FUNCTIONS = {
  SUM: (args) => overNumbers(args, (list) => list.reduce((sum, n) => sum + n, 0)),
  AVERAGE: (args) => overNumbers(args, (list) => (list.length ? list.reduce((sum, n) => sum + n, 0) / list.length : { error: "#DIV/0!" })),
  MIN: (args) => overNumbers(args, (list) => list.reduce((a, b) => Math.min(a, b), list[0] ?? 0)),
  MAX: (args) => overNumbers(args, (list) => list.reduce((a, b) => Math.max(a, b), list[0] ?? 0)),
  COUNT: (args) => args.flat(2).filter((value) => typeof value === "number").length,
  COUNTA: (args) => args.flat(2).filter((value) => value !== null).length,
  COUNTIF: ([area, wanted]) => [area].flat(2).filter(matches(single(wanted))).length,
  SUMIF: ([area, wanted, sums = area]) => {
    const match = matches(single(wanted));
    const list = [sums].flat(2);
    return overNumbers([[[area].flat(2).map((value, i) => (match(value) ? (list[i] ?? null) : null))]], (all) => all.reduce((sum, n) => sum + n, 0));
  },
  IF: ([condition, yes, no = false]) => {
    const test = number(single(condition));
    return typeof test === "object" ? test : single(test ? yes : no);
  },
  IFERROR: ([value, other]) => (isError(single(value)) ? single(other) : single(value)),
  AND: (args) => args.flat(2).every((value) => Boolean(value)),
  OR: (args) => args.flat(2).some((value) => Boolean(value)),
  NOT: ([value]) => !single(value),
  ABS: ([value]) => overNumbers([value], ([n = 0]) => Math.abs(n)),
  ROUND: ([value, digits = 0]) => overNumbers([value, digits], ([n = 0, d = 0]) => Math.sign(n) * Math.round(Math.abs(n) * 10 ** d) / 10 ** d),
};

/** What run makes of the numbers among some values, or the first error among them. @param {(Value | Matrix)[]} args @param {(list: number[]) => Value} run */
function overNumbers(args, run) {
  const values = args.flat(2);
  const error = values.find(isError);
  return error ?? run(/** @type {number[]} */ (values.filter((value) => typeof value === "number")));
}

/** The test that a condition such as ">5" or "West" stands for. @param {Value} wanted @returns {(value: Value) => boolean} */
function matches(wanted) {
  const [, mark = "=", text = ""] = /^(<=|>=|<>|[=<>])?([\s\S]*)$/.exec(shown(wanted)) ?? [];
  if (/[*?]/.test(text)) throw new Unknown();
  const plain = text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
  return (value) => typeof value === typeof plain && compare(mark, value, plain) === true;
}
