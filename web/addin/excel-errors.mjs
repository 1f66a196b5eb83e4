/** What Office.js refuses, as a sentence for the person. */
import { PortError } from "./port.mjs";

/** @type {Record<string, [import("./port.mjs").PortCode, string]>} */
const SENTENCES = {
  AccessDenied: ["protected", "The sheet is protected, or the workbook can only be read: unprotect it, or place the report elsewhere."],
  InvalidOperationInCellEditMode: ["busy", "A cell is being edited: finish with Enter, then refresh again."],
  InvalidSelection: ["refused", "Several ranges are selected: select one."],
  ItemNotFound: ["gone", "The sheet or the block is gone: place the report again."],
  InvalidReference: ["gone", "The sheet or the block is gone: place the report again."],
  InsertDeleteConflict: ["refused", "A table or a merged cell lies across the rows to insert: move the block or the table."],
  MergedRangeConflict: ["refused", "Merged cells lie in the way: unmerge them, or place the report elsewhere."],
  FilteredRangeConflict: ["refused", "A filter lies over the block: clear it, then refresh again."],
  PivotTableRangeConflict: ["refused", "A pivot table lies in the way: move it, or place the report elsewhere."],
  NonBlankCellOffSheet: ["too_large", "The sheet has no room for more rows: cells at its end are filled."],
  RequestPayloadSizeLimitExceeded: ["too_large", "A row is too large for Excel to take at once: let the report return shorter texts."],
  ResponsePayloadSizeLimitExceeded: ["too_large", "A row is too large for Excel to return at once: shorten its texts."],
  RangeExceedsLimit: ["too_large", "The block is larger than Excel lets an add-in handle: let the report return less."],
  OperationCellsExceedLimit: ["too_large", "The block is larger than Excel lets an add-in handle: let the report return less."],
  RequestAborted: ["busy", "Excel broke off the request: refresh again."],
  InactiveWorkbook: ["busy", "Another workbook is in front: return to this one, then refresh again."],
};

/**
 * @param {unknown} error
 * @returns {unknown} the PortError, or the error itself if it is none of Excel's
 */
export function explain(error) {
  const code = codeOf(error);
  if (error instanceof PortError || code === "") return error;
  const [kind, message] = SENTENCES[code] ?? ["refused", `Excel refused the request (${code}): reload the pane, then refresh again.`];
  return new PortError(kind, message);
}

/**
 * The code of an error of Office.js, "" for any other.
 * @param {unknown} error
 */
export function codeOf(error) {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
