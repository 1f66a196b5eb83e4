/** What the source of a deployment has: its views with their members, or its tables with their columns. */
import { Problem, isAway } from "../ui/api.mjs";
import { text } from "../ui/text.mjs";

/** @typedef {{items: import("./shapes.mjs").Dataset[], why: string}} Catalog why: it could not be read */

/**
 * @param {import("./shapes.mjs").Face} face
 * @param {boolean} fresh asked of the source anew
 * @returns {Promise<Catalog>}
 */
export async function readCatalog({ api, deployment }, fresh) {
  try {
    return { items: await api.all(`/deployments/${deployment}/catalog${fresh ? "?fresh=true" : ""}`), why: "" };
  } catch (error) {
    if (error instanceof Problem) return { items: [], why: error.message };
    if (isAway(error)) return { items: [], why: text.awayNow };
    throw error;
  }
}
