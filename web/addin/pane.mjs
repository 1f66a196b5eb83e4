/** The task pane: what it is made of, what it knows, and which screen it shows. */
import { announce, fill, h, mark, Store, zone } from "../ui/dom.mjs";
import { Api, Session, faultOf, following, readRun } from "../ui/api.mjs";
import { showClocksOf, text, when } from "../ui/text.mjs";
import { blockOf, blocksScreen, rectOf } from "./blocks.mjs";
import { COPYING } from "./port.mjs";

/** What it says, in English. */
const words = {
  away: (/** @type {string} */ readAt) =>
    readAt ? `Mooring cannot be reached. This is what was read ${readAt}; trying again…` : "Mooring cannot be reached; trying again…",
  storageAway: (/** @type {string} */ readAt) =>
    `Mooring’s storage does not answer.${readAt && ` This is what was read ${readAt}.`} It goes on by itself when the storage is back.`,
  console: "Open the console",
  nothingSelected: "No block stands there.",
};

/**
 * @typedef {import("./port.mjs").Port} Port
 * @typedef {import("./shapes.mjs").Block} Block
 * @typedef {import("./shapes.mjs").Placement} Placement
 * @typedef {import("./shapes.mjs").Me} Me
 * @typedef {import("./shapes.mjs").State} State
 * @typedef {import("./shapes.mjs").Pane} Shape
 */

/** Where each screen is. All but the first are loaded when they are asked for. @type {Record<string, () => Promise<any>>} */
const SCREENS = {
  blocks: async () => ({ screen: blocksScreen }),
  block: () => import("./block.mjs"),
  place: () => import("./place.mjs"),
  signin: () => import("./signin.mjs"),
};

/** How long changes gather before what changed is read anew, in milliseconds. */
const SETTLE = 300;

/** @implements {Shape} */
class Pane {
  /**
   * @param {Port} port
   * @param {Session} session
   */
  constructor(port, session) {
    this.port = port;
    this.session = session;
    /** The name of the screen that is shown, or about to be. */
    this.screen = "";
    this.api = new Api(session, { onAway: (away) => this.onAway(away), signIn: async () => (await import("./signin.mjs")).signInAgain(this) });
    /** @type {Store<State>} */
    this.store = new Store({
      blocks: [],
      loaded: false,
      readAt: "",
      me: null,
      document: { id: "", name: "" },
      link: null,
      progress: null,
    });
    this.askedAt = ""; // the address with which the link was asked for
    /** @type {{id: string, server: string} | undefined} a server of the web where the document was linked while it was open here */
    this.linkedOn = undefined;
    this.looks = new AbortController();
    /** @type {Set<string>} blocks and their runs that were asked for */
    this.wanted = new Set();
    /** @type {Map<string, Block>} */
    this.byKey = new Map();
    /** @type {Block[]} */
    this.knownOf = [];
    /** @type {Set<number>} reports to read anew */
    this.stale = new Set();
    this.ended = new AbortController();
  }

  /** Shows what there is for a person who may be signed in or not. */
  async start() {
    const document = await this.port.document();
    this.store.set({ document });
    this.bar();
    if (!this.session.tokens) return this.show("signin");
    await this.open();
  }

  /** Reads who the person is and what stands in the document, and follows both. */
  async open() {
    this.show("blocks");
    this.ended.abort();
    this.ended = new AbortController();
    const { signal } = this.ended;
    const me = await this.api.get("/me", { patience: Infinity, signal });
    this.store.set({ me });
    showClocksOf(zoneOf(me));
    this.bar();
    const ids = me.deployments.map((/** @type {{id: number}} */ { id }) => id);
    await following(this.api, ids, (event) => this.onEvent(event), signal);
    await this.load();
    this.look();
    if (this.session.storage.getItem("mooring.follows")) import("./following.mjs").then(({ followAll }) => followAll(this)).catch(this.fail);
    const original = this.store.state.document.copyOf ?? (await this.port.settings.get(COPYING));
    if (original) import("./copy.mjs").then(({ askAboutCopy }) => askAboutCopy(this, original)).catch(this.fail);
    const unwatch = this.port.watch((change) => {
      if (change.kind !== "selection") this.locateSoon();
    });
    signal.addEventListener("abort", unwatch);
  }

