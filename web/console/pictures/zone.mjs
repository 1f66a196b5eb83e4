/**
 * Wall times and instants of an IANA time zone. A wall time is written as the milliseconds that it would be in UTC, so that the arithmetic
 * of days and hours is plain.
 */

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** No zone has changed its clocks twice within so long. */
const PROBE = 6 * HOUR;

/**
 * A span of time in which a zone's offset from UTC stays the same; it ends where the next begins.
 * @typedef {{from: number, offset: number}} Span
 */

/** @type {Map<string, Intl.DateTimeFormat>} */
const clocks = new Map();

/**
 * How far a zone's clocks are ahead of UTC at an instant. Throws a RangeError for a zone that the browser does not know.
 * @param {string} zone
 * @param {number} at
 */
export function offset(zone, at) {
  let clock = clocks.get(zone);
  if (!clock) {
    clock = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    clocks.set(zone, clock);
  }
  /** @type {Record<string, number>} */
  const part = {};
  for (const { type, value } of clock.formatToParts(at)) part[type] = Number(value);
  return Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) - Math.floor(at / 1000) * 1000;
}

/**
 * The spans of a zone that cover some time, the first and the last one longer than it.
 * @param {string} zone
 * @param {number} from
 * @param {number} to
 * @returns {Span[]}
 */
export function spans(zone, from, to) {
  const all = [{ from: -Infinity, offset: offset(zone, from) }];
  for (let at = from; at < to; at += PROBE) {
    const before = all[all.length - 1].offset;
    const after = offset(zone, at + PROBE);
    if (after === before) continue;
    let [low, high] = [at, at + PROBE]; // the change lies in (low, high]
    while (high - low > 1000) {
      const middle = low + Math.ceil((high - low) / 2000) * 1000;
      if (middle < high && offset(zone, middle) === before) low = middle;
      else if (middle < high) high = middle;
      else break;
    }
    all.push({ from: high, offset: after });
  }
  return all;
}

/**
 * When a wall time comes: its first occurrence, or the end of the gap that swallows it (decisions.md §7).
 * @param {Span[]} zone
 * @param {number} wall
 */
export function instant(zone, wall) {
  for (let i = 0; i < zone.length; i++) {
    const at = Math.max(wall - zone[i].offset, zone[i].from); // the clocks have jumped over it: the first instant after
    if (at < (zone[i + 1]?.from ?? Infinity)) return at;
  }
  return NaN;
}

/**
 * What the clocks show at an instant.
 * @param {Span[]} zone
 * @param {number} at
 */
export function wallAt(zone, at) {
  return at + spanAt(zone, at).offset;
}

/**
 * @param {Span[]} zone
 * @param {number} at
 */
function spanAt(zone, at) {
  let found = zone[0];
  for (const span of zone) if (span.from <= at) found = span;
  return found;
}
