/** Fields for reports, people, documents and workbooks: one types a part of the name and is shown those that have it; no one needs to know an id. */
import { fill, h } from "../../ui/dom.mjs";
import { queryOf } from "../addresses.mjs";
import { cut } from "../show.mjs";
import { text } from "../text.mjs";

/** What it says, in English. */
const words = {
  none: (/** @type {string} */ typed) => `Nothing here is called “${typed}”: choose one that is suggested.`,
  several: (/** @type {string} */ typed) => `Several are called “${typed}”: choose one that is suggested.`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {{id: string, name: string}} Named
 * @typedef {"report" | "person" | "document" | "workbook"} Kind
 */

/** So many are suggested. */
const SUGGESTED = 20;
/** After the last key that was typed, in milliseconds. */
const TYPED = 150;

/** How things of each kind are found by a part of their names. @type {Record<Kind, (app: Console, search: string) => Promise<Named[]>>} */
const FIND = {
  report: async (app, search) => {
    const { items } = await app.api.get(app.at(`/reports${queryOf({ search, first: SUGGESTED, sortBy: search ? "name" : "updatedAt", sortDirection: search ? "asc" : "desc" })}`));
    return items.map((/** @type {any} */ { id, name }) => ({ id: String(id), name }));
  },
  workbook: async (app, search) => {
    const { items } = await app.api.get(app.at(`/workbooks${queryOf({ search, first: SUGGESTED })}`));
    return items.map((/** @type {any} */ { id, name }) => ({ id: String(id), name }));
  },
  person: async (app, search) => {
    const { items } = await app.api.get(app.at(`/people${queryOf({ search, first: SUGGESTED })}`));
    return items.map((/** @type {any} */ one) => ({ id: String(one.id), name: personName(one) }));
  },
  document: async (app, search) => {
    if (!app.may("ReportRead")) return []; // the list of documents is of all
    const { items } = await app.api.get(app.at(`/documents${queryOf({ search, first: SUGGESTED })}`));
    return items.map((/** @type {any} */ { externalWorkbookId: id, workbookName }) => ({ id, name: workbookName || id }));
  },
};

/** What a person is called in a list to choose from. @param {{id: number, email?: string, firstName?: string}} user */
export function personName({ id, email, firstName }) {
  return firstName && email ? `${firstName} (${email})` : email || firstName || text.user(id);
}

/**
 * What something is called whose id is known; the id where nobody can say.
 * @param {Console} app
 * @param {Kind} kind
 * @param {string} id
 */
async function nameOf(app, kind, id) {
  if (kind === "report" || kind === "workbook") return (await app.api.get(app.at(`/${kind}s/${encodeURIComponent(id)}`))).name;
  return (await FIND[kind](app, id)).find((one) => one.id === id)?.name ?? id;
}

/**
 * A field in which something is chosen by its name: its elements, and what resolves once what was typed last is found or told to be nothing.
 * @param {Console} app
 * @param {{id: string, kind: Kind, value: string, required?: boolean, chosen: (id: string) => void}} config value: the id of what is chosen,
 *   "" for nothing
 * @returns {{elements: HTMLElement[], settled: () => Promise<void>}}
 */
export function suggestField(app, { id, kind, value, required, chosen }) {
  /** @type {Named[]} */
  let known = [];
  let pending = Promise.resolve();
  const list = h("datalist", { id: `${id}-list` });
  const input = h("input", { id, type: "search", list: list.id, autocomplete: "off", required, oninput: () => soon(), onchange: () => void (pending = settle().catch(app.fail)) });
  const suggest = async () => {
    known = await FIND[kind](app, input.value.trim());
    const twice = (/** @type {Named} */ one) => known.some((other) => other !== one && other.name === one.name);
    for (const one of known) if (twice(one)) one.name = `${one.name} (${one.id})`;
    fill(list, known.map(({ name }) => h("option", { value: cut(name, 200) })));
  };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const soon = () => {
    clearTimeout(timer);
    input.setCustomValidity("");
    timer = setTimeout(() => suggest().catch(app.fail), TYPED);
  };
  const settle = async () => {
    clearTimeout(timer);
    const typed = input.value.trim();
    if (!typed) return chosen("");
    await suggest();
    const exact = known.filter((one) => one.name === typed || one.id === typed);
    const found = exact.length ? exact : known;
    if (found.length === 1) return chosen(found[0].id);
    if (!found.length && kind === "person" && /^\d+$/.test(typed)) return chosen(typed); // of whom nothing is known here but the id
    input.setCustomValidity(found.length ? words.several(typed) : words.none(typed));
    input.reportValidity();
  };
  input.addEventListener("focus", () => !known.length && suggest().catch(app.fail));
  if (value) {
    input.value = value;
    nameOf(app, kind, value).then((called) => input.value === value && (input.value = cut(called, 200)), () => {});
  }
  return { elements: [input, list], settled: () => pending };
}
