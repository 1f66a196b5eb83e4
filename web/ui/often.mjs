/** How often a schedule fires, as a form has it, and as cron expressions. */

/** What the ways are called, in English. */
export const HOW = {
  minutes: "Every few minutes",
  hourly: "Every hour",
  daily: "Every day",
  weekdays: "Every weekday",
  weekly: "Every week",
  custom: "Otherwise (cron)",
};

/** The days of the week, as cron counts them. */
export const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** What divides an hour. */
export const MINUTES = [1, 2, 5, 10, 15, 20, 30];

/** @typedef {{how: keyof typeof HOW, minutes: number, time: string, day: number, crons: string[]}} Form crons: as typed, for what has no words */

/**
 * @param {Form} form
 * @returns {string[]}
 */
export function cronsOf({ how, minutes, time, day, crons }) {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  switch (how) {
    case "minutes":
      return [minutes === 1 ? "* * * * *" : `*/${minutes} * * * *`];
    case "hourly":
      return ["0 * * * *"];
    case "daily":
      return [`${minute} ${hour} * * *`];
    case "weekdays":
      return [`${minute} ${hour} * * 1-5`];
    case "weekly":
      return [`${minute} ${hour} * * ${day}`];
  }
  return crons;
}

/**
 * The form that has some expressions; as they are, where no other has them.
 * @param {string[]} crons
 * @returns {Form}
 */
export function formOf(crons) {
  const form = { how: /** @type {const} */ ("custom"), minutes: 15, time: "07:00", day: 1, crons };
  if (crons.length !== 1) return form;
  const [cron] = crons;
  if (cron === "0 * * * *" || cron === "@hourly") return { ...form, how: "hourly" };
  const step = /^(?:\*\/(1|2|5|10|15|20|30)|\*) \* \* \* \*$/.exec(cron);
  if (step) return { ...form, how: "minutes", minutes: Number(step[1] ?? 1) };
  const [, minute, hour, days] = /^(\d{1,2}) (\d{1,2}) \* \* (1-5|\*|[0-7])$/.exec(cron) ?? [];
  if (!days) return form;
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (days === "*") return { ...form, how: "daily", time };
  return days === "1-5" ? { ...form, how: "weekdays", time } : { ...form, how: "weekly", time, day: Number(days) % 7 };
}
