/** The overview: what is not true, since when and why; then how runs went. */
import { fill, h } from "../ui/dom.mjs";
import { text } from "./text.mjs";

/**
 * @param {import("./console.mjs").Console} app
 * @returns {import("./routes.mjs").Screen}
 */
export function screen(app) {
  const element = h("section", { class: "screen" });
  const load = async (/** @type {AbortSignal} */ signal) => {
    const stats = await app.api.get(app.at("/stats?window=24h"), { signal });
    fill(element, h("h2", { tabindex: -1 }, text.places.overview), h("p", {}, String(stats.runs.total)));
  };
  return { title: text.places.overview, element, load };
}
