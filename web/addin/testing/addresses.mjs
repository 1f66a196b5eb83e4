/** Where Office says that a workbook is: the forms in which it does, and the ways in which it does not. Used in browsers too. */

/**
 * @typedef {{url?: string, failed?: boolean, silent?: boolean, throws?: boolean}} Answer of getFilePropertiesAsync
 * @typedef {{name: string, url: string, answer: Answer, now: string, sent?: string}} Form url is document.url, which is what it was at start;
 *   now: where the workbook is as the pane knows it; sent: what of that leaves the machine besides the name
 */

const ENCODED = "https://contoso.sharepoint.com/sites/fin/Shared%20Documents/Pl%C3%A4ne/Plan.xlsx";
const PLAIN = "https://contoso.sharepoint.com/sites/fin/Shared Documents/Pläne/Plan.xlsx";
const LOCAL = "C:\\Users\\ana\\Documents\\Plan.xlsx";
const LIVE = "https://d.docs.live.net/0123456789abcdef/Documents/Plan.xlsx";

/** @type {Form[]} */
export const forms = [
  { name: "https, encoded", url: ENCODED, answer: { url: ENCODED }, now: ENCODED, sent: ENCODED },
  { name: "https, not encoded", url: ENCODED, answer: { url: PLAIN }, now: PLAIN, sent: PLAIN },
  { name: "https with a query", url: "", answer: { url: `${ENCODED}?web=1#x` }, now: `${ENCODED}?web=1#x`, sent: ENCODED },
  { name: "a path on Windows", url: "", answer: { url: LOCAL }, now: LOCAL },
  { name: "a path on a Mac", url: "", answer: { url: "/Users/ana/Documents/Plan.xlsx" }, now: "/Users/ana/Documents/Plan.xlsx" },
  { name: "a share", url: "", answer: { url: "\\\\server\\share\\Plan.xlsx" }, now: "\\\\server\\share\\Plan.xlsx" },
  { name: "OneDrive", url: LIVE, answer: { url: LIVE }, now: LIVE, sent: LIVE },
  { name: "empty, not stored or a guest's", url: "", answer: { url: "" }, now: "" },
  { name: "stale since it was stored", url: "", answer: { url: ENCODED }, now: ENCODED, sent: ENCODED },
  { name: "stale since it was stored elsewhere", url: LOCAL, answer: { url: ENCODED }, now: ENCODED, sent: ENCODED },
  { name: "a call that fails", url: ENCODED, answer: { failed: true }, now: ENCODED, sent: ENCODED },
  { name: "three seconds of silence", url: ENCODED, answer: { silent: true }, now: ENCODED, sent: ENCODED },
];

/**
 * Office.context.document of a workbook.
 * @param {{url: string, answer: Answer}} file may change
 * @returns {any}
 */
export function officeDocument(file) {
  return {
    get url() {
      return file.url;
    },
    /** @param {(result: {status: string, value?: {url: string}, error?: {code: number}}) => void} callback */
    getFilePropertiesAsync(callback) {
      const { url = "", failed, silent, throws } = file.answer;
      if (throws) throw new Error("not implemented");
      if (silent) return;
      queueMicrotask(() => callback(failed ? { status: "failed", error: { code: 7000 } } : { status: "succeeded", value: { url } }));
    },
  };
}
