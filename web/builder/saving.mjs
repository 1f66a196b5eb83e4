/** Saving a report: under which name, what that changes, and what somebody else saved meanwhile. */
import { ask, h } from "../ui/dom.mjs";
import { Problem } from "../ui/api.mjs";
import { faultText } from "../ui/parameters.mjs";
import { when } from "../ui/text.mjs";
import { changesInWords } from "./changes.mjs";
import { words } from "./words.mjs";

/**
 * @typedef {import("./shapes.mjs").Face} Face
 * @typedef {import("./shapes.mjs").Report} Report
 * @typedef {import("./shapes.mjs").Definition} Definition
 * @typedef {import("./shapes.mjs").Answer} Answer
 * @typedef {{name: string, folderId: number | null, sqlQuery: string | null, jsonQuery: string | null, pivotItems: unknown, parameters: unknown}} Body
 */

export class Saving {
  /**
   * @param {Face} face
   * @param {Report | null} report that is edited
   * @param {{definition: () => Definition | null, suggested: () => string, answer: () => Promise<(Answer & {unknown?: string}) | null>, reopen: () => void}} of answer: to
   *   the preview of what is saved; reopen: shows the report as it is on the server
   */
  constructor(face, report, of) {
    this.face = face;
    this.report = report;
    this.of = of;
    this.named = Boolean(report); // by a person
    this.name = h("input", {
      type: "text",
      id: "b-name",
      value: report?.name ?? "",
      maxlength: 255,
      autocomplete: "off",
      oninput: () => {
        this.named = this.name.value !== "";
      },
    });
    this.folder = h("input", { type: "number", id: "b-folder", min: 1, step: 1, value: report?.folderId ?? "" });
    this.buttons = h("div", { class: "choices" }, this.choices());
    this.element = h(
      "section",
      { class: "b-card b-saving", "aria-label": words.save },
      h(
        "div",
        { class: "b-fields" },
        h("label", { class: "b-field b-wide" }, h("span", {}, words.name), this.name),
        h("label", { class: "b-field" }, h("span", {}, words.folder), this.folder),
      ),
      this.buttons,
    );
  }

  choices() {
    const button = (/** @type {string} */ label, /** @type {() => Promise<Report | null>} */ save, /** @type {string} */ kind, go = this.face.saved) =>
      h("button", { class: kind, onclick: () => this.act(save, go) }, label);
    const { report, face } = this;
    return [
      face.place && button(words.place, () => this.save(), "primary", face.place),
      button(words.save, () => this.save(), face.place ? "" : "primary"),
      report && button(words.saveAs, () => this.create(), ""),
    ];
  }

  /** Gives the report the name that its query suggests, unless a person has given it one. */
  suggest() {
    if (!this.named) this.name.value = this.of.suggested();
  }

  /**
   * @param {() => Promise<Report | null>} save null: the person turned away
   * @param {(report: Report) => void} go
   */
  async act(save, go) {
    const buttons = [...this.buttons.querySelectorAll("button")];
    if (buttons.some((one) => one.ariaDisabled)) return;
    for (const one of buttons) one.ariaDisabled = "true"; // a disabled one would lose the focus
    try {
      const saved = await save();
      if (saved) go(saved);
    } catch (error) {
      this.face.fail(error);
    } finally {
      for (const one of buttons) one.ariaDisabled = null;
    }
  }

  /**
   * What is sent; null, said, if something is missing.
   * @returns {Body | null}
   */
  body() {
    const definition = this.of.definition();
    const name = this.name.value.trim();
    if (!definition || !name) {
      this.face.say(definition ? words.needsName : words.needsQuery);
      if (definition) this.name.focus();
      return null;
    }
    const { sqlQuery = null, jsonQuery = null, pivotItems, parameters } = definition;
    return { name, folderId: Number(this.folder.value) || null, sqlQuery, jsonQuery, pivotItems, parameters };
  }

  path() {
    return `/deployments/${this.face.deployment}/reports`;
  }

  save() {
    return this.report ? this.update(this.report) : this.create();
  }

  /** @returns {Promise<Report | null>} */
  async create() {
    const body = this.body();
    if (!body || !(await this.agreed(null))) return null;
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const report = await this.face.api.post(this.path(), body, { headers, repeatable: true });
    this.face.say(words.saved(report.name));
    return report;
  }

