/** What ends the conflict of a block: room for its rows, a decision over what was changed there, other values, or another sheet or report. */

/** What it says, in English. */
const words = {
  /** @type {Record<string, string>} */
  help: {
    room: "Move the rows below out of the way, or clear the cells.",
    clash: "Change the sheet or the report as it says, then refresh.",
    values: "Change its values, or the cells they come from, then refresh.",
  },
};

/** @typedef {{lastRun?: Pick<import("../../interface.d.ts").LastRun, "conflict">}} Met */

/** Whether a refresh that moves the rows below ends the conflict of a block. @param {Met} placement */
export const lacksRoom = ({ lastRun }) => lastRun?.conflict?.room?.shiftRows ?? false;

/** Whether a refresh that writes over ends the conflict of a block: else the sheet or the report has to be changed first. @param {Met} placement */
export const overwrites = ({ lastRun }) => lastRun?.conflict?.overwrite ?? false;

/** What ends a conflict: a run of which kind, if any does. @param {Met} placement */
export const conflictOf = (placement) => (lacksRoom(placement) ? "room" : overwrites(placement) ? "conflict" : placement.lastRun?.conflict?.values ? "values" : "clash");

/** What helps in a conflict of a kind; "" where one only has to decide. @param {string} kind */
export const conflictHelp = (kind) => words.help[kind] ?? "";

/** What helps a block in conflict that is not merely edited; "" for others. @param {Met & {syncStatus: string}} placement */
export const conflictRemedy = (placement) => (placement.syncStatus === "CONFLICT" ? conflictHelp(conflictOf(placement)) : "");
