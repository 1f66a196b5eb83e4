/** What stands around every screen: the bar, the navigation and notices. */
import { fill, h, mark } from "../ui/dom.mjs";
import { fragment } from "./addresses.mjs";
import { name } from "./show.mjs";
import { text } from "./text.mjs";

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
    h("button", { id: "menu", class: "plain", "aria-label": text.menu, popovertarget: "nav" }, mark("menu")),
    h("h1", {}, h("a", { href: shown.home }, text.product)),
    deployments(me, shown),
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
      h("a", { href: new URL("../../docs", document.baseURI).pathname }, text.docs),
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
  const labels = all.map((id) => (id ? text.deploymentIs(id) : text.noDeployment));
  if (all.length === 1) return h("p", { class: "deployment" }, labels[0]);
  const onchange = (/** @type {any} */ event) => {
    const [, screen = "overview"] = location.hash.split(/[/?]/).slice(1);
    location.hash = fragment(Number(event.target.value), [places.includes(screen) ? screen : "overview"]);
  };
  return h(
    "select",
    { id: "deployment", "aria-label": text.deployment, onchange },
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
  const shown = readAt ? text.outageShown(readAt) : text.outageUnread;
  const words = what && [text.outageSince(since), text.outageWhy[what], shown, text.outageGoesOn].join(" ");
  fill(
    part("outage"),
    what && h("div", { class: "outage" }, mark("away"), h("div", {}, h("p", {}, h("b", {}, text.outage[what])), h("p", {}, words))),
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
      h("div", {}, h("p", {}, sentence), more),
      h("button", { class: "plain", "aria-label": text.dismiss, onclick: dismiss }, mark("gone")),
    ),
  );
}
