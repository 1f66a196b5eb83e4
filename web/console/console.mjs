/** The console: who is signed in, which screen is shown, and that it shows what is true now. */
import { Problem, faultOf, following, isAway, sleep } from "../ui/api.mjs";
import { announce, fill, h } from "../ui/dom.mjs";
import { showClocksOf, when } from "../ui/text.mjs";
import { address, parse } from "./addresses.mjs";
import { bar, navigation, showNotice, showOutage } from "./frame.mjs";
import { choices } from "./grants.mjs";
import { Names } from "./names.mjs";
import { SessionApi } from "./session.mjs";
import { text } from "./text.mjs";

/** What it says, in English. */
const words = {
  noScreen: "There is no such page",
  noScreenWhy: "The address names no screen of the console.",
  toOverview: "To the overview",
  notThere: "This is not there, or you may not read it.",
  signInAfter: "Mooring’s storage did not answer, and has lost your session. Sign in again, and this page goes on where it was.",
  signInAgain: "Your session has ended. Sign in again, and this page goes on where it was.",
};

/**
 * @typedef {import("./addresses.mjs").Route} Route
 * @typedef {{title: string, element: HTMLElement, load: (signal: AbortSignal) => Promise<void>}} Screen load reads what the screen shows:
 *   at first, and again after changes
 * @typedef {{screen: (app: Console, route: Route) => Screen}} ScreenModule
 * @typedef {import("./session.mjs").Me} Me
 * @typedef {import("./frame.mjs").Notice} Notice
 */

/** Between two reads of what is shown, in milliseconds: many changes may come in one moment. */
const SETTLE = 300;
/** For so long the screen before stays while the next one is read. */
const SOON = 400;
/** While something is away, it is asked again so often. */
const PROBE = 5000;
/** Numbers of a window of time change without any event. */
const MINUTE = 60_000;
/** Where the deployment that was shown last is kept. */
const DEPLOYMENT = "mooring.deployment";

/** The action that a screen of the navigation needs in the deployment, where it is not enough to read some reports. @type {Record<string, string>} */
const NEEDS = { documents: "ReportRead", agents: "All", audit: "All" };

export class Console {
  /** @param {Record<string, () => Promise<ScreenModule>>} screens by their patterns */
  constructor(screens) {
    this.screens = screens;
    this.api = new SessionApi({ onAway: (away) => this.onAway(away), signIn: () => this.signIn() });
    /** @type {Me} */
    this.me = { tenant: "", user: { id: 0, email: "", name: "" }, deployments: [], actions: [], expiresAt: "" };
    this.deployment = 0;
    this.names = new Names(this.api);
    /** @type {Screen | null} */
    this.screen = null;
    this.left = new AbortController(); // aborts when the screen is left
    this.unfollow = new AbortController();
    this.following = Promise.resolve(); // once events of the deployment come
    this.main = /** @type {HTMLElement} */ (document.getElementById("main"));
    this.shown = ""; // which screen is, without its filters
    this.lastRead = 0;
    /** @type {object | null} */
    this.reading = null; // the latest read, while it lasts
    /** @type {WeakMap<Screen, string>} when screens were read, those that were */
    this.readAt = new WeakMap();
    /** @type {import("../ui/api.mjs").Outage} */
    this.outage = ""; // what is said to be away
    this.lost = false; // whether the storage was away since the last signing in: it may have come back without the session
    this.awaySince = "";
  }

  /** Shows what the address names to who is signed in, and goes on doing so. */
  async start() {
    this.me = this.api.became(await this.api.get("/me", { patience: Infinity }));
    window.addEventListener("hashchange", () => this.route());
    document.addEventListener("visibilitychange", () => this.follow());
    setInterval(() => this.changed(), MINUTE);
    await this.route();
  }

  /**
   * Reports whether the person may do something in the deployment as a whole; a report may admit them to more.
   * @param {string} action such as ReportRead
   */
  may(action) {
    const here = this.me.deployments.find(({ id }) => id === this.deployment);
    return choices(here?.actions ?? []).includes(action);
  }

  /**
   * A path of the interface below the deployment's.
   * @param {string} path
   */
  at(path) {
    return `/deployments/${this.deployment}${path}`;
  }

  /**
   * The address of a screen of this deployment.
   * @param {string | (string | number)[]} path such as "placements" or ["reports", 17]
   * @param {Record<string, string | undefined>} [filters]
   */
  href(path, filters) {
    return address(this.deployment, [path].flat(), filters);
  }

