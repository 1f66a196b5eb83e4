/** Placing a report that asks: what it is to be shown for. It is loaded where a report has parameters. */
import { fill, h } from "../ui/dom.mjs";
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
 * Draws the fields of what a report asks before its first rows, and has these shown for what they say. From a change on until that is shown, the
 * report cannot be placed: it would be for what was said before.
 * @param {Pane} pane
 * @param {Parameter[]} parameters
 * @param {import("./target.mjs").Showing} on
 * @param {(how: {parameters: Values, more: object, isLast: () => boolean, refused: (error: any) => boolean}) => void} show
 */
export async function asked(pane, parameters, on, show) {
  const here = parameters.map((one) => ({ ...one, fromCells: Boolean(one.fromCells && pane.port.parameters) }));
  const find = async () => {
    const lacking = fields.lacking();
    if (lacking.length) return words.needs(lacking.join(", "));
    const settings = fields.value();
    const values = await valuesOf(pane, parameters, settings ?? {});
    return typeof values === "string" ? values : { parameters: values, more: settings ? { parameters: settings } : {} };
  };
  const { look, change } = latest(find, {
    ask: (said, isLast) => card.isConnected && show({ ...said, isLast, refused: fields.refused }),
    wait: (why) => fill(on.card, h("p", { role: "status" }, why)),
    withdraw: () => on.target?.withdraw(),
  });
  const fields = settingFields(here, {}, { changed: change, pick: pickOf(pane), fail: pane.fail });
  const card = h("div", { class: "card asking" }, h("h3", {}, words.title), fields.elements);
  on.card.before(card);
  await look();
}

/**
 * Finds out what is said once changes of it pause. Only what was said last counts: a change withdraws at once what was asked before it.
 * @template {object} T
 * @param {() => Promise<T | string>} find what is said, or why it cannot be asked yet
 * @param {{ask: (said: T, isLast: () => boolean) => unknown, wait: (why: string) => void, withdraw: () => void}} told
 */
export function latest(find, { ask, wait, withdraw }) {
  let changes = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const look = async () => {
    const own = changes;
    const said = await find().catch((/** @type {Error} */ error) => error.message);
    if (own !== changes) return; // a slow cell tells of what was chosen before
    if (typeof said === "string") wait(said);
    else await ask(said, () => own === changes);
  };
  const change = () => {
    changes++;
    withdraw();
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE);
  };
  return { look, change };
}

/**
 * The values that settings say now, without those that are left to their defaults; a sentence where a cell says none.
 * @param {Pane} pane
 * @param {Parameter[]} parameters
 * @param {Settings} settings
 * @returns {Promise<Values | string>}
 */
export async function valuesOf(pane, parameters, settings) {
  const found = await standing(pane.port, { id: "", parameters: settings }, parameters);
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
