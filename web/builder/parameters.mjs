/** The parameters that a report declares, with values to try it with. */
import { announce, fill, h, mark } from "../ui/dom.mjs";
import { faultOf, faultText, hasValue, labelOf, listOf, styled, valueField } from "../ui/parameters.mjs";
import { parameterIn } from "./state.mjs";
import { words } from "./words.mjs";

/**
 * @typedef {import("../interface.d.ts").Parameter} Parameter
 * @typedef {import("../interface.d.ts").ParameterValue} Value
 * @typedef {import("./shapes.mjs").Fault} Fault
 * @typedef {{key: number, parameter: Parameter, tried?: Value, faults: HTMLElement, card: HTMLElement}} Row
 */

/** The most that a report may have, as the server says. */
const MOST = 16;

export class Parameters {
  /**
   * @param {Parameter[]} declared
   * @param {{changed: () => void, renamed: () => void}} told renamed: another name may be chosen now
   */
  constructor(declared, told) {
    styled();
    this.told = told;
    this.keys = 0;
    this.list = h("ul", { class: "b-chips" });
    /** @type {Row[]} */
    this.rows = declared.map((one) => this.row({ ...one }));
    this.more = h("button", { id: "b-parameter-new", onclick: () => this.declare("") }, mark("plus"), words.addParameter);
    this.element = h(
      "details",
      { class: "b-card b-parameters", open: declared.length > 0 },
      h("summary", {}, words.parameters),
      h("p", { class: "b-hint" }, words.parametersHow),
      this.list,
      this.more,
    );
    this.draw();
  }

  /** What the report is to declare; null for nothing. @returns {Parameter[] | null} */
  declarations() {
    return this.rows.length ? this.rows.map(({ parameter }) => plain(parameter)) : null;
  }

  names() {
    return this.rows.flatMap(({ parameter: { name } }) => name || []);
  }

  /** The values to try it with. */
  tried() {
    const values = this.rows.flatMap(({ parameter, tried }) => (tried === undefined ? [] : [[parameter.name, tried]]));
    return /** @type {Record<string, Value>} */ (Object.fromEntries(values));
  }

  /** Why it cannot be tried yet; "" if it can. */
  waits() {
    if (this.rows.some(({ parameter }) => !parameter.name)) return words.needsNames;
    const tried = this.tried();
    const lacking = this.rows.flatMap(({ parameter }) => (hasValue(parameter, tried) ? [] : labelOf(parameter)));
    return lacking.length ? words.needsValues(lacking.join(", ")) : "";
  }

  /**
   * Declares one more, and goes on to what is to be said of it.
   * @param {string} name
   */
  declare(name) {
    const row = this.row({ name, type: "text" });
    this.rows.push(row);
    this.element.open = true;
    this.draw();
    document.getElementById(`b-parameter-${row.key}-${name ? "tried" : "name"}`)?.focus();
    if (name) this.told.renamed();
    this.told.changed();
  }

  /** Takes the nth away. @param {number} n */
  remove(n) {
    const [{ parameter }] = this.rows.splice(n, 1);
    this.draw();
    announce(words.removed(labelOf(parameter)));
    this.more.focus();
    this.told.renamed();
    this.told.changed();
  }

  draw() {
    fill(this.list, this.rows.map(({ card }) => card));
    this.list.hidden = !this.rows.length;
    this.more.hidden = this.rows.length >= MOST;
  }

  /**
   * Says beside each what is wrong with it, in place of what was.
   * @param {Fault[]} faults
   */
  mark(faults) {
    this.rows.forEach((row, n) => {
      const own = faults.filter((fault) => `${fault.pointer ?? ""}/`.startsWith(`/declares/${n}/`) || (row.parameter.name && faultOf(fault) === row.parameter.name));
      fill(row.faults, own.map((fault) => h("p", { class: "bad" }, faultText(fault))));
      point(row, own);
      if (own.length) this.element.open = true;
    });
  }

