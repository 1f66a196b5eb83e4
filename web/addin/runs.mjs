/** Refreshes by this pane: read what stands, let the server plan, write, and tell it so. What to write over is never decided here. */
import { announce, fill, h, mark } from "../ui/dom.mjs";
import { Problem, SignedOut, isAway, sleep } from "../ui/api.mjs";
import { count, number, text } from "../ui/text.mjs";
import { fingerprint } from "./fingerprint.mjs";
import { formatLocation, parseLocation } from "./address.mjs";
import { statusMark } from "./port.mjs";
import { mayWrite } from "./document.mjs";

/** What it says, in English. */
const words = {
  refreshing: (/** @type {number} */ n, /** @type {number} */ of, /** @type {string} */ name) =>
    of > 1 ? `Refreshing ${number(n)} of ${number(of)}: ${name}` : `Refreshing ${name}`,
  steps: { query: "Asking the source", read: "Reading the sheet", write: "Writing the changes", finish: "Finishing" },
  stop: "Stop",
  stopping: "Stopping…",
  done: (/** @type {number} */ n, /** @type {number} */ rows, /** @type {number} */ moved) =>
    `${count(n, "block")} refreshed, ${text.rowsChanged(rows, moved)}.`,
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
 * @typedef {import("./port.mjs").Cell} Cell
 * @typedef {{onEdit?: string}} How of a run
 * @typedef {{block: Block, rows: number, moved?: number, said?: string, error?: string, agent?: boolean}} Outcome agent: one can refresh it, this pane
 *   cannot
 * @typedef {import("../interface.d.ts").Lease} Lease
 * @typedef {{at: {sheet: string, row: number, column: number}, marked: boolean}} Status where a status cell stands, by its mark or not
 * @typedef {{patch: import("./port.mjs").Patch, resultChecksum: unknown, message?: string}} Plan
 * @typedef {NonNullable<import("../interface.d.ts").RunPlan["need"]>} Need what a plan lacks
 */

/** Plans that ask for more, and writes that found the sheet changed since it was read, before a run is given up. */
const ROUNDS = 6;
const RETRIES = 3;

/** A third of the lease, in milliseconds: its end is the server's time, and this device's clock may be another. */
const RENEW = 40_000;
/** What a run that is not this pane's any more answers with. */
const LOST = [403, 404, 409];

/** What a person is told where the server's sentence speaks of runs. @type {Record<string, string>} */
const REFUSED = { run_in_progress: text.inProgress, lease_lost: words.leaseLost };

/** Rows below a block that the server looks at too: people drag rows out there. */
const BELOW = 16;

/** Formulas that the server is told of, so that it can say how many follow when rows shift. */
const AROUND = 20_000;

/** Rows fingerprinted before others have a turn: a long task would make the pane stutter. */
const SLICE = 2000;

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
  conclude(pane, outcomes, stopped.signal.aborted);
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
      rows: 0,
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
async function byAgent(pane, block, { onEdit }) {
  await pane.api.post(
    `/deployments/${block.deployment}/reports/${block.report}/refreshes`,
    { placementId: block.placement.id, onEdit },
    { headers: { "Idempotency-Key": crypto.randomUUID() }, repeatable: true },
  );
  return { block, rows: 0 };
}

/**
 * One run by this pane, its lease renewed as long as it lasts. Returns how many rows were written, how many were moved, and what the plan said.
 * @param {Pane} pane
 * @param {Block} block
 * @param {How} how
 * @param {AbortSignal} signal
 * @param {(step: keyof typeof words.steps, said?: string) => void} step said is what is about to happen, in words
 */
async function clientRun(pane, block, { onEdit }, signal, step) {
  const { api } = pane;
  step("query");
  /** @type {Lease} */
  const lease = await api.post(
    `/deployments/${block.deployment}/reports/${block.report}/refreshes`,
    { executor: "client", placementId: block.placement.id, onEdit },
    { signal },
  );
  const { fence } = lease;
  const path = `/deployments/${block.deployment}/refreshes/${lease.runId}`;
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  keepLease(pane, `${path}/lease`, fence, ended);
  const leave = () => void api.delete(path, undefined, { keepalive: true }).catch(() => {}); // else others wait for the lease to run out
  window.addEventListener("pagehide", leave, { signal: ended.signal });
  let status = true;
  try {
    for (let attempt = 1; ; attempt++) {
      const plan = await planned(pane, block, `${path}/plan`, fence, either, step, status);
      either.throwIfAborted();
      step("write", plan.message);
      /** @type {import("./port.mjs").Uncovered | void} */
      let hidden;
      try {
        hidden = await pane.port.apply(plan.patch, { sheet: parseLocation(plan.patch.anchor).sheet, placementId: block.placement.id });
      } catch (/** @type {any} */ error) {
        const locked = error.code === "protected" && plan.patch.status; // perhaps it alone, which must not hinder the block
        if ((error.code !== "busy" && !locked) || attempt >= RETRIES) throw error;
        if (locked) status = false;
        continue; // else the sheet has changed since it was read
      }
      step("finish");
      const uncovered = { shownRows: numbers(hidden?.shown), vanishedRows: numbers(hidden?.vanished) };
      const run = await api.post(`${path}/complete`, { fence, resultChecksum: plan.resultChecksum, ...uncovered }, { repeatable: true });
      const note = hidden?.shown || hidden?.vanished ? run.placements?.[0]?.note : "";
      return { rows: run.rowsWritten ?? 0, moved: run.movedRows, said: [plan.message, note].filter(Boolean).join("; ") };
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
 * Reads the block and lets the server plan. Fingerprints tell the rows; the server asks for those that it does not know, and for a larger
 * rectangle where the result is larger than what stands.
 * @param {Pane} pane
 * @param {Block} block
 * @param {string} path
 * @param {number} fence
 * @param {AbortSignal} signal
 * @param {(step: keyof typeof words.steps, said?: string) => void} step said is what is about to happen, in words
 * @param {boolean} withStatus the status cell is read too, so that it may be written
 * @returns {Promise<Plan>}
 */
async function planned(pane, block, path, fence, signal, step, withStatus) {
  const { id, statusCell } = block.placement;
  const marks = new Map((await pane.port.marks()).map(({ placementId, rect }) => [placementId, rect]));
  const marked = marks.get(id);
  const stamp = marked ? await pane.port.stamp(id) : null;
  const at = marked ?? pane.rect(block);
  let status = withStatus && statusCell ? statusAt(marks.get(statusMark(id)), at.sheet, statusCell) : null;
  let extent = { rows: at.rows + BELOW, columns: at.columns };
  /** @type {Need} */
  let need = { extent };
  /** @type {Cell[][]} */
  let cells = [];
  /** @type {{from: number, to: number}[]} */
  const wanted = [];
  /** @type {Record<string, unknown>} */
  let sheet = {};
  const around = await formulasAround(pane, block);
  const table = marked ? await tableColumns(pane, block, marked) : 0;
  for (let round = 0; round < ROUNDS; round++) {
    if (need.status) status = statusAt(undefined, at.sheet, need.status);
    if (need.extent || need.status) {
      step("read");
      extent = need.extent ?? extent;
      const stands = status && (await readStatus(pane, status)); // before the block, whose reading covers more
      const standing = await pane.port.read({ ...at, ...extent });
      cells = standing.cells;
      sheet = { extent, fingerprints: await fingerprints(cells, signal), formulas: standing.formulas, ...(stands && { status: stands }) };
      step("query");
    }
    wanted.push(...(need.rows ?? []));
    const rows = wanted.map(({ from, to }) => ({ from, cells: cells.slice(from, to) }));
    const answer = await pane.api.post(
      path,
      {
        fence,
        anchor: formatLocation({ sheet: at.sheet, row: at.row, column: at.column }),
        ...(marked && { marked: { rows: marked.rows, columns: marked.columns } }),
        ...(stamp && { stamp }),
        ...sheet,
        ...(around && { around }),
        ...(table > 0 && { table }),
        ...(rows.length && { rows }),
      },
      { signal, repeatable: true },
    );
    if (!answer.need) return answer;
    need = answer.need;
  }
  throw new Error("the server asks for more of the sheet each time");
}

/**
 * The formulas of the document, where rows may shift and the document is small enough: the plan says which of them are to be written.
 * @param {Pane} pane
 * @param {Block} block
 */
async function formulasAround({ port }, { placement }) {
  if (!placement.shiftRows || !port.formulas) return null;
  return port.formulas(AROUND).catch(() => null); // the plan is made without them
}

/**
 * How many columns the table has that a block is, where rows may shift; 0 for none.
 * @param {Pane} pane
 * @param {Block} block
 * @param {Rect} marked
 */
async function tableColumns({ port }, { placement }, marked) {
  return placement.shiftRows && port.tableColumns ? port.tableColumns(marked) : 0;
}

/**
 * Where a status cell stands: where its mark does, else on the block's sheet.
 * @param {Rect | undefined} mark
 * @param {string} sheet
 * @param {string} cell
 * @returns {Status}
 */
function statusAt(mark, sheet, cell) {
  const { row, column } = mark ?? parseLocation(cell);
  return { at: { sheet: mark?.sheet ?? sheet, row, column }, marked: Boolean(mark) };
}

/**
 * What stands in a status cell, as a plan is told it: a formula's text, else what the cell shows.
 * @param {Pane} pane
 * @param {Status} status
 */
async function readStatus(pane, { at, marked }) {
  const { cells, formulas } = await pane.port.read({ ...at, rows: 1, columns: 1 });
  const [[cell]] = cells;
  const shown = typeof cell === "object" && cell !== null ? cell.error : cell;
  return { cell: formatLocation(at), marked, text: formulas[0]?.text ?? (shown === null ? null : String(shown)) };
}

/**
 * The fingerprints of rows, made in slices.
 * @param {Cell[][]} rows
 * @param {AbortSignal} signal
 */
async function fingerprints(rows, signal) {
  /** @type {string[]} */
  const all = [];
  for (const row of rows) {
    all.push(fingerprint(row));
    if (all.length % SLICE === 0) await sleep(0, signal);
  }
  return all;
}

/**
 * Says what came of it, and offers what may help.
 * @param {Pane} pane
 * @param {Outcome[]} outcomes
 * @param {boolean} stopped
 */
function conclude(pane, outcomes, stopped) {
  const failed = outcomes.filter((outcome) => outcome.error);
  const good = outcomes.length - failed.length;
  const rows = outcomes.reduce((sum, outcome) => sum + outcome.rows, 0);
  const moved = outcomes.reduce((sum, outcome) => sum + (outcome.moved ?? 0), 0);
  const byAgents = !pane.port.host && good > 0;
  const parts = [];
  if (stopped) parts.push(words.stoppedAfter(good));
  else if (good) parts.push(byAgents ? words.askedAgent : words.done(good, rows, moved));
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
        agent && h("button", { onclick: () => askAgent(pane, block) }, mark("refresh"), words.byAgent),
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
 */
async function askAgent(pane, block) {
  try {
    await byAgent(pane, block, {});
    pane.patch(block.key, { status: "REFRESHING" });
    pane.notice({ sentence: words.askedAgent, tone: "muted", sign: "refresh" });
  } catch (error) {
    pane.fail(error);
  }
}
