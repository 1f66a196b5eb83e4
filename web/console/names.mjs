/** The names of reports, where the interface tells their numbers only. */
import { Problem } from "../ui/api.mjs";
import { h } from "../ui/dom.mjs";
import { name } from "./show.mjs";
import { text } from "./text.mjs";

/** So many are asked for at a time. */
const AT_ONCE = 4;

export class Names {
  /** @param {import("../ui/api.mjs").Api} api */
  constructor(api) {
    this.api = api;
    /** @type {Map<string, Promise<string>>} by the reports' paths */
    this.known = new Map();
    /** @type {(() => void)[]} */
    this.waiting = [];
    this.asked = 0;
  }

  /**
   * The name of a report; its number until the name is known.
   * @param {string} path of the report
   * @param {number} id
   */
  report(path, id) {
    if (!this.known.has(path)) this.known.set(path, this.ask(path));
    const element = h("span", {}, text.reportIs(id));
    this.known.get(path)?.then((known) => known && element.replaceChildren(name(known)));
    return element;
  }

  /**
   * @param {string} path
   * @returns {Promise<string>}
   */
  async ask(path) {
    while (this.asked >= AT_ONCE) await new Promise((resolve) => this.waiting.push(() => resolve(undefined)));
    this.asked++;
    try {
      return (await this.api.get(path)).name;
    } catch (error) {
      if (!(error instanceof Problem) || ![403, 404].includes(error.status)) this.known.delete(path); // asked again next time
      return ""; // else it is deleted, or not the user's to read: its number is all that is known
    } finally {
      this.asked--;
      this.waiting.shift()?.();
    }
  }
}
