/** A tour of six steps. It can be left and taken up again where it was left. */
import { fill, h, mark } from "../ui/dom.mjs";
import { text } from "./text.mjs";

const KEPT = "mooring.demo.tour";

export class Tour {
  /** @param {Storage} storage @param {{[action: string]: {label: () => string, run: () => void}}} actions those that a step may offer */
  constructor(storage, actions) {
    this.storage = storage;
    this.actions = actions;
    const kept = Number(storage.getItem(KEPT) ?? 0);
    this.step = Math.min(Math.abs(Math.trunc(kept)) || 0, text.steps.length - 1);
    this.left = storage.getItem(KEPT + ".left") === "1";
    this.element = h("section", { class: "tour", id: "tour", "aria-label": text.tour });
    this.opener = h("button", { class: "plain", onclick: () => this.open() }, mark("target"), text.takeTour);
    this.draw();
  }

  /** @param {number} step */
  go(step) {
    this.step = step;
    this.storage.setItem(KEPT, String(step));
    this.draw();
    this.element.querySelector("h2")?.focus();
  }

  open() {
    this.leave(false);
    this.element.querySelector("h2")?.focus();
  }

  /** @param {boolean} left */
  leave(left) {
    this.left = left;
    this.storage.setItem(KEPT + ".left", left ? "1" : "");
    this.draw();
    if (left) this.opener.focus();
  }

  finish() {
    this.step = 0;
    this.storage.setItem(KEPT, "0");
    this.leave(true);
  }

  draw() {
    const { step } = this;
    const { title, body, action } = text.steps[step];
    const last = step === text.steps.length - 1;
    const offered = action ? this.actions[action] : undefined;
    this.element.hidden = this.left;
    this.opener.hidden = !this.left;
    fill(this.element,
      h("div", { class: "tour-words" },
        h("p", { class: "muted" }, text.step(step + 1, text.steps.length)),
        h("h2", { tabindex: -1 }, title),
        h("p", {}, body)),
      h("div", { class: "tour-ways" },
        offered && h("button", { class: "primary", id: "tour-action", onclick: offered.run }, offered.label()),
        step > 0 && h("button", { id: "tour-back", onclick: () => this.go(step - 1) }, text.back),
        h("button", { id: "tour-next", class: offered ? undefined : "primary", onclick: () => (last ? this.finish() : this.go(step + 1)) },
          last ? text.finish : text.next),
        h("button", { id: "tour-leave", class: "plain", "aria-label": text.leave, title: text.leave, onclick: () => this.leave(true) }, mark("gone"))));
  }
}
