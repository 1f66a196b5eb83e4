/**
 * The styles of a workbook as far as the page shows them, and new ones that differ by a number format.
 *
 * @typedef {{format: string, bold: boolean, italic: boolean, size: number, color: string, fill: string, align: string}} Style
 */
import { Scanner, escape } from "./xml.mjs";

/** @type {Record<number, string>} */
const BUILT_IN = {
  0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 14: "yyyy-mm-dd", 15: "d-mmm-yy",
  16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0",
  38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
};
const FIRST_OWN = 164;

/** @type {Style} */
const PLAIN = { format: "General", bold: false, italic: false, size: 11, color: "", fill: "", align: "" };

/** The styles part of a workbook. */
export class Styles {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    /** @type {Map<number, string>} */
    this.formats = new Map(Object.entries(BUILT_IN).map(([id, code]) => [Number(id), code]));
    /** @type {Style[]} */
    this.styles = [];
    /** @type {string[]} the elements of the styles as they are written */
    this.elements = [];
    this.given = 0;
    /** @type {[number, string][]} */
    this.newFormats = [];
    /** @type {Map<string, number>} */
    this.derived = new Map();
    this.read();
    this.given = this.elements.length;
  }

  /** @param {number} style @returns {Style} */
  style(style) {
    return this.styles[style] ?? this.styles[0] ?? PLAIN;
  }

  read() {
    const fonts = /** @type {Partial<Style>[]} */ ([]);
    const fills = /** @type {string[]} */ ([]);
    const scanner = new Scanner(this.text);
    for (let list = ""; scanner.next();) {
      const { name, closes } = scanner;
      if (LISTS.has(name)) list = closes || scanner.empty ? "" : name;
      if (closes) continue;
      if (name === "numFmt") this.noteFormat(scanner.attributes());
      if (list === "fonts") readFont(name, fonts, scanner);
      if (list === "fills") readFill(name, fills, scanner);
      if (list === "cellXfs" && name === "xf") this.readStyle(scanner, fonts, fills);
      if (list === "cellXfs" && name === "alignment") this.align(scanner.attributes().horizontal ?? "");
    }
  }

  /** @param {Record<string, string>} attributes */
  noteFormat({ numFmtId, formatCode = "General" }) {
    this.formats.set(Number(numFmtId), formatCode);
  }

  /** @param {Scanner} scanner @param {Partial<Style>[]} fonts @param {string[]} fills */
  readStyle(scanner, fonts, fills) {
    const a = scanner.attributes();
    this.styles.push({
      ...PLAIN, ...fonts[Number(a.fontId)], fill: fills[Number(a.fillId)] ?? "", format: this.formats.get(Number(a.numFmtId)) ?? "General",
    });
    const end = scanner.empty ? scanner.at : scanner.source.indexOf("</", scanner.at);
    const close = scanner.empty ? end : scanner.source.indexOf("xf>", end) + 3;
    this.elements.push(scanner.source.slice(scanner.from, close));
  }

  /** @param {string} align */
  align(align) {
    const last = this.styles.length - 1;
    this.styles[last] = { ...this.styles[last], align };
  }

  /** The style that is as another but for its number format. @param {number} style @param {string} format */
  withFormat(style, format) {
    const key = style + " " + format;
    const known = this.derived.get(key) ?? (this.style(style).format === format ? style : undefined);
    if (known !== undefined) return known;
    const id = this.formatId(format);
    const element = (this.elements[style] ?? this.elements[0] ?? '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>')
      .replace(/\s(?:numFmtId|applyNumberFormat)="[^"]*"/g, "").replace(/^<([\w:]+)/, `<$1 numFmtId="${id}" applyNumberFormat="1"`);
    this.elements.push(element);
    this.styles.push({ ...this.style(style), format });
    this.derived.set(key, this.elements.length - 1);
    return this.elements.length - 1;
  }

  /** @param {string} format */
  formatId(format) {
    for (const [id, code] of this.formats) if (code === format) return id;
    const id = Math.max(FIRST_OWN - 1, ...this.formats.keys()) + 1;
    this.formats.set(id, format);
    this.newFormats.push([id, format]);
    return id;
  }

  /** Reports whether there are styles that the part does not have yet. */
  added() {
    return this.elements.length > this.given;
  }

  /** The part with the styles that were added. */
  write() {
    let { text } = this;
    text = text.replace(/(<(?:\w+:)?cellXfs)[^<>]*>[\s\S]*?(<\/(?:\w+:)?cellXfs>)/, (_, start, end) =>
      `${start} count="${this.elements.length}">${this.elements.join("")}${end}`);
    if (!this.newFormats.length) return text;
    const formats = this.newFormats.map(([id, code]) => `<numFmt numFmtId="${id}" formatCode="${escape(code)}"/>`).join("");
    if (/<numFmts[^<>]*[^/<>]>/.test(text)) return text.replace(/<numFmts[^<>]*>/, () => `<numFmts>${formats}`);
    return text.replace(/<styleSheet[^<>]*>/, (root) => `${root}<numFmts count="${this.newFormats.length}">${formats}</numFmts>`);
  }
}

const LISTS = new Set(["fonts", "fills", "cellXfs", "cellStyleXfs", "borders", "dxfs"]);

/** @param {string} name @param {Partial<Style>[]} fonts @param {Scanner} scanner */
function readFont(name, fonts, scanner) {
  if (name === "font") fonts.push({});
  const font = fonts[fonts.length - 1];
  if (!font) return;
  const a = scanner.attributes();
  const on = a.val !== "0" && a.val !== "false";
  if (name === "b") font.bold = on;
  if (name === "i") font.italic = on;
  if (name === "sz") font.size = Math.min(72, Math.max(6, Number(a.val) || 11));
  if (name === "color") font.color = colorOf(a.rgb);
}

/** @param {string} name @param {string[]} fills @param {Scanner} scanner */
function readFill(name, fills, scanner) {
  if (name === "fill") fills.push("");
  if (name === "fgColor") fills[fills.length - 1] = colorOf(scanner.attributes().rgb);
}

/** A colour of the file as one of a page; themes' colours are left to the page. @param {string | undefined} argb */
function colorOf(argb) {
  return /^[0-9a-f]{8}$/i.test(argb ?? "") ? "#" + argb?.slice(2) : "";
}
