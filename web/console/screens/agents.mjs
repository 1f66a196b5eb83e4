/** The agents: which are alive, what they work on, and which are about to end. */
import { fill, h } from "../../ui/dom.mjs";
import { count, number } from "../../ui/text.mjs";
import { address } from "../addresses.mjs";
import { facts, link, name, time } from "../show.mjs";
import { text } from "../text.mjs";
import { meter } from "../pictures/meter.mjs";

/** What it says, in English. */
const words = {
  agentsNone: "No agent has been heard of for ten minutes: nothing is refreshed until one starts.",
  agentState: { alive: "Alive", draining: "Draining", gone: "Gone" },
  agentsAlive: (/** @type {number} */ n) => `${count(n, "agent")} alive`,
  load: "Load",
  loadIs: (/** @type {number} */ working, /** @type {number} */ capacity) =>
    `${number(working)} of yours at work, room for ${number(capacity)}`,
  startedAt: "Started",
  seenAt: "Last heard",
  atWork: "At work on",
  machine: "Machine",
};

/**
 * @typedef {import("../console.mjs").Console} Console
 * @typedef {import("../../interface.d.ts").Agent["runs"][number]} AtWork
 * @typedef {import("../../interface.d.ts").Agent} Agent
 */

/** How often the agents are read: no event says that one is gone. */
const EVERY = 5000;

/** Those first that need a look. */
const ORDER = ["gone", "draining", "alive"];
const TONES = { gone: "bad", draining: "warn", alive: "good" };

/**
 * @param {Console} app
 * @returns {import("../console.mjs").Screen}
 */
export function screen(app) {
  const again = app.every(EVERY);
  const heading = h("h2", { id: "heading", tabindex: -1 }, text.places.agents);
  const element = h("section", { class: "screen" }, heading, h("p", {}, text.loading));

  /** @param {AbortSignal} signal */
  async function load(signal) {
    /** @type {{items: Agent[], waiting: number}} */
    const { items, waiting } = await app.api.get("/agents", { signal });
    again(signal);
    const alive = items.filter(({ state }) => state === "alive").length;
    const sorted = [...items].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || a.id.localeCompare(b.id));
    fill(
      element,
      heading,
      h("p", { class: alive ? "" : "bad" }, words.agentsAlive(alive), " · ", waitingOf(app, waiting)),
      sorted.length ? h("ul", { class: "cards" }, sorted.map((one) => card(app, one))) : h("p", { class: "empty" }, words.agentsNone),
    );
  }
  return { title: text.places.agents, element, load };
}

/**
 * How many runs wait: a link where one deployment's list has them all.
 * @param {Console} app
 * @param {number} waiting
 */
function waitingOf(app, waiting) {
  const said = text.runsWaiting(waiting);
  return app.me.deployments.length === 1 ? link(app.href("runs", { state: "QUEUED" }), said) : said;
}

/**
 * @param {Console} app
 * @param {Agent} agent
 */
function card(app, { id, host, version, startedAt, seenAt, state, capacity, working, runs }) {
  return h(
    "li",
    { class: "card" },
    h("div", { class: "head" }, h("h3", {}, name(id)), h("span", { class: `pill ${TONES[state]}` }, words.agentState[state] ?? state)),
    facts([
      [words.machine, name(host)],
      [text.version, name(version)],
      [words.startedAt, time(startedAt)],
      [words.seenAt, time(seenAt)],
    ]),
    state !== "gone" && meter({ label: words.load, used: working, limit: capacity, said: words.loadIs(working, capacity) }),
    runs.length > 0 && [h("p", { class: "hint" }, words.atWork), h("ul", { class: "plain" }, runs.map((run) => atWork(app, run)))],
  );
}

/**
 * @param {Console} app
 * @param {AtWork} run
 */
function atWork(app, { deploymentId, runId, reportId, startedAt }) {
  const href = address(deploymentId, ["runs", runId]);
  return h("li", {}, link(href, app.names.report(`/deployments/${deploymentId}/reports/${reportId}`, reportId)), ` · ${text.deploymentIs(deploymentId)} · `, time(startedAt));
}
