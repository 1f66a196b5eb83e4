// What a person with a screen reader, with weak eyes or without a mouse would stumble over in the document as it stands: a list of
// sentences, empty when all is well. Evaluated by the tests in a page; a small part of what axe-core checks, without bringing it along.
(document, window) => {
  const faults = [];
  const say = (element, what) => faults.push(`${describe(element)}: ${what}`);
  const describe = (e) => {
    const classes = [...e.classList].map((c) => "." + c).join("");
    return `${e.tagName.toLowerCase()}${e.id ? `#${e.id}` : ""}${classes} "${(e.textContent || "").trim().slice(0, 40)}"`;
  };

  const shown = (e) => {
    if (!e.getClientRects().length || e.closest("[inert],[aria-hidden=true]")) return false;
    return window.getComputedStyle(e).visibility === "visible";
  };
  const byIds = (ids) => (ids || "").split(/\s+/).filter(Boolean).map((id) => document.getElementById(id));
  const name = (e) => {
    const labels = byIds(e.getAttribute("aria-labelledby")).map((l) => l?.textContent || "").join(" ");
    return (labels || e.getAttribute("aria-label") || [...(e.labels || [])].map((l) => l.textContent).join(" ") || e.textContent ||
      e.getAttribute("alt") || e.getAttribute("title") || "").trim();
  };

  // What a person who speaks to the machine reads out: the words that are seen must be part of the name (WCAG 2.5.3).
  const plain = (words) => words.toLowerCase().replace(/\s+/g, " ").trim();

  if (!document.documentElement.lang) faults.push("html: has no lang");
  if (!document.title) faults.push("the document has no title");
  if (!document.querySelector("main,[role=main]")) faults.push("the document has no main landmark");
  if (document.documentElement.scrollWidth > window.innerWidth) {
    faults.push(`the page is ${document.documentElement.scrollWidth} px wide in a window of ${window.innerWidth}`);
  }

  const ids = new Set();
  for (const e of document.querySelectorAll("[id]")) {
    if (ids.has(e.id)) say(e, "its id is there twice");
    ids.add(e.id);
  }
  for (const attribute of ["for", "aria-labelledby", "aria-describedby", "aria-controls"]) {
    for (const e of document.querySelectorAll(`[${attribute}]`)) {
      if (byIds(e.getAttribute(attribute)).includes(null)) say(e, `${attribute} names no element`);
    }
  }

  const interactive = "a[href],button,input:not([type=hidden]),select,textarea,summary,dialog[open],[role=button],[role=tab],[role=grid]," +
    "[role=dialog],[tabindex]";
  for (const e of document.querySelectorAll(interactive)) {
    if (!shown(e)) continue;
    if (!name(e)) say(e, "has no name");
    const label = e.getAttribute("aria-label");
    if (label && e.matches("a,button,[role=button],[role=tab]") && !plain(label).includes(plain(e.innerText || ""))) {
      say(e, `shows "${plain(e.innerText)}", and is named "${label}"`);
    }
    if (e.tabIndex > 0) say(e, "has a positive tabindex");
    const { width, height } = e.getBoundingClientRect();
    const inline = window.getComputedStyle(e).display.startsWith("inline") && e.tagName === "A";
    if (!e.matches("button,input,select,summary,a") || inline) continue;
    if (width < 24 || height < 24) say(e, `is ${width} × ${height} px; 24 are needed`);
  }
  for (const e of document.querySelectorAll("img,svg,[role=img]")) {
    if (shown(e) && !name(e)) say(e, "is neither named nor hidden from screen readers");
  }
  let level = 0;
  for (const e of document.querySelectorAll("h1,h2,h3,h4,h5,h6")) {
    if (!shown(e)) continue;
    const next = Number(e.tagName[1]);
    if (next > level + 1) say(e, `a heading of level ${next} follows one of level ${level}`);
    level = next;
  }

  const pixel = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const canvas = pixel.getContext("2d", { willReadFrequently: true });
  const colours = new Map();
  const rgba = (css) => {
    if (!colours.has(css)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = css;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      colours.set(css, [r, g, b, a / 255]);
    }
    return colours.get(css);
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const behind = (e) => {
    const layers = [];
    for (; e; e = e.parentElement) layers.push(rgba(window.getComputedStyle(e).backgroundColor));
    const dark = window.getComputedStyle(document.documentElement).colorScheme.includes("dark") &&
      window.matchMedia("(prefers-color-scheme: dark)").matches;
    const canvasColour = dark ? [18, 18, 18, 1] : [255, 255, 255, 1];
    return layers.reduceRight((below, layer) => over(layer, below), canvasColour);
  };
  const luminance = ([r, g, b]) => {
    const [R, G, B] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * R + 0.7152 * G + 0.0722 * B;
  };
  const texts = document.createTreeWalker(document.body, window.NodeFilter.SHOW_TEXT);
  const checked = new Set();
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || checked.has(e) || !shown(e) || e.closest("script,style,:disabled,[aria-disabled=true]")) continue;
    checked.add(e);
    const style = window.getComputedStyle(e);
    const back = behind(e);
    const [a, b] = [luminance(over(rgba(style.color), back)), luminance(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (ratio < needed) say(e, `contrast ${ratio.toFixed(2)}, ${needed} is needed`);
  }
  return faults;
}
