/**
 * Cells that parameters of reports take their values from, as the pane reads them: for a plan that asks for them, and to tell what they say
 * between runs. It is loaded where a placement has such cells.
 */
import { formatLocation, parseLocation } from "./address.mjs";
import { follow, parameterMark } from "./parameters.mjs";
import { PortError } from "./port.mjs";

/** What it says, in English. */
const words = {
  none: "This spreadsheet program does not say what stands in cells that reports take values from: let an agent refresh the block.",
};

/**
 * @typedef {import("./port.mjs").Port} Port
 * @typedef {import("./port.mjs").FoundParameter} FoundParameter
 * @typedef {import("./port.mjs").ParameterCell} ParameterCell
 * @typedef {{name: string, cell: string, number: number, named: boolean, list: boolean}} Asked named: the name of that number is of these cells
 * @typedef {import("../interface.d.ts").Parameter} Parameter
 * @typedef {import("../interface.d.ts").ParameterValue} Value
 */

/**
 * Reads what a plan asks for. members go to the server; named has the document follow the cells by names once the patch is written.
 * @param {Port} port
 * @param {string} placementId
 * @param {Asked[]} asked
 */
export async function answered(port, placementId, asked) {
  if (!port.parameters) throw new PortError("refused", words.none);
  const list = asked.map(({ cell, number, named, list: several }) => ({ id: named ? parameterMark(placementId, number) : "", rect: rectOf(cell), list: several }));
  const found = await port.parameters(list);
  const by = (/** @type {(found: FoundParameter, n: number) => unknown} */ what) =>
    Object.fromEntries(asked.flatMap(({ name }, n) => {
      const value = what(found[n], n);
      return value === undefined ? [] : [[name, value]];
    }));
  const members = {
    parameters: by(({ fault, cells }, n) => (fault ? undefined : asked[n].list ? cells.map(asJSON) : asJSON(cells[0]))),
    parameterCells: by(({ rect, fault }, n) => (fault || formatLocation(rect) === asked[n].cell ? undefined : formatLocation(rect))),
    parameterFaults: by(({ fault }) => fault),
    ...(found.some(({ date1904 }) => date1904) && { date1904: true }),
  };
  const unnamed = asked.flatMap(({ number }, n) => (found[n].marked || found[n].fault ? [] : [{ id: parameterMark(placementId, number), rect: found[n].rect }]));
  const named = (/** @type {import("./port.mjs").Patch} */ patch, /** @type {{sheet: string, had: number}} */ block) => follow(port, patch, block, unnamed);
  return { members, named };
}

/** @param {string} cell */
function rectOf(cell) {
  const { range: _, ...rect } = parseLocation(cell);
  return rect;
}

/** A cell as the server takes it. @param {ParameterCell} cell @returns {unknown} */
export function asJSON({ value, date, covered }) {
  if (covered) return { covered: true };
  return date && typeof value === "number" ? { date: value } : value;
}

/**
 * What cells of a placement say now, and where they stand, by the names of parameters: of each that takes its value from a cell.
 * @param {Port} port
 * @param {{id: string, parameters?: Record<string, {cell?: string}>, parameterNumbers?: Record<string, number>}} placement
 * @param {Pick<Parameter, "name" | "list">[]} [declared] by the report; without them several cells are read of any
 * @returns {Promise<Map<string, FoundParameter>>}
 */
export async function standing(port, { id, parameters = {}, parameterNumbers = {} }, declared) {
  const of = Object.entries(parameters).flatMap(([name, { cell }]) => (cell ? [{ name, rect: rectOf(cell), number: parameterNumbers[name] }] : []));
  if (!of.length || !port.parameters) return new Map();
  const several = (/** @type {string} */ name) => !declared || Boolean(declared.find((one) => one.name === name)?.list);
  const found = await port.parameters(of.map(({ name, rect, number }) => ({ id: number ? parameterMark(id, number) : "", rect, list: several(name) })));
  return new Map(of.map(({ name }, n) => [name, found[n]]));
}

/** Days from the beginning of serial dates to that of Unix time, and from 1900's beginning to 1904's. */
const UNIX = 25_569;
const FROM_1904 = 1462;

/** The first serial date that all programs agree on. */
const FIRST = 61;

/**
 * The value that cells say, as the server reads them; undefined for blank ones, null for those that say none.
 * @param {Pick<Parameter, "type" | "list">} parameter
 * @param {Pick<FoundParameter, "cells" | "date1904" | "fault">} found
 * @returns {Value | undefined | null}
 */
export function valueIn({ type, list }, { cells, date1904, fault }) {
  if (fault) return null;
  const values = cells.filter(({ value, covered }) => covered || value !== null).map((cell) => scalarIn(type, cell, date1904));
  if (values.includes(null)) return null;
  if (!values.length) return undefined;
  return list ? /** @type {any} */ (values) : values[0];
}

/**
 * @param {Parameter["type"]} type
 * @param {ParameterCell} cell
 * @param {boolean} from1904
 * @returns {string | number | boolean | null}
 */
function scalarIn(type, { value, date, covered }, from1904) {
  if (covered || typeof value === "object") return null;
  if (type === "text") return textIn(value, Boolean(date));
  if (type === "date") return dayIn(value, from1904);
  if (type === "number") return typeof value === "number" && !date ? value : null;
  return typeof value === "boolean" ? value : null;
}

/** @param {string | number | boolean} value @param {boolean} date */
function textIn(value, date) {
  if (date && typeof value === "number") return null;
  return typeof value === "boolean" ? String(value).toUpperCase() : String(value);
}

/** @param {string | number | boolean} value @param {boolean} from1904 */
function dayIn(value, from1904) {
  if (typeof value === "string") return /^\d{4}-\d\d-\d\d$/.test(value) ? value : null;
  if (typeof value !== "number") return null;
  const serial = value + (from1904 ? FROM_1904 : 0);
  return Number.isInteger(serial) && serial >= FIRST ? new Date((serial - UNIX) * 86_400_000).toISOString().slice(0, 10) : null;
}
