/** A bar for what is used of a limit. */
import { h } from "../../ui/dom.mjs";
import { s } from "./svg.mjs";

/** From these shares on, a limit is nearly used, and as good as used. */
const NEAR = 0.75;
const FULL = 0.95;

/**
 * How much of a limit is used, drawn as a bar.
 * @param {{label: import("../../ui/dom.mjs").Child, used: number, limit: number, said: string}} config said: the same in words
 */
export function meter({ label, used, limit, said }) {
  const share = limit > 0 ? Math.min(1, Math.max(0, used / limit)) : 0;
  const tone = share >= FULL ? "bad" : share >= NEAR ? "warn" : "accent";
  const bar = s(
    "svg",
    { class: `bar ${tone}`, width: "100%", height: 8, "aria-hidden": "true" },
    s("rect", { class: "track", width: "100%", height: 8, rx: 4 }),
    share > 0 && s("rect", { class: "used", width: `${(share * 100).toFixed(2)}%`, height: 8, rx: 4 }),
  );
  return h("div", { class: "meter" }, h("p", {}, h("span", {}, label), h("span", { class: "muted" }, said)), bar);
}
