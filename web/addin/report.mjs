/** Whose report a block shows that cannot be refreshed, and the way to it. */
import { fill, h, mark } from "../ui/dom.mjs";

/** What it says, in English. */
const words = {
  of: (/** @type {string} */ name, /** @type {string} */ who) => `“${name}” is the report of ${who}.`,
  yours: (/** @type {string} */ name) => `“${name}” is a report of yours.`,
  open: "Open the report",
  opens: "It opens in the console.",
  ask: "Only who may change the report can correct it: tell them what it says.",
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Block} Block
 */

/**
 * The address of a report's screen in the console.
 * @param {{deployment: number, report: number}} block
 */
const addressOf = ({ deployment, report }) => `/console/#/${deployment}/reports/${report}`;

/**
 * @param {Pane} pane
 * @param {Block} block
 */
export function reportCard(pane, block) {
  const place = h("section", { class: "card report", hidden: true });
  pane.reportOf(block).then((report) => show(pane, block, report, place), () => {}); // the state line says what is wrong
  return place;
}

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {import("../interface.d.ts").Report} report
 * @param {HTMLElement} place
 */
function show(pane, block, { name, user, createdBy, canEdit }, place) {
  const mine = createdBy === pane.store.state.me?.user.id;
  const who = [user.firstName, user.email && (user.firstName ? `(${user.email})` : user.email)].filter(Boolean).join(" ");
  place.hidden = false;
  fill(
    place,
    h("p", {}, mine || !who ? words.yours(name) : words.of(name, who)),
    canEdit
      ? h("p", {}, h("a", { class: "button", href: addressOf(block), target: "_blank", rel: "noopener" }, mark("next"), words.open), " ", h("span", { class: "hint" }, words.opens))
      : h("p", { class: "hint" }, words.ask),
  );
}
