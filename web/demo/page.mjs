/**
 * The page of the demo: the grid, what surrounds it, and the pane beside it.
 *
 * @typedef {"change" | "type" | "insert" | "sort" | "stop" | "start" | "refresh"} Action
 */
import { announce, fill, h, mark } from "../ui/dom.mjs";
import { Api, Session } from "../ui/api.mjs";
import { Actions } from "./actions.mjs";
import { Clipboard } from "./clipboard.mjs";
import { Document } from "./document.mjs";
import { Grid } from "./grid.mjs";
import { Hands } from "./hands.mjs";
import { parseCell } from "./reference.mjs";
import { Refused, Server } from "./server.mjs";
import { text } from "./text.mjs";
import { Tour } from "./tour.mjs";

const LOOK_EVERY = 1000; // ms
const SETTING = "mooring.demo.setting:";
const DAY = 24 * 3600 * 1000;

/** @param {string} id */
const place = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * The token, which the page gets for the code of the link that led here, once. The code is in the address's fragment, and is taken out of it
 * at once. The token is kept for the pane too, which is of the same origin, and signs the browser in to the console.
 * @param {Session} session
 */
async function takeToken(session) {
  const code = new URLSearchParams(location.hash.slice(1)).get("enter");
  if (code) {
    history.replaceState(null, "", location.pathname + location.search);
    const token = await Server.enter(code);
    if (token) {
      session.tokens = { access: token, expires: Date.now() + DAY };
      await new Api(session).post("/session", { token });
    } else if (!session.tokens) {
      throw new Refused(text.linkUsed);
    }
  }
  return session.tokens?.access ?? "";
}

async function start() {
  const session = new Session(localStorage, location.origin);
  const server = new Server(await takeToken(session));
  const setting = await server.setting();
  const book = await Document.open(server);
  const grid = new Grid(book);
  const api = new Api(session);
  place("file").textContent = setting.document;
  document.title = `${setting.document} – ${text.product}`;
  const actions = new Actions({
    server, document: book, grid, api, id: setting.document, agent: setting.agent, say, onAgent: () => buttons(),
  });
  const buttons = () => showButtons(actions, tour);
  const tour = new Tour(localStorage, {
    change: { label: () => text.change, run: () => run(actions, "change") },
    refresh: { label: () => text.refresh, run: () => run(actions, "refresh") },
    type: { label: () => text.type, run: () => run(actions, "type") },
    insert: { label: () => text.insert, run: () => run(actions, "insert") },
    stop: { label: () => (actions.agent ? text.stop : text.start), run: () => run(actions, actions.agent ? "stop" : "start") },
  });
  place("guide").append(tour.element);
  place("tour-again").append(tour.opener, h("a", { href: "/console/" }, text.console));
  furnish(grid, book);
  buttons();
  showState(book, setting.document);
  follow(book, grid, setting.document);
  openDesk(book, grid, setting);
}

/** Puts the grid and what belongs to it in place. @param {Grid} grid @param {Document} book */
function furnish(grid, book) {
  const hands = new Hands(grid, place("sheet"));
  new Clipboard(grid, hands);
  const history = [
    h("button", { class: "plain", onclick: () => void book.undo() }, text.undo),
    h("button", { class: "plain", onclick: () => void book.redo() }, text.redo),
  ];
  fill(place("formulas"), hands.address, hands.bar, history);
  fill(place("sheet"), grid.element);
  say(text.welcome);
  showTabs(grid, book);
  grid.watch(() => showTabs(grid, book));
  grid.refresh();
}

/** @param {Grid} grid @param {Document} book */
function showTabs(grid, book) {
  const names = book.book.sheets.filter(({ part }) => part).map(({ name }) => name);
  const tabs = place("tabs");
  const move = (/** @type {KeyboardEvent} */ event) => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way) return;
    grid.open(names[(names.indexOf(grid.sheet.name) + way + names.length) % names.length]);
    /** @type {HTMLElement | null} */ (tabs.querySelector("[aria-selected=true]"))?.focus();
  };
  const shown = tabs.dataset.shown;
  const now = JSON.stringify([names, grid.sheet.name]);
  if (shown === now) return;
  tabs.dataset.shown = now;
  fill(tabs, names.map((name, i) => h("button", {
    role: "tab", id: `tab-${i}`, "aria-selected": String(name === grid.sheet.name), "aria-controls": "grid",
    tabindex: name === grid.sheet.name ? 0 : -1, onclick: () => grid.open(name), onkeydown: move,
  }, name)));
}

