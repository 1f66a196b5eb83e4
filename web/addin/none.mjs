/** The port of a pane that stands beside no spreadsheet: it lists placements, and writes nothing. */
import { PortError } from "./port.mjs";

/**
 * @param {{location: {search: string}}} window the query may name the document to list: ?document=board.xlsx
 * @returns {Promise<import("./port.mjs").Port>}
 */
export async function open(window) {
  const id = new URLSearchParams(window.location.search).get("document") ?? "";
  const refuse = async () => {
    throw new PortError("refused", "This page stands beside no spreadsheet: open Mooring from Excel or Google Sheets.");
  };
  return {
    host: "",
    kind: "none",
    document: async () => ({ id, name: id }),
    identify: async () => {},
    adopt: refuse,
    selection: refuse,
    read: refuse,
    apply: refuse,
    marks: async () => [],
    stamp: async () => null,
    mark: refuse,
    unmark: refuse,
    reveal: refuse,
    watch: () => () => {},
    settings: { get: async () => null, set: refuse },
  };
}
