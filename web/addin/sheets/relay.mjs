/** Calls of the script in a spreadsheet, by messages to the sidebar that frames the pane. */
import { PortError } from "../port.mjs";

const READING = 90_000; // ms
const WRITING = 390_000; // ms: an execution of a script ends after six minutes

// HtmlService serves sidebars from origins of its own, one a script.
const SIDEBARS = /^https:\/\/(?:[a-z0-9-]+\.)*(?:googleusercontent\.com|script\.google\.com)$/;

/** What the script refuses by itself, and what Google's service says, as sentences for the person. */
const SENTENCES = /** @type {const} */ ([
  [/^mooring:changed$/, "busy", "Cells of the block changed while it was being refreshed: refresh again."],
  [/^mooring:busy$/, "busy", "Somebody else is writing to this spreadsheet: refresh again."],
  [/^mooring:gone$/, "gone", "The sheet is gone: place the report again."],
  [/^mooring:protected$|protected cell/, "protected", "Cells of the block are protected: have them unprotected, or move the report."],
  [/above the limit of|maximum of 50000 characters/, "too_large", "The block does not fit: remove unused rows, columns or sheets."],
  [/maximum execution time|timed out|too many|try again|Service (?:error|invoked)/i, "busy", "Google is busy: refresh again in a minute."],
  [/outside the dimensions/, "busy", "The sheet became smaller while the block was being refreshed: refresh again."],
  [/overlap|merged/i, "refused", "Merged cells lie in the way: unmerge them, or place the report elsewhere."],
]);

/**
 * Google lets the account do nothing here, in words of which nothing better is known: the browser may have chosen another account, or the person
 * may only view the file.
 */
const DENIED = /PERMISSION_DENIED/;

/** What is wrong with the account that Google answers as, beside a file. @type {[RegExp, (account: string, file: string) => string][]} */
const ACCOUNTS = [
  [
    /^mooring:consent$|authorization is required|permission to call/i,
    (account, file) =>
      `${account} has not granted Mooring all that it needs beside “${file}”: choose Open in the menu Extensions, Mooring, and tick all that Google asks for.`,
  ],
  [
    /^mooring:account /,
    (account, file) =>
      `The sidebar beside “${file}” was opened as ${account}, but Google answers as another account: sign out of that one, or open the file in a window where only ${account} is signed in.`,
  ],
];

/**
 * The origin of the page that frames the pane, as that page tells it. Messages go to that origin and are heard from it alone, so that a
 * page naming another gets nothing.
 * @param {{search: string}} location
 */
export function parentOrigin(location) {
  const origin = new URLSearchParams(location.search).get("parent") ?? "";
  if (!SIDEBARS.test(origin)) throw new PortError("refused", "The pane stands outside of Google Sheets: open it from the menu Extensions, Mooring.");
  return origin;
}

/** @typedef {{text?: unknown, failed?: unknown, account?: string, file?: string}} Reply of the sidebar, with who opened it beside which file */

export class Relay {
  /**
   * @param {Window} window the pane's
   * @param {string} origin of its parent
   */
  constructor(window, origin) {
    this.window = window;
    this.origin = origin;
    this.last = 0;
    /** @type {Map<number, (reply: Reply) => void>} */
    this.waiting = new Map();
    window.addEventListener("message", (event) => this.hear(event));
  }

  /** @param {MessageEvent} event */
  hear({ source, origin, data }) {
    if (source !== this.window.parent || origin !== this.origin) return;
    const answer = this.waiting.get(data?.mooring);
    this.waiting.delete(data?.mooring);
    answer?.(data);
  }

  /**
   * @param {string} call
   * @param {...unknown} args
   * @returns {Promise<any>}
   */
  async call(call, ...args) {
    const id = ++this.last;
    const { text, failed, ...who } = await this.ask(id, JSON.stringify({ call, args }), call === "write" ? WRITING : READING);
    if (typeof text !== "string") throw explain(String(failed), who);
    const { result, error } = JSON.parse(text);
    if (error !== undefined) throw explain(String(error), who);
    return result;
  }

  /**
   * @param {number} id
   * @param {string} text
   * @param {number} patience ms
   * @returns {Promise<Reply>}
   */
  ask(id, text, patience) {
    return new Promise((resolve, reject) => {
      const timer = this.window.setTimeout(() => {
        this.waiting.delete(id);
        reject(new PortError("busy", "Google Sheets does not answer: close the sidebar, open it again, then refresh."));
      }, patience);
      this.waiting.set(id, (reply) => {
        this.window.clearTimeout(timer);
        resolve(reply);
      });
      this.window.parent.postMessage({ mooring: id, text }, this.origin);
    });
  }
}

/**
 * @param {string} account
 * @param {string} file
 */
function denied(account, file) {
  return (
    `Google does not let ${account} change “${file}”: have its owner let you edit it and its protected ranges; ` +
    "if you are signed in to several accounts, open it in a window where only this one is."
  );
}

/**
 * @param {string} message
 * @param {Reply} who
 */
function explain(message, { account, file }) {
  for (const [pattern, sentence] of ACCOUNTS) {
    if (pattern.test(message)) return new PortError("refused", sentence(account || "The account that opened it", file || "this spreadsheet"));
  }
  for (const [pattern, code, sentence] of SENTENCES) {
    if (pattern.test(message)) return new PortError(code, sentence);
  }
  if (DENIED.test(message)) return new PortError("refused", denied(account || "the account that opened it", file || "this spreadsheet"));
  return new PortError("refused", `Google Sheets refused the request: ${message}`);
}
