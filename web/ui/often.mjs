/** How often: the cron expressions that people choose by their words, and the words for them. */

/** The words for how often. */
export const OFTEN = { weekdays: "Every weekday", daily: "Every day", weekly: "Every week", hourly: "Every hour", custom: "Custom (cron)" };
export const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/**
 * @param {string} often
 * @param {string} time such as 07:00
 * @param {number} day of the week
 */
export function cronOf(often, time, day) {
  const [hour, minute] = time.split(":").map(Number);
  const days = { weekdays: "1-5", daily: "*", weekly: String(day) }[often];
  return days ? `${minute} ${hour} * * ${days}` : "0 * * * *";
}

/**
 * What people choose to have these times: of those that have no words, "custom".
 * @param {string[]} crons
 */
export function oftenOf(crons) {
  const [, minute = "0", hour = "7", days = ""] = (crons.length === 1 && /^(\d+) (\d+) \* \* (1-5|\*|\d)$/.exec(crons[0])) || [];
  const often = days ? { "1-5": "weekdays", "*": "daily" }[days] ?? "weekly" : inWords(crons) === OFTEN.hourly ? "hourly" : "custom";
  const day = /^\d$/.test(days) ? Number(days) % 7 : 1;
  return { often, time: `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`, day };
}

/**
 * The times of a schedule in words, where there are some for them.
 * @param {string[]} crons
 */
export function inWords(crons) {
  return crons
    .map((cron) => {
      if (cron === "0 * * * *" || cron === "@hourly") return OFTEN.hourly;
      const [, minute, hour, days] = /^(\d+) (\d+) \* \* (1-5|\*|\d)$/.exec(cron) ?? [];
      if (!days) return cron;
      const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
      const often = days === "*" ? OFTEN.daily : days === "1-5" ? OFTEN.weekdays : `Every ${DAYS[Number(days) % 7]}`;
      return `${often}, ${time}`;
    })
    .join("; ");
}
