/** What a block says of the parameters of its report, and what its last run used; changing it; and what a report declares. */
import { h } from "../../ui/dom.mjs";
import { settingFields, settingText, stillAsked } from "../../ui/asked.mjs";
import { labelOf, valueText } from "../../ui/parameters.mjs";
import { facts, name } from "../show.mjs";
import { keep } from "./settings.mjs";

/** What it says, in English. */
const words = {
  byDefault: (/** @type {string} */ value) => `${value} (as the report says)`,
  nothing: "no value yet",
  gone: (/** @type {string} */ value) => `${value}; the report no longer asks for it: saving the values removes it`,
  last: (/** @type {string} */ value) => `last run: ${value}`,
  change: "Change the values",
  save: "Save the values",
  types: { text: "text", number: "number", date: "date", boolean: "yes or no" },
  list: (/** @type {string} */ type) => `list (${type})`,
  default: (/** @type {string} */ value) => `default ${value}`,
  allowed: (/** @type {string} */ values) => `one of ${values}`,
  fromCells: "may come from a cell",
  shownFor: "Shown for",
  askedFor: "Asked for",
};

/** So many allowed values a line has. */
const NAMED = 10;

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("./block.mjs").Placement} Placement
 * @typedef {import("../../interface.d.ts").Parameter} Parameter
 * @typedef {Record<string, {value?: import("../../interface.d.ts").ParameterValue, cell?: string}>} Used
 */

/**
 * @param {Console} app
 * @param {{id: number, parameters?: Parameter[]}} report
 * @param {Placement} placement
 * @param {{mine: boolean, open: boolean, used: Used}} how mine: whether the person may change them; open: whether they are changing them; used: by
 *   the last run, as far as they may see it
 */
export function valuesCard(app, report, placement, { mine, open, used }) {
  const { parameters = [] } = report;
  const { parameters: said = {} } = placement;
  const asked = stillAsked(parameters, said);
  const gone = Object.entries(said).filter(([called]) => !asked[called]);
  const lines = [...parameters.map((one) => [labelOf(one), lineOf(one, said[one.name], used[one.name])]), ...gone.map(([called, one]) => [called, words.gone(settingText(one))])];
  return h(
    "div",
    { class: "card" },
    facts(lines.map(([label, line]) => [label, name(line, { max: 200 })])),
    mine && h("details", { id: "values-change", open }, h("summary", {}, words.change), form(app, report, placement)),
  );
}

/**
 * @param {Parameter} parameter
 * @param {import("../../ui/asked.mjs").Setting | undefined} setting
 * @param {Used[string] | undefined} used
 */
function lineOf({ default: usual }, setting, used) {
  const said = setting ? settingText(setting) : usual === undefined ? words.nothing : words.byDefault(valueText(usual));
  const was = used?.value === undefined ? "" : words.last(valueText(used.value));
  return was && (setting?.cell || valueText(/** @type {any} */ (used?.value)) !== valueText(/** @type {any} */ (setting?.value ?? usual ?? ""))) ? `${said}; ${was}` : said;
}

/**
 * @param {Console} app
 * @param {{id: number, parameters?: Parameter[]}} report
 * @param {Placement} placement
 */
function form(app, report, placement) {
  const changed = () => {
    element.dataset.typed = "yes";
  };
  const fields = settingFields(report.parameters ?? [], placement.parameters ?? {}, { changed, fail: app.fail });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await keep(app, report, placement, { parameters: fields.value() });
      delete element.dataset.typed;
    } catch (error) {
      if (!fields.refused(/** @type {any} */ (error))) app.fail(error);
    }
  };
  const element = h("form", { class: "stack", onsubmit: submit }, fields.elements, h("p", {}, h("button", { id: "save-values" }, words.save)));
  return element;
}

/** What a report declares, a line each. @param {Parameter[]} parameters */
export function declarations(parameters) {
  return facts(parameters.map((one) => [one.name, name([one.title, ...saidOf(one)].filter(Boolean).join(" · "), { max: 400 })]));
}

/** @param {Parameter} parameter */
function saidOf({ type, list, default: usual, allowed, fromCells }) {
  const more = allowed && allowed.length > NAMED ? ", …" : "";
  return [
    list ? words.list(words.types[type]) : words.types[type],
    usual !== undefined && words.default(valueText(usual)),
    allowed?.length && words.allowed(allowed.slice(0, NAMED).map(valueText).join(", ") + more),
    fromCells && words.fromCells,
  ];
}

/**
 * What says of a block of a run with which values it asked, by the titles that they have in its report.
 * @param {Console} app
 * @param {import("./run.mjs").Run} run
 * @param {AbortSignal} signal
 * @returns {Promise<(block: import("./run.mjs").RunPlacement) => [string, import("../../ui/dom.mjs").Child | import("../../ui/dom.mjs").Child[]]>}
 */
export async function valuesBy(app, { reportId }, signal) {
  const report = await app.api.find(app.at(`/reports/${reportId}`), signal, [403, 404]);
  return ({ state, parameters = {} }) => {
    const used = usedText(parameters, report?.parameters ?? []);
    return [state === "SUCCEEDED" ? words.shownFor : words.askedFor, used && name(used, { max: 400 })];
  };
}

/**
 * The values of a run, in words.
 * @param {Used} used
 * @param {Parameter[]} parameters of its report
 */
export function usedText(used, parameters) {
  const labelBy = (/** @type {string} */ called) => labelOf(parameters.find((one) => one.name === called) ?? { name: called });
  return Object.entries(used).map(([called, { value, cell }]) => `${labelBy(called)}: ${value === undefined ? words.nothing : valueText(value)}${cell ? ` (${cell})` : ""}`).join(" · ");
}
