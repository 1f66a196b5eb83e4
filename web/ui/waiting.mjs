/** What blocks wait for, in the words of those who look at them: what it is, why, and what helps. */

/**
 * @typedef {{label: string, cause: string, why: string, remedy: string, now: boolean, person: boolean}} Wait
 *   label: behind "Waiting: "; cause: at the head of all that wait for it; now: whether a try at once can help, as somebody has mended it;
 *   person: whether somebody has to
 */

/** @type {Record<string, Wait>} */
const WAITS = {
  locked: {
    label: "the file is open",
    cause: "The file is open in a program",
    why: "Somebody has the file open, so that nothing can be written into it.",
    remedy: "Close the file if you have it open. Mooring goes on by itself once it is closed.",
    now: true,
    person: false,
  },
  missing: {
    label: "the file is not there",
    cause: "The file cannot be found",
    why: "The file, or the folder or service it is on, is not there.",
    remedy: "Put the file back where it was, or check its folder or service. Mooring looks for it for 24 hours, then once with each refresh.",
    now: true,
    person: true,
  },
  quota: {
    label: "the quota is used up",
    cause: "The quota is used up for now",
    why: "The spreadsheet service or the source asks to wait.",
    remedy: "Nothing to do: it goes on when there is quota again.",
    now: false,
    person: false,
  },
  held: {
    label: "another refresh is writing",
    cause: "Another refresh is writing into the file",
    why: "Another refresh is writing into this file.",
    remedy: "Nothing to do: this one follows when that has ended.",
    now: false,
    person: false,
  },
  source: {
    label: "the source does not answer",
    cause: "The source does not answer",
    why: "The source that the report asks, such as a database, does not answer.",
    remedy: "Nothing to do: it goes on when the source answers. If this lasts, tell who runs the source.",
    now: false,
    person: false,
  },
};

/** @type {Wait} */
const OTHER = {
  label: "it is tried again",
  cause: "It could not be refreshed yet",
  why: "It could not be refreshed yet.",
  remedy: "Nothing to do: it is tried again.",
  now: false,
  person: false,
};

/** The reasons for which blocks wait, those first that need a person. */
export const REASONS = ["missing", "locked", "source", "quota", "held"];

/**
 * @param {string} reason one that is not known has general words
 * @returns {Wait}
 */
export function waits(reason) {
  return WAITS[reason] ?? OTHER;
}

/** What only an add-in reaches. */
export const addinOnly = {
  label: "refreshed by the add-in only",
  why: "No agent reaches this spreadsheet: it is refreshed by the add-in only.",
  remedy: "Open the spreadsheet and refresh there.",
};

/** What helps after a failure, by its class. @type {Record<string, string>} */
const WAYS_OUT = {
  transient: "It was tried for some time and is not tried again by itself. Refresh again once what it says is mended.",
  quota: "The quota was used up for too long. Refresh again later.",
  auth: "Your rights on the report or on its source have changed. Ask its owner, then refresh.",
  structure: "Correct the report or the sheet as it says, then refresh.",
  conflict: "Undo the change in the sheet, or let the refresh write over it.",
  permanent: "Correct what it says, then refresh.",
};

/**
 * What helps after a failure.
 * @param {string} errorClass
 * @param {boolean} again whether it is tried again by itself
 */
export function remedies(errorClass, again) {
  if (again) return "Nothing to do: it is tried again by itself.";
  return WAYS_OUT[errorClass] ?? "";
}
