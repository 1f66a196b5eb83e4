/**
 * Parameters of reports on a screen: fields for their values, and values in words. It is loaded where a report has parameters. What a value may
 * be is the server's to judge.
 */
import { h } from "./dom.mjs";
import { sentence } from "./text.mjs";

/** What it says, in English. */
const words = {
  truth: { true: "yes", false: "no" },
  none: "none",
  choose: "Choose…",
  usual: (/** @type {string} */ value) => `As the report says: ${value}`,
  refused: (/** @type {string} */ value) => `${value} (not allowed)`,
  lines: "One value a line",
  /** What a fault is about. @type {Record<string, string>} */
  subjects: { name: "The name", title: "The title", type: "The type", allowed: "An allowed value", default: "The default", cell: "The cell", value: "The value" },
};

/**
 * @typedef {import("../interface.d.ts").Parameter} Parameter
 * @typedef {import("../interface.d.ts").ParameterValue} Value
 * @typedef {import("../interface.d.ts").ParameterScalar} Scalar
 * @typedef {Pick<Parameter, "type" | "list" | "allowed">} Kind of values
 * @typedef {{id: string, label: string, value?: Value, usual?: Value, describedby?: string, required?: boolean,
 *   changed: (value: Value | undefined) => void}} Field value: what it begins with, be it allowed or not; usual: what counts where nothing is entered,
 *   of which changed is told as undefined
 */

/** Has the style sheet of the fields, once. */
export function styled() {
  const href = new URL("parameters.css", import.meta.url).href;
  if (!document.querySelector(`link[href="${href}"]`)) document.head.append(h("link", { rel: "stylesheet", href }));
}

/** What people know a parameter by. @param {Pick<Parameter, "name" | "title">} parameter */
export const labelOf = ({ name, title }) => title || name;

/** A value in words. @param {Value} value @returns {string} */
export function valueText(value) {
  if (Array.isArray(value)) return value.map(valueText).join(", ") || words.none;
  return typeof value === "boolean" ? words.truth[`${value}`] : String(value);
}

/**
 * The name of the parameter of whose value or cell a fault tells; "" for none.
 * @param {{pointer?: string}} fault
 */
export function faultOf({ pointer = "" }) {
  const [, root, name = ""] = pointer.split("/");
  return root === "parameters" ? name : "";
}

/**
 * A fault as people read it: of what was said of a parameter, or of a query.
 * @param {{pointer?: string, message: string}} fault
 */
export function faultText({ pointer = "", message }) {
  const [, root, , member] = pointer.split("/");
  if (!["parameters", "declares"].includes(root)) return message.charAt(0).toUpperCase() + message.slice(1); // of a source, which may begin in the middle
  if (!/^[a-z]/.test(message)) return message;
  const about = root === "declares" ? member : member === "cell" ? "cell" : "value";
  return sentence(`${words.subjects[about] ?? words.subjects.value} ${message}`);
}

/**
 * Whether a parameter has a value: one that was entered, or its default.
 * @param {Parameter} parameter
 * @param {Record<string, unknown>} values
 */
export const hasValue = ({ name, default: usual }, values) => values[name] !== undefined || usual !== undefined;

/**
 * The control for a value.
 * @param {Kind} kind
 * @param {Field} field
 * @returns {HTMLElement}
 */
export function valueField(kind, field) {
  const scalars = allowedBy(kind);
  if (scalars && kind.list) return ticks(scalars, field);
  if (scalars) return choice(scalars, field);
  return kind.list ? lines(kind, field) : line(kind, field);
}

/** The values to choose from; undefined where any may be entered. @param {Kind} kind @returns {Scalar[] | undefined} */
function allowedBy({ type, allowed }) {
  return type === "boolean" ? [true, false] : allowed?.length ? allowed : undefined;
}

/**
 * What a person chooses from: what is allowed, and what was said although it is not, lest that seems to be the default.
 * @param {Scalar[]} allowed
 * @param {boolean | undefined} list whether values of a list are chosen
 * @param {Value | undefined} said
 * @returns {Value[]}
 */
export function choicesOf(allowed, list, said) {
  const values = said === undefined ? [] : list ? [said].flat() : [said];
  return [...allowed, ...values.filter((one) => Array.isArray(one) || !allowed.includes(one))];
}

