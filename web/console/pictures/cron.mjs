/**
 * When cron expressions fire, as the service computes it (refresh/cron): in a zone, where a wall time that daylight saving skips fires at
 * the first instant after the gap and one that occurs twice fires at its first occurrence only.
 */
import { DAY, HOUR, instant, MINUTE, spans } from "./zone.mjs";

/**
 * @typedef {{minute: Set<number>, hour: Set<number>, dom: Set<number>, month: Set<number>, dow: Set<number>, both: boolean}} Fields
 *   both: the day of the month and the day of the week must match; else either
 */

/** What @every counts from: the zero time of the service. */
const EPOCH = Date.parse("0001-01-01T00:00:00Z");

/** @type {Record<string, string>} */
const DESCRIPTORS = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const MONTHS = ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
/** Zones are at most 14 hours from UTC, and a gap of their clocks may be a day long. */
const MARGIN = 2 * DAY;

const UNITS = { h: HOUR, m: MINUTE, s: 1000 };

/**
 * The instants in [from, to) at which any of the expressions fires, in order. Null when one of them, or the zone, cannot be read here.
 * @param {string[]} specs
 * @param {string} zone
 * @param {number} from
 * @param {number} to
 * @returns {number[] | null}
 */
export function fires(specs, zone, from, to) {
  /** @type {Set<number>} */
  const found = new Set();
  try {
    const known = spans(zone, from - MARGIN, to + MARGIN);
    for (const spec of specs.map((s) => s.trim())) {
      for (const at of spec.startsWith("@every ") ? multiples(interval(spec.slice(7)), from, to) : instants(parse(spec), known, from, to)) {
        if (at >= from && at < to) found.add(at);
      }
    }
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * @param {string} spec five fields or a descriptor
 * @returns {Fields}
 */
function parse(spec) {
  const fields = (DESCRIPTORS[spec] ?? spec).split(/\s+/);
  if (fields.length !== 5) throw new RangeError(`not five fields: ${spec}`);
  const [minute, hour, dom, month, dow] = fields;
  return {
    minute: values(minute, 0, 59),
    hour: values(hour, 0, 23),
    dom: values(dom, 1, 31),
    month: values(month, 1, 12, MONTHS),
    dow: values(dow, 0, 6, WEEKDAYS),
    both: starred(dom) || starred(dow),
  };
}

/** @param {string} field */
function starred(field) {
  return field.split(",").some((range) => /^[*?](-\w*)?(\/0*1)?$/.test(range));
}

/**
 * @param {string} field ranges such as 1-5, 0-59/10 or mon, with commas between them
 * @param {number} min
 * @param {number} max
 * @param {string[]} [names]
 */
function values(field, min, max, names = []) {
  /** @type {Set<number>} */
  const found = new Set();
  for (const range of field.split(",")) {
    if (!range) continue;
    const [, low, high, step] = /^([*?]|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(range) ?? [];
    const star = low === "*" || low === "?";
    const first = star ? min : value(low, names);
    const last = star || (step && !high) ? max : value(high ?? low, names);
    const by = Number(step ?? 1);
    if (!(first >= min && first <= last && last <= max && by > 0)) throw new RangeError(`not a range: ${range}`);
    for (let n = first; n <= last; n += by) found.add(n);
  }
  return found;
}

/**
 * @param {string | undefined} word
 * @param {string[]} names
 */
function value(word, names) {
  const named = names.indexOf(word?.toLowerCase() ?? "-");
  return named >= 0 ? named : Number(word);
}

/**
 * The instants of the wall times that match, for a time somewhat longer than [from, to).
 * @param {Fields} fields
 * @param {import("./zone.mjs").Span[]} zone
 * @param {number} from
 * @param {number} to
 */
function* instants(fields, zone, from, to) {
  for (let day = Math.floor((from - MARGIN) / DAY) * DAY; day < to + MARGIN; day += DAY) {
    const date = new Date(day);
    const dom = fields.dom.has(date.getUTCDate());
    const dow = fields.dow.has(date.getUTCDay());
    if (!fields.month.has(date.getUTCMonth() + 1) || !(fields.both ? dom && dow : dom || dow)) continue;
    for (const hour of fields.hour) for (const minute of fields.minute) yield instant(zone, day + hour * HOUR + minute * MINUTE);
  }
}

/**
 * @param {number} step
 * @param {number} from
 * @param {number} to
 */
function* multiples(step, from, to) {
  for (let at = EPOCH + Math.ceil((from - EPOCH) / step) * step; at < to; at += step) yield at;
}

/** @param {string} duration such as 1h30m */
function interval(duration) {
  let length = 0;
  const rest = duration.trim().replace(/(\d+(?:\.\d+)?)([hms])/g, (_, n, unit) => {
    length += Number(n) * UNITS[/** @type {keyof typeof UNITS} */ (unit)];
    return "";
  });
  length = Math.round(length);
  if (rest || length < MINUTE) throw new RangeError(`not an interval: ${duration}`);
  return length;
}