  /**
   * @param {Parameter} parameter
   * @returns {Row}
   */
  row(parameter) {
    const row = { key: ++this.keys, parameter, faults: h("div", { id: `b-parameter-${this.keys}-faults`, role: "status" }), card: h("li", { class: "b-chip b-parameter" }) };
    this.fields(row);
    return row;
  }

  /** Draws what is said of a parameter. @param {Row} row */
  fields(row) {
    const { key, parameter } = row;
    const id = `b-parameter-${key}`;
    const values = h("div", { class: "b-fields" });
    const called = () => labelOf(parameter) || words.unnamedParameter;
    const redraw = () => fill(values, this.defaultField(row, id), this.triedField(row, id));
    const retype = (/** @type {Partial<Parameter>} */ change) => {
      Object.assign(parameter, change, { default: undefined });
      row.tried = undefined;
      this.fields(row);
      this.told.changed();
    };
    const gone = h("button", { class: "plain b-gone", id: `${id}-gone`, "aria-label": words.remove(called()), onclick: () => this.remove(this.rows.indexOf(row)) }, mark("gone"), words.removeParameter);
    const rename = (/** @type {Partial<Parameter>} */ change) => {
      this.say(row, change);
      const label = words.tryWith(labelOf(parameter));
      const tried = values.querySelector(`#${id}-tried`);
      tried?.setAttribute("aria-label", label);
      tried?.closest(".b-field")?.querySelector("span")?.replaceChildren(label);
      gone.setAttribute("aria-label", words.remove(called()));
    };
    const text = (/** @type {"name" | "title"} */ member, /** @type {string} */ label, /** @type {number} */ maxlength, /** @type {() => void} */ after = () => {}) =>
      field(label, h("input", { type: "text", id: `${id}-${member}`, "aria-label": label, "aria-required": member === "name" && "true", value: parameter[member] ?? "", maxlength, autocomplete: "off", spellcheck: "false",
        oninput: (/** @type {any} */ event) => rename({ [member]: event.target.value.trim() }), onchange: after }));
    const type = h(
      "select",
      { id: `${id}-type`, "aria-label": words.typeOf, onchange: (/** @type {any} */ event) => retype({ type: event.target.value, allowed: undefined }) },
      Object.entries(words.types).map(([value, label]) => h("option", { value, selected: value === parameter.type }, label)),
    );
    const box = (/** @type {"list" | "fromCells"} */ member, /** @type {string} */ label, /** @type {(on: boolean) => void} */ onchange) =>
      h("label", { class: "b-check" }, h("input", { type: "checkbox", id: `${id}-${member}`, checked: Boolean(parameter[member]), onchange: (/** @type {any} */ event) => onchange(event.target.checked) }), label);
    redraw();
    fill(
      row.card,
      h("div", { class: "b-fields" }, text("name", words.parameterName, 63, () => this.told.renamed()), text("title", words.parameterTitle, 255), field(words.typeOf, type)),
      h("div", {}, box("list", words.isList, (list) => retype({ list })), box("fromCells", words.fromCells, (fromCells) => this.say(row, { fromCells }))),
      parameter.type !== "boolean" && this.allowedField(row, id, redraw),
      values,
      row.faults,
      gone,
    );
  }

  /**
   * @param {Row} row
   * @param {string} id
   * @param {() => void} onchange
   */
  allowedField(row, id, onchange) {
    const { parameter } = row;
    const oninput = (/** @type {any} */ event) => this.say(row, { allowed: listOf(parameter, event.target.value) });
    return field(
      words.allowed,
      h("textarea", { id: `${id}-allowed`, "aria-label": words.allowed, rows: 3, placeholder: words.allowedHow, spellcheck: "false", oninput, onchange, value: (parameter.allowed ?? []).join("\n") }),
    );
  }

