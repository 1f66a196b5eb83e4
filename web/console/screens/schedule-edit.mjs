/** Making a schedule, and changing one. */
import { Problem } from "../../ui/api.mjs";
import { fill, h } from "../../ui/dom.mjs";
import { DAYS, HOW, MINUTES, cronsOf, formOf } from "../../ui/often.mjs";
import { placeOf, rhythm } from "../../ui/rhythm.mjs";
import { zoneShown } from "../../ui/text.mjs";
import { name } from "../show.mjs";
import { text } from "../text.mjs";
import { suggestField } from "../parts/suggest.mjs";

/** What it says, in English. */
const words = {
  make: "New schedule",
  edit: "Edit the schedule",
  what: "What it refreshes",
  allBlocks: "All blocks of the report",
  inDocument: (/** @type {string} */ document) => `All blocks in ${document}`,
  often: "How often",
  minutes: "Minutes between",
  time: "At",
  day: "On",
  cron: "Cron expressions, one a line",
  zone: "Time zone",
  called: "Name",
  calledWhy: "Without one it is called after the report.",
  reads: "It fires",
  save: "Save",
  remove: "Delete",
  made: "The schedule is made.",
  cancel: "Cancel",
  noReport: "Choose a report.",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../parts/schedule.mjs").Schedule} Schedule
 * @typedef {import("../../ui/often.mjs").Form} Form
 * @typedef {import("../../interface.d.ts").Report} Report
 */

/**
 * @param {Console} app
 * @param {import("../addresses.mjs").Route} route schedules/new with the filters report and placement, or schedules/:id/edit
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app, { ids: [id], filters }) {
  const title = id ? words.edit : words.make;
  const body = h("div", { class: "stack" }, h("p", {}, text.loading));
  const element = h("section", { class: "screen" }, h("h2", { tabindex: -1 }, title), body);
  let begun = false; // what is being typed is not read again
  const load = async (/** @type {AbortSignal} */ signal) => {
    if (begun) return;
    /** @type {Schedule | null} */
    const schedule = id ? await app.api.get(app.at(`/refresh-schedules/${encodeURIComponent(id)}`), { signal }) : null;
    begun = true;
    const editor = new Editor(app, schedule, filters);
    fill(body, editor.element);
    await editor.begin();
  };
  return { title, element, load };
}

class Editor {
  /**
   * @param {Console} app
   * @param {Schedule | null} schedule null: a new one
   * @param {Record<string, string>} filters the report and placement that a new one is for
   */
  constructor(app, schedule, filters) {
    this.app = app;
    this.schedule = schedule;
    /** @type {Form} */
    this.form = schedule ? formOf(schedule.cron) : { how: "weekdays", minutes: 15, time: "07:00", day: 1, crons: [] };
    this.zone = schedule?.timezone ?? zoneShown();
    this.name = schedule?.name ?? "";
    this.report = String(schedule?.target.reportId ?? filters.report ?? "");
    this.target = targetKey(schedule?.target ?? { placementId: filters.placement });
    this.chosenReport = this.reportField();
    this.targets = h("select", { id: "schedule-target", onchange: (/** @type {any} */ e) => (this.target = e.target.value) });
    this.timing = h("div", { class: "filters" });
    this.reads = h("p", { role: "status" });
    this.fault = h("p", { class: "bad", role: "alert" });
    this.element = h(
      "form",
      { class: "card", onsubmit: (/** @type {Event} */ e) => (e.preventDefault(), void this.save().catch((error) => this.refused(error))) },
      h("div", { class: "filters" }, this.field("schedule-report", text.report, ...this.chosenReport.elements), this.field("schedule-target", words.what, this.targets)),
      this.timing,
      this.reads,
      this.field("schedule-name", words.called, this.input("schedule-name", "text", this.name, (value) => (this.name = value), { maxlength: 255, "aria-describedby": "schedule-name-why" })),
      h("p", { id: "schedule-name-why", class: "hint" }, words.calledWhy),
      this.fault,
      this.buttons(),
    );
  }

  /** Shows what may be chosen. */
  async begin() {
    this.drawTiming();
    await this.drawTargets();
  }

  buttons() {
    const { schedule, app } = this;
    return h(
      "div",
      { class: "choices" },
      h("button", { id: "schedule-save", class: "primary", type: "submit" }, words.save),
      h("a", { id: "schedule-cancel", class: "button", href: app.href(schedule ? ["schedules", schedule.id] : "schedules") }, words.cancel),
      schedule && h("button", { id: "schedule-delete", type: "button", class: "danger", onclick: () => this.remove(schedule.id).catch(app.fail) }, words.remove),
    );
  }

  reportField() {
    const chosen = (/** @type {string} */ id) => {
      this.report = id;
      this.target = "";
      this.drawTargets().catch(this.app.fail);
    };
    return suggestField(this.app, { id: "schedule-report", kind: "report", value: this.report, required: true, chosen });
  }

