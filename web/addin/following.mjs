/**
 * Blocks that refresh by themselves 2 s after a cell was changed that they take a value from, where a person of this device said so. It goes on as
 * long as the pane is open, and ends for a block whose refreshes change its own cell.
 */
import { standing } from "./cells.mjs";

/** What it says, in English. */
const words = {
  endless: (/** @type {string} */ name) =>
    `“${name}” does not refresh by itself any more: each refresh of it changes the cell that it takes a value from. Choose another cell, or refresh it by hand.`,
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Block} Block
 * @typedef {{last: Map<string, string>, again: Map<string, number>}} Seen by blocks: what their cells said at the last look, and how often in a row
 *   they said something else right after the refresh
 */

/** Where the placements are kept, and how long after the last change they are refreshed, in milliseconds. */
const KEPT = "mooring.follows";
const PAUSE = 2000;

/** Refreshes in a row that change a block's own cell, after which it is followed no more. */
const MOST = 3;

/** @param {Pane} pane @returns {string[]} */
function kept({ session: { storage } }) {
  try {
    const list = JSON.parse(storage.getItem(KEPT) ?? "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return []; // of a storage that is broken or refused
  }
}

/** @param {Pane} pane @param {Block} block */
export const follows = (pane, { placement: { id } }) => kept(pane).includes(id);

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {boolean} on
 */
export function setFollows(pane, { key, placement: { id } }, on) {
  const others = kept(pane).filter((one) => one !== id);
  try {
    pane.session.storage.setItem(KEPT, JSON.stringify(on ? [...others, id] : others));
  } catch {} // a device that keeps nothing follows nothing
  if (!on) forget(pane, key);
  return followAll(pane);
}

/** @type {WeakMap<Pane, Seen>} */
const seen = new WeakMap();

/** @param {Pane} pane @param {string} key of a block */
function forget(pane, key) {
  seen.get(pane)?.last.delete(key);
  seen.get(pane)?.again.delete(key);
}

/**
 * Watches the cells of the blocks that are followed, from now on.
 * @param {Pane} pane
 */
export function followAll(pane) {
  const known = seen.get(pane);
  const of = known ?? { last: new Map(), again: new Map() };
  seen.set(pane, of);
  if (known) return begin(pane, of);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      look(pane, of).then((later) => later && !pane.ended.signal.aborted && soon()).catch(() => {}); // the next change is another chance
    }, PAUSE);
  };
  const end = pane.port.watch(({ kind }) => void (kind !== "selection" && soon()));
  pane.ended.signal.addEventListener("abort", () => {
    end();
    clearTimeout(timer);
    seen.delete(pane);
  });
  return begin(pane, of); // after the watch has begun, lest a change between the two is missed
}

/** The blocks that are followed. @param {Pane} pane */
const followed = (pane) => pane.store.state.blocks.filter((one) => follows(pane, one) && !one.gone && one.placement.parameters);

/**
 * What the cells of blocks say, by their keys, but of those that cannot be read now: the next change is another chance.
 * @param {Pane} pane
 * @param {Block[]} blocks
 */
async function readAll(pane, blocks) {
  /** @type {Map<string, string>} */
  const said = new Map();
  for (const { key, placement } of blocks) {
    const found = await standing(pane.port, placement).catch(() => null);
    if (found) said.set(key, JSON.stringify([...found].map(([name, { cells, fault }]) => [name, cells, fault])));
  }
  return said;
}

/**
 * Has those that are new to it begin with what their cells say now, which is nothing new.
 * @param {Pane} pane
 * @param {Seen} of
 */
async function begin(pane, { last }) {
  const now = await readAll(pane, followed(pane).filter(({ key }) => !last.has(key)));
  for (const [key, said] of now) if (!last.has(key)) last.set(key, said);
}

/**
 * Refreshes those whose cells say something else than at the last look. It reports whether there is to be another one.
 * @param {Pane} pane
 * @param {Seen} of
 */
async function look(pane, of) {
  if (pane.store.state.progress) return true; // which may have read the cell before it changed
  const blocks = followed(pane);
  const now = await readAll(pane, blocks);
  if (pane.store.state.progress) return true;
  const others = blocks.filter(({ key }) => now.has(key) && of.last.has(key) && of.last.get(key) !== now.get(key));
  for (const [key, said] of now) of.last.set(key, said);
  if (!others.length) return false;
  const { refresh } = await import("./runs.mjs");
  await refresh(pane, others);
  return changedAgain(pane, of, others);
}

/**
 * Reports whether cells say something else again right after the refresh. Where that goes on it is the refresh that changes them, such as cells that
 * are computed from the block or from the time: then the block is followed no more.
 * @param {Pane} pane
 * @param {Seen} of
 * @param {Block[]} blocks
 */
async function changedAgain(pane, { last, again }, blocks) {
  const now = await readAll(pane, blocks);
  let more = false;
  for (const block of blocks) {
    const { key, name } = block;
    const changed = now.has(key) && last.has(key) && now.get(key) !== last.get(key);
    const times = changed ? (again.get(key) ?? 0) + 1 : 0;
    again.set(key, times);
    if (times < MOST) more ||= changed;
    else {
      await setFollows(pane, block, false);
      pane.store.set({}); // which has its tick taken away
      pane.notice({ sentence: words.endless(name), tone: "warn", sign: "alert" });
    }
  }
  return more;
}