  /**
   * Shows another screen. Resolves when it is read.
   * @param {string | (string | number)[]} path
   * @param {Record<string, string | undefined>} [filters]
   */
  async go(path, filters) {
    const href = this.href(path, filters);
    if (location.pathname + location.hash === href) return this.changed();
    history.pushState(null, "", href);
    await this.route();
  }

  /**
   * The name of a report of this deployment; its number until the name is known.
   * @param {number} id
   */
  reportName(id) {
    return this.names.report(this.at(`/reports/${id}`), id);
  }

  parse() {
    return parse(location.hash, Object.keys(this.screens));
  }

  /** Shows the screen that the address names. */
  async route() {
    const route = this.parse() ?? this.begin();
    this.enter(route?.deployment ?? this.home());
    if (!route) return this.draw(this.noScreen());
    this.left.abort();
    const { signal } = (this.left = new AbortController());
    try {
      const { screen } = await this.screens[route.screen]();
      if (signal.aborted) return;
      const next = screen(this, route);
      const read = this.read(next, signal);
      await Promise.race([read, sleep(SOON, signal)]);
      if (signal.aborted) return;
      this.draw(next, route);
      await read;
    } catch (error) {
      this.failRead(error);
    }
  }

  /** The screen to begin with: for an address without any. */
  begin() {
    if (location.hash.length > 2) return null;
    history.replaceState(null, "", address(this.home(), ["overview"]));
    return this.parse();
  }

  /** The deployment that is shown when the address names none: the last one, else the first; 0 for a person who has none. */
  home() {
    const kept = this.deployment || Number(localStorage.getItem(DEPLOYMENT));
    const known = this.me.deployments.find(({ id }) => id === kept) ?? this.me.deployments[0];
    return known?.id ?? 0;
  }

  /**
   * Makes a deployment the one that is shown and followed.
   * @param {number} id
   */
  enter(id) {
    const first = !this.frame;
    this.frame = true;
    if (id === this.deployment && !first) return;
    this.deployment = id;
    if (id) localStorage.setItem(DEPLOYMENT, String(id));
    showClocksOf(this.me.deployments.find((one) => one.id === id)?.timezone);
    this.bar();
    this.follow();
  }

  bar() {
    bar(this.me, { deployment: this.deployment, places: this.places(), home: this.href("overview") }, () => this.signOut().catch(this.fail));
  }

  /** The screens of the navigation. */
  places() {
    return Object.keys(this.screens).filter((pattern) => !pattern.includes("/"));
  }

  /** @param {string} current the place that is shown */
  navigation(current) {
    const open = this.places().filter((place) => !NEEDS[place] || this.may(NEEDS[place]));
    navigation(open.map((place) => ({ place, href: this.href(place) })), current);
  }

  /**
   * Follows the events of the deployment while the page is seen. A browser has few connections to a server for all its pages, so that one
   * that is not seen has none.
   */
  follow() {
    this.unfollow.abort();
    if (document.hidden || !this.me.deployments.some(({ id }) => id === this.deployment)) return;
    this.unfollow = new AbortController();
    this.following = following(this.api, [this.deployment], () => this.changed(), this.unfollow.signal);
    if (this.screen) this.changed(); // what happened meanwhile was missed
  }

  /**
   * @param {Screen} screen
   * @param {Route} [route] none if the address leads nowhere
   */
  draw(screen, route) {
    const shown = route ? JSON.stringify([route.deployment, route.screen, route.ids]) : "";
    const within = this.shown === shown; // with other filters
    this.screen = screen;
    this.shown = shown;
    document.title = `${screen.title} – ${text.product}`;
    this.main.setAttribute("aria-label", screen.title);
    this.put(screen);
    this.navigation(route?.screen.split("/")[0] ?? "");
    if (within) return;
    this.notice(null);
    window.scrollTo(0, 0);
    if (document.activeElement === document.body) this.main.querySelector("h2")?.focus({ preventScroll: true });
    announce(screen.title);
  }

  /**
   * Shows a screen, or why there is nothing of it to be seen yet.
   * @param {Screen} screen
   */
  put(screen) {
    this.sayOutage();
    const unread = this.outage && !this.readAt.has(screen);
    if (!unread && this.main.firstElementChild === screen.element) return;
    const empty = () => h("section", { class: "screen" }, h("h2", { tabindex: -1 }, screen.title), h("p", { class: "empty" }, text.outageUnread));
    fill(this.main, unread ? empty() : screen.element);
  }

  /** Stands in the place of a screen while not even who is signed in can be read. */
  none() {
    this.main.setAttribute("aria-label", text.product);
    fill(this.main, h("section", { class: "screen" }, h("h2", { tabindex: -1 }, text.product), h("p", { class: "empty" }, text.outageUnread)));
  }