  /** Turns to the document that is open now. */
  async reopen() {
    this.looks.abort();
    this.store.set({ document: await this.port.document(), blocks: [], loaded: false, link: null });
    this.bar();
    await this.load();
    this.look();
  }

  /** Has the document looked for where agents reach it, if something stands in it. */
  look() {
    if (!this.port.host || !this.store.state.blocks.length) return;
    import("./link.mjs").then(({ look }) => look(this)).catch(() => {}); // the foot stays as it is
  }

  /** Reads all blocks of the document; those read first are shown first. */
  async load() {
    const { id } = this.store.state.document;
    if (!id) return this.store.set({ loaded: true });
    const first = !this.store.state.loaded;
    /** @type {Block[]} */
    const blocks = [];
    const take = (/** @type {any[]} */ items) => {
      for (const block of first ? items.map(blockOf) : this.merge(items.map(blockOf))) blocks.push(block);
      if (first) this.store.set({ blocks: [...blocks] });
    };
    await this.api.all(`/external-documents/${encodeURIComponent(id)}/placements`, take, { patience: Infinity, signal: this.ended.signal });
    this.store.set({ blocks, loaded: true, readAt: when(new Date().toISOString()) });
    await this.locate();
  }

  /**
   * Blocks as they were read, with what was known of them before. A block of which nothing changed stays the same object.
   * @param {Block[]} fresh
   */
  merge(fresh) {
    const known = this.known();
    return fresh.map((block) => {
      const before = known.get(block.key);
      if (!before) return block;
      return same(before, block) ? before : { ...block, gone: before.gone, run: runOf(before) === runOf(block) ? before.run : undefined };
    });
  }

  /** The blocks by their keys. */
  known() {
    const { blocks } = this.store.state;
    if (this.knownOf !== blocks) this.byKey = new Map(blocks.map((block) => [block.key, block]));
    this.knownOf = blocks;
    return this.byKey;
  }

  /**
   * Changes some members of one block.
   * @param {string} key
   * @param {Partial<Block>} change
   */
  patch(key, change) {
    this.store.set({ blocks: this.store.state.blocks.map((block) => (block.key === key ? { ...block, ...change } : block)) });
  }

  /** Reads where the marks of blocks stand: a block whose mark is gone was deleted. */
  async locate() {
    if (!this.port.host) return;
    const marks = new Map((await this.port.marks()).map(({ placementId, rect }) => [placementId, rect]));
    this.marks = marks;
    const blocks = this.store.state.blocks.map((block) => {
      const gone = Boolean(block.placement.refreshedAt) && !marks.has(block.placement.id);
      return gone === Boolean(block.gone) ? block : { ...block, gone };
    });
    this.store.set({ blocks });
  }

  locateSoon() {
    clearTimeout(this.locating);
    this.locating = setTimeout(() => this.locate().catch(() => {}), SETTLE); // a hint only: the next load tells
  }

  /**
   * Where a block stands: at its mark, else where the server knows it.
   * @param {Block} block
   */
  rect({ placement }) {
    return this.marks?.get(placement.id) ?? rectOf(placement);
  }

  /**
   * @param {Block} block
   */
  reveal(block) {
    return this.port.reveal(this.rect(block)).catch(this.fail);
  }

  /**
   * Reads the last run of a block that is seen, once, to say who asked for it and what it changed.
   * @param {Block} block
   */
  wantRun(block) {
    const { runId, state } = block.placement.lastRun ?? {};
    const wanted = `${block.key} ${runOf(block)}`;
    if (!runId || block.run || state === "QUEUED" || state === "RUNNING" || this.wanted.has(wanted)) return;
    this.wanted.add(wanted);
    const ours = (/** @type {{placementId: string}} */ one) => one.placementId === block.placement.id;
    this.api
      .get(`/deployments/${block.deployment}/refreshes/${runId}`)
      .then((run) => this.patch(block.key, { run: { ...run, ...readRun(run).placements.find(ours) } }))
      .catch(() => {}); // the line is shorter without it
  }

