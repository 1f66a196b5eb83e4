/** The sidebar of a Google Sheet with the pane in its frame: two windows of different origins, which know each other by messages only. */
import { readFileSync } from "node:fs";
import vm from "node:vm";

const SIDEBAR = readFileSync(new URL("../apps-script/sidebar.html", import.meta.url), "utf8");

export const PANE = "https://mooring.test";
export const PARENT = "https://n-abc-0lu-script.googleusercontent.com";

/** A window: what is posted to it arrives later, as a copy, if the target origin is its own. */
export class FakeWindow {
  /** @param {string} origin */
  constructor(origin) {
    this.origin = origin;
    this.location = { origin, search: "" };
    this.document = { visibilityState: "visible" };
    this.setTimeout = setTimeout;
    this.clearTimeout = clearTimeout;
    /** @type {any} */
    this.parent = null;
    /** @type {any} */
    this.handle = undefined;
    /** @type {((event: any) => void)[]} */
    this.listeners = [];
  }

  /**
   * @param {string} type
   * @param {(event: any) => void} listener
   */
  addEventListener(type, listener) {
    if (type === "message") this.listeners.push(listener);
  }

  /**
   * @param {unknown} data
   * @param {{origin: string, source: unknown}} from
   */
  hear(data, from) {
    const event = { data: structuredClone(data), ...from };
    setImmediate(() => this.listeners.forEach((listener) => listener(event)));
  }

  /**
   * The window as another one sees it: all that it can do is post.
   * @param {() => FakeWindow} from
   */
  seenFrom(from) {
    this.handle ??= {
      postMessage: (/** @type {unknown} */ data, /** @type {string} */ target) => {
        if (target !== this.origin) return; // as browsers do: it is for another page
        const source = from();
        this.hear(data, { origin: source.origin, source: source.handle });
      },
    };
    return this.handle;
  }
}

/**
 * Opens the sidebar: runs the real page's script beside a pane's window, which it returns.
 * @param {import("./fake-sheets.mjs").FakeSpreadsheet} file
 * @returns {{pane: FakeWindow, sidebar: FakeWindow}}
 */
export function openSidebar(file) {
  const sidebar = new FakeWindow(PARENT);
  const pane = new FakeWindow(PANE);
  pane.parent = sidebar.seenFrom(() => pane);
  const frame = { contentWindow: pane.seenFrom(() => sidebar), src: "" };
  const values = /** @type {Record<string, string>} */ ({ ...file.open(), server: PANE });
  const script = /<script>([^]*)<\/script>/.exec(SIDEBAR)?.[1].replace(/<\?= (\w+) \?>/g, (_, name) => printed(values[name]));
  vm.runInNewContext(String(script), {
    window: sidebar,
    document: { getElementById: () => frame },
    google: { script: { run: scriptRun(file) } },
    encodeURIComponent,
    URL,
  });
  pane.location.search = new URL(frame.src).search;
  return { pane, sidebar };
}

/**
 * A value as a template prints it in a string of a script.
 * @param {string} value
 */
function printed(value) {
  return JSON.stringify(value).slice(1, -1).replace(/</g, "\\x3c");
}

/**
 * @param {import("./fake-sheets.mjs").FakeSpreadsheet} file
 * @param {((result: unknown) => void)} [success]
 * @param {((error: Error) => void)} [failure]
 * @returns {any}
 */
function scriptRun(file, success = () => {}, failure = () => {}) {
  return {
    withSuccessHandler: (/** @type {any} */ handler) => scriptRun(file, handler, failure),
    withFailureHandler: (/** @type {any} */ handler) => scriptRun(file, success, handler),
    mooring: (/** @type {string[]} */ ...args) => void file.run("mooring", ...args).then(success, failure),
  };
}
