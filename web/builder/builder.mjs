/**
 * The builder of reports, for every page that has one: of a semantic layer's members, or a text with the source's tables beside it; the first
 * rows of it; and saving. It is loaded when it is asked for.
 */
import { fill, h } from "../ui/dom.mjs";
import { readCatalog } from "./catalog.mjs";
import { Draft } from "./draft.mjs";
import { inserted } from "./edit.mjs";
import { Editor } from "./editor.mjs";
import { filters } from "./filters.mjs";
import { Members } from "./members.mjs";
import { options } from "./options.mjs";
import { Parameters, nameAt, undeclaredIn } from "./parameters.mjs";
import { Preview } from "./preview.mjs";
import { PivotPanel, columnsOf } from "./pivot.mjs";
import { pivotOf, pivotOfText, queryOf, samePivot, sameQuery, stateOf, stateOfPivot } from "./query.mjs";
import { Saving } from "./saving.mjs";
import { empty, hasResult } from "./state.mjs";
import { tree } from "./tree.mjs";
import { words } from "./words.mjs";
import { zones } from "./zones.mjs";

/**
 * @typedef {import("./shapes.mjs").Face} Face
 * @typedef {import("./shapes.mjs").Report} Report
 * @typedef {import("./shapes.mjs").Definition} Definition
 * @typedef {import("./shapes.mjs").Dataset} Dataset
 * @typedef {import("./query.mjs").Pivot} Pivot
 * @typedef {"members" | "sql" | "json"} Mode
 */

/**
 * An element in which a report is made, or one is edited. It fills itself when the source's catalog is read.
 * @param {Face} face
 * @param {Report | null} report
 */
export async function builder(face, report) {
  const element = h("div", { class: "builder" }, h("p", { class: "b-hint", role: "status" }, words.reading));
  await styled();
  const open = (/** @type {Report | null} */ one, fresh = false) =>
    readCatalog(face, fresh).then((catalog) => new Builder(face, one, catalog, element, open).show());
  open(report).catch(face.fail);
  return element;
}

/** Has the style sheet of the builder, once. */
function styled() {
  const href = new URL("builder.css", import.meta.url).href;
  if (document.querySelector(`link[href="${href}"]`)) return undefined;
  return new Promise((resolve) => {
    document.head.append(h("link", { rel: "stylesheet", href, onload: resolve, onerror: resolve }));
  });
}

class Builder {
  /**
   * @param {Face} face
   * @param {Report | null} report
   * @param {import("./catalog.mjs").Catalog} catalog
   * @param {HTMLElement} element
   * @param {(report: Report | null, fresh?: boolean) => Promise<void>} open begins anew with a report
   */
  constructor(face, report, catalog, element, open) {
    this.report = report;
    this.catalog = catalog;
    this.element = element;
    this.open = open;
    this.face = face;
    this.views = catalog.items.filter(({ members }) => members);
    /** @type {Pivot | null} */
    this.pivotBefore = report?.pivotItems ?? null;
    const read = report?.jsonQuery ? stateOf(report.jsonQuery, this.pivotBefore) : empty();
    const members = this.views.flatMap((one) => one.members ?? []);
    this.draft = new Draft(read ?? empty(), new Map(members.map((one) => [one.name, one])));
    this.ofText = new Draft(stateOfPivot(report?.sqlQuery ? this.pivotBefore : null), new Map());
    /** @type {{asked: string, columns: Map<string, import("./state.mjs").Member>} | null} */
    this.known = null;
    this.texts = { sql: report?.sqlQuery ?? "", json: report?.jsonQuery ?? "" };
    /** @type {Mode} */
    this.mode = report?.sqlQuery ? "sql" : report?.jsonQuery ? (read ? "members" : "json") : this.views.length ? "members" : "sql";
    this.parameters = new Parameters(report?.parameters ?? [], { changed: () => this.changed(), renamed: () => this.renamed() });
    this.draft.parameters = this.parameters.names();
    this.preview = new Preview(face, {
      question: () => this.question(),
      waits: () => this.parameters.waits(),
      faults: () => this.undeclared(),
      remedy: (fault) => this.remedy(fault),
      reportId: report?.id,
      onAnswer: ({ faults = [] }) => {
        this.parameters.mark(faults);
        this.editor?.mark(faults.filter(({ pointer = "" }) => !pointer.startsWith("/declares")));
        void this.panel?.load();
      },
      go: (fault) => this.editor?.go(fault),
    });
    this.saving = new Saving(face, report, {
      definition: () => this.definition(),
      suggested: () => this.suggested(),
      answer: () => this.preview.answer(),
      reopen: () => void this.reopen().catch(face.fail),
    });
    this.draft.followers.add(() => this.changed());
    this.ofText.followers.add(() => this.changed());
  }

