/** Pictures drawn inline. */

/** @typedef {Node | string | null | undefined | false} Part */

/**
 * Makes an element of a picture. Props are attributes; functions are listeners (onclick). No style attribute: the page's policy forbids it.
 * @param {string} tag
 * @param {Record<string, string | number | boolean | undefined | ((event: any) => void)>} [props]
 * @param {...(Part | Part[])} children
 * @returns {SVGElement}
 */
export function s(tag, props = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return /** @type {SVGElement} */ (element);
}
