/** What saving a report changes where it stands, in words. */
import { words } from "./words.mjs";

/** @typedef {import("./shapes.mjs").Changes} Changes */

/** So many names a sentence has. */
const NAMED = 5;

/**
 * The sentences of what saving changes; none: nothing that anybody sees.
 * @param {Changes | undefined} changes
 * @returns {string[]}
 */
export function changesInWords({ columns = {}, documents = [], blocks = 0, stopped = [] } = {}) {
  const { appear = [], vanish = [], changed = [] } = columns;
  const retyped = changed.map((one) => (typeof one === "string" ? one : one.name));
  return [
    ...vanish.flatMap(({ name, placements = [], formulas = [] }) => [
      words.vanish(name, placements.length),
      ...(formulas.length ? [words.formulas(formulas.length, named(formulas))] : []),
    ]),
    ...(appear.length ? [words.appear(named(appear))] : []),
    ...(retyped.length ? [words.retyped(named(retyped))] : []),
    ...(blocks ? [words.reaches(blocks, documents.length)] : []),
    ...(stopped.length ? [words.stopped(stopped.length, `${stopped[0].placement}: ${stopped[0].message}`)] : []),
  ];
}

/** @param {string[]} names */
function named(names) {
  const list = names.slice(0, NAMED).join(", ");
  return names.length > NAMED ? words.andMore(list, names.length - NAMED) : list;
}
