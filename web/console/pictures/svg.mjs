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

/**
 * A picture, named for screen readers. Its size on the page is the style sheet's.
 * @param {{label: string, width: number, height: number, class?: string, stretched?: boolean}} config in the picture's own units; stretched: it
 *   fills its place, whatever that does to its shapes
 * @param {...(Part | Part[])} children
 */
export function picture({ label, width, height, class: name, stretched }, ...children) {
  const preserveAspectRatio = stretched && "none";
  return s("svg", { viewBox: `0 0 ${width} ${height}`, class: name, role: "img", "aria-label": label, preserveAspectRatio }, ...children);
}
