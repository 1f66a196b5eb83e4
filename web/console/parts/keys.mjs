/** The keys that people have made: their list, and the form that makes one, whose token is shown once. */
import { announce, ask, fill, h } from "../../ui/dom.mjs";
import { allowances, choices, reach } from "../grants.mjs";
import { name, person, time } from "../show.mjs";
import { text } from "../text.mjs";
import { Table } from "./table.mjs";

/** What it says, in English. */
const words = {
  keys: "Keys",
  why: "For programs: a pipeline, a script. A key acts in your name, does no more than you choose, and can be ended by itself.",
  none: "No key has been made here that is still good.",
  newKey: "New key",
  nameHow: "What it is for, such as “Nightly pipeline”",
  days: "Days",
  deployments: "Deployments",
  actions: "It may",
  allowed: (/** @type {string} */ action) => `${action}, where your roles or what you created allow it`,
  endsBefore: "Whatever its days, it ends with what you are signed in with:",
  make: "Make the key",
  noDeployment: "Choose at least one deployment.",
  made: (/** @type {string} */ name) => `The key “${name}”`,
  madeWhy: "Copy it now: it is shown this once, and kept nowhere.",
  token: "Token",
  copy: "Copy",
  copied: "Copied.",
  copyYourself: "It is selected: copy it with your keyboard.",
  done: "Done",
  madeBy: "Made by",
  madeAt: "Made",
  usedAt: "Last used",
  never: "never",
  endsAt: "Ends",
  end: "End",
  endSure: (/** @type {string} */ name) => `End “${name}”?`,
  endWhat: "Whatever uses it is refused within 5 seconds. It cannot be taken back.",
  ended: (/** @type {string} */ name) => `“${name}” has ended.`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").Key} Key
 * @typedef {import("../../interface.d.ts").NewKey} NewKey
 */

/**
 * The section with the list and, for who may make a key, the form.
 * @param {Console} app
 * @returns {{elements: HTMLElement[], load: (signal: AbortSignal) => Promise<void>}}
 */
export function madeKeys(app) {
  const table = new Table(app, { label: words.keys, path: "/keys", columns: columns(app), empty: words.none });
  const place = h("div", { id: "new-key-place" });
  const mayMake = !app.me.bound && !app.me.deviceId;
  const opener = h("button", { id: "new-key", class: "primary", onclick: () => showForm(app, place, opener) }, words.newKey);
  return {
    elements: [h("div", { class: "head" }, h("h3", {}, words.keys), ...(mayMake ? [opener] : [])), h("p", { class: "hint" }, words.why), place, table.element],
    load: table.load,
  };
}

/**
 * @param {Console} app
 * @param {HTMLElement} place
 * @param {HTMLButtonElement} opener is not shown while the form is
 */
function showForm(app, place, opener) {
  const close = () => {
    fill(place);
    opener.hidden = false;
    opener.focus();
  };
  opener.hidden = true;
  const made = (/** @type {string} */ called, /** @type {NewKey} */ key) => {
    fill(place, madeCard(called, key, close));
    place.querySelector("button")?.focus();
    app.changed();
  };
  fill(place, form(app, made, close));
  place.querySelector("input")?.focus();
}

/**
 * @param {Console} app
 * @param {(name: string, key: NewKey) => void} made
 * @param {() => void} close
 */
function form(app, made, close) {
  const called = h("input", { id: "key-name", required: true, maxlength: 255, autocomplete: "off", placeholder: words.nameHow });
  const days = h("input", { id: "key-days", type: "number", required: true, min: 1, max: 365, value: 90 });
  const deployments = choose(words.deployments, app.me.deployments.map(({ id }) => ({ value: String(id), label: text.deploymentIs(id), on: id === app.deployment })));
  const own = choices(app.me.actions);
  const actions = choose(words.actions, [
    ...own.map((value) => ({ value, label: value, on: value === "ReportRead" })),
    ...allowances(app.me.actions).map((value) => ({ value, label: words.allowed(value), on: false })),
  ]);
  const send = async () => {
    const where = deployments.chosen().map(Number);
    if (where.length === 0) return app.notice({ sentence: words.noDeployment, tone: "warn" });
    const bound = actions.chosen();
    const granted = bound.filter((action) => own.includes(action));
    const body = { name: called.value.trim(), deployments: where, actions: granted, bound, days: Number(days.value) };
    made(body.name, await app.api.post("/keys", body));
  };
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    send().catch(app.fail);
  };
  return h(
    "form",
    { class: "card", "aria-label": words.newKey, onsubmit },
    h("label", { class: "field", for: "key-name" }, h("span", {}, text.name), called),
    h("label", { class: "field", for: "key-days" }, h("span", {}, words.days), days),
    deployments.element,
    actions.element,
    h("p", { class: "hint" }, words.endsBefore, " ", time(app.me.expiresAt)),
    h("div", { class: "choices" }, h("button", { class: "primary" }, words.make), h("button", { type: "button", onclick: close }, text.cancel)),
  );
}