/** @param {Actions} actions @param {Tour} tour */
function showButtons(actions, tour) {
  const button = (/** @type {Action} */ action, kind = "") =>
    h("button", {
      id: idOf(action), class: kind, "aria-disabled": running.has(action) && "true", onclick: () => run(actions, action),
    }, text[action]);
  fill(place("actions"), button("change"), button("type"), button("insert"), button("sort"),
    button(actions.agent ? "stop" : "start"), button("refresh", "primary"));
  fill(place("agent"), mark(actions.agent ? "check" : "gone"), actions.agent ? text.agentRuns : text.agentStopped);
  place("agent").className = actions.agent ? "good" : "warn";
  tour.draw();
}

/** The id of an action's button; what stops and what starts the agent is one button. @param {Action} action */
function idOf(action) {
  return `do-${action === "start" ? "stop" : action}`;
}

/** Runs an action once at a time, and says why it did not work. @param {Actions} actions @param {Action} action */
async function run(actions, action) {
  if (running.has(action)) return;
  running.add(action);
  document.getElementById(idOf(action))?.setAttribute("aria-disabled", "true");
  try {
    await actions[action]();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  } finally {
    running.delete(action);
    document.getElementById(idOf(action))?.removeAttribute("aria-disabled");
  }
}

const running = new Set();

/** @param {string} sentence */
function say(sentence) {
  place("said").textContent = sentence;
}

/** @param {Document} book @param {string} name */
function showState(book, name) {
  const words = { saved: text.saved(name), saving: text.saving, waiting: text.waiting, offline: text.offline };
  const signs = /** @type {const} */ ({ saved: "check", saving: "clock", waiting: "lock", offline: "away" });
  fill(place("state"), mark(signs[book.state]), words[book.state]);
  place("state").className = { saved: "good", saving: "muted", waiting: "warn", offline: "bad" }[book.state];
}

/**
 * Shows what others write into the file: at once what changed, and a while which cells.
 * @param {Document} book @param {Grid} grid @param {string} name
 */
function follow(book, grid, name) {
  let before = book.book;
  book.listen(({ kind }) => {
    if (kind === "state") showState(book, name);
    if (kind !== "file") return;
    showTabs(grid, book);
    const old = before;
    const cells = book.book.sheets.flatMap(({ name }) => differing(old, book.book, name));
    before = book.book;
    grid.flash(cells);
    if (cells.length) announce(text.changedOutside(cells.length));
  });
  setInterval(() => { if (document.visibilityState === "visible") void book.look(); }, LOOK_EVERY);
  addEventListener("beforeunload", (event) => { if (book.unsaved.length) event.preventDefault(); });
}

/** @param {import("./book.mjs").Value} a @param {import("./book.mjs").Value} b */
function sameValue(a, b) {
  return a === b || (typeof a === "object" && typeof b === "object" && a?.error === b?.error);
}

/**
 * The cells of a sheet whose values differ between two states of a workbook.
 * @param {Document["book"]} a @param {Document["book"]} b @param {string} name
 */
function differing(a, b, name) {
  const [old, now] = [a.sheet(name), b.sheet(name)];
  /** @type {{sheet: string, row: number, column: number}[]} */
  const cells = [];
  if (!old || !now) return cells;
  for (let row = 0; row < Math.max(old.rows.length, now.rows.length); row++) {
    for (let column = 0; column < Math.max(old.width, now.width); column++) {
      if (!sameValue(old.cell(row, column)?.value ?? null, now.cell(row, column)?.value ?? null)) {
        cells.push({ sheet: name, row, column });
      }
    }
  }
  return cells;
}

/**
 * Offers the pane what its port needs, and shows the pane.
 * @param {Document} book @param {Grid} grid @param {import("./server.mjs").Setting} setting
 */
function openDesk(book, grid, setting) {
  const settings = {
    get: (/** @type {string} */ key) => sessionStorage.getItem(SETTING + key),
    set(/** @type {string} */ key, /** @type {string | null} */ value) {
      if (value === null) sessionStorage.removeItem(SETTING + key);
      else sessionStorage.setItem(SETTING + key, value);
    },
  };
  /** @type {import("../addin/demo/blocks.mjs").Desk} */
  const desk = {
    id: setting.document, document: book, settings, selection: () => grid.selection(), reveal: (rect) => grid.reveal(rect),
    watchSelection: (fn) => grid.watch(fn),
  };
  Object.assign(window, { desk: Promise.resolve(desk) });
  const at = parseCell(setting.anchor);
  if (at && book.book.sheet(setting.sheet)) grid.reveal({ sheet: setting.sheet, ...at, rows: 1, columns: 1 });
  fill(place("beside"), h("iframe", { src: "/addin/?host=demo", title: text.pane, id: "pane" }));
}

start().catch((error) => {
  const known = error instanceof Refused;
  if (!known) console.error(error);
  fill(place("guide"), h("p", { class: "refusal", role: "alert" }, known ? (error.message === text.linkUsed ? text.linkUsed : text.noToken) : text.noServer));
});
