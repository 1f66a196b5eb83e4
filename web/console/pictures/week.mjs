/**
 * A week of a zone, and what a schedule does in it: which fires are to come, and what became of those that are past.
 */
import { fires } from "./cron.mjs";
import { DAY, instant, MINUTE, spans, wallAt } from "./zone.mjs";

/** What became of a fire, in English. @type {Record<Outcome, string>} */
export const outcomeWords = {
  due: "to come",
  paused: "does not fire, paused",
  running: "not ended yet",
  done: "succeeded",
  failed: "failed",
  stopped: "stopped",
  skipped: "skipped",
  waiting: "waits",
  superseded: "taken over by a newer run",
  caughtUp: "caught up late",
  missed: "missed",
  unknown: "no run known",
};

/**
 * @typedef {{zone: string, monday: string, from: number, to: number, spans: import("./zone.mjs").Span[], days: Day[]}} Week
 * @typedef {{date: string, today: boolean, skipped: [number, number][], repeated: [number, number][]}} Day skipped and repeated: the
 *   minutes of the day that its clocks do not show, or show twice
 * @typedef {"due" | "paused" | "running" | "done" | "failed" | "stopped" | "skipped" | "superseded" | "waiting" | "caughtUp" | "missed" |
 *   "unknown"} Outcome
 * @typedef {{at: number, day: number, minute: number, outcome: Outcome, run?: Run, label?: string, href?: string}} Fire
 *   label and href: of the schedule, where there are several
 * @typedef {import("../../interface.d.ts").Run} Whole
 * @typedef {Pick<Whole, "trigger" | "state" | "fireTime" | "missedFires" | "error"> & Partial<Pick<Whole, "attempt" | "nextAttemptAt">>} Run
 *   what became of a tick
 * @typedef {Pick<import("../../interface.d.ts").Schedule, "cron" | "timezone" | "createdAt" | "paused" | "nextFires">} Times
 *   what a schedule says of its fires
 */

/**
 * The Monday of the week of an instant, such as 2026-11-23.
 * @param {string} zone
 * @param {number} at
 */
export function mondayOf(zone, at) {
  const day = Math.floor(wallAt(spans(zone, at, at), at) / DAY);
  return isoDate((day - ((day + 3) % 7)) * DAY); // day 0 was a Thursday
}

/**
 * The Monday so many weeks later.
 * @param {string} monday
 * @param {number} weeks
 */
export function weeksLater(monday, weeks) {
  return isoDate(Date.parse(monday) + weeks * 7 * DAY);
}

/** @param {number} wall */
function isoDate(wall) {
  return new Date(wall).toISOString().slice(0, 10);
}

/**
 * The week that begins on a Monday of a zone. Throws a RangeError if the zone is not known here or that is no date.
 * @param {string} zone
 * @param {string} monday
 * @param {number} now
 * @returns {Week}
 */
export function weekOf(zone, monday, now) {
  const start = Date.parse(`${monday}T00:00Z`);
  if (Number.isNaN(start)) throw new RangeError(`not a date: ${monday}`);
  const known = spans(zone, start - 2 * DAY, start + 9 * DAY);
  const today = isoDate(wallAt(known, now));
  const days = Array.from({ length: 7 }, (_, i) => {
    const date = isoDate(start + i * DAY);
    return { date, today: date === today, ...changes(known, start + i * DAY) };
  });
  return { zone, monday, from: instant(known, start), to: instant(known, start + 7 * DAY), spans: known, days };
}

/**
 * What the changes of a zone's clocks do to a day.
 * @param {import("./zone.mjs").Span[]} zone
 * @param {number} day
 */
function changes(zone, day) {
  /** @type {[number, number][]} */
  const skipped = [];
  /** @type {[number, number][]} */
  const repeated = [];
  for (let i = 1; i < zone.length; i++) {
    const [before, after] = [zone[i].from + zone[i - 1].offset, zone[i].from + zone[i].offset];
    const [from, to] = [Math.min(before, after) - day, Math.max(before, after) - day].map((ms) => Math.max(0, Math.min(DAY, ms)) / MINUTE);
    if (from < to) (before < after ? skipped : repeated).push([from, to]);
  }
  return { skipped, repeated };
}

/**
 * The fires of a schedule in a week, with what became of them as far as its runs say. exact is false where only the next few are known,
 * because the expressions cannot be expanded here.
 * @param {Times} schedule
 * @param {Run[]} runs
 * @param {Week} week
 * @param {number} now
 * @returns {{fires: Fire[], exact: boolean}}
 */