  show() {
    this.writing = h("div", { class: "b-making" });
    fill(this.element, this.said(), this.modes(), this.writing, this.preview.element, this.saving.element);
    this.make();
    this.saving.suggest();
    if (this.definition()) void this.preview.run();
  }

  /** What is wrong with the catalog, with the button that asks anew. */
  said() {
    const { items, why } = this.catalog;
    if (items.length) return null;
    const again = () => this.open(this.report, true).catch(this.face.fail);
    return h(
      "div",
      { class: "b-card" },
      h("p", { class: "warn", role: "status" }, why ? words.unlisted(why) : words.nothingListed),
      h("div", { class: "choices" }, h("button", { id: "b-again", onclick: again }, words.again)),
    );
  }

  /** The ways in which the query can be made, where there is more than one. */
  modes() {
    const open = this.offered();
    if (open.length < 2) return null;
    return h(
      "div",
      { class: "b-modes", role: "radiogroup", "aria-label": words.how },
      open.map((mode) =>
        h(
          "label",
          { class: "b-check" },
          h("input", { type: "radio", name: "b-mode", value: mode, checked: mode === this.mode, onchange: () => this.turn(mode) }),
          words.modes[mode],
        ),
      ),
    );
  }

  /** @returns {Mode[]} */
  offered() {
    /** @type {Mode[]} */
    const modes = [this.mode];
    if (this.views.length && this.mode !== "json") modes.push("members");
    if (this.views.length) modes.push("sql");
    return [...new Set(modes)].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  }

  /** @param {Mode} mode */
  turn(mode) {
    this.mode = mode;
    this.make();
    this.changed();
  }

  /** Draws what the query is made with. */
  make() {
    const place = /** @type {HTMLElement} */ (this.writing);
    place.className = `b-making b-by-${this.mode}`;
    this.editor = undefined;
    this.panel = undefined;
    if (this.mode === "members") {
      const fields = new Members(this.draft, this.views);
      return fill(place, fields.element, h("div", { class: "b-zones" }, ...zones(this.draft), filters(this.draft), this.parameters.element, options(this.draft)));
    }
    const mode = this.mode;
    const editor = new Editor(words[mode], this.texts[mode], () => {
      this.texts[mode] = editor.value;
      this.changed();
    });
    this.editor = editor;
    const insert = (/** @type {string} */ name, /** @type {boolean} */ isTable) => editor.insert((before) => inserted(before, name, isTable));
    const beside = mode === "sql" && this.catalog.items.length > 0 && tree(this.catalog.items, insert);
    const written = h("div", { class: "b-card" }, mode === "json" && h("p", { class: "warn" }, words.asText), editor.element);
    if (mode === "json") return fill(place, written, this.parameters.element);
    this.panel = new PivotPanel(this.ofText, () => this.columns());
    return fill(place, beside, h("div", { class: "b-zones" }, written, this.parameters.element, this.panel.element));
  }

  /** The columns of the written query before its pivot; none of one that does not run. */
  async columns() {
    const sqlQuery = this.texts.sql;
    if (!sqlQuery.trim() || this.parameters.waits()) return new Map();
    const question = { sqlQuery, first: 1, ...this.asked() };
    const asked = JSON.stringify(question);
    if (this.known?.asked !== asked) {
      const answer = await this.face.api
        .post(`/deployments/${this.face.deployment}/previews`, question, { repeatable: true })
        .catch(() => ({ columns: [] })); // the preview says why
      this.known = { asked, columns: columnsOf(answer.columns ?? [], answer.rows ?? []) };
    }
    return this.known.columns;
  }

