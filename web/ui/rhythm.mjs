/** How often a schedule fires, as one would say it: "every 2 minutes", "weekdays 07:00 Berlin". */
import { count } from "./text.mjs";

/** What it says, in English. */
const words = {
  every: (/** @type {number} */ n, /** @type {string} */ unit) => (n === 1 ? `every ${unit}` : `every ${count(n, unit)}`),
  past: (/** @type {number} */ minute) => `every hour at :${two(minute)}`,
  daily: "daily",
  weekdays: "weekdays",
  weekend: "weekends",
  days: ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"],
  monthly: (/** @type {string} */ days) => `monthly on day ${days}`,
  and: "and",
};

/** @type {Record<string, string>} */
const DESCRIPTORS = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
};

/** @param {number} n */
const two = (n) => String(n).padStart(2, "0");

/**
 * How often a schedule fires; an expression for which there are no words is told as it is.
 * @param {string[]} crons
 * @param {string} zone whose clocks the times of the day are of
 */
export function rhythm(crons, zone) {
  return listed(crons.map((cron) => said(cron.trim(), placeOf(zone))));
}

/** What a zone is called beside a time: its last part. @param {string} zone */
export function placeOf(zone) {
  return (zone.split("/").pop() ?? zone).replaceAll("_", " ");
}

/**
 * @param {string} cron
 * @param {string} place
 */
function said(cron, place) {
  const spaced = /^@every\s+(?:(\d+)h)?(?:(\d+)m)?(?:0*s)?$/.exec(cron);
  if (spaced) return spacedBy(Number(spaced[1] ?? 0) * 60 + Number(spaced[2] ?? 0)) || cron;
  const [minute, hour, dom, month, dow] = (DESCRIPTORS[cron] ?? cron).split(/\s+/);
  if (month !== "*" || !dow) return cron;
  if (dom === "*" && dow === "*") {
    const often = oftenInADay(minute, hour);
    if (often) return often;
  }
  const times = timesOf(minute, hour);
  const days = daysOf(dom, dow);
  return times && days ? `${days} ${listed(times)} ${place}` : cron;
}

/** @param {number} minutes */
function spacedBy(minutes) {
  if (!minutes) return "";
  return minutes % 60 === 0 ? words.every(minutes / 60, "hour") : words.every(minutes, "minute");
}

/**
 * What fires several times a day at one pace.
 * @param {string} minute
 * @param {string} hour
 */
function oftenInADay(minute, hour) {
  const step = /^(?:\*|0-59)(?:\/(\d+))?$/.exec(minute);
  if (step && hour === "*") return 60 % Number(step[1] ?? 1) === 0 ? words.every(Number(step[1] ?? 1), "minute") : "";
  if (minute.includes(",") || !within(minute, 59)) return "";
  if (hour === "*") return minute === "0" ? words.every(1, "hour") : words.past(Number(minute));
  const hours = /^(?:\*|0-23)\/(\d+)$/.exec(hour);
  return hours && minute === "0" && 24 % Number(hours[1]) === 0 ? words.every(Number(hours[1]), "hour") : "";
}

/**
 * Whether a field lists numbers, of which the greatest may be so much.
 * @param {string} field
 * @param {number} most
 */
const within = (field, most) => field.split(",").every((n) => /^\d+$/.test(n) && Number(n) <= most);

/** More times of a day are not told one by one. */
const TOLD = 4;

/**
 * @param {string} minute
 * @param {string} hour
 */
function timesOf(minute, hour) {
  if (!within(minute, 59) || !within(hour, 23)) return null;
  const times = hour.split(",").flatMap((h) => minute.split(",").map((m) => `${two(Number(h))}:${two(Number(m))}`));
  return times.length <= TOLD ? times : null;
}

/**
 * @param {string} dom
 * @param {string} dow
 */
function daysOf(dom, dow) {
  if (dom !== "*") return dow === "*" && within(dom, 31) ? words.monthly(listed(dom.split(","))) : "";
  if (dow === "*") return words.daily;
  if (/^(1-5|mon-fri)$/i.test(dow)) return words.weekdays;
  if (/^(0,6|6,0|6-7|sat,sun)$/i.test(dow)) return words.weekend;
  return within(dow, 7) ? listed(dow.split(",").map((day) => words.days[Number(day) % 7])) : "";
}

/** @param {string[]} list */
function listed(list) {
  return list.length < 2 ? list.join("") : `${list.slice(0, -1).join(", ")} ${words.and} ${list[list.length - 1]}`;
}
