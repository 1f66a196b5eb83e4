/** What differs between two definitions: fields, and of long texts their lines. */

/**
 * @typedef {{kind: "same" | "removed" | "added", line: string}} Line
 * @typedef {{field: string, before: unknown, after: unknown}} Difference
 */

/** Texts whose differing parts have more lines than that are told apart as a whole. */
const MOST = 1500;

/**
 * The fields of two definitions that differ, in the order of their names.
 * @param {Record<string, unknown>} before
 * @param {Record<string, unknown>} after
 * @returns {Difference[]}
 */
export function fields(before, after) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((field) =>
    canonical(before[field]) === canonical(after[field]) ? [] : [{ field, before: before[field], after: after[field] }],
  );
}

/**
 * JSON with the members of objects in order; nothing, null and an empty text mean the same in a definition.
 * @param {unknown} value
 * @returns {string}
 */
function canonical(value) {
  if (value === undefined || value === null || value === "") return "";
  return JSON.stringify(value, (_, v) =>
    v && typeof v === "object" && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v,
  );
}

/**
 * The lines of two texts: those that both have, in their order, and between them those that only one has.
 * @param {string} before
 * @param {string} after
 * @returns {Line[]}
 */
export function lines(before, after) {
  const [a, b] = [before, after].map((text) => (text === "" ? [] : text.split("\n")));
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return [
    ...all("same", a.slice(0, start)),
    ...between(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...all("same", a.slice(a.length - end)),
  ];
}

/**
 * @param {Line["kind"]} kind
 * @param {string[]} texts
 * @returns {Line[]}
 */
const all = (kind, texts) => texts.map((line) => ({ kind, line }));

/**
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Line[]}
 */
function between(a, b) {
  if (a.length > MOST || b.length > MOST) return [...all("removed", a), ...all("added", b)];
  const common = commonLengths(a, b);
  /** @type {Line[]} */
  const out = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      out.push({ kind: "same", line: a[i++] });
      j++;
    } else if (common[i + 1][j] >= common[i][j + 1]) out.push({ kind: "removed", line: a[i++] });
    else out.push({ kind: "added", line: b[j++] });
  }
  return [...out, ...all("removed", a.slice(i)), ...all("added", b.slice(j))];
}

/**
 * How many lines the rests of two texts have in common at most, by where the rests begin.
 * @param {string[]} a
 * @param {string[]} b
 */
function commonLengths(a, b) {
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  return common;
}