  /**
   * What happened to a report of this document is read anew, soon, once for all that happened meanwhile.
   * @param {import("../ui/api.mjs").MooringEvent} event
   */
  onEvent({ type, reportId, data }) {
    if (type === "gap") return void this.load().catch(this.fail);
    const { document, link, blocks } = this.store.state;
    const ids = [document.id, ...(link?.ids ?? []), ...blocks.map((block) => block.placement.workbookId)];
    if (!ids.includes(data.externalWorkbookId) && !blocks.some((block) => block.report === reportId)) return;
    const fresh = type === "placement.connected" && !blocks.some((block) => block.placement.id === data.placementId);
    this.stale.add(fresh ? 0 : reportId);
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.readStale().catch(() => {}), SETTLE); // the banner says that the server is away
  }

  async readStale() {
    const reports = [...this.stale];
    this.stale.clear();
    if (reports.includes(0) || reports.length > 5) return this.load();
    for (const id of reports) await this.readReport(id);
  }

  /** Reads the report of a block. @type {import("./shapes.mjs").Pane["reportOf"]} */
  reportOf({ deployment, report }) {
    return this.api.get(`/deployments/${deployment}/reports/${report}`);
  }

  /**
   * Reads the placements of one report anew.
   * @param {number} id
   */
  async readReport(id) {
    const known = this.store.state.blocks.find((block) => block.report === id);
    if (!known) return;
    const report = await this.reportOf(known);
    /** @type {Map<string, Placement>} */
    const fresh = new Map(report.externalWorkbookPlacements.map((/** @type {Placement} */ placement) => [placement.id, placement]));
    const blocks = this.store.state.blocks.flatMap((block) => {
      if (block.report !== id) return [block];
      const placement = fresh.get(block.placement.id);
      return placement
        ? [blockOf({ access: "GRANTED", deploymentId: known.deployment, reportId: id, reportName: report.name, placement })]
        : [];
    });
    this.store.set({ blocks: this.merge(blocks) });
  }

  /**
   * Shows a screen.
   * @param {string} name
   * @param {unknown} [what]
   */
  async show(name, what) {
    const before = this.screen;
    this.screen = name;
    try {
      const { screen } = await SCREENS[name]();
      if (this.screen === name) this.draw(screen(this, what));
    } catch (error) {
      if (this.screen === name) this.screen = before;
      this.fail(error);
    }
  }

  /** @param {HTMLElement} screen */
  draw(screen) {
    const main = /** @type {HTMLElement} */ (document.getElementById("main"));
    const moved = main.firstChild && main.contains(document.activeElement);
    main.replaceChildren(screen);
    const past = this.screen === "block" ? ".notice.good, .notice.bad" : ".notice.good"; // a block says itself what is wrong
    if (document.querySelector(past)) this.notice(null); // it was about what was shown before
    if (moved) (main.querySelector("h2") ?? main).focus();
  }

  /** The bar: the document's name, and what the person can do besides. */
  bar() {
    const { document: doc, me } = this.store.state;
    const menu = h(
      "div",
      { popover: "auto", id: "account-menu" },
      h("p", { class: "muted" }, text.signedInAs(me?.user.name || me?.user.email || "")),
      h("a", { href: "/console/", target: "_blank", rel: "noopener" }, words.console),
      h("button", { onclick: () => this.signOut() }, text.signOut),
    );
    fill(
      /** @type {HTMLElement} */ (document.getElementById("bar")),
      h("div", {}, h("h1", { id: "document", title: doc.name || text.product }, doc.name || text.product), me && zone()),
      me && [
        h(
          "button",
          { class: "plain", "aria-label": text.signedInAs(me.user.email), popovertarget: "account-menu" },
          mark("person"),
          mark("down"),
        ),
        menu,
      ],
    );
  }

  /** Signs this device out: on the server too, where its refresh token would be good for weeks. */
  signOut() {
    const { me } = this.store.state;
    const token = this.session.tokens?.access;
    if (me?.deviceId && token) this.api.send("DELETE", `/devices/${me.deviceId}`, { token });
    this.ended.abort();
    this.session.tokens = null;
    this.store.set({ me: null, blocks: [], loaded: false, link: null });
    this.bar();
    this.show("signin");
  }

  /** @param {import("../ui/api.mjs").Outage} away */
  onAway(away) {
    clearTimeout(this.awaySoon);
    this.awaySoon = setTimeout(
      () => {
        const { readAt } = this.store.state;
        const sentence = away === "storage" ? words.storageAway(readAt) : words.away(readAt);
        if (away) return this.notice({ sentence, tone: "warn", sign: "away" });
        if (!document.querySelector(".notice .mark-away")) return;
        this.notice(null);
        announce(text.backOnline);
      },
      away ? 1000 : 0, // a request that soon succeeds needs no banner
    );
  }

  /**
   * Says something above the screen, until it is dismissed or something else is said.
   * @param {import("./shapes.mjs").Notice | null} notice
   */
  notice(notice) {
    const place = /** @type {HTMLElement} */ (document.getElementById("notice"));
    if (!notice) return place.replaceChildren();
    const { sentence, tone = "good", sign = "check", more = [] } = notice;
    place.replaceChildren(
      h(
        "div",
        { class: `notice ${tone}` },
        mark(sign),
        h("div", {}, h("p", {}, sentence), more),
        tone === "warn" && sign === "away"
          ? null
          : h("button", { class: "plain", "aria-label": text.dismiss, onclick: () => this.notice(null) }, mark("gone")),
      ),
    );
  }

  /** Says why something did not work. */
  fail = (/** @type {any} */ error) => {
    const fault = faultOf(error);
    if (fault) this.notice(fault);
  };

  /**
   * Refreshes all blocks, those of the selection's sheet, or those that the selection touches.
   * @param {string} which
   */
  async refreshMany(which) {
    try {
      const { refresh, chosen } = await import("./runs.mjs");
      const blocks = await chosen(this, which);
      const idle = blocks.filter((block) => block.status !== "REFRESHING");
      if (idle.length) await refresh(this, idle);
      else this.notice({ sentence: blocks.length ? text.inProgress : words.nothingSelected, tone: "muted", sign: "circle" });
    } catch (error) {
      this.fail(error);
    }
  }
}

