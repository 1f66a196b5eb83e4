/** Who changed what, from where: in a deployment, or in the account as a whole. */
import { h } from "../../ui/dom.mjs";
import { queryOf } from "../addresses.mjs";
import { link, name, person, time } from "../show.mjs";
import { text } from "../text.mjs";
import { filterBar, isNarrowed } from "../parts/filters.mjs";
import { Table } from "../parts/table.mjs";

/** What it says, in English. */
const words = {
  auditNone: "No change matches these filters. Changes are kept for 400 days.",
  auditNoneYet: "Nothing was changed here in the last 400 days.",
  auditOf: "Where",
  auditHere: "This deployment",
  auditAccount: "The account: settings, keys, devices, links",
  at: "When",
  who: "Who",
  operator: "the operator, or the service itself",
  did: "Did",
  asset: "Asset",
  history: "history",
  assetHow: "such as report:17",
  pointers: "Changed",
  from: "From",
  since: "Since",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").AuditEntry} Entry
 */

/** @type {import("../parts/filters.mjs").Field[]} */
const FIELDS = [
  {
    name: "of",
    label: words.auditOf,
    options: [
      ["", words.auditHere],
      ["account", words.auditAccount],
    ],
  },
  { name: "since", label: words.since, type: "since" },
  { name: "user", label: text.person, type: "person" },
  { name: "asset", label: `${words.asset} (${words.assetHow})` },
];

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, route) {
  const { of, since, user, asset } = route.filters;
  const query = queryOf({ since, user, asset });
  const table = new Table(app, {
    label: text.places.audit,
    path: of === "account" ? `/audit${query}` : app.at(`/audit${query}`),
    columns: columns(app, route),
    empty: isNarrowed({ since, user, asset }) ? words.auditNone : words.auditNoneYet,
  });
  const element = h("section", { class: "screen" }, h("h2", { tabindex: -1 }, text.places.audit), filterBar(app, route, FIELDS), table.element);
  return { title: text.places.audit, element, load: table.load };
}

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route
 * @returns {import("../parts/table.mjs").Column<Entry>[]}
 */
function columns(app, { filters }) {
  return [
    { head: words.at, cell: (one) => time(one.at) },
    { head: words.who, cell: (one) => whoOf(app, filters, one.user) },
    { head: words.did, class: "short", cell: (one) => one.action },
    { head: words.asset, cell: (one) => assetOf(app, filters, one) },
    { head: text.version, class: "number", cell: (one) => one.version || "" },
    { head: words.pointers, class: "long", cell: (one) => name(one.pointers?.join(" "), { max: 300, empty: "" }) },
    {
      head: words.from,
      cell: (one) => [name(one.from, { empty: "" }), h("span", { class: "muted" }, " ", name(one.token, { max: 12, empty: "" }))],
    },
  ];
}

/**
 * Who did it, with all that they did.
 * @param {Console} app
 * @param {Record<string, string>} filters
 * @param {Entry["user"]} user
 */
function whoOf(app, filters, user) {
  if (!user) return h("span", { class: "muted" }, words.operator);
  if (user.id < 1) return person(user); // a token without a user: the filter takes ids only
  return link(app.href("audit", { ...filters, user: String(user.id) }), person(user));
}

/** The screens of assets, by their kind. @type {Record<string, string>} */
const SCREENS = { report: "reports", schedule: "schedules" };

/**
 * An asset: its own screen, and all that happened to it.
 * @param {Console} app
 * @param {Record<string, string>} filters
 * @param {Entry} entry
 */
function assetOf(app, filters, { asset }) {
  if (!asset) return null;
  const named = name(asset.name || `${asset.kind} ${asset.id}`);
  if (!asset.id) return named;
  const screen = filters.of !== "account" && SCREENS[asset.kind];
  const reference = `${asset.kind}:${asset.id}`;
  return [
    screen ? link(app.href([screen, asset.id]), named) : named,
    " ",
    filters.asset !== reference && link(app.href("audit", { ...filters, asset: reference }), words.history),
  ];
}