  /**
   * @param {Report} report
   * @returns {Promise<Report | null>}
   */
  async update(report) {
    const body = this.body();
    if (!body || !(await this.agreed(report))) return null;
    return this.put(body, report.version);
  }

  /**
   * Asks whether to save, if there is something to know first.
   * @param {Report | null} report that is changed; null for a new one
   */
  async agreed(report) {
    const { faults = [], changes, unknown } = await this.answer();
    const refused = faults.filter(({ code }) => code?.startsWith("parameter_"));
    if (refused.length) {
      this.face.say(words.refused(refused.map(faultText).join(" ")));
      return false;
    }
    const said = report ? [...(unknown ? [words.unknownChanges(unknown)] : []), ...changesInWords(changes)] : [];
    const managed = report?.managedBy && words.managed(report.managedBy.project);
    const body = [managed && h("p", {}, managed), faults.length > 0 && faulty(faults), said.length > 0 && h("ul", { class: "b-list" }, said.map((one) => h("li", {}, one)))];
    if (!body.some(Boolean)) return true;
    const label = managed ? words.managedSave : faults.length ? words.saveAllTheSame : words.save;
    const kind = managed || faults.length ? "danger" : "primary";
    return ask({ title: words.whatChanges, body, choices: [{ label, value: true, kind }], cancel: words.goOn });
  }

  /**
   * What the preview says; unknown: why it says nothing.
   * @returns {Promise<Answer & {unknown?: string}>}
   */
  async answer() {
    try {
      return (await this.of.answer()) ?? {};
    } catch (error) {
      if (error instanceof Problem) return { unknown: error.message };
      throw error;
    }
  }

  /**
   * @param {Body} body
   * @param {number} expectedVersion
   * @returns {Promise<Report | null>}
   */
  async put(body, expectedVersion) {
    const path = `${this.path()}/${this.report?.id}`;
    try {
      const report = await this.face.api.put(path, { ...body, expectedVersion });
      this.report = report;
      this.face.say(words.saved(report.name));
      return report;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "version_mismatch") throw error;
    }
    /** @type {Report} */
    const theirs = await this.face.api.get(path);
    const choice = await ask({
      title: words.conflict,
      body: [h("p", {}, words.conflictWhat(whoOf(theirs), when(theirs.updatedAt))), bothSides(theirs, body)],
      choices: [
        { label: words.takeYours, value: "yours", kind: "danger" },
        { label: words.takeTheirs, value: "theirs" },
      ],
      cancel: words.goOn,
    });
    if (choice === "theirs") this.of.reopen();
    return choice === "yours" ? this.put(body, theirs.version) : null;
  }
}

/** @param {Report} report */
const whoOf = ({ updatedBy, user }) => updatedBy?.firstName || updatedBy?.email || user.firstName || user.email || words.somebody;

/** @param {{pointer?: string, message: string}[]} faults */
const faulty = (faults) => h("p", { class: "bad" }, words.faulty, " ", faults.map(faultText).join(" "));

/**
 * What the server has beside what is to be saved, where they differ.
 * @param {Report} theirs
 * @param {Body} yours
 */
function bothSides(theirs, yours) {
  const members = /** @type {[string, (of: any) => string][]} */ ([
    [words.name, ({ name }) => name],
    [words.folder, ({ folderId }) => String(folderId ?? "")],
    [words.sql, ({ sqlQuery }) => sqlQuery ?? ""],
    [words.json, ({ jsonQuery }) => jsonQuery ?? ""],
    [words.parameters, ({ parameters }) => (parameters?.length ? JSON.stringify(parameters, null, 1) : "")],
    [words.pivot, ({ pivotItems }) => (pivotItems ? JSON.stringify(pivotItems, null, 1) : "")],
  ]);
  const differing = members.filter(([, read]) => read(theirs) !== read(yours));
  const side = (/** @type {string} */ label, /** @type {string} */ what, /** @type {string} */ written) =>
    h("div", {}, h("h4", {}, label), h("div", { class: "b-code", tabindex: 0, role: "region", "aria-label": `${what}: ${label}`, dir: "auto" }, written || "–"));
  return h(
    "div",
    { class: "b-sides" },
    differing.map(([what, read]) =>
      h("section", {}, h("h3", {}, what), h("div", { class: "b-pair" }, side(words.theirs, what, read(theirs)), side(words.yours, what, read(yours)))),
    ),
  );
}
