/** Placing a report that asks: what it is to be shown for. It is loaded where a report has parameters. */
import { h } from "../ui/dom.mjs";
import { settingFields } from "../ui/asked.mjs";
import { formatLocation } from "./address.mjs";
import { standing, valueIn } from "./cells.mjs";

/** What it says, in English. */
const words = {
  title: "What it is shown for",
  needs: (/** @type {string} */ names) => `Say what it is to be shown for: ${names}.`,
  unread: (/** @type {string} */ cell, /** @type {string} */ name) => `${cell} holds no value for ${name}.`,
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("../interface.d.ts").Report} Report
 * @typedef {import("../interface.d.ts").Parameter} Parameter
 * @typedef {import("../ui/asked.mjs").Settings} Settings
 * @typedef {Record<string, import("../interface.d.ts").ParameterValue>} Values
 */

/** How long after a change its rows are asked for, in milliseconds. */
const PAUSE = 800;

/** Whether a parameter can come from cells here: the program says what stands in them. @param {Pane} pane */
export const pickOf = ({ port }) => (port.parameters ? async () => formatLocation(await port.selection()) : undefined);

/**
 * The fields of what a report asks, with what is said when the person has changed it.
 * @param {Pane} pane
 * @param {Parameter[]} parameters
 * @param {{ask: (values: Values, settings: Settings | null) => void, wait: (why: string) => void}} told ask: about these values; wait: why it
 *   cannot be asked yet
 */
export function askingCard(pane, parameters, { ask, wait }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const here = parameters.map((one) => ({ ...one, fromCells: Boolean(one.fromCells && pane.port.parameters) }));
  const look = async () => {
    const lacking = fields.lacking();
    if (lacking.length) return wait(words.needs(lacking.join(", ")));
    const settings = fields.value();
    const values = await valuesOf(pane, parameters, settings ?? {});
    return typeof values === "string" ? wait(values) : ask(values, settings);
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => card.isConnected && look().catch((error) => wait(error.message)), PAUSE);
  };
  const fields = settingFields(here, {}, { changed: soon, pick: pickOf(pane), fail: pane.fail });
  const card = h("div", { class: "card asking" }, h("h3", {}, words.title), fields.elements);
  return { element: card, look, refused: fields.refused };
}

/**
 * The values that settings say now, without those that are left to their defaults; a sentence where a cell says none.
 * @param {Pane} pane
 * @param {Parameter[]} parameters
 * @param {Settings} settings
 * @returns {Promise<Values | string>}
 */
async function valuesOf(pane, parameters, settings) {
  const found = await standing(pane.port, { id: "", parameters: settings });
  /** @type {Values} */
  const values = {};
  for (const parameter of parameters) {
    const { name } = parameter;
    const { value, cell } = settings[name] ?? {};
    const cells = found.get(name);
    const said = cell ? (cells ? valueIn(parameter, cells) : null) : value;
    if (said === null || (said === undefined && cell && parameter.default === undefined)) return words.unread(cell ?? "", parameter.title || name);
    if (said !== undefined) values[name] = said;
  }
  return values;
}
