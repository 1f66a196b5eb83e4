/** The schedules of one block: what refreshes it by itself, and when. */
import { ask, fill, h, mark } from "../ui/dom.mjs";
import { DAYS, OFTEN, cronOf, inWords } from "../ui/often.mjs";
import { text, when } from "../ui/text.mjs";
import { unreached, whyNot } from "./link.mjs";

/** What it says, in English. */
const words = {
  schedule: "Schedule",
  none: "This block is refreshed only when someone asks for it.",
  add: "Schedule it",
  how: "How often",
  at: "At",
  on: "On",
  cron: "Cron expression",
  zone: (/** @type {string} */ zone) => `Times are of ${zone}.`,
  save: "Save the schedule",
  saved: "The schedule is saved.",
  next: (/** @type {string} */ time) => `Next refresh ${time}`,
  whole: "with the whole document",
  report: "with all placements of the report",
  paused: "Paused",
  pause: "Pause",
  resume: "Resume",
  remove: "Delete",
  removeSure: "Delete this schedule?",
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Block} Block
 * @typedef {import("../interface.d.ts").Schedule} Schedule
 */

/**
 * @param {Pane} pane
 * @param {Block} block
 */
export function schedules(pane, block) {
  const base = `/deployments/${block.deployment}/refresh-schedules`;
  const place = h("section", { class: "card schedules" }, h("h3", {}, words.schedule), h("p", { class: "hint" }, text.loading));

  async function show() {
    /** @type {Schedule[]} */
    const all = await pane.api.all(`${base}?reportId=${block.report}`);
    const { document, link } = pane.store.state;
    const ids = [document.id, block.placement.workbookId, ...(link?.ids ?? []), undefined]; // of this document, and of no one
    const ours = all.filter(({ target: t }) => (t.placementId ? t.placementId === block.placement.id : ids.includes(t.externalWorkbookId)));
    fill(
      place,
      h("h3", {}, words.schedule),
      ours.length ? h("ul", { class: "edits" }, ours.map(item)) : h("p", { class: "hint" }, words.none),
      unreached(pane) ?? h("details", {}, h("summary", {}, words.add), form(save)),
    );
  }

  /** @param {Schedule} schedule */
  function item(schedule) {
    const scope = schedule.target.placementId ? "" : schedule.target.externalWorkbookId ? words.whole : words.report;
    const next = schedule.paused ? schedule.pausedReason || words.paused : words.next(when(schedule.nextFires[0], new Date(), schedule.timezone));
    const act = (/** @type {string} */ verb) => () => change(() => pane.api.post(`${base}/${schedule.id}/${verb}`, undefined));
    return h(
      "li",
      {},
      h("p", {}, h("b", {}, inWords(schedule.cron)), ` ${scope}`),
      h("p", { class: "hint" }, `${next} · ${schedule.timezone}`),
      h(
        "div",
        { class: "choices" },
        schedule.paused ? h("button", { onclick: act("resume") }, words.resume) : h("button", { onclick: act("pause") }, words.pause),
        h("button", { class: "danger", onclick: () => remove(schedule) }, words.remove),
      ),
    );
  }

  /** @param {Schedule} schedule */
  async function remove(schedule) {
    const sure = await ask({ title: words.removeSure, choices: [{ label: words.remove, value: true, kind: "danger" }], cancel: text.cancel });
    if (sure) await change(() => pane.api.delete(`${base}/${schedule.id}`));
  }

  /** @param {string} cron */
  function save(cron) {
    return change(
      () =>
        pane.api.post(
          base,
          {
            name: block.name.slice(0, 255),
            target: { reportId: block.report, placementId: block.placement.id },
            cron: [cron],
            timezone: zone(),
          },
          { headers: { "Idempotency-Key": crypto.randomUUID() }, repeatable: true },
        ),
      words.saved,
    );
  }

  /**
   * @param {() => Promise<any>} fn
   * @param {string} [done]
   */
  async function change(fn, done) {
    try {
      const answer = await fn();
      const said = [done, ...(answer?.warnings ?? []).map((/** @type {{message: string}} */ one) => one.message)].filter(Boolean);
      if (said.length) pane.notice({ sentence: said.join(" ") });
      await show();
    } catch (error) {
      pane.fail(error);
    }
  }
  pane.store.watch(place, (state) => whyNot(state.link), () => show().catch(pane.fail));
  return place;
}

function zone() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** @param {(cron: string) => Promise<void>} save */
function form(save) {
  const often = h(
    "select",
    { onchange: show },
    Object.entries(OFTEN).map(([value, label]) => h("option", { value }, label)),
  );
  const time = h("input", { type: "time", value: "07:00", required: true });
  const day = h(
    "select",
    {},
    DAYS.map((name, i) => h("option", { value: i, selected: i === 1 }, name)),
  );
  const cron = h("input", { type: "text", value: "0 7 * * 1-5", required: true, autocomplete: "off" });
  const field = (/** @type {string} */ name, /** @type {HTMLElement} */ control) =>
    h("label", { class: "field" }, h("span", {}, name), control);
  const at = field(words.at, time);
  const on = field(words.on, day);
  const custom = field(words.cron, cron);
  function show() {
    at.hidden = ["hourly", "custom"].includes(often.value);
    on.hidden = often.value !== "weekly";
    custom.hidden = often.value !== "custom";
  }
  show();
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    save(often.value === "custom" ? cron.value.trim() : cronOf(often.value, time.value, Number(day.value)));
  };
  return h(
    "form",
    { onsubmit: submit },
    h("div", { class: "fields" }, field(words.how, often), on, at, custom),
    h("p", { class: "hint" }, words.zone(zone())),
    h("button", {}, mark("clock"), words.save),
  );
}
