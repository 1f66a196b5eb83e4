/** A store of files in memory, and a small .xlsx file to put there, for tests. */
import { pack, writeZip } from "../zip.mjs";

/** @implements {Store} @typedef {import("../document.mjs").Store} Store */
export class MemoryStore {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.puts = 0;
    /** @type {Error[]} what the next writes fail with */
    this.faults = [];
    this.lost = 0; // answers to writes that do not arrive
  }

  get tag() {
    return String(this.puts);
  }

  /** Another program writes the file. @param {Uint8Array} bytes */
  replace(bytes) {
    this.bytes = bytes;
    this.puts++;
  }

  /** @param {string} tag */
  async get(tag) {
    return tag === this.tag ? null : { bytes: this.bytes, tag: this.tag };
  }

  /** @param {Uint8Array} bytes @param {string} tag */
  async put(bytes, tag) {
    const fault = this.faults.shift();
    if (fault) throw fault;
    if (bytes === this.bytes) return this.tag;
    if (tag !== this.tag) return null;
    this.replace(bytes);
    if (this.lost-- > 0) throw new TypeError("fetch failed");
    return this.tag;
  }
}

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";

const STYLES = `<styleSheet xmlns="${MAIN}"><fonts count="1"><font><sz val="11"/></font></fonts><fills count="1"><fill/></fills>` +
  `<borders count="1"><border/></borders><cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs></styleSheet>`;

/**
 * An .xlsx file of some sheets.
 * @param {Record<string, string>} sheets the XML behind the start of each sheet's root, by name
 * @param {Record<string, string>} [more] parts besides, or instead
 */
export async function workbook(sheets, more = {}) {
  const names = Object.keys(sheets);
  /** @type {Record<string, string>} */
  const parts = {
    "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types"/>`,
    "_rels/.rels": `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r" Type="${RELATION}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns="${MAIN}" xmlns:r="${RELATION}"><sheets>` +
      names.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="r${i}"/>`).join("") + "</sheets></workbook>",
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${PACKAGE}/relationships">` +
      names.map((_, i) => `<Relationship Id="r${i}" Type="${RELATION}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`).join("") +
      `<Relationship Id="s" Type="${RELATION}/styles" Target="styles.xml"/></Relationships>`,
    "xl/styles.xml": STYLES,
  };
  names.forEach((name, i) => {
    parts[`xl/worksheets/sheet${i + 1}.xml`] = `<worksheet xmlns="${MAIN}">${sheets[name]}</worksheet>`;
  });
  return writeZip(await Promise.all(Object.entries({ ...parts, ...more }).map(([name, text]) => pack(name, text))));
}
