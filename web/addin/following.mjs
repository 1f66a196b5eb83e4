/**
 * Blocks that refresh by themselves 2 s after a cell was changed that they take a value from, where a person of this device said so. It goes on as
 * long as the pane is open.
 */
import { standing } from "./cells.mjs";

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Block} Block
 */

/** Where the placements are kept, and how long after the last change they are refreshed, in milliseconds. */
const KEPT = "mooring.follows";
const PAUSE = 2000;

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
export function setFollows(pane, { placement: { id } }, on) {
  const others = kept(pane).filter((one) => one !== id);
  try {
    pane.session.storage.setItem(KEPT, JSON.stringify(on ? [...others, id] : others));
  } catch {} // a device that keeps nothing follows nothing
  return followAll(pane);
}

/** @type {WeakMap<Pane, Map<string, string>>} */
const last = new WeakMap();

/**
 * Watches the cells of the blocks that are followed, from now on.
 * @param {Pane} pane
 */
export function followAll(pane) {
  const known = last.has(pane);
  if (!known) last.set(pane, new Map());
  const looked = look(pane).catch(() => {}); // what they say now is nothing new
  if (known) return looked;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (pane.store.state.progress) return soon(); // which may have read the cell before it changed
      look(pane).catch(() => {}); // the next change is another chance
      return undefined;
    }, PAUSE);
  };
  const end = pane.port.watch(({ kind }) => void (kind !== "selection" && soon()));
  pane.ended.signal.addEventListener("abort", () => {
    end();
    clearTimeout(timer);
    last.delete(pane);
  });
  return looked;
}

/**
 * Refreshes those whose cells say something else than at the last look.
 * @param {Pane} pane
 */
async function look(pane) {
  const { blocks, progress } = pane.store.state;
  if (progress) return;
  const seen = last.get(pane) ?? new Map();
  const others = [];
  for (const block of blocks.filter((one) => follows(pane, one) && !one.gone && one.placement.parameters)) {
    const now = JSON.stringify([...(await standing(pane.port, block.placement))].map(([name, { cells, fault }]) => [name, cells, fault]));
    const before = seen.get(block.key);
    seen.set(block.key, now);
    if (before !== undefined && before !== now) others.push(block);
  }
  if (!others.length) return;
  const { refresh } = await import("./runs.mjs");
  await refresh(pane, others);
}
