/**
 * The names that mark blocks: those that Mooring's agents use, so that agents and the pane find each other's blocks. Excel's names hold
 * letters, digits, underscores and periods (Go package refresh/host), Google's no periods (refresh/host/google).
 */
import { sha256 } from "./mooring.mjs";

const PREFIX = "_mooring_";
const GENERATION = /(_+)g([1-9][0-9]*)$/i; // of a name whose first holder marks nothing any more

/**
 * @typedef {object} Naming
 * @property {(placementId: string) => string} name the name that marks a placement's block
 * @property {(name: string) => string | null} placement the placement whose block a name marks; null if it does not tell
 */

/**
 * The id under which the status cell of a placement is marked.
 * @param {string} placementId
 */
export function statusMark(placementId) {
  return `${placementId}\0status`;
}

/** @type {Naming} */
export const excelNaming = naming({ escape: ".", underscore: "_", longest: 255, hashed: ".." });

/** @type {Naming} */
export const sheetsNaming = naming({ escape: "_", underscore: "__", longest: 230, hashed: "_x" });

/**
 * One of Google's names without its generation, and which generation it is. An id's underscores are written as two each.
 * @param {string} name
 */
export function generationOf(name) {
  const [mark, underscores = "", number = ""] = GENERATION.exec(name) ?? [];
  if (!mark || underscores.length % 2 === 0) return { name, generation: 1 };
  return { name: name.slice(0, -1 - "g".length - number.length), generation: Number(number) };
}

/**
 * @param {{escape: string, underscore: string, longest: number, hashed: string}} rules
 * @returns {Naming}
 */
function naming({ escape, underscore, longest, hashed }) {
  const escaped = new RegExp(`^(?:[a-z0-9]|${underscore}|\\${escape}[0-9a-f]{2})*$`);
  const parts = new RegExp(`${underscore === "__" ? "__|" : ""}\\${escape}[0-9a-f]{2}|.`, "g");
  return {
    name(placementId) {
      const bytes = new TextEncoder().encode(placementId);
      const name = PREFIX + Array.from(bytes, (c) => escapedByte(c, escape, underscore)).join("");
      return name.length <= longest ? name : PREFIX + hashed + hex(sha256(bytes));
    },
    placement(name) {
      const rest = name.toLowerCase();
      if (!rest.startsWith(PREFIX) || !escaped.test(rest.slice(PREFIX.length))) return null;
      const bytes = (rest.slice(PREFIX.length).match(parts) ?? []).map((part) => {
        if (part === underscore) return 0x5f;
        return part.length === 3 ? parseInt(part.slice(1), 16) : part.charCodeAt(0);
      });
      return new TextDecoder().decode(Uint8Array.from(bytes));
    },
  };
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

/** @param {Iterable<number>} bytes */
function hex(bytes) {
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}
