// @ts-check
// The page on which a person approves a device (RFC 8628): what it sends and shows is the public interface's.

import { allowances, choices, preselected } from "./grants.mjs";

const root = new URL("../../api/v1/", document.baseURI);

/** @template {Element} T @param {string} id @param {new () => T} kind @returns {T} */
function part(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
}

const find = part("find", HTMLFormElement);
const decide = part("decide", HTMLFormElement);
const message = part("message", HTMLElement);

/** @param {string} name */
const field = (name) => /** @type {HTMLInputElement} */ (find.elements.namedItem(name));

/** The key is in memory only; empty for who is signed in to the console. @type {string} */
let key = "";
/** Of the console's session: what its writes carry. @type {string} */
let csrf = "";
/** The code that is decided on. @type {string} */
let code = "";
/** The actions of the person's own key, which a device may have on everything. @type {string[]} */
let grantable = [];

/**
 * @param {string} path
 * @param {RequestInit} [init]
 * @returns {Promise<any>}
 */
async function request(path, init = {}) {
  const answer = await fetch(new URL(path, root), {
    ...init,
    headers: { ...(key ? { Authorization: `Bearer ${key}` } : { "X-Mooring-CSRF": csrf }), "Content-Type": "application/json" },
    credentials: key ? "omit" : "same-origin",
    cache: "no-store",
  });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(body.message ?? `The server answered ${answer.status}.`);
  return body;
}

/** Shows what goes on and keeps the person from pressing twice. @param {HTMLFormElement} form @param {() => Promise<string>} work */
async function during(form, work) {
  const buttons = /** @type {HTMLButtonElement[]} */ ([...form.querySelectorAll("button")]);
  for (const button of buttons) button.disabled = true;
  message.textContent = "";
  try {
    message.textContent = await work();
  } catch (fault) {
    message.textContent = fault instanceof Error ? fault.message : String(fault);
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

/** @param {string} name @param {string} value */
function fact(name, value) {
  const term = document.createElement("dt");
  const description = document.createElement("dd");
  term.textContent = name;
  description.textContent = value;
  return [term, description];
}

/** @param {HTMLFieldSetElement} group @param {{value: string, label: string, checked: boolean}[]} options */
function offer(group, options) {
  const labels = options.map(({ value, label, checked }) => {
    const element = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", value, checked });
    element.append(box, ` ${label}`);
    return element;
  });
  group.replaceChildren(/** @type {Element} */ (group.firstElementChild), ...labels);
}

/** @param {string} id */
function chosen(id) {
  const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (part(id, HTMLFieldSetElement).querySelectorAll("input:checked"));
  return [...boxes].map((box) => box.value);
}

async function showDevice() {
  const [device, me] = await Promise.all([request(`device/${encodeURIComponent(code)}`), request("me")]);
  code = device.userCode;
  part("device", HTMLElement).replaceChildren(
    ...fact("Code", device.userCode),
    ...fact("Device", device.clientName),
    ...fact("Address", device.address),
    ...fact("Asked", new Date(device.requestedAt).toLocaleString()),
    ...fact("As", [me.user.name, me.user.email].filter(Boolean).join(", ") || `user ${me.user.id}`),
  );
  offer(part("deployments", HTMLFieldSetElement), me.deployments.map((/** @type {{id: number}} */ d) => (
    { value: String(d.id), label: `Deployment ${d.id}`, checked: me.deployments.length === 1 }
  )));
  grantable = choices(me.actions);
  offer(part("actions", HTMLFieldSetElement), [...grantable, ...allowances(me.actions)].map((action) => ({
    value: action,
    label: grantable.includes(action) ? action : `${action}, where your roles or what you created allow it`,
    checked: preselected(action),
  })));
  find.hidden = true;
  decide.hidden = false;
  return "";
}

/** @param {string} verb */
async function send(verb) {
  const bound = chosen("actions");
  const actions = bound.filter((action) => grantable.includes(action));
  const grant = { deployments: chosen("deployments").map(Number), actions, bound };
  if (verb === "approve" && grant.deployments.length === 0) throw new Error("Choose at least one deployment.");
  const body = verb === "approve" ? JSON.stringify(grant) : undefined;
  await request(`device/${encodeURIComponent(code)}/${verb}`, { method: "POST", body });
  decide.hidden = true;
  key = "";
  find.reset();
  return verb === "approve" ? "Approved: the device is signed in. You may close this page." : "Denied: the device gets nothing.";
}

find.addEventListener("submit", (event) => {
  event.preventDefault();
  key = field("key").value.trim();
  code = field("code").value.trim();
  void during(find, showDevice);
});

decide.addEventListener("submit", (event) => {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement} */ (event.submitter);
  void during(decide, () => send(button.value));
});

/**
 * Where a person signs in by an issuer of identities.
 * @param {{issuer: string, name: string}} choice
 */
function wayTo({ issuer, name }) {
  const link = document.createElement("a");
  link.href = `../signin?${new URLSearchParams({ issuer, next: location.pathname + location.search })}`;
  link.textContent = `Sign in with ${name}`;
  return link;
}

/** Spares who is signed in to the console the key, and leads who could be to the issuers of identities. */
async function useSession() {
  const { issuers = [] } = await request("session");
  part("issuers", HTMLElement).replaceChildren(...issuers.map(wayTo));
  part("by-provider", HTMLElement).hidden = issuers.length === 0;
  if (issuers.length === 0 && localStorage.getItem("mooring.deployment") === null) return; // the console was never used here
  ({ csrf } = await request("me"));
  part("by-provider", HTMLElement).hidden = true;
  part("by-key", HTMLElement).hidden = true;
  field("key").required = false;
  field("code").focus();
}

field("code").value = new URLSearchParams(location.search).get("user_code") ?? "";
(field("code").value ? field("key") : field("code")).focus();
useSession().catch(() => {}); // who is not signed in uses a key
