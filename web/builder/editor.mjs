/** A plain text editor with line numbers: Tab indents, names are inserted at the caret, and faults are marked at their lines. */
import { fill, h } from "../ui/dom.mjs";
import { indent, linesIn, offsetOf } from "./edit.mjs";
import { words } from "./words.mjs";

/** @typedef {import("./shapes.mjs").Fault} Fault */

/** The height of a line, and the padding above the first, as the style sheet has them. */
const LINE = 20;
const ABOVE = 8;

export class Editor {
  /**
   * @param {string} label
   * @param {string} value
   * @param {() => void} changed
   */
  constructor(label, value, changed) {
    this.changed = changed;
    this.leaving = false; // Esc was pressed: the next Tab leaves
    this.lines = 0;
    this.numbers = h("div", { class: "b-numbers", "aria-hidden": "true" });
    this.marks = h("div", { class: "b-marks", "aria-hidden": "true" });
    this.area = h("textarea", {
      id: "b-text",
      "aria-label": label,
      "aria-describedby": "b-text-how b-faults",
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      wrap: "off",
      rows: 10,
      value,
      oninput: () => this.onInput(),
      onscroll: () => this.scrolled(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.onKey(event),
      onblur: () => {
        this.leaving = false;
      },
    });
    this.element = h(
      "div",
      { class: "b-writing" },
      h("div", { class: "b-editor" }, this.numbers, this.marks, this.area),
      h("p", { class: "b-hint", id: "b-text-how" }, words.tab),
    );
    this.count();
  }

  get value() {
    return this.area.value;
  }

  onInput() {
    this.mark([]); // they were about what was there
    this.count();
    this.changed();
  }

  count() {
    const lines = linesIn(this.value);
    if (lines === this.lines) return;
    this.lines = lines;
    this.numbers.textContent = Array.from({ length: lines }, (_, i) => i + 1).join("\n");
    this.scrolled();
  }

  scrolled() {
    for (const beside of [this.numbers, this.marks]) beside.style.transform = `translateY(${-this.area.scrollTop}px)`;
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.key === "Escape") {
      this.leaving = true;
      return event.stopPropagation();
    }
    if (event.key === "Shift") return undefined;
    if (event.key === "Tab" && !this.leaving && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      const { selectionStart, selectionEnd } = this.area;
      this.write(indent(this.value, selectionStart, selectionEnd, event.shiftKey));
    }
    this.leaving = false;
    return undefined;
  }

  /**
   * Writes as if it were typed, so that it can be undone as such.
   * @param {import("./edit.mjs").Edit} edit
   */
  write({ from, to, text, start, end }) {
    this.area.focus();
    this.area.setSelectionRange(from, to);
    const typed = from === to && !text ? true : document.execCommand(text ? "insertText" : "delete", false, text);
    if (!typed) {
      this.area.setRangeText(text, from, to);
      this.onInput();
    }
    this.area.setSelectionRange(start, end);
  }

  /** Writes a text in place of what is selected. @param {(before: string) => string} text made of what stands before it */
  insert(text) {
    const { selectionStart: from, selectionEnd: to } = this.area;
    const written = text(this.value.slice(0, from));
    this.write({ from, to, text: written, start: from + written.length, end: from + written.length });
  }

  /**
   * Marks the lines of faults, in place of those before.
   * @param {Fault[]} faults
   */
  mark(faults) {
    const lines = [...new Set(faults.flatMap(({ line }) => line ?? []))];
    fill(this.marks, lines.map((line) => this.stripe(line)));
    if (faults.length) this.area.setAttribute("aria-invalid", "true");
    else this.area.removeAttribute("aria-invalid");
  }

  /** @param {number} line */
  stripe(line) {
    const stripe = h("div", { class: "b-stripe" });
    stripe.dataset.line = String(line);
    stripe.style.top = `${ABOVE + (line - 1) * LINE}px`;
    return stripe;
  }

  /** Puts the caret where a fault is. @param {Fault} fault */
  go({ line = 1, column = 1 }) {
    const at = offsetOf(this.value, line, column);
    this.area.focus();
    this.area.setSelectionRange(at, at);
    this.area.scrollTop = Math.max(0, (line - 3) * LINE);
  }
}