  /**
   * @param {Row} row
   * @param {string} id
   */
  defaultField(row, id) {
    const { parameter } = row;
    const said = { id: `${id}-default`, label: words.default, value: parameter.default };
    const changed = (/** @type {Value | undefined} */ value) => {
      this.say(row, { default: value });
      document.getElementById(`${id}-tried`)?.closest(".b-field")?.replaceWith(this.triedField(row, id));
    };
    return field(words.default, valueField(parameter, { ...said, changed }));
  }

  /**
   * @param {Row} row
   * @param {string} id
   */
  triedField(row, id) {
    const { parameter, tried } = row;
    const changed = (/** @type {Value | undefined} */ value) => {
      row.tried = value;
      this.told.changed();
    };
    const label = words.tryWith(labelOf(parameter));
    return field(label, valueField(parameter, { id: `${id}-tried`, label, value: tried, usual: parameter.default, required: parameter.default === undefined, changed }));
  }

  /**
   * @param {Row} row
   * @param {Partial<Parameter>} change
   */
  say(row, change) {
    Object.assign(row.parameter, change);
    fill(row.faults); // they were about what was said
    point(row, []);
    this.told.changed();
  }
}

/** The field that a fault of a parameter is about, as its id ends. @param {Fault} fault */
export function fieldAt({ pointer = "" }) {
  const [, root, , member = ""] = pointer.split("/");
  return root === "declares" ? member : "tried";
}

/**
 * Says at the fields of a parameter which of them the faults are about, and where those stand.
 * @param {Row} row
 * @param {Fault[]} own
 */
function point({ key, card, faults }, own) {
  const wrong = new Set(own.map((fault) => `b-parameter-${key}-${fieldAt(fault)}`));
  for (const one of card.querySelectorAll("input:not([type=checkbox]), select, textarea")) {
    one.ariaInvalid = wrong.has(one.id) ? "true" : null;
    if (wrong.has(one.id)) one.setAttribute("aria-describedby", faults.id);
    else one.removeAttribute("aria-describedby");
  }
}

/**
 * @param {string} label
 * @param {HTMLElement} control
 */
const field = (label, control) => h("div", { class: "b-field" }, h("span", {}, label), control);

/** A parameter without what says nothing. @param {Parameter} parameter @returns {Parameter} */
function plain({ name, title, type, list, default: usual, allowed, fromCells }) {
  return {
    name,
    ...(title && { title }),
    type,
    ...(list && { list }),
    ...(usual !== undefined && { default: usual }),
    ...(allowed?.length && { allowed }),
    ...(fromCells && { fromCells }),
  };
}

/**
 * The name of a parameter that a query names where a fault is; "" if none stands there.
 * @param {Fault} fault
 * @param {string} sql
 * @param {string} json
 */
export function nameAt({ pointer = "", line = 0, column = 1 }, sql, json) {
  if (line) {
    const rest = [...(sql.split("\n")[line - 1] ?? "")].slice(column - 1).join("");
    return /^@([A-Za-z_][A-Za-z0-9_]{0,62})/.exec(rest)?.[1] ?? "";
  }
  const path = pointer.split("/").slice(2).map((one) => one.replaceAll("~1", "/").replaceAll("~0", "~"));
  try {
    const found = path.reduce((value, member) => value?.[member], JSON.parse(json));
    return typeof found?.parameter === "string" ? found.parameter : "";
  } catch {
    return "";
  }
}

/**
 * The faults of a query of members, that names parameters, where no parameter is declared.
 * @param {string} json
 * @returns {Fault[]}
 */
export function undeclaredIn(json) {
  return json ? namedIn(JSON.parse(json), "/jsonQuery") : [];
}

/**
 * @param {any} value
 * @param {string} pointer to it
 * @returns {Fault[]}
 */
function namedIn(value, pointer) {
  const name = parameterIn(value);
  if (name) return [{ code: "parameter_undeclared", message: words.undeclared(name), pointer }];
  if (!value || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([member, one]) => namedIn(one, `${pointer}/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`));
}
