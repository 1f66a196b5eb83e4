/** Schemas, tables and columns as a tree, whose names go into the text. */
import { fill, h, mark } from "../ui/dom.mjs";
import { words } from "./words.mjs";

/**
 * @typedef {import("./shapes.mjs").Dataset} Dataset
 * @typedef {{schema: string, tables: Dataset[]}} Schema schema: "" for tables that are found without one
 */

/** So many tables are shown at once. */
const SHOWN = 100;

/**
 * The tables by their schemas, those without one first.
 * @param {Dataset[]} datasets
 * @returns {Schema[]}
 */
export function schemasOf(datasets) {
  /** @type {Map<string, Dataset[]>} */
  const schemas = new Map([["", []]]);
  for (const one of datasets) {
    const [, schema = ""] = /^([^.]+)\../.exec(one.name) ?? [];
    schemas.set(schema, [...(schemas.get(schema) ?? []), one]);
  }
  return [...schemas].flatMap(([schema, tables]) => (tables.length ? [{ schema, tables }] : []));
}

/**
 * Tables that have all words of a search in their names or those of their columns.
 * @param {Dataset[]} datasets
 * @param {string} search
 */
export function tablesWith(datasets, search) {
  const parts = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!parts.length) return datasets;
  return datasets.filter(({ name, title, description, columns = [], members = [] }) => {
    const found = [name, title, description, ...[...columns, ...members].map((one) => one.name)].join("\n").toLowerCase();
    return parts.every((part) => found.includes(part));
  });
}

/**
 * @param {Dataset[]} datasets
 * @param {(name: string, isTable: boolean) => void} insert
 */
export function tree(datasets, insert) {
  const search = h("input", { type: "search", id: "b-search", oninput: () => show() });
  const list = h("div", { class: "b-tree" });
  const said = h("p", { class: "b-hint", role: "status" });
  function show() {
    const found = tablesWith(datasets, search.value);
    const shown = schemasOf(found.slice(0, SHOWN));
    const rest = found.length - SHOWN;
    said.textContent = found.length ? (rest > 0 ? words.moreTables(rest) : "") : words.noTable;
    fill(list, shown.length === 1 ? tables(shown[0].tables, insert) : shown.map((one) => branch(one, insert)));
  }
  show();
  return h(
    "section",
    { class: "b-card", "aria-label": words.tables },
    h("label", { class: "b-field" }, h("span", {}, words.searchTables), search),
    said,
    list,
  );
}

/**
 * @param {Schema} schema
 * @param {(name: string, isTable: boolean) => void} insert
 */
function branch({ schema, tables: of }, insert) {
  if (!schema) return tables(of, insert);
  return h("details", { open: true }, h("summary", {}, h("bdi", {}, schema)), tables(of, insert));
}

/**
 * @param {Dataset[]} list
 * @param {(name: string, isTable: boolean) => void} insert
 */
function tables(list, insert) {
  return h(
    "ul",
    {},
    list.map((one) => {
      const columns = one.columns ?? one.members ?? [];
      const inside = h("ul", { hidden: true, "aria-label": words.columnsOf(one.name) });
      const open = h("button", {
        class: "plain b-open",
        "aria-expanded": "false",
        "aria-label": words.columnsOf(one.name),
        onclick: () => {
          if (!inside.childElementCount) fill(inside, columns.map((column) => leaf(column.name, column.type, column.insert ?? column.name, false, insert)));
          inside.hidden = !inside.hidden;
          open.setAttribute("aria-expanded", String(!inside.hidden));
        },
      }, mark("next"));
      const own = leaf(one.name, one.title ?? "", one.insert ?? one.name, true, insert);
      own.prepend(open);
      own.append(inside);
      return own;
    }),
  );
}

/**
 * @param {string} name
 * @param {string} about
 * @param {string} written what is inserted
 * @param {boolean} isTable
 * @param {(name: string, isTable: boolean) => void} insert
 */
function leaf(name, about, written, isTable, insert) {
  return h(
    "li",
    {},
    h(
      "button",
      { class: "plain b-name", title: words.insert(written), onclick: () => insert(written, isTable) },
      h("bdi", {}, name),
      about && h("span", { class: "b-about" }, about),
    ),
  );
}
