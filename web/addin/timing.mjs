/** The fields of how often a block is refreshed by itself. */
import { h, mark } from "../ui/dom.mjs";
import { DAYS, OFTEN, cronOf, oftenOf } from "../ui/often.mjs";

/** What it says, in English. */
const words = {
  how: "How often",
  at: "At",
  on: "On",
  cron: "Cron expression",
  zone: (/** @type {string} */ zone) => `Times are of ${zone}.`,
  save: "Save the schedule",
};

/**
 * @param {(cron: string[]) => Promise<void>} save
 * @param {string} zone whose times they are
 * @param {string[]} [crons] as it is; none for a new schedule
 */
export function form(save, zone, crons = ["0 7 * * 1-5"]) {
  const is = oftenOf(crons);
  const often = h(
    "select",
    { onchange: show },
    Object.entries(OFTEN).map(([value, label]) => h("option", { value, selected: value === is.often }, label)),
  );
  const time = h("input", { type: "time", value: is.time, required: true });
  const day = h(
    "select",
    {},
    DAYS.map((name, i) => h("option", { value: i, selected: i === is.day }, name)),
  );
  const cron = h("input", { type: "text", value: crons.join("; "), required: true, autocomplete: "off" });
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
  const said = () => cron.value.split(";").map((one) => one.trim());
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    save(often.value === "custom" ? said() : [cronOf(often.value, time.value, Number(day.value))]);
  };
  return h(
    "form",
    { onsubmit: submit },
    h("div", { class: "fields" }, field(words.how, often), on, at, custom),
    h("p", { class: "hint" }, words.zone(zone)),
    h("button", {}, mark("clock"), words.save),
  );
}
