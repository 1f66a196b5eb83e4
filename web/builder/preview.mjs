/** The first rows of what is being built: asked a second after the last change, or at once. */
import { fill, h, mark } from "../ui/dom.mjs";
import { Problem, isAway } from "../ui/api.mjs";
import { faultText } from "../ui/parameters.mjs";
import { cellText, text } from "../ui/text.mjs";
import { words } from "./words.mjs";

/**
 * @typedef {import("./shapes.mjs").Answer} Answer
 * @typedef {import("./shapes.mjs").Fault} Fault
 * @typedef {import("./shapes.mjs").Question} Question
 * @typedef {{label: string, act: () => void}} Remedy
 */

/** How many rows are shown, and how long after a change, in milliseconds. */
const ROWS = 20;
const PAUSE = 1000;

export class Preview {
  /**
   * @param {import("./shapes.mjs").Face} face
   * @param {{question: () => Question | null, waits: () => string, faults: () => Fault[], reportId?: number, onAnswer: (answer: Answer) => void, go: (fault: Fault) => void,
   *   remedy: (fault: Fault) => Remedy | null}} of question: what is asked about, null while there is nothing; waits: why it
   *   cannot be asked yet, "" if it can; faults: what is wrong with it already; go: leads to where a fault is
   */
  constructor(face, of) {
    this.face = face;
    this.of = of;
    this.asking = new AbortController();
    /** @type {{key: string, answer: Answer} | null} */
    this.last = null;
    this.said = h("p", { class: "b-hint", role: "status" }, words.nothing);
    this.faults = h("div", { id: "b-faults" });
    this.table = h("div", {});
    this.element = h(
      "section",
      { class: "b-card b-preview", "aria-label": words.preview },
      h("div", { class: "b-head" }, h("h3", {}, words.preview), h("button", { id: "b-run", onclick: () => this.run() }, words.run)),
      this.said,
      this.faults,
      this.table,
    );
  }

  /** Asks soon, once for all changes until then. What is asked about something that was changed since is not waited for. */
  soon() {
    clearTimeout(this.timer);
    this.asking.abort();
    this.element.removeAttribute("aria-busy");
    this.timer = setTimeout(() => this.element.isConnected && this.run(), PAUSE);
  }

  /** Asks now, and shows the answer. */
  async run() {
    try {
      await this.answer();
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * The answer about what is built now: the last one if nothing has changed since.
   * @returns {Promise<(Answer & {unknown?: string}) | null>} null: there is nothing to ask; unknown: why it cannot be asked yet
   */
  async answer() {
    clearTimeout(this.timer);
    const question = this.of.question();
    const key = JSON.stringify(question);
    if (!question) this.show(null);
    const why = question && this.of.waits();
    if (why) {
      this.asking.abort();
      this.last = null;
      this.show(null);
      this.said.textContent = why;
      return { unknown: why };
    }
    const faults = question ? this.of.faults() : [];
    if (faults.length) {
      this.asking.abort();
      this.last = null;
      this.show({ faults });
      return { faults };
    }
    if (!question || this.last?.key === key) return question && (this.last?.answer ?? null);
    this.asking.abort();
    const { signal } = (this.asking = new AbortController());
    this.element.setAttribute("aria-busy", "true");
    this.said.textContent = words.running;
    const body = { ...question, first: ROWS, ...(this.of.reportId && { reportId: this.of.reportId }) };
    try {
      const answer = await this.face.api.post(`/deployments/${this.face.deployment}/previews`, body, { signal, repeatable: true });
      this.last = { key, answer };
      this.show(answer);
      return answer;
    } finally {
      if (!signal.aborted) this.element.removeAttribute("aria-busy");
    }
  }

  /** @param {any} error */
  fail(error) {
    if (error?.name === "AbortError") return;
    if (!(error instanceof Problem) && !isAway(error)) this.face.fail(error);
    this.said.textContent = "";
    const { details: faults = [] } = error;
    this.of.onAnswer({ faults });
    fill(this.table);
    fill(this.faults, h("p", { class: "bad", role: "alert" }, isAway(error) ? text.awayNow : faults.length && faults.every(isOfParameter) ? faults.map(faultText).join(" ") : error.message));
  }

  /** @param {Answer | null} answer null: there is nothing to show */
  show(answer) {
    const { columns = [], rows = [], rowCount = rows.length, truncated = false, faults = [] } = answer ?? {};
    this.of.onAnswer(answer ?? {});
    this.said.textContent = !answer ? words.nothing : faults.length ? words.faults(faults.length) : saidOf(rows.length, rowCount, truncated);
    fill(this.faults, faults.length > 0 && h("ul", { class: "b-faults" }, faults.map((fault) => this.fault(fault))));
    fill(this.table, columns.length > 0 && table(columns, rows));
  }

  /** @param {Fault} fault */
  fault(fault) {
    const { line } = fault;
    const remedy = this.of.remedy(fault);
    return h(
      "li",
      { class: "bad" },
      mark("alert"),
      h("span", {}, line !== undefined && h("button", { class: "plain", onclick: () => this.of.go(fault) }, words.faultAt(line)), h("bdi", {}, faultText(fault)), remedy && h("button", { class: "plain", onclick: remedy.act }, remedy.label)),
    );
  }
}

/** Whether a fault is about what is said of a parameter, beside which it stands too. @param {Fault} fault */
const isOfParameter = ({ pointer = "" }) => /^\/(declares|parameters)\//.test(pointer);

/**
 * @param {number} shown
 * @param {number} all
 * @param {boolean} truncated
 */
function saidOf(shown, all, truncated) {
  return [all ? words.rows(shown, all) : words.noRows, truncated && words.truncated].filter(Boolean).join(" ");
}

/**
 * @param {{name: string}[]} columns
 * @param {unknown[][]} rows
 */
function table(columns, rows) {
  const kind = columns.map((_, i) => rows.some((row) => typeof row[i] === "number") && "b-number");
  return h(
    "div",
    { class: "b-table", tabindex: 0, role: "region", "aria-label": words.table },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, columns.map(({ name }, i) => (name ? h("th", { scope: "col", class: kind[i] }, name) : h("td", {}))))),
      h("tbody", {}, rows.map((row) => h("tr", {}, columns.map((_, i) => h("td", { class: kind[i] }, cellText(row[i])))))),
    ),
  );
}