  /** Parameters are called otherwise, and may be chosen as such. */
  renamed() {
    this.draft.parameters = this.parameters.names();
    for (const follow of this.draft.followers) follow(false);
  }

  /** What a preview is told of parameters: those that are declared, or those that the report is not to have any more. */
  asked() {
    const declares = this.parameters.declarations();
    return { ...((declares || this.report?.parameters?.length) && { declares: declares ?? [] }), ...(declares && { parameters: this.parameters.tried() }) };
  }

  /** @returns {import("./shapes.mjs").Question | null} */
  question() {
    const definition = this.definition();
    if (!definition) return null;
    const { parameters, ...query } = definition;
    return { ...query, ...this.asked() };
  }

  /**
   * What ends a fault of parameters with a click.
   * @param {import("./shapes.mjs").Fault} fault
   * @returns {import("./preview.mjs").Remedy | null}
   */
  remedy(fault) {
    const { code, pointer = "" } = fault;
    if (code === "parameter_unused") {
      const n = Number(pointer.split("/")[2]);
      return { label: words.remove(this.parameters.names()[n] ?? ""), act: () => this.parameters.remove(n) };
    }
    if (code !== "parameter_undeclared") return null;
    const { jsonQuery = "", sqlQuery = "" } = this.definition() ?? {};
    const name = nameAt(fault, sqlQuery, jsonQuery);
    return name ? { label: words.declare(name), act: () => this.parameters.declare(name) } : null;
  }

  /** What conditions name where nothing is declared: the server looks for names only where something is. */
  undeclared() {
    if (this.mode !== "members" || this.parameters.names().length) return [];
    return undeclaredIn(this.definition()?.jsonQuery ?? "");
  }

  changed() {
    this.saving.suggest();
    this.preview.soon();
  }

  /**
   * What is built, as a report keeps it; null while there is nothing. A query and a pivot that nobody changed stay as they were written.
   * @returns {Definition | null}
   */
  definition() {
    const { report } = this;
    const parameters = this.parameters.declarations();
    if (this.mode !== "members") {
      const text = this.texts[this.mode];
      if (!text.trim()) return null;
      if (this.mode === "json") return { jsonQuery: text, pivotItems: this.pivotBefore, parameters };
      return { sqlQuery: text, pivotItems: this.unchanged(pivotOfText(this.ofText.state)), parameters };
    }
    const { state } = this.draft;
    if (!hasResult(state)) return null;
    const jsonQuery = JSON.stringify(queryOf(state));
    const pivotItems = pivotOf(state);
    const kept = report?.jsonQuery && sameQuery(report.jsonQuery, jsonQuery) ? report.jsonQuery : jsonQuery;
    return { jsonQuery: kept, pivotItems: this.unchanged(pivotItems), parameters };
  }

  /** A pivot as it was written if nobody changed it. @param {Pivot | null} pivot */
  unchanged(pivot) {
    return samePivot(this.pivotBefore, pivot) ? this.pivotBefore : pivot;
  }

  /** A name that the query suggests: "Amount by Region", or the table that it reads. */
  suggested() {
    const { rows, columns, values } = this.draft.state;
    const titles = (/** @type {string[]} */ names) => names.map((name) => this.draft.title(name)).join(", ");
    if (this.mode === "members") {
      const [what, by] = [titles(values), titles([...rows, ...columns].map(({ member }) => member))];
      return (what && by ? words.by(what, by) : what || by || words.unnamed).slice(0, 255);
    }
    const [, table = ""] = /\bFROM\s+([\w."]+)/i.exec(this.texts.sql) ?? [];
    return table.replaceAll('"', "") || words.unnamed;
  }

  /** Begins anew with the report as it is on the server now. */
  async reopen() {
    const report = await this.face.api.get(`/deployments/${this.face.deployment}/reports/${this.report?.id}`);
    await this.open(report);
  }
}

/** The order in which ways to make a query are offered. @type {Mode[]} */
const ORDER = ["members", "sql", "json"];