export function firesIn(schedule, runs, week, now) {
  const from = Math.max(week.from, Date.parse(schedule.createdAt));
  const computed = fires(schedule.cron, schedule.timezone, from, week.to + DAY); // a run catches up for at most a day
  const ticks = runs.filter((run) => run.trigger === "schedule" || run.trigger === "catchUp");
  const byTime = new Map(ticks.map((run) => [Date.parse(run.fireTime), run]));
  const known = computed ?? schedule.nextFires.map((at) => Date.parse(at));
  // An earlier cron of the schedule may have fired at other times.
  const all = [...new Set([...known, ...byTime.keys()])].sort((a, b) => a - b);
  const missed = missedBefore(ticks, all);
  const list = all
    .filter((at) => at >= week.from && at < week.to)
    .map((at) => {
      const run = byTime.get(at);
      const wall = wallAt(week.spans, at);
      const day = Math.round((Math.floor(wall / DAY) * DAY - Date.parse(week.monday)) / DAY);
      const outcome = run ? outcomeOf(run) : at > now ? (schedule.paused ? "paused" : "due") : missed.has(at) ? "missed" : "unknown";
      return { at, day, minute: Math.floor((wall % DAY) / MINUTE), outcome, run: run ?? missed.get(at) };
    });
  return { fires: list, exact: computed !== null };
}

/** @type {Record<string, Outcome>} */
const OUTCOME = {
  QUEUED: "running",
  RUNNING: "running",
  SUCCEEDED: "done",
  FAILED: "failed",
  STOPPED: "stopped",
  SKIPPED: "skipped",
  SUPERSEDED: "superseded",
};

/**
 * @param {Run} run
 * @returns {Outcome}
 */
function outcomeOf(run) {
  const outcome = OUTCOME[run.state] ?? "unknown";
  if (run.state === "QUEUED" && ((run.attempt ?? 0) > 0 || run.nextAttemptAt)) return "waiting"; // it was tried
  return outcome === "done" && run.trigger === "catchUp" ? "caughtUp" : outcome;
}

/**
 * The fires that a later run stands for, with that run.
 * @param {Run[]} runs
 * @param {number[]} known all fires, in order
 */
function missedBefore(runs, known) {
  /** @type {Map<number, Run>} */
  const missed = new Map();
  for (const run of runs) {
    if (!run.missedFires) continue;
    const before = known.filter((at) => at < Date.parse(run.fireTime));
    for (const at of before.slice(-run.missedFires)) missed.set(at, run);
  }
  return missed;
}

/** More marks in an hour than these are drawn as one. */
const FEW = 4;

/**
 * Fires that are drawn as one mark: those of a minute, or of an hour in which there are too many to tell apart. Its outcome is the one that
 * needs most attention.
 * @param {Fire[]} list
 * @returns {{day: number, minute: number, minutes: number, outcome: Outcome, fires: Fire[]}[]}
 */
export function grouped(list) {
  const hours = groupBy(list, ({ day, minute }) => day * 24 + Math.floor(minute / 60));
  return [...hours].flatMap(([hour, fires]) => {
    const minutes = groupBy(fires, ({ minute }) => minute);
    const day = Math.floor(hour / 24);
    if (minutes.size > FEW) return [{ day, minute: (hour % 24) * 60, minutes: 60, outcome: worst(fires), fires }];
    return [...minutes].map(([minute, some]) => ({ day, minute, minutes: 0, outcome: worst(some), fires: some }));
  });
}

/**
 * @param {Fire[]} list
 * @param {(fire: Fire) => number} key
 */
function groupBy(list, key) {
  /** @type {Map<number, Fire[]>} */
  const groups = new Map();
  for (const fire of list) {
    const group = groups.get(key(fire));
    if (group) group.push(fire);
    else groups.set(key(fire), [fire]);
  }
  return groups;
}

/** Outcomes, those first that need most attention. @type {Outcome[]} */
export const OUTCOMES = ["failed", "missed", "skipped", "stopped", "waiting", "running", "superseded", "caughtUp", "done", "paused", "due", "unknown"];

/** @param {Fire[]} some */
function worst(some) {
  return OUTCOMES[Math.min(...some.map((fire) => OUTCOMES.indexOf(fire.outcome)))];
}
