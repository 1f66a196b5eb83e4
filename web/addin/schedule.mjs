/** The schedules of one block: what refreshes it by itself, and when. */
import { ask, fill, h } from "../ui/dom.mjs";
import { rhythm } from "../ui/rhythm.mjs";
import { text, when } from "../ui/text.mjs";
import { unreached, whyNot } from "./link.mjs";

/** What it says, in English. */
const words = {
  schedule: "Schedule",
  none: "This block is refreshed only when someone asks for it.",
  add: "Schedule it",
  edit: "Change",
  editNamed: (/** @type {string} */ when) => `Change “${when}”`,
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
  const zone = pane.store.state.me?.deployments.find(({ id }) => id === block.deployment)?.timezone ?? "UTC";
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
      unreached(pane) ?? opens(words.add, words.add, save, zone),
    );
  }

  /** @param {Schedule} schedule */
  function item(schedule) {
    const scope = schedule.target.placementId ? "" : schedule.target.externalWorkbookId ? words.whole : words.report;
    const next = schedule.paused ? schedule.pausedReason || words.paused : words.next(when(schedule.nextFires[0], new Date(), schedule.timezone));
    const times = rhythm(schedule.cron, schedule.timezone);
    const put = (/** @type {string[]} */ cron) =>
      change(() => pane.api.put(`${base}/${schedule.id}`, { cron, expectedVersion: schedule.version }), words.saved);
    const act = (/** @type {string} */ verb) => () => change(() => pane.api.post(`${base}/${schedule.id}/${verb}`, undefined));
    return h(
      "li",
      {},
      h("p", {}, h("b", {}, times), ` ${scope}`),
      h("p", { class: "hint" }, `${next} · ${schedule.timezone}`),
      h(
        "div",
        { class: "choices" },
        schedule.paused ? h("button", { onclick: act("resume") }, words.resume) : h("button", { onclick: act("pause") }, words.pause),
        h("button", { class: "danger", onclick: () => remove(schedule) }, words.remove),
      ),
      opens(words.edit, words.editNamed(times), put, schedule.timezone, schedule.cron),
    );
  }

  /**
   * The fields of a schedule, once they are asked for.
   * @param {string} label
   * @param {string} name
   * @param {[save: (cron: string[]) => Promise<void>, zone: string, crons?: string[]]} fields
   */
  function opens(label, name, ...fields) {
    const open = async () => {
      const { form } = await import("./timing.mjs");
      if (!details.querySelector("form")) details.append(form(...fields));
    };
    const details = h("details", { ontoggle: () => open().catch(pane.fail) }, h("summary", { "aria-label": name }, label));
    return details;
  }

  /** @param {Schedule} schedule */
  async function remove(schedule) {
    const sure = await ask({ title: words.removeSure, choices: [{ label: words.remove, value: true, kind: "danger" }], cancel: text.cancel });
    if (sure) await change(() => pane.api.delete(`${base}/${schedule.id}`));
  }

  /** @param {string[]} cron */
  function save(cron) {
    return change(
      () =>
        pane.api.post(
          base,
          {
            name: block.name.slice(0, 255),
            target: { reportId: block.report, placementId: block.placement.id },
            cron,
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