/**
 * Boxes of which some are chosen.
 * @param {string} legend
 * @param {{value: string, label: string, on: boolean}[]} options
 */
function choose(legend, options) {
  const boxes = options.map(({ value, on }) => h("input", { type: "checkbox", value, checked: on }));
  const labels = options.map(({ label }, i) => h("label", {}, boxes[i], label));
  return {
    element: h("fieldset", { class: "boxes" }, h("legend", {}, legend), labels),
    chosen: () => boxes.filter((box) => box.checked).map((box) => box.value),
  };
}

/**
 * @param {string} called
 * @param {NewKey} key
 * @param {() => void} close
 */
function madeCard(called, { token, expiresAt }, close) {
  const shown = h("input", { id: "key-token", readonly: true, value: token, "aria-describedby": "key-made", spellcheck: "false" });
  const said = h("p", { class: "hint", role: "status" });
  const copy = async () => {
    shown.select();
    const copied = await navigator.clipboard?.writeText(token).then(() => true, () => false);
    said.textContent = copied ? words.copied : words.copyYourself;
    announce(said.textContent);
  };
  return h(
    "section",
    { class: "card", "aria-label": words.made(called) },
    h("h4", {}, name(words.made(called))),
    h("p", { id: "key-made" }, words.madeWhy, " ", words.endsAt, " ", time(expiresAt)),
    h("label", { class: "field", for: "key-token" }, h("span", {}, words.token), shown),
    said,
    h("div", { class: "choices" }, h("button", { class: "primary", onclick: () => copy() }, words.copy), h("button", { onclick: close }, words.done)),
  );
}

/**
 * @param {Console} app
 * @returns {import("./table.mjs").Column<Key>[]}
 */
function columns(app) {
  return [
    { head: text.name, cell: (one) => name(one.name) },
    { head: words.madeBy, cell: (one) => person(one.madeBy) },
    { head: words.deployments, cell: (one) => one.deployments.join(", ") },
    { head: text.actions, class: "long", cell: reach },
    { head: words.madeAt, cell: (one) => time(one.madeAt) },
    { head: words.usedAt, cell: (one) => time(one.usedAt) ?? words.never },
    { head: words.endsAt, cell: (one) => time(one.expiresAt) },
    { head: "", cell: (one) => h("button", { id: `end-${one.id}`, class: "danger", onclick: () => end(app, one).catch(app.fail) }, words.end) },
  ];
}

/**
 * Ends a key, once the person has confirmed it.
 * @param {Console} app
 * @param {Key} key
 */
async function end(app, { id, name: called }) {
  const sure = await ask({
    title: words.endSure(called),
    body: [h("p", {}, words.endWhat)],
    choices: [{ label: words.end, value: true, kind: "danger" }],
    cancel: text.cancel,
  });
  if (!sure) return;
  await app.api.delete(`/keys/${encodeURIComponent(id)}`);
  app.notice({ sentence: words.ended(called) });
  app.changed();
}
