/** What a block says of the parameters of its report: fields for it, and the same in words. It is loaded where a report has parameters. */
import { fill, h, mark } from "./dom.mjs";
import { faultOf, faultText, hasValue, labelOf, valueField, valueText } from "./parameters.mjs";

/** What it says, in English. */
const words = {
  how: (/** @type {string} */ title) => `${title}: from`,
  value: "A value",
  cell: "A cell",
  cellOf: (/** @type {string} */ title) => `${title}: cell`,
  cellHow: "A cell with its sheet, such as Setup!B2",
  cellsHow: "Cells of one column or row, such as Setup!B2:B9",
  take: "Take the selected cell",
  takeSeveral: "Take the selected cells",
  from: (/** @type {string} */ cell) => `from ${cell}`,
};

/**
 * @typedef {import("../interface.d.ts").Parameter} Parameter
 * @typedef {import("../interface.d.ts").ParameterValue} Value
 * @typedef {{value?: Value, cell?: string}} Setting
 * @typedef {Record<string, Setting>} Settings
 */

/** What a setting says, in words. @param {Setting} setting */
export const settingText = ({ value, cell }) => (cell ? words.from(cell) : value === undefined ? "" : valueText(value));

/** Has the style sheet of the fields, once. */
function styled() {
  const href = new URL("parameters.css", import.meta.url).href;
  if (!document.querySelector(`link[href="${href}"]`)) document.head.append(h("link", { rel: "stylesheet", href }));
}

/**
 * The fields for what a block says. changed is told of every change; pick, where the page can, returns the address of the selected cells.
 * @param {Parameter[]} parameters
 * @param {Settings} are what they begin with
 * @param {{changed?: () => void, pick?: () => Promise<string>, fail: (error: any) => void}} page
 */
export function settingFields(parameters, are, page) {
  styled();
  const said = { ...are };
  const faults = new Map(parameters.map(({ name }) => [name, h("div")]));
  const say = (/** @type {string} */ name, /** @type {Setting | undefined} */ setting) => {
    if (setting) said[name] = setting;
    else delete said[name];
    fill(/** @type {HTMLElement} */ (faults.get(name))); // they were about what was said
    page.changed?.();
  };
  return {
    elements: parameters.map((parameter, n) => fieldOf(parameter, n, said, say, { ...page, faults: /** @type {HTMLElement} */ (faults.get(parameter.name)) })),
    /**
     * Says beside the fields why the server refused what they say; false where that is about something else.
     * @param {{details?: {pointer?: string, message: string}[]}} refusal
     */
    refused: ({ details = [] }) => {
      const own = details.flatMap((fault) => {
        const place = faults.get(faultOf(fault));
        return place ? [{ place, fault }] : [];
      });
      if (!own.length || own.length < details.length) return false;
      for (const { place } of own) fill(place);
      for (const { place, fault } of own) place.append(h("p", { class: "bad", role: "alert" }, faultText(fault)));
      return true;
    },
    /** @returns {Settings | null} */
    value: () => (Object.keys(said).length ? { ...said } : null),
    /** What the parameters are called that say nothing, and have no default. */
    lacking: () => parameters.filter((one) => !hasValue(one, said)).map(labelOf),
  };
}

/**
 * @param {Parameter} parameter
 * @param {number} n
 * @param {Settings} said
 * @param {(name: string, setting: Setting | undefined) => void} say
 * @param {{pick?: () => Promise<string>, fail: (error: any) => void, faults: HTMLElement}} page
 */
function fieldOf(parameter, n, said, say, page) {
  const { name, fromCells } = parameter;
  const [title, id] = [labelOf(parameter), `parameter-${n}`];
  const control = h("div", { class: "control" });
  const draw = (/** @type {boolean} */ byCell) => fill(control, byCell ? cellField(parameter, id, said[name]?.cell, say, page) : valueField(parameter, {
    id, label: title, value: said[name]?.value, usual: parameter.default,
    changed: (value) => say(name, value === undefined ? undefined : { value }),
  }));
  const turn = (/** @type {any} */ event) => {
    say(name, undefined);
    draw(event.target.value === "cell");
  };
  const begins = Boolean(said[name]?.cell);
  draw(begins);
  const how = fromCells && h(
    "select",
    { id: `${id}-how`, "aria-label": words.how(title), onchange: turn },
    h("option", { value: "value" }, words.value),
    h("option", { value: "cell", selected: begins }, words.cell),
  );
  return h("div", { class: "field parameter" }, h("span", {}, title), how, control, page.faults);
}

/**
 * @param {Parameter} parameter
 * @param {string} id
 * @param {string | undefined} cell
 * @param {(name: string, setting: Setting | undefined) => void} say
 * @param {{pick?: () => Promise<string>, fail: (error: any) => void}} page
 */
function cellField(parameter, id, cell, say, { pick, fail }) {
  const tell = () => say(parameter.name, field.value.trim() ? { cell: field.value.trim() } : undefined);
  const field = h("input", {
    type: "text", id, "aria-label": words.cellOf(labelOf(parameter)), placeholder: parameter.list ? words.cellsHow : words.cellHow, maxlength: 300, autocomplete: "off", value: cell ?? "", oninput: tell,
  });
  const take = async (/** @type {() => Promise<string>} */ picked) => {
    field.value = await picked();
    tell();
  };
  return [field, pick && h("button", { type: "button", id: `${id}-take`, onclick: () => take(pick).catch(fail) }, mark("target"), parameter.list ? words.takeSeveral : words.take)];
}
