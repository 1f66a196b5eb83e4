/** The names that mark blocks, as port.mjs reads them. */
import { MARK_PREFIX, hex } from "./port.mjs";

/**
 * The name that marks a placement's block.
 * @param {string} placementId
 * @param {import("./port.mjs").Naming} naming
 * @returns {Promise<string>}
 */
export async function markName(placementId, { escape, underscore, longest, hashed, taken }) {
  const bytes = new TextEncoder().encode(placementId);
  const [first = "", ...rest] = Array.from(bytes, (c) => escapedByte(c, escape, underscore));
  const name = MARK_PREFIX + first + rest.join("");
  if (name === taken) return MARK_PREFIX + escape + hex(bytes.subarray(0, 1)) + rest.join("");
  return name.length <= longest ? name : MARK_PREFIX + hashed + hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/**
 * @param {number} c
 * @param {string} escape
 * @param {string} underscore
 */
function escapedByte(c, escape, underscore) {
  const character = String.fromCharCode(c);
  if (/[a-z0-9]/.test(character)) return character;
  return character === "_" ? underscore : escape + hex([c]);
}
