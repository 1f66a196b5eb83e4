/** What a report reaches: the documents and sheets where it stands, and the people whom a change of it concerns. */
import { STATUSES, h } from "../../ui/dom.mjs";
import { count, number } from "../../ui/text.mjs";
import { facts, link, name } from "../show.mjs";
import { text } from "../text.mjs";

/** What it says, in English. */
const words = {
  impactIs: (/** @type {number} */ documents, /** @type {number} */ sheets, /** @type {number} */ people) =>
    `in ${count(documents, "document")}, on ${count(sheets, "sheet")}, placed by ${count(people, "person", "people")}`,
  people: "People",
  roles: "Roles",
  role: (/** @type {number} */ id) => `role ${id}`,
  andMore: (/** @type {number} */ n) => `and ${number(n)} more`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("./block.mjs").Placement} Placement
 * @typedef {import("../../interface.d.ts").Report & {error?: string}} Report error: its stored record cannot be read, and little else is known
 */

/**
 * The worst status of some blocks.
 * @param {Placement[]} placed at least one
 */
export function worst(placed) {
  return Object.keys(STATUSES).find((code) => placed.some(({ syncStatus }) => syncStatus === code)) ?? "UNKNOWN";
}

/**
 * The documents where a report stands, the sheets in each, and the people who placed it there, each once.
 * @param {Placement[]} placed
 */
export function reach(placed) {
  /** @type {Map<string, {id: string, name: string, sheets: string[]}>} */
  const documents = new Map();
  /** @type {Map<number, string>} */
  const people = new Map();
  for (const { workbookId: id, workbookName, sheetName, placedByUserId, runAs } of placed) {
    const document = documents.get(id) ?? { id, name: workbookName || id, sheets: [] };
    if (!document.sheets.includes(sheetName)) document.sheets.push(sheetName);
    documents.set(id, document);
    const uid = runAs?.uid ?? placedByUserId;
    if (uid) people.set(uid, runAs?.email || people.get(uid) || "");
  }
  return { documents: [...documents.values()], people: [...people].map(([id, email]) => ({ id, email })) };
}

/** So many are named. */
const NAMED = 50;

/**
 * @param {Console} app
 * @param {Report} report
 */
export function impact(app, { id, externalWorkbookPlacements: placed, rolesWithAccess }) {
  const { documents, people } = reach(placed);
  const sheets = documents.reduce((n, document) => n + document.sheets.length, 0);
  const report = String(id);
  return h(
    "div",
    { class: "card" },
    h(
      "p",
      {},
      link(app.href("placements", { report }), count(placed.length, "block")),
      " ",
      words.impactIs(documents.length, sheets, people.length),
    ),
    facts([
      [
        text.places.documents,
        list(documents, (one) => [
          link(app.href("placements", { document: one.id, report }), name(one.name, { max: 60 })),
          ": ",
          name(one.sheets.join(", "), { max: 80 }),
        ]),
      ],
      [
        words.people,
        list(people, (one) =>
          link(app.href("placements", { owner: String(one.id), report }), name(one.email || text.user(one.id), { max: 60 })),
        ),
      ],
      [
        words.roles,
        list(rolesWithAccess, (role) => [name(role.name || words.role(role.id), { max: 40 }), ": ", name(role.actions.join(", "))]),
      ],
    ]),
  );
}

/**
 * @template T
 * @param {T[]} items
 * @param {(item: T) => import("../../ui/dom.mjs").Child | import("../../ui/dom.mjs").Child[]} line
 */
function list(items, line) {
  if (!items.length) return null;
  const rest = items.length - NAMED;
  return h(
    "ul",
    { class: "plain" },
    items.slice(0, NAMED).map((item) => h("li", {}, line(item))),
    rest > 0 && h("li", { class: "muted" }, words.andMore(rest)),
  );
}