/** The zone of a person's deployments; none where they have several, of which a document may hold blocks of any. @param {Me} me */
function zoneOf({ deployments }) {
  const [one, ...others] = new Set(deployments.map(({ timezone }) => timezone));
  return others.length ? undefined : one;
}

/** @param {Block} block */
const runOf = ({ placement: { lastRun } }) => lastRun && `${lastRun.runId} ${lastRun.state}`;

/**
 * Whether nothing of a block has changed that is shown.
 * @param {Block} a
 * @param {Block} b
 */
function same(a, b) {
  const [before, after] = [a, b].map(({ name, status, placement }) => JSON.stringify([name, status, placement]));
  return before === after;
}

/** A storage that ends with the page: any two pages that say nothing of themselves would share another. */
function unkept() {
  /** @type {Map<string, string>} */
  const items = new Map();
  return {
    getItem: (/** @type {string} */ key) => items.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void items.set(key, value),
    removeItem: (/** @type {string} */ key) => void items.delete(key),
  };
}

/** The origin of the page that frames this one, to which tokens belong; "" for a page that says nothing of itself. */
function frameOrigin() {
  if (window.parent === window) return location.origin;
  return location.ancestorOrigins?.[0] ?? (document.referrer && new URL(document.referrer).origin);
}

/**
 * The hosts by their names in the pane's address.
 * @type {Record<string, () => Promise<{open: (window: Window) => Port | Promise<Port>}>>}
 */
const HOSTS = {
  excel: () => import("./excel/excel.mjs"),
  sheets: () => import("./sheets/sheets.mjs"),
  demo: () => import("./demo/demo.mjs"),
  none: () => import("./none.mjs"),
};

const host = new URLSearchParams(location.search).get("host") ?? "none";
const { open } = await (HOSTS[host] ?? HOSTS.none)();
const frame = frameOrigin();
const pane = new Pane(await open(window), new Session(frame ? localStorage : unkept(), frame));
pane.start().catch(pane.fail);
