/** Cells of parameters in Excel. Which of them merged cells cover it tells since ExcelApi 1.13. */
import { loadPlace } from "./workbook.mjs";
import { officeCells } from "../mooring.mjs";
import { covered, isDateFormat, misfit, unread } from "../parameters.mjs";
import { EXCEL_NAMES, markName } from "../port.mjs";

/** @typedef {import("../port.mjs").ParameterCells} ParameterCells */
/** @typedef {import("../port.mjs").FoundParameter} FoundParameter */
/** @typedef {import("../port.mjs").Rect} Rect */

/**
 * Reads cells by their names, or else where they were last.
 * @param {Excel.RequestContext} context
 * @param {ParameterCells[]} list
 * @returns {Promise<FoundParameter[]>}
 */
export async function parametersOf(context, list) {
  const named = await Promise.all(list.map(async ({ id }) => (id ? markName(id, EXCEL_NAMES) : "")));
  const looks = list.map(({ rect }, i) => {
    const name = named[i] ? context.workbook.names.getItemOrNullObject(named[i]).load("formula") : null;
    const range = name?.getRangeOrNullObject();
    const place = range && loadPlace(range);
    return { name, range, place, sheet: context.workbook.worksheets.getItemOrNullObject(rect.sheet).load("name") };
  });
  const day = context.workbook.functions.date(2000, 1, 1).load("value");
  await context.sync();
  const areas = looks.map(({ name, range, place, sheet }, i) => {
    const { rect: last, list: several } = list[i];
    const marked = name !== null && !name.isNullObject;
    if (marked && range?.isNullObject) return unread(last, true, name.formula.includes("#REF!") ? "deleted" : "shape");
    if (!marked && sheet.isNullObject) return unread(last, false, "sheet");
    const rect = marked && place ? place() : { ...last, sheet: sheet.name };
    const fault = misfit(rect, several);
    return fault ? unread(rect, marked, fault) : { rect, marked, ...load(context, rect) };
  });
  await context.sync();
  for (const area of areas) if ("range" in area && area.merged && !area.merged.isNullObject) area.merged.areas.load(PLACE);
  await context.sync();
  const date1904 = day.value === FIRST_OF_2000;
  return areas.map((area) => ("range" in area ? found(area, date1904) : area));
}

const PLACE = "items/rowIndex,items/columnIndex,items/rowCount,items/columnCount";

/** The number of that day where days count from 1904. Excel does not tell otherwise that they do. */
const FIRST_OF_2000 = 35064;

/**
 * Queues the reading of a rectangle.
 * @param {Excel.RequestContext} context
 * @param {Rect} rect
 */
function load(context, { sheet, row, column, rows, columns }) {
  const range = context.workbook.worksheets.getItem(sheet).getRangeByIndexes(row, column, rows, columns)
    .load("values,valueTypes,formulas,numberFormat");
  return { range, merged: Office.context.requirements.isSetSupported("ExcelApi", "1.13") ? range.getMergedAreasOrNullObject().load("areaCount") : null };
}

/**
 * @param {{rect: Rect, marked: boolean, range: Excel.Range, merged: Excel.RangeAreas | null}} area
 * @param {boolean} date1904
 * @returns {FoundParameter}
 */
function found({ rect, marked, range, merged }, date1904) {
  const areas = merged && !merged.isNullObject ? merged.areas.items.map((area) =>
    ({ row: area.rowIndex, column: area.columnIndex, rows: area.rowCount, columns: area.columnCount })) : [];
  const hidden = covered(rect, areas);
  const [formats, types] = [range.numberFormat.flat(), range.valueTypes.flat()];
  const cells = officeCells(range.values, range.valueTypes).flat().map((value, i) => ({
    value: value === "" && types[i] === "Empty" ? null : /** @type {import("../port.mjs").Cell} */ (value),
    ...(isDateFormat(String(formats[i])) && { date: true }),
    ...(hidden[i] && { covered: true }),
  }));
  return { rect, marked, date1904, cells };
}
