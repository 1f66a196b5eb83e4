/** The pane's screens and hosts, and its beginning. */
import { Session } from "../ui/api.mjs";
import * as list from "./list.mjs";
import { Pane } from "./pane.mjs";

/** Where each screen is, and what else the pane loads. All but the first screen are loaded when they are asked for. @type {import("./pane.mjs").Modules} */
const MODULES = {
  screens: {
    blocks: async () => list,
    block: () => import("./block.mjs"),
    place: () => import("./place.mjs"),
    signin: () => import("./signin.mjs"),
  },
  signin: () => import("./signin.mjs"),
  copy: () => import("./copy.mjs"),
  link: () => import("./link.mjs"),
  runs: () => import("./runs.mjs"),
};

/** A storage that ends with the page: any two pages that say nothing of themselves would share another. */
function unkept() {
  /** @type {Map<string, string>} */
  const items = new Map();
  return {
    getItem: (/** @type {string} */ key) => items.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void items.set(key, value),
    removeItem: (/** @type {string} */ key) => void items.delete(key),
  };
}

/** The origin of the page that frames this one, to which tokens belong; "" for a page that says nothing of itself. */
function frameOrigin() {
  if (window.parent === window) return location.origin;
  return location.ancestorOrigins?.[0] ?? (document.referrer && new URL(document.referrer).origin);
}

/**
 * The hosts by their names in the pane's address.
 * @type {Record<string, () => Promise<{open: (window: Window) => import("./port.mjs").Port | Promise<import("./port.mjs").Port>}>>}
 */
const HOSTS = {
  excel: () => import("./excel/excel.mjs"),
  sheets: () => import("./sheets/sheets.mjs"),
  demo: () => import("./demo/demo.mjs"),
  none: () => import("./none.mjs"),
};

const host = new URLSearchParams(location.search).get("host") ?? "none";
const { open } = await (HOSTS[host] ?? HOSTS.none)();
const frame = frameOrigin();
const pane = new Pane(await open(window), new Session(frame ? localStorage : unkept(), frame), MODULES);
pane.start().catch(pane.fail);
