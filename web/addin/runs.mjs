/** Refreshes by this pane: let the server plan, write, and tell it so. What to write over is never decided here. */
import { announce, fill, h, mark } from "../ui/dom.mjs";
import { Problem, SignedOut, isAway, sleep } from "../ui/api.mjs";
import { count, number, text } from "../ui/text.mjs";
import { parseLocation } from "./address.mjs";
import { mayWrite } from "./document.mjs";
import { planned } from "./plan.mjs";

/** What it says, in English. */
const words = {
  refreshing: (/** @type {number} */ n, /** @type {number} */ of, /** @type {string} */ name) =>
    of > 1 ? `Refreshing ${number(n)} of ${number(of)}: ${name}` : `Refreshing ${name}`,
  steps: { query: "Asking the source", read: "Reading the sheet", write: "Writing the changes", finish: "Finishing" },
  stop: "Stop",
  stopping: "Stopping…",
  done: (/** @type {number} */ n, /** @type {Parameters<typeof text.rowsChanged>} */ did) =>
    `${count(n, "block")} refreshed, ${text.rowsChanged(...did)}.`,
  stoppedAfter: (/** @type {number} */ n) => `Stopped after ${count(n, "block")}.`,
  failedCount: (/** @type {number} */ n) => `${count(n, "block")} not refreshed:`,
  byAgent: "Refresh by an agent",
  askedAgent: "An agent refreshes it now.",
  leaseLost: "The refresh took too long and was given up. Refresh again.",
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Block} Block
 * @typedef {import("./port.mjs").Rect} Rect
 * @typedef {import("./shapes.mjs").How} How
 * @typedef {{block: Block, did: Parameters<typeof text.rowsChanged>[0], runId?: string, said?: string, error?: string, agent?: boolean}} Outcome agent: one can refresh it, this pane
 *   cannot
 * @typedef {import("../interface.d.ts").Lease & Pick<import("../interface.d.ts").StartedRun, "appliedFilters">} Lease of a run that was started
 * @typedef {{patch: import("./port.mjs").Patch, resultChecksum: unknown, message?: string, named?: () => Promise<void>}} Plan named: has cells
 *   followed that its parameters were read from
 */

/** Writes that found the sheet changed since it was read, before a run is given up. */
const RETRIES = 3;

/** A third of the lease, in milliseconds: its end is the server's time, and this device's clock may be another. */
const RENEW = 40_000;
/** What a run that is not this pane's any more answers with. */
const LOST = [403, 404, 409];

/** What a person is told where the server's sentence speaks of runs. @type {Record<string, string>} */
const REFUSED = { run_in_progress: text.inProgress, lease_lost: words.leaseLost };

/**
 * The blocks that a person means.
 * @param {Pane} pane
 * @param {string} which all, sheet or selection
 */
export async function chosen(pane, which) {
  const able = pane.store.state.blocks.filter((block) => block.status !== "DENIED");
  if (which === "all") return able;
  await pane.locate();
  const selection = await pane.port.selection();
  return able.filter((block) => {
    const rect = pane.rect(block);
    return rect.sheet === selection.sheet && (which === "sheet" || touches(rect, selection));
  });
}

/**
 * Whether two rectangles of one sheet share a cell.
 * @param {Rect} a
 * @param {Rect} b
 */
export function touches(a, b) {
  return (
    a.sheet.toLowerCase() === b.sheet.toLowerCase() &&
    a.row < b.row + b.rows &&
    b.row < a.row + a.rows &&
    a.column < b.column + b.columns &&
    b.column < a.column + a.columns
  );
}

/**
 * Refreshes blocks one after the other, shows how far it is, and says what came of it.
 * @param {Pane} pane
 * @param {Block[]} blocks
 * @param {How} [how]
 * @returns {Promise<Outcome[]>}
 */
