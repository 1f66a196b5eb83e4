/** The versions of a report's definition: who made each and when, what it changed, and taking one up again. */
import { ask, fill, h } from "../../ui/dom.mjs";
import { message, name, person, time } from "../show.mjs";
import { text } from "../text.mjs";
import { fields, lines } from "./diff.mjs";
import { Table } from "./table.mjs";

/** What it says, in English. */
const words = {
  nothing: "(nothing)",
  current: "(now)",
  noVersions: "No version is kept.",
  compare: "Compare",
  compareIs: (/** @type {number} */ version) => `Compare version ${version} with the one before`,
  compared: (/** @type {number | undefined} */ before, /** @type {number} */ version) =>
    before ? `From version ${before} to version ${version}` : `Version ${version}, the first that is kept`,
  changedLines: "Lines before and after",
  sameDefinition: "The definitions are the same.",
  restore: "Restore",
  restoreIs: (/** @type {number} */ version) => `Restore version ${version}`,
  restoreSure: (/** @type {number} */ version) => `Restore version ${version}?`,
  restoreWhat: "It becomes the newest version; the ones between are kept. This is what changes:",
  restored: (/** @type {number} */ version) => `Version ${version} is restored.`,
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").ListedVersion} Version
 */

/** Fields whose lines are compared. */
const BY_LINES = ["sqlQuery", "jsonQuery", "description"];

export class Versions {
  /**
   * @param {Console} app
   * @param {string} path of the report
   */
  constructor(app, path) {
    this.app = app;
    this.path = path;
    /** @type {import("./impact.mjs").Report | null} */
    this.report = null;
    this.table = new Table(app, {
      label: text.versions,
      path: `${path}/versions`,
      columns: this.columns(),
      empty: words.noVersions,
      page: 10,
    });
    this.compared = h("div", {});
    this.element = h("div", { class: "stack" }, this.table.element, this.compared);
  }

  /** @returns {import("./table.mjs").Column<Version>[]} */
  columns() {
    return [
      {
        head: text.version,
        cell: ({ version, current }) => [String(version), current && h("span", { class: "muted" }, ` ${words.current}`)],
      },
      { head: text.changedAt, cell: ({ updatedAt }) => time(updatedAt) },
      { head: text.changedBy, cell: ({ updatedBy }) => person(updatedBy) },
      { head: text.name, cell: (version) => name(version.name, { max: 60 }) },
      { head: text.actions, class: "actions", cell: (version) => this.buttons(version) },
    ];
  }

  /** @param {Version} version */
  buttons({ version, current }) {
    const compare = h(
      "button",
      { id: `compare-${version}`, "aria-label": words.compareIs(version), onclick: () => this.compare(version).catch(this.app.fail) },
      words.compare,
    );
    if (current || !this.report?.canEdit) return [compare];
    return [
      compare,
      " ",
      h(
        "button",
        { id: `restore-${version}`, "aria-label": words.restoreIs(version), onclick: () => this.restore(version).catch(this.app.fail) },
        words.restore,
      ),
    ];
  }

  /**
   * @param {import("./impact.mjs").Report} report
   * @param {AbortSignal} signal
   */
  async load(report, signal) {
    this.report = report;
    await this.table.load(signal);
  }

  /**
   * @param {number} version
   * @returns {Promise<Record<string, unknown>>}
   */
  async definition(version) {
    return (await this.app.api.get(`${this.path}/versions/${version}`)).definition;
  }

  /**
   * Shows what a version changed in the one before it, or how the report began.
   * @param {number} version
   */
  async compare(version) {
    const before = this.table.items[this.table.items.findIndex((one) => one.version === version) + 1]?.version;
    const [then, now] = await Promise.all([before ? this.definition(before) : {}, this.definition(version)]);
    const changed = fields(then, now);
    fill(
      this.compared,
      h(
        "div",
        { class: "card", role: "region", "aria-label": words.compared(before, version) },
        h("h4", { id: "compared", tabindex: -1 }, words.compared(before, version)),
        changed.length ? changed.map(difference) : h("p", { class: "muted" }, words.sameDefinition),
      ),
    );
    document.getElementById("compared")?.focus();
  }

  /**
   * Makes a version's definition the report's again, as a new version. One that is made meanwhile is not lost: the server refuses then.
   * @param {number} version
   */
  async restore(version) {
    const expectedVersion = this.report?.version;
    const [now, then] = await Promise.all([this.definition(Number(expectedVersion)), this.definition(version)]);
    const sure = await ask({
      title: words.restoreSure(version),
      body: [h("p", {}, words.restoreWhat), h("div", { class: "scroll" }, fields(now, then).map(difference))],
      choices: [{ label: words.restore, value: true, kind: "primary" }],
      cancel: text.cancel,
    });
    if (!sure) return;
    await this.app.api.put(this.path, { ...then, expectedVersion });
    this.app.notice({ sentence: words.restored(version) });
    this.app.changed();
  }
}

/** @param {import("./diff.mjs").Difference} difference */
function difference({ field, before, after }) {
  return h(
    "div",
    { class: "difference" },
    h("p", { class: "muted" }, name(field)),
    BY_LINES.includes(field) ? byLines(before, after) : byValue(before, after),
  );
}

/**
 * @param {unknown} before
 * @param {unknown} after
 */
function byLines(before, after) {
  const signs = { same: " ", removed: "−", added: "+" };
  return h(
    "pre",
    { tabindex: 0, role: "region", "aria-label": words.changedLines },
    lines(String(before ?? ""), String(after ?? "")).map(({ kind, line }) =>
      h("span", { class: `line ${kind}` }, h("span", { class: "sign" }, signs[kind]), h("bdi", {}, line), "\n"),
    ),
  );
}

/**
 * @param {unknown} before
 * @param {unknown} after
 */
function byValue(before, after) {
  const shown = (/** @type {unknown} */ value) =>
    value === undefined || value === null ? words.nothing : message(typeof value === "string" ? value : JSON.stringify(value), 400);
  return h("p", {}, h("del", {}, shown(before)), " → ", h("ins", {}, shown(after)));
}
