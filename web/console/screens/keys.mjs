/** What may act in a person's name: the session, keys that people made, devices that were signed in by a code, and tokens that were revoked. */
import { Problem } from "../../ui/api.mjs";
import { ask, fill, h } from "../../ui/dom.mjs";
import { reach } from "../grants.mjs";
import { facts, name, person, time } from "../show.mjs";
import { text } from "../text.mjs";
import { madeKeys } from "../parts/keys.mjs";
import { Table } from "../parts/table.mjs";

/** What it says, in English. */
const words = {
  signedInAs: "Signed in as",
  keysSession: "This session",
  mayDo: "May",
  mayAtMost: "At most",
  nothing: "nothing",
  endsAt: "Ends",
  devices: "Devices",
  device: "Device",
  devicesWhy: "What you have signed in by a code: panes, sidebars, command lines. A device, or a key for some actions only, sees no other.",
  devicesNone: "No device is signed in by you.",
  approve: "Approve a device",
  address: "Address",
  approvedAt: "Approved",
  usedAt: "Last used",
  revoke: "Revoke",
  revokeSure: (/** @type {string} */ name) => `Revoke “${name}”?`,
  revokeWhat: "Its tokens end within 5 seconds. To use it again it is signed in by another code.",
  revoked: (/** @type {string} */ name) => `“${name}” is signed out.`,
  revocations: "Revoked tokens",
  revocationsWhy: "A key or token that is lost ends within 5 seconds everywhere.",
  revocationsNone: "No token is revoked.",
  revocationsOthers: "You may revoke a token of your own; the list is for those who may do everything in all deployments.",
  token: "Token or its id",
  tokenHow: "A token whole, or the id (jti) in it, as “mooring key create” prints both.",
  tokenRevoke: "Revoke",
  tokenRevoked: "Revoked. It is refused everywhere within 5 seconds.",
  revokedAt: "Revoked",
  by: "By",
  until: "Kept until",
  deploymentIds: "Deployments",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").Device} Device
 * @typedef {import("../../interface.d.ts").Revocation} Revocation
 */

/**
 * @param {Console} app
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app) {
  const keys = madeKeys(app);
  const devices = new Table(app, { label: words.devices, path: "/devices", columns: deviceColumns(app), empty: words.devicesNone });
  const revoked = new Table(app, {
    label: words.revocations,
    path: "/revocations",
    columns: revocationColumns,
    empty: words.revocationsNone,
  });
  const list = h("div", {}, revoked.element);
  const approval = h("a", { class: "button", href: new URL("../device", document.baseURI).pathname }, words.approve);
  const session = h("div", { class: "card" });
  const element = h(
    "section",
    { class: "screen" },
    h("div", { class: "head" }, h("h2", { tabindex: -1 }, text.places.keys), approval),
    h("h3", {}, words.keysSession),
    session,
    ...keys.elements,
    h("h3", {}, words.devices),
    h("p", { class: "hint" }, words.devicesWhy),
    devices.element,
    h("h3", {}, words.revocations),
    h("p", { class: "hint" }, words.revocationsWhy),
    form(app),
    list,
  );

  /** @param {AbortSignal} signal */
  async function load(signal) {
    fill(session, sessionFacts(app));
    await Promise.all([keys.load(signal), devices.load(signal), loadRevocations(signal)]);
  }

  /** @param {AbortSignal} signal */
  async function loadRevocations(signal) {
    const others = () => fill(list, h("p", { class: "hint" }, words.revocationsOthers));
    if (!app.me.actions.includes("All")) return others();
    try {
      await revoked.load(signal);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 403) throw error;
      others(); // a token for some deployments only
    }
  }
  return { title: text.places.keys, element, load };
}

/** @param {Console} app */
function sessionFacts(app) {
  const { user, deployments, bound, expiresAt } = app.me;
  const may = deployments.map(({ id, actions }) => h("li", {}, `${text.deploymentIs(id)}: ${actions.join(", ")}`));
  return facts([
    [words.signedInAs, name(user.name || user.email || text.user(user.id))],
    [words.mayDo, h("ul", { class: "plain" }, may)],
    [words.mayAtMost, bound && (bound.join(", ") || words.nothing)],
    [words.endsAt, time(expiresAt)],
  ]);
}

/**
 * @param {Console} app
 * @returns {import("../parts/table.mjs").Column<Device>[]}
 */
function deviceColumns(app) {
  return [
    { head: words.device, cell: (one) => name(one.clientName) },
    { head: words.address, cell: (one) => name(one.address) },
    { head: words.deploymentIds, cell: (one) => one.deployments.join(", ") },
    { head: text.actions, class: "long", cell: reach },
    { head: words.approvedAt, cell: (one) => time(one.approvedAt) },
    { head: words.usedAt, cell: (one) => time(one.usedAt) },
    { head: words.endsAt, cell: (one) => time(one.expiresAt) },
    {
      head: "",
      cell: (one) =>
        h("button", { id: `revoke-${one.id}`, class: "danger", onclick: () => revoke(app, one).catch(app.fail) }, words.revoke),
    },
  ];
}

/**
 * Signs a device out, once the person has confirmed it.
 * @param {Console} app
 * @param {Device} device
 */
async function revoke(app, { id, clientName }) {
  const choices = [{ label: words.revoke, value: true, kind: /** @type {const} */ ("danger") }];
  const sure = await ask({ title: words.revokeSure(clientName), body: [h("p", {}, words.revokeWhat)], choices, cancel: text.cancel });
  if (!sure) return;
  await app.api.delete(`/devices/${encodeURIComponent(id)}`);
  app.notice({ sentence: words.revoked(clientName) });
  app.changed();
}

/** @type {import("../parts/table.mjs").Column<Revocation>[]} */
const revocationColumns = [
  { head: words.token, cell: (one) => name(one.jti) },
  { head: words.revokedAt, cell: (one) => time(one.at) },
  { head: words.by, cell: (one) => person(one.by) },
  { head: words.until, cell: (one) => time(one.until) },
];

/**
 * The form that revokes a token, by itself or by its id.
 * @param {Console} app
 */
function form(app) {
  const input = h("input", { id: "token", required: true, autocomplete: "off", spellcheck: "false", "aria-describedby": "token-how" });
  const send = async () => {
    const given = input.value.trim();
    await app.api.post("/revocations", given.split(".").length === 3 ? { token: given } : { jti: given });
    input.value = "";
    app.notice({ sentence: words.tokenRevoked });
    app.changed();
  };
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    send().catch(app.fail);
  };
  return h(
    "form",
    { class: "filters", onsubmit },
    h("label", { class: "field", for: "token" }, h("span", {}, words.token), input),
    h("button", { class: "danger" }, words.tokenRevoke),
    h("p", { class: "hint", id: "token-how" }, words.tokenHow),
  );
}
