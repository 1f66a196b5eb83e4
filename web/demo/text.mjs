/** What the demo says. */
import { count } from "../ui/text.mjs";

export const text = {
  product: "Mooring",
  demo: "demo",
  noToken: "Open the link that mooring demo printed: nobody is signed in here, or who was is no longer.",
  linkUsed: "This link has signed a browser in before, and does so once. Go on there; or start mooring demo again, which prints another link. The console takes the TOKEN that it printed as a key.",
  console: "Console",
  noServer: "The demo does not answer. If it was ended, start it again with mooring demo, and open the address that it prints.",
  change: "Change the source",
  type: "Type into the block",
  insert: "Insert a row above",
  sort: "Sort the block",
  stop: "Stop the agent",
  start: "Start the agent",
  refresh: "Refresh",
  undo: "Undo",
  redo: "Redo",
  welcome: "Edit the sheet as you like, or try the buttons and watch the framed table.",
  pane: "Task pane",
  sheets: "Sheets",
  actions: "Try it",
  saved: (/** @type {string} */ name) => `Saved in ${name}`,
  saving: "Saving …",
  waiting: "Waiting: the file is open elsewhere",
  offline: "The demo does not answer; what you type is kept here",
  agentRuns: "Agent running",
  agentStopped: "Agent stopped",
  changed: (/** @type {string[]} */ states) =>
    `The database has new 2020 counts of ${listed(states)}. The sheet does not know yet: refresh.`,
  typed: (/** @type {string} */ cell, /** @type {string} */ value) =>
    `Typed “${value}” into ${cell}, where the source has a number. A refresh will keep it and count it as an edit.`,
  inserted: (/** @type {number} */ row) => `Inserted a row above row ${row}. The block moved, and its mark with it.`,
  sorted: (/** @type {boolean} */ descending) =>
    `Sorted the block from ${descending ? "Z to A" : "A to Z"}. A refresh puts the rows back in the source's order.`,
  stopped: "The agent has stopped: refreshes wait now, and none is lost.",
  started: "The agent runs again, and takes what waits.",
  noBlock: "There is no block in this file: place a report from the pane first.",
  nothingToType: "The block has no number to type over.",
  waitingForAgent: "The refresh waits for an agent: start it, and it goes on.",
  refreshing: "Refreshing …",
  changedOutside: (/** @type {number} */ cells) => `${count(cells, "cell")} changed in the file.`,
  refreshed: (/** @type {{rowsWritten: number, movedRows: number, edited: number}} */ run) => {
    const words = [run.rowsWritten ? `${count(run.rowsWritten, "row")} written` : "nothing had changed, so nothing was written"];
    if (run.movedRows) words.push(`${count(run.movedRows, "row")} put back in order`);
    if (run.edited) words.push(`${count(run.edited, "row")} with cells of yours kept`);
    return `Refreshed: ${words.join(", ")}.`;
  },
  failed: (/** @type {string} */ why) => `The refresh did not succeed: ${why}`,
  tour: "Tour",
  takeTour: "Take the tour",
  step: (/** @type {number} */ step, /** @type {number} */ of) => `Step ${step} of ${of}`,
  next: "Next",
  back: "Back",
  leave: "Leave the tour",
  finish: "Finish",
  steps: [
    {
      title: "This is a real file",
      body: "You see states.xlsx as it lies on this computer, unpacked by this page. The framed table is a block: its " +
        "cells belong to a report. Everything else in the workbook is yours, and Mooring leaves it alone.",
    },
    {
      title: "The source changes",
      body: "The report is a query of a small database. Change four of its rows: the sheet does not know yet, and " +
        "still shows what it was given.",
      action: "change",
    },
    {
      title: "Only what changed is written",
      body: "Refresh. An agent runs the query, compares it with what stands in the sheet, and writes the four rows " +
        "that differ. The cells that changed light up.",
      action: "refresh",
    },
    {
      title: "What you type is kept",
      body: "Type into the block, as people do, and refresh again. Your cell stays, and is listed in the pane, where " +
        "you can give it back to the source.",
      action: "type",
    },
    {
      title: "The block may move",
      body: "Insert a row above it, or sort it. Its mark moves with the cells, so the next refresh finds the block " +
        "and puts its rows in order.",
      action: "insert",
    },
    {
      title: "Nothing is lost",
      body: "Stop the agent, and refresh: the refresh waits. Start the agent again, and it goes on. Any number of " +
        "agents on any machines may share the work.",
      action: "stop",
    },
  ],
};

/** @param {string[]} names */
function listed(names) {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names.join("");
}