/** @param {Field} field */
const named = ({ id, label, describedby }) => ({ id, "aria-label": label, "aria-describedby": describedby });

/** @param {Field} field */
const control = (field) => ({ ...named(field), "aria-required": field.required && "true" });

/**
 * A choice in words.
 * @param {Value} value
 * @param {Scalar[]} allowed
 */
const choiceText = (value, allowed) => (!Array.isArray(value) && allowed.includes(value) ? valueText(value) : words.refused(valueText(value)));

/**
 * @param {Scalar[]} scalars
 * @param {Field} field
 */
function choice(scalars, field) {
  const { value, usual, changed } = field;
  const choices = choicesOf(scalars, false, value);
  const onchange = (/** @type {any} */ event) => changed(event.target.value === "" ? undefined : choices[Number(event.target.value)]);
  return h(
    "select",
    { ...control(field), onchange },
    h("option", { value: "" }, usual === undefined ? words.choose : words.usual(valueText(usual))),
    choices.map((one, i) => h("option", { value: i, selected: one === value }, choiceText(one, scalars))),
  );
}

/**
 * @param {Scalar[]} scalars
 * @param {Field} field
 */
function ticks(scalars, field) {
  const { value, changed, id } = field;
  const choices = /** @type {Scalar[]} */ (choicesOf(scalars, true, value));
  const chosen = new Set([value ?? []].flat());
  const toggle = (/** @type {Scalar} */ one, /** @type {boolean} */ on) => {
    chosen[on ? "add" : "delete"](one);
    changed(chosen.size ? choices.filter((scalar) => chosen.has(scalar)) : undefined);
  };
  return h(
    "div",
    { ...named(field), role: "group", class: "ticked-values" },
    choices.map((one, i) =>
      h("label", { class: "check" }, h("input", { type: "checkbox", id: `${id}-${i}`, checked: chosen.has(one), onchange: (/** @type {any} */ event) => toggle(one, event.target.checked) }), choiceText(one, scalars)),
    ),
  );
}

/**
 * @param {Kind} kind
 * @param {Field} field
 */
function lines(kind, field) {
  const { value, usual, changed } = field;
  const oninput = (/** @type {any} */ event) => changed(listOf(kind, event.target.value));
  const placeholder = usual === undefined ? words.lines : words.usual(valueText(usual));
  return h("textarea", { ...control(field), rows: 3, placeholder, autocomplete: "off", oninput, value: [value ?? []].flat().join("\n") });
}

/**
 * @param {Kind} kind
 * @param {Field} field
 */
function line(kind, field) {
  const { value, usual, changed } = field;
  const oninput = (/** @type {any} */ event) => changed(scalarOf(kind, event.target.value));
  const type = kind.type === "date" && isDate(value ?? "") ? "date" : "text"; // which shows what is no date, too
  const placeholder = usual === undefined ? undefined : words.usual(valueText(usual));
  return h("input", { ...control(field), type, inputmode: kind.type === "number" ? "decimal" : undefined, maxlength: 1000, placeholder, autocomplete: "off", oninput, value: value === undefined ? "" : valueText(value) });
}

/** Whether a field of dates can show a value. @param {Value} value */
const isDate = (value) => value === "" || /^\d{4}-\d\d-\d\d$/.test(valueText(value));

/**
 * The values of a text that has one a line; undefined for none.
 * @param {Pick<Kind, "type">} kind
 * @param {string} text
 * @returns {Scalar[] | undefined}
 */
export function listOf(kind, text) {
  const all = text.split("\n").flatMap((one) => scalarOf(kind, one) ?? []);
  return all.length ? all : undefined;
}

/**
 * The value that was typed. What is no number stays as it is, so that the server says so; undefined for nothing.
 * @param {Pick<Kind, "type">} kind
 * @param {string} text
 * @returns {Scalar | undefined}
 */
export function scalarOf({ type }, text) {
  const plain = text.trim();
  if (!plain) return undefined;
  if (type === "number" && Number.isFinite(Number(plain))) return Number(plain);
  if (type === "boolean") return { [words.truth.true]: true, [words.truth.false]: false, true: true, false: false }[plain.toLowerCase()] ?? plain;
  return type === "text" ? text : plain;
}