export async function refresh(pane, blocks, how = {}) {
  if (!(await mayWrite(pane))) return [];
  const stopped = new AbortController();
  const bar = h("progress", { max: blocks.length, value: 0, "aria-label": text.refresh });
  const label = h("p");
  const stop = h(
    "button",
    {
      onclick: () => {
        stop.disabled = true;
        label.textContent = words.stopping;
        stopped.abort();
      },
    },
    words.stop,
  );
  const place = /** @type {HTMLElement} */ (document.getElementById("progress"));
  const plan = h("p", { class: "hint" });
  fill(place, h("div", { class: "working" }, h("div", {}, label, stop), bar, plan));
  pane.store.set({ progress: { label: "", of: blocks.length, done: 0, stopping: false } });
  /** @type {Outcome[]} */
  const outcomes = [];
  try {
    for (const block of blocks) {
      if (stopped.signal.aborted) break;
      const step = (/** @type {keyof typeof words.steps} */ name, /** @type {string} */ said = "") => {
        plan.textContent = said;
        label.textContent = `${words.refreshing(outcomes.length + 1, blocks.length, block.name)} · ${words.steps[name]}`;
      };
      const outcome = await one(pane, block, how, stopped.signal, step);
      if (outcome) outcomes.push(outcome);
      bar.value = outcomes.length;
    }
  } finally {
    place.replaceChildren();
    pane.store.set({ progress: null });
  }
  conclude(pane, outcomes, how, stopped.signal.aborted);
  const { link } = pane.store.state;
  if (!link || link.state === "unmarked") pane.look(); // something stands here by now, and the document says which one it is
  return outcomes;
}

/**
 * Refreshes one block, by an agent where this pane cannot write. Returns null when it was stopped.
 * @param {Pane} pane
 * @param {Block} block
 * @param {How} how
 * @param {AbortSignal} signal
 * @param {(step: keyof typeof words.steps, said?: string) => void} step said is what is about to happen, in words
 * @returns {Promise<Outcome | null>}
 */
async function one(pane, block, how, signal, step) {
  const before = block.status;
  pane.patch(block.key, { status: "REFRESHING" });
  try {
    if (!pane.port.host) return await byAgent(pane, block, how);
    return { block, ...(await clientRun(pane, block, how, signal, step)) };
  } catch (/** @type {any} */ error) {
    if (signal.aborted || error instanceof SignedOut) {
      pane.patch(block.key, { status: before });
      if (error instanceof SignedOut) throw error;
      return null;
    }
    return {
      block,
      did: {},
      error: isAway(error) ? text.awayNow : (REFUSED[error.code] ?? text.inPane(error.message)),
      agent: error.code === "not_placer",
    };
  } finally {
    await pane.readReport(block.report).catch(() => pane.patch(block.key, { status: before }));
    await pane.locate().catch(() => {}); // a hint only: the block may be told to be gone until the next load
  }
}

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {How} how
 * @returns {Promise<Outcome>}
 */
async function byAgent(pane, block, how) {
  const [path, body] = beginning(block, how);
  await pane.api.post(path, body, { headers: { "Idempotency-Key": crypto.randomUUID() }, repeatable: true });
  return { block, did: {} };
}

/**
 * Where a run is asked for, and with which body.
 * @param {Block} block
 * @param {How} how
 * @returns {[string, object]}
 */
function beginning({ deployment, report, placement }, { restores, ...how }) {
  const path = `/deployments/${deployment}/reports/${report}`;
  if (restores) return [`${path}/placements/${encodeURIComponent(placement.id)}/changes/${restores}/restore`, {}];
  return [`${path}/refreshes`, { placementId: placement.id, ...how }];
}

/**
 * One run by this pane, its lease renewed as long as it lasts. Returns how many rows were written, how many were moved, and what the plan said.
 * @param {Pane} pane
 * @param {Block} block
 * @param {How} how
 * @param {AbortSignal} signal
 * @param {(step: keyof typeof words.steps, said?: string) => void} step said is what is about to happen, in words
 */