  /** @returns {Screen} */
  noScreen() {
    const back = h("a", { href: this.href("overview") }, words.toOverview);
    const element = h("section", { class: "screen" }, h("h2", { tabindex: -1 }, words.noScreen), h("p", {}, words.noScreenWhy), back);
    return { title: words.noScreen, element, load: async () => {} };
  }

  /**
   * Reads what a screen shows. What is not there, or not to be read, is said in its place.
   * @param {Screen} screen
   * @param {AbortSignal} signal
   */
  async read(screen, signal) {
    this.lastRead = Date.now();
    const reading = {};
    this.reading = reading;
    this.main.setAttribute("aria-busy", "true");
    try {
      await this.following;
      await screen.load(signal);
      this.lost = false;
      this.readAt.set(screen, new Date().toISOString());
      if (screen === this.screen) this.put(screen);
    } catch (error) {
      if (!(error instanceof Problem) || ![403, 404].includes(error.status)) throw error;
      const why = error.status === 404 ? words.notThere : error.message;
      fill(screen.element, h("h2", { tabindex: -1 }, screen.title), h("p", { class: "empty" }, why));
    } finally {
      if (this.reading === reading) { // the end of an earlier screen's read says nothing of this one
        this.reading = null;
        this.main.removeAttribute("aria-busy");
      }
    }
  }

  /**
   * Something has changed: what is shown is read anew, soon, once for all that changes meanwhile. A page that is not seen is read when it is
   * seen again.
   */
  changed() {
    if (this.due || document.hidden) return;
    this.due = true;
    setTimeout(() => void this.readAgain(), Math.max(0, this.lastRead + SETTLE - Date.now()));
  }

  /**
   * Returns what a screen calls at each read, if its numbers change without any event: it is read again after so many milliseconds, as long
   * as it is shown.
   * @param {number} ms
   */
  every(ms) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    return (/** @type {AbortSignal} */ signal) => {
      clearTimeout(timer);
      timer = setTimeout(() => !signal.aborted && this.changed(), ms);
    };
  }

  async readAgain() {
    const { signal } = this.left;
    while (this.reading) await sleep(SETTLE / 10);
    this.due = false;
    if (!this.screen || signal.aborted) return;
    await this.read(this.screen, signal).catch(this.failRead);
  }

  /** Resolves when the person has signed in. */
  async signIn() {
    const { methodsOf, over, page } = await import("./signin.mjs");
    const why = this.lost ? words.signInAfter : words.signInAgain;
    const here = await methodsOf(this.api);
    await (this.screen ? over(this.api, here, why) : page(this.api, here, this.main));
    this.lost = false;
    this.me = /** @type {Me} */ (this.api.me);
    this.bar();
  }

  /** Ends the session. What the page holds goes with it. */
  async signOut() {
    await this.api.delete("/session");
    location.assign(location.pathname);
    location.reload();
  }

  /** @param {import("../ui/api.mjs").Outage} away */
  onAway(away) {
    clearTimeout(this.awaySoon);
    if (away && !this.awaySince) this.awaySince = new Date().toISOString();
    this.awaySoon = setTimeout(() => this.sayAway(away), away ? 1000 : 0); // a request that soon succeeds needs no words
  }

  /**
   * Says what is away for as long as it is, and goes on by itself when it is back.
   * @param {import("../ui/api.mjs").Outage} away
   */
  sayAway(away) {
    const before = this.outage;
    this.outage = away;
    clearInterval(this.probe);
    if (this.screen) this.put(this.screen);
    else this.sayOutage();
    if (!this.screen && away) this.none();
    if (away) {
      this.lost ||= away === "storage";
      this.probe = setInterval(() => this.changed(), PROBE);
      return;
    }
    this.awaySince = "";
    if (!before) return;
    announce(text.backOnline);
    this.changed();
  }

  /** Says above the screen what is away, and of when the screen is. */
  sayOutage() {
    const readAt = when((this.screen && this.readAt.get(this.screen)) ?? "");
    showOutage(this.outage, { since: when(this.awaySince), readAt });
  }

  /**
   * Says something below the screen, until it is dismissed or something else is said.
   * @param {Notice | null} notice
   */
  notice(notice) {
    showNotice(notice, () => this.notice(null));
  }

  /** Says why a screen could not be read, unless that is said above it. */
  failRead = (/** @type {any} */ error) => {
    if (!this.api.away || !(isAway(error) || error?.status >= 502)) this.fail(error);
  };

  /** Says why something did not work. */
  fail = (/** @type {any} */ error) => {
    const fault = faultOf(error);
    if (fault) this.notice(fault);
  };
}
