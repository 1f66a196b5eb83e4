/** The fields of how often a block is refreshed by itself. */
import { h, mark } from "../ui/dom.mjs";
import { DAYS, HOW, MINUTES, cronsOf, formOf } from "../ui/often.mjs";

/** What it says, in English. */
const words = {
  how: "How often",
  minutes: "Minutes between",
  at: "At",
  on: "On",
  cron: "Cron expression",
  zone: (/** @type {string} */ zone) => `Times are of ${zone}.`,
  save: "Save the schedule",
};

/** @typedef {import("../ui/often.mjs").Form} Form */

/**
 * @param {(cron: string[]) => Promise<void>} save
 * @param {string} zone whose times they are
 * @param {string[]} [crons] as it is; none for a new schedule
 */
export function form(save, zone, crons = ["0 7 * * 1-5"]) {
  const is = formOf(crons);
  const how = choice(Object.entries(HOW), is.how);
  const minutes = choice(MINUTES.map((n) => [n, n]), is.minutes);
  const time = h("input", { type: "time", value: is.time, required: true });
  const day = choice(DAYS.map((name, i) => [i, name]), is.day);
  const cron = h("input", { type: "text", value: crons.join("; "), required: true, autocomplete: "off" });
  const fields = [field(words.minutes, minutes), field(words.on, day), field(words.at, time), field(words.cron, cron)];
  const show = () => {
    const asked = ASKED[how.value] ?? [];
    fields.forEach((one, i) => {
      one.hidden = !asked.includes(i);
    });
  };
  how.addEventListener("change", show);
  show();
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const crons = cron.value.split(";").map((one) => one.trim());
    save(cronsOf({ how: /** @type {Form["how"]} */ (how.value), minutes: Number(minutes.value), time: time.value, day: Number(day.value), crons }));
  };
  return h(
    "form",
    { onsubmit: submit },
    h("div", { class: "fields" }, field(words.how, how), fields),
    h("p", { class: "hint" }, words.zone(zone)),
    h("button", {}, mark("clock"), words.save),
  );
}

/** Which of the fields are asked for, by how often: minutes, day, time, expression. @type {Record<string, number[]>} */
const ASKED = { minutes: [0], daily: [2], weekdays: [2], weekly: [1, 2], custom: [3] };

/**
 * @param {[value: string | number, label: string | number][]} options
 * @param {string | number} chosen
 */
const choice = (options, chosen) =>
  h("select", {}, options.map(([value, label]) => h("option", { value, selected: value === chosen }, label)));

/**
 * @param {string} name
 * @param {HTMLElement} control
 */
const field = (name, control) => h("label", { class: "field" }, h("span", {}, name), control);