async function clientRun(pane, block, how, signal, step) {
  const { api } = pane;
  step("query");
  const [asks, body] = beginning(block, how);
  /** @type {Lease} */
  const lease = await api.post(asks, { executor: "client", ...body }, { signal });
  const { fence } = lease;
  const path = `/deployments/${block.deployment}/refreshes/${lease.runId}`;
  const shifts = how.shiftRows ?? block.placement.shiftRows;
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  keepLease(pane, `${path}/lease`, fence, ended);
  const leave = () => void api.delete(path, undefined, { keepalive: true }).catch(() => {}); // else others wait for the lease to run out
  window.addEventListener("pagehide", leave, { signal: ended.signal });
  /** @type {import("./plan.mjs").Sides | null} */
  let sides = { status: true, filters: lease.appliedFilters ?? false };
  try {
    for (let attempt = 1; ; attempt++) {
      const plan = await planned(pane, block, { path: `${path}/plan`, with: { fence }, shifts, sides }, either, step);
      either.throwIfAborted();
      step("write", plan.message);
      /** @type {import("./port.mjs").Uncovered | void} */
      let hidden;
      try {
        hidden = await pane.port.apply(plan.patch, { sheet: parseLocation(plan.patch.anchor).sheet, placementId: block.placement.id });
      } catch (/** @type {any} */ error) {
        const locked = error.code === "protected" && (plan.patch.status || plan.patch.appliedFilters); // perhaps they alone, which must not hinder the block
        if ((error.code !== "busy" && !locked) || attempt >= RETRIES) throw error;
        if (locked) sides = null;
        continue; // else the sheet has changed since it was read
      }
      await plan.named?.();
      step("finish");
      const uncovered = { shownRows: numbers(hidden?.shown), vanishedRows: numbers(hidden?.vanished) };
      const run = await api.post(`${path}/complete`, { fence, resultChecksum: plan.resultChecksum, ...uncovered }, { repeatable: true });
      const one = run.placements?.[0] ?? {};
      const note = hidden?.shown || hidden?.vanished ? one.note : "";
      return { did: { ...run, ...one }, runId: lease.runId, said: [plan.message, note].filter(Boolean).join("; ") };
    }
  } catch (error) {
    if (!(error instanceof SignedOut)) await api.delete(path).catch(() => {}); // it ends by itself when its lease does
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    ended.abort();
  }
}

/**
 * Rows as people number them, as many as the server takes; undefined for none.
 * @param {number[]} [rows]
 */
function numbers(rows) {
  return rows?.slice(0, 1000).map((row) => row + 1);
}

/**
 * Renews the lease until ended aborts; a lease that is lost aborts it. While the server is away it may come back before the lease ends.
 * @param {Pane} pane
 * @param {string} path
 * @param {number} fence
 * @param {AbortController} ended
 */
export async function keepLease({ api }, path, fence, ended) {
  const { signal } = ended;
  while (!signal.aborted) {
    try {
      await sleep(RENEW, signal);
      await api.put(path, { fence }, { signal });
    } catch (error) {
      if (error instanceof SignedOut) return;
      if (error instanceof Problem && LOST.includes(error.status)) ended.abort(error);
    }
  }
}

/**
 * Says what came of it, and offers what may help.
 * @param {Pane} pane
 * @param {Outcome[]} outcomes
 * @param {How} how
 * @param {boolean} stopped
 */
function conclude(pane, outcomes, how, stopped) {
  const failed = outcomes.filter((outcome) => outcome.error);
  const good = outcomes.length - failed.length;
  const byAgents = !pane.port.host && good > 0;
  const parts = [];
  if (stopped) parts.push(words.stoppedAfter(good));
  else if (good) parts.push(byAgents ? words.askedAgent : words.done(
        good,
        outcomes.map(({ did }) => did),
      ));
  if (failed.length) parts.push(words.failedCount(failed.length));
  const sentence = parts.join(" ");
  const told = outcomes.flatMap(({ block, said }) => (said ? [h("li", {}, h("b", {}, block.name), `: ${said}`)] : []));
  const more = failed
    .slice(0, 5)
    .map(({ block, error, agent }) =>
      h(
        "li",
        {},
        h("b", {}, block.name),
        `: ${error} `,
        agent && h("button", { onclick: () => askAgent(pane, block, how) }, mark("refresh"), words.byAgent),
      ),
    );
  pane.notice({
    sentence,
    tone: failed.length ? "bad" : "good",
    sign: failed.length ? "alert" : "check",
    more: more.length + told.length ? [h("ul", {}, more, told.slice(0, 5))] : [],
  });
  announce(sentence);
}

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {How} how
 */
export async function askAgent(pane, block, how) {
  try {
    await byAgent(pane, block, how);
    pane.patch(block.key, { status: "REFRESHING" });
    pane.notice({ sentence: words.askedAgent, tone: "muted", sign: "refresh" });
  } catch (error) {
    pane.fail(error);
  }
}
