/** What stands around every screen: the bar, the navigation and notices. */
import { fill, h, mark, zone } from "../ui/dom.mjs";
import { fragment } from "./addresses.mjs";
import { name } from "./show.mjs";
import { text } from "./text.mjs";

/** What it says, in English. */
const words = {
  menu: "Menu",
  deployment: "Deployment",
  noDeployment: "No deployment",
  docs: "Documentation",
  outage: { server: "Mooring cannot be reached.", storage: "Mooring’s storage does not answer." },
  outageWhy: {
    server: "Check your connection.",
    storage: "Mooring keeps everything in it, so that nothing can be read or changed now.",
  },
  outageSince: (/** @type {string} */ time) => `Since ${time}.`,
  outageShown: (/** @type {string} */ time) => `What is shown here is of ${time}.`,
  outageGoesOn: "It goes on by itself when it is there again.",
};

/**
 * @typedef {import("./session.mjs").Me} Me
 * @typedef {{deployment: number, places: string[], home: string}} Shown places: the screens of the navigation; home: the address of the first
 * @typedef {{sentence: string, tone?: "good" | "warn" | "bad" | "muted", sign?: import("../ui/dom.mjs").Mark,
 *   more?: import("../ui/dom.mjs").Child | import("../ui/dom.mjs").Child[]}} Notice
 */

/** @param {string} id */
const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * The bar: which deployment is shown, and who is signed in.
 * @param {Me} me
 * @param {Shown} shown
 * @param {() => void} signOut
 */
export function bar(me, shown, signOut) {
  const { user, tenant } = me;
  const who = user.name || user.email || text.user(user.id);
  fill(
    part("bar"),
    h("button", { id: "menu", class: "plain", "aria-label": words.menu, popovertarget: "nav" }, mark("menu")),
    h("h1", {}, h("a", { href: shown.home }, text.product)),
    h("div", { class: "deployment" }, deployments(me, shown), zone()),
    h(
      "button",
      { id: "account", class: "plain", "aria-label": text.signedInAs(who), popovertarget: "account-menu" },
      mark("person"),
      mark("down"),
    ),
    h(
      "div",
      { popover: "auto", id: "account-menu" },
      h("p", { class: "muted" }, name(who)),
      h("p", { class: "muted" }, name(tenant)),
      h("a", { href: new URL("../../docs", document.baseURI).pathname }, words.docs),
      h("button", { onclick: signOut }, text.signOut),
    ),
  );
}

/**
 * The choice of the deployment; nothing to choose if there is one only.
 * @param {Me} me
 * @param {Shown} shown
 */
function deployments(me, { deployment, places }) {
  const all = me.deployments.map(({ id }) => id);
  if (!all.includes(deployment)) all.push(deployment);
  const labels = all.map((id) => (id ? text.deploymentIs(id) : words.noDeployment));
  if (all.length === 1) return h("p", {}, labels[0]);
  const onchange = (/** @type {any} */ event) => {
    const [, screen = "overview"] = location.hash.split(/[/?]/).slice(1);
    location.hash = fragment(Number(event.target.value), [places.includes(screen) ? screen : "overview"]);
  };
  return h(
    "select",
    { id: "deployment", "aria-label": words.deployment, onchange },
    all.map((id, i) => h("option", { value: id, selected: id === deployment }, labels[i])),
  );
}

/**
 * The navigation; beside the screen on wide windows, else a menu.
 * @param {{place: string, href: string}[]} places
 * @param {string} current the place that is shown
 */
export function navigation(places, current) {
  const nav = part("nav");
  nav.hidden = false;
  nav.setAttribute("popover", "auto");
  const close = () => nav.matches(":popover-open") && nav.hidePopover();
  const links = places.map(({ place, href }) =>
    h("a", { id: `nav-${place}`, href, "aria-current": place === current && "page", onclick: close }, text.places[place] ?? place),
  );
  fill(
    nav,
    h(
      "ul",
      {},
      links.map((one) => h("li", {}, one)),
    ),
  );
}

/**
 * Says above the screen, for as long as it is so, that Mooring or its storage does not answer.
 * @param {import("../ui/api.mjs").Outage} what "" when all is well
 * @param {{since: string, readAt: string}} times in words; readAt: when what is shown was read, "" if nothing is yet
 */
export function showOutage(what, { since, readAt }) {
  const shown = readAt ? words.outageShown(readAt) : text.outageUnread;
  const said = what && [words.outageSince(since), words.outageWhy[what], shown, words.outageGoesOn].join(" ");
  fill(
    part("outage"),
    what && h("div", { class: "outage" }, mark("away"), h("div", {}, h("p", {}, h("b", {}, words.outage[what])), h("p", {}, said))),
  );
}

/**
 * @param {Notice | null} notice
 * @param {() => void} dismiss
 */
export function showNotice(notice, dismiss) {
  const place = part("notice");
  if (!notice) return place.replaceChildren();
  const { sentence, tone = "good", sign = tone === "good" ? "check" : "circle", more } = notice;
  place.replaceChildren(
    h(
      "div",
      { class: `notice ${tone}` },
      mark(sign),
      h("div", { tabindex: more ? 0 : undefined }, h("p", {}, sentence), more), // a long list is scrolled
      h("button", { class: "plain", "aria-label": text.dismiss, onclick: dismiss }, mark("gone")),
    ),
  );
}