  /** The blocks of the report, each of which may be meant alone, and the documents they are in. */
  async drawTargets() {
    /** @type {Report | null} */
    const report = this.report ? await this.app.api.get(this.app.at(`/reports/${encodeURIComponent(this.report)}`)) : null;
    const placed = report?.externalWorkbookPlacements ?? [];
    const documents = new Map(placed.map(({ workbookId, workbookName }) => [workbookId, workbookName || workbookId]));
    /** @type {[string, string][]} */
    const options = [
      ["", words.allBlocks],
      ...[...documents].map(([id, called]) => /** @type {[string, string]} */ ([targetKey({ externalWorkbookId: id }), words.inDocument(called)])),
      ...placed.map((p) => /** @type {[string, string]} */ ([targetKey({ placementId: p.id }), `${p.workbookName || p.workbookId} › ${p.resultLocation}`])),
    ];
    fill(this.targets, options.map(([value, label]) => h("option", { value, selected: value === this.target }, label)));
  }

  drawTiming() {
    const { form } = this;
    const change = (/** @type {Partial<Form>} */ to) => {
      Object.assign(form, to);
      this.read(); // what is being typed in stays as it is
    };
    const days = DAYS.map((label, i) => /** @type {[string, string]} */ ([String(i), label]));
    fill(
      this.timing,
      this.field("schedule-often", words.often, this.select("schedule-often", Object.entries(HOW), form.how, (how) => (change({ how: /** @type {Form["how"]} */ (how) }), this.drawTiming()))),
      form.how === "minutes" &&
        this.field("schedule-minutes", words.minutes, this.select("schedule-minutes", MINUTES.map((n) => [String(n), String(n)]), String(form.minutes), (n) => change({ minutes: Number(n) }))),
      form.how === "weekly" && this.field("schedule-day", words.day, this.select("schedule-day", days, String(form.day), (day) => change({ day: Number(day) }))),
      ["daily", "weekdays", "weekly"].includes(form.how) &&
        this.field("schedule-time", words.time, this.input("schedule-time", "time", form.time, (time) => time && change({ time }), { required: true })),
      form.how === "custom" &&
        this.field(
          "schedule-cron",
          words.cron,
          h("textarea", { id: "schedule-cron", rows: 3, required: true, onchange: (/** @type {any} */ e) => change({ crons: e.target.value.split("\n").map((/** @type {string} */ one) => one.trim()).filter(Boolean) }), value: form.crons.join("\n") }),
        ),
      !["minutes", "hourly"].includes(form.how) && this.field("schedule-zone", words.zone, ...this.zoneField()),
    );
    this.read();
  }

  /** Says how often it fires with what the form says now. */
  read() {
    fill(this.reads, words.reads, " ", h("b", {}, name(rhythm(cronsOf(this.form), this.zone) || "…")));
  }

  zoneField() {
    const zones = [...new Set([zoneShown(), "UTC", ...Intl.supportedValuesOf("timeZone")])];
    const list = h("datalist", { id: "schedule-zones" }, zones.map((value) => h("option", { value, label: placeOf(value) })));
    return [this.input("schedule-zone", "text", this.zone, (zone) => ((this.zone = zone), this.read()), { list: list.id, required: true, autocomplete: "off" }), list];
  }

  /**
   * @param {string} id
   * @param {string} label
   * @param {...import("../../ui/dom.mjs").Child} control
   */
  field(id, label, ...control) {
    return h("label", { class: "field", for: id }, h("span", {}, label), ...control);
  }

  /**
   * @param {string} id
   * @param {string} type
   * @param {string} value
   * @param {(value: string) => void} changed
   * @param {Record<string, unknown>} props
   */
  input(id, type, value, changed, props) {
    return h("input", { id, type, value, onchange: (/** @type {any} */ e) => changed(e.target.value.trim()), ...props });
  }

  /**
   * @param {string} id
   * @param {[string, string][]} options
   * @param {string} chosen
   * @param {(value: string) => void} changed
   */
  select(id, options, chosen, changed) {
    const list = options.map(([value, label]) => h("option", { value, selected: value === chosen }, label));
    return h("select", { id, onchange: (/** @type {any} */ e) => changed(e.target.value) }, list);
  }

  async save() {
    const { app, schedule } = this;
    fill(this.fault);
    await this.chosenReport.settled();
    if (!this.report) return fill(this.fault, words.noReport);
    const body = { name: this.name, cron: cronsOf(this.form), timezone: this.zone, target: { reportId: Number(this.report), ...JSON.parse(this.target || "{}") } };
    const saved = schedule
      ? await app.api.put(app.at(`/refresh-schedules/${schedule.id}`), { ...body, expectedVersion: schedule.version })
      : await app.api.post(app.at("/refresh-schedules"), body);
    await app.go(["schedules", saved.id]);
    const warnings = (saved.warnings ?? []).map((/** @type {{message: string}} */ one) => one.message);
    app.notice({ sentence: [schedule ? text.saved : words.made, ...warnings].join(" "), tone: warnings.length ? "warn" : "good" });
  }

  /** @param {number} id */
  async remove(id) {
    await this.app.api.delete(this.app.at(`/refresh-schedules/${id}`));
    await this.app.go("schedules");
  }

  /** Says beside the button why it was not saved. @param {any} error */
  refused(error) {
    if (!(error instanceof Problem)) return this.app.fail(error);
    const details = error.details.map(({ pointer, message }) => `${pointer.replace(/^\//, "")} ${message}`);
    fill(this.fault, [error.message, ...details].join(" "));
  }
}

/**
 * A target below its report as the value of an option.
 * @param {{placementId?: string, externalWorkbookId?: string}} target
 */
function targetKey({ placementId, externalWorkbookId }) {
  if (placementId) return JSON.stringify({ placementId });
  return externalWorkbookId ? JSON.stringify({ externalWorkbookId }) : "";
}
