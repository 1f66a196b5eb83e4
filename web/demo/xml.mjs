/**
 * The XML of .xlsx files: a scanner over tags, quick enough for a sheet of a hundred thousand cells. It knows no document types, and
 * refuses a text that declares one: entities that expand to more are how hostile files begin.
 */
import { FileError } from "./zip.mjs";

/** Reads a text from tag to tag. Names come without their prefix. */
export class Scanner {
  /** @param {string} text */
  constructor(text) {
    if (/<!DOCTYPE/i.test(text.slice(0, 4096))) throw new FileError("The file declares a document type, which no spreadsheet needs.");
    this.source = text;
    this.at = 0; // behind the tag
    this.from = 0; // where the tag begins
    this.before = 0; // behind the tag before it
    this.name = "";
    this.closes = false; // an end tag
    this.empty = false; // an element without content
    this.attributesAt = 0;
  }

  /** Goes to the next tag and reports whether there is one. */
  next() {
    this.before = this.at;
    for (;;) {
      const from = this.source.indexOf("<", this.at);
      if (from < 0) return false;
      const mark = this.source.charCodeAt(from + 1);
      if (mark === 33 || mark === 63) { // <! and <?
        this.skip(from);
        continue;
      }
      this.read(from, mark === 47);
      return true;
    }
  }

  /** Goes past a comment, a declaration or a section of characters. @param {number} from */
  skip(from) {
    const [start, end] = [["<!--", "-->"], ["<![CDATA[", "]]>"], ["<?", "?>"], ["<!", ">"]]
      .find(([start]) => this.source.startsWith(start, from)) ?? ["<", ">"];
    const to = this.source.indexOf(end, from + start.length);
    this.at = to < 0 ? this.source.length : to + end.length;
  }

  /** @param {number} from @param {boolean} closes */
  read(from, closes) {
    const { source } = this;
    let at = from + (closes ? 2 : 1);
    const begin = at;
    let colon = -1;
    for (; at < source.length; at++) {
      const c = source.charCodeAt(at);
      if (c === 58) colon = at;
      if (c <= 32 || c === 47 || c === 62) break;
    }
    this.name = source.slice(colon < 0 ? begin : colon + 1, at);
    this.attributesAt = at;
    const end = endOfTag(source, at);
    this.from = from;
    this.at = end + 1;
    this.closes = closes;
    this.empty = source.charCodeAt(end - 1) === 47;
  }

  /** The tag's attributes by name without prefix. @returns {Record<string, string>} */
  attributes() {
    /** @type {Record<string, string>} */
    const all = Object.create(null);
    for (const [, name, double, single] of this.source.slice(this.attributesAt, this.at - 1).matchAll(ATTRIBUTE)) {
      all[name.slice(name.indexOf(":") + 1)] = unescape(double ?? single);
    }
    return all;
  }

  /** The characters between the tag before and this one. */
  text() {
    return unescape(this.source.slice(this.before, this.from));
  }
}

const ATTRIBUTE = /([^\s=/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Where a tag ends: a > within quotes belongs to a value. @param {string} source @param {number} at */
function endOfTag(source, at) {
  for (; at >= 0 && at < source.length; at++) {
    const c = source.charCodeAt(at);
    if (c === 62) return at;
    if (c === 34 || c === 39) at = quoteEnd(source, c, at + 1);
  }
  throw new FileError("The file is cut off or damaged.");
}

/** @param {string} source @param {number} quote @param {number} at */
function quoteEnd(source, quote, at) {
  const end = source.indexOf(String.fromCharCode(quote), at);
  return end < 0 ? source.length : end;
}

/** @type {Record<string, string>} */
const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** @param {string} text */
export function unescape(text) {
  if (text.includes("<![CDATA[")) text = text.replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, inner) => escape(inner));
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) => {
    if (name) return NAMED[name] ?? all;
    const code = hex ? parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "�";
  });
}

/** Text for an element or an attribute. Characters that XML cannot hold are left out. @param {string} text */
export function escape(text) {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replace(/[&<>"\r]/g, (c) => ESCAPED[c]);
}

/** @type {Record<string, string>} */
const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;" };

/** A cell's text: _x000D_ and the like are characters that XML cannot hold. @param {string} text */
export function decodeText(text) {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}

/** @param {string} text */
export function encodeText(text) {
  return escape(text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_")
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\r]/g,
      (c) => "_x" + c.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase() + "_"));
}
