/** What a block says of the parameters of its report: fields for it, and the same in words. It is loaded where a report has parameters. */
import { fill, h, mark } from "./dom.mjs";
import { faultOf, faultText, hasValue, labelOf, styled, valueField, valueText } from "./parameters.mjs";

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
 * @typedef {{pointer?: string, message: string}} Fault
 */

/** What a setting says, in words. @param {Setting} setting */
export const settingText = ({ value, cell }) => (cell ? words.from(cell) : value === undefined ? "" : valueText(value));

/**
 * The fields for what a block says. changed is told of every change; pick, where the page can, returns the address of the selected cells.
 * @param {Parameter[]} parameters
 * @param {Settings} are what they begin with
 * @param {{changed?: () => void, pick?: () => Promise<string>, fail: (error: any) => void}} page
 */
export function settingFields(parameters, are, page) {
  styled();
  const said = stillAsked(parameters, are);
  const places = parameters.map(({ name }, n) => ({ name, control: h("div", { class: "control" }), faults: h("div", { id: faultsId(n) }) }));
  const others = h("div");
  const say = (/** @type {string} */ name, /** @type {Setting | undefined} */ setting) => {
    if (setting) said[name] = setting;
    else delete said[name];
    for (const place of places) if (place.name === name) mend(place, []); // they were about what was said
    page.changed?.();
  };
  return {
    elements: [...parameters.map((parameter, n) => fieldOf(parameter, n, said, say, { ...page, ...places[n] })), others],
    /**
     * Says beside the fields why the server refused what they say, and below them what no field has; false where it is about something else.
     * @param {{details?: Fault[]}} refusal
     */
    refused: ({ details = [] }) => {
      const by = faultsByName(parameters, details);
      if (!by) return false;
      for (const place of places) mend(place, by.get(place.name) ?? []);
      fill(others, alerts(by.get("") ?? []));
      return true;
    },
    /** @returns {Settings | null} */
    value: () => (Object.keys(said).length ? { ...said } : null),
    /** What the parameters are called that say nothing, and have no default. */
    lacking: () => parameters.filter((one) => !hasValue(one, said)).map(labelOf),
  };
}

/** @param {number} n */
const faultsId = (n) => `parameter-${n}-faults`;

/** What the report still asks for of what a block says. @param {Parameter[]} parameters @param {Settings} are @returns {Settings} */
export function stillAsked(parameters, are) {
  return Object.fromEntries(parameters.flatMap(({ name }) => (are[name] ? [[name, are[name]]] : [])));
}

/**
 * The faults of a refusal by the names of the parameters that they are about, "" for those that none of these is; null where none is about parameters.
 * @param {Parameter[]} parameters
 * @param {Fault[]} details
 */
export function faultsByName(parameters, details) {
  if (!details.some(faultOf)) return null;
  const nameOf = (/** @type {Fault} */ fault) => parameters.find(({ name }) => name === faultOf(fault))?.name ?? "";
  return new Map(["", ...parameters.map(({ name }) => name)].map((name) => [name, details.filter((fault) => nameOf(fault) === name)]));
}

/** @param {Fault[]} faults */
const alerts = (faults) => faults.map((fault) => h("p", { class: "bad", role: "alert" }, faultText(fault)));

/**
 * Says what is wrong with a field, in place of what was.
 * @param {{control: HTMLElement, faults: HTMLElement}} place
 * @param {Fault[]} wrong
 */
function mend({ control, faults }, wrong) {
  fill(faults, alerts(wrong));
  for (const one of control.querySelectorAll("input:not([type=checkbox]), select, textarea")) one.ariaInvalid = wrong.length ? "true" : null;
}

/**
 * @param {Parameter} parameter
 * @param {number} n
 * @param {Settings} said
 * @param {(name: string, setting: Setting | undefined) => void} say
 * @param {{pick?: () => Promise<string>, fail: (error: any) => void, control: HTMLElement, faults: HTMLElement}} page
 */
function fieldOf(parameter, n, said, say, page) {
  const { name, fromCells, default: usual } = parameter;
  const [title, id] = [labelOf(parameter), `parameter-${n}`];
  const { control } = page;
  const draw = (/** @type {boolean} */ byCell) => fill(control, byCell ? cellField(parameter, id, said[name]?.cell, say, page) : valueField(parameter, {
    id, label: title, value: said[name]?.value, usual, describedby: page.faults.id, required: usual === undefined,
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
 * @param {{pick?: () => Promise<string>, fail: (error: any) => void, faults: HTMLElement}} page
 */
function cellField(parameter, id, cell, say, { pick, fail, faults }) {
  const tell = () => say(parameter.name, field.value.trim() ? { cell: field.value.trim() } : undefined);
  const field = h("input", {
    type: "text", id, "aria-label": words.cellOf(labelOf(parameter)), placeholder: parameter.list ? words.cellsHow : words.cellHow, maxlength: 300, autocomplete: "off", value: cell ?? "", oninput: tell,
    "aria-describedby": faults.id, "aria-required": parameter.default === undefined && "true",
  });
  const take = async (/** @type {() => Promise<string>} */ picked) => {
    field.value = await picked();
    tell();
  };
  return [field, pick && h("button", { type: "button", id: `${id}-take`, onclick: () => take(pick).catch(fail) }, mark("target"), parameter.list ? words.takeSeveral : words.take)];
}
