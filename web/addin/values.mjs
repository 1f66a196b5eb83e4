/**
 * What a block is shown for: its parameters, where they come from, what cells say by now, and changing them. It is loaded where a block has some.
 */
import { readRun } from "../ui/api.mjs";
import { fill, h, mark } from "../ui/dom.mjs";
import { labelOf, valueText } from "../ui/parameters.mjs";
import { settingFields, settingText } from "../ui/asked.mjs";
import { cellText, text } from "../ui/text.mjs";
import { pickOf } from "./asking.mjs";
import { formatLocation } from "./address.mjs";
import { standing, valueIn } from "./cells.mjs";
import { follows, setFollows } from "./following.mjs";
import { setOptions } from "./options.mjs";

/** What it says, in English. */
const words = {
  title: "Shown for",
  shown: (/** @type {string} */ value) => `shown: ${value}`,
  says: (/** @type {string} */ cell, /** @type {string} */ now, /** @type {string} */ was) => `${cell} says ${now}, shown: ${was}`,
  nothing: "nothing",
  many: "several values",
  unread: (/** @type {string} */ cell, /** @type {string} */ why) => `${cell} ${why}`,
  /** Why cells say no value. */
  faults: {
    deleted: "was deleted",
    sheet: "is on a sheet that is not there",
    shape: "is not of the shape that it needs: a single cell or, of a list, one column or row",
    large: "has too many cells",
  },
  undeclared: (/** @type {string} */ value) => `${value}, for which the report does not ask any more`,
  now: "What its cells say now",
  byItself: "Refresh by itself 2 seconds after such a cell was changed",
  byItselfSoon: "Refresh by itself within 7 seconds after you changed such a cell here",
  change: "Change what it is shown for",
  save: "Save the values",
  saved: "The values are saved. Refresh to see them.",
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./shapes.mjs").Block} Block
 * @typedef {import("../interface.d.ts").Parameter} Parameter
 * @typedef {import("../ui/asked.mjs").Settings} Settings
 * @typedef {import("./port.mjs").FoundParameter} FoundParameter
 */

/** What a block says of parameters. @param {Block} block */
const settingsOf = ({ placement }) => /** @type {Settings} */ (placement.parameters ?? {});

/** How long after a change in the document its cells are read again, in milliseconds. */
const SETTLE = 400;

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {Pick<import("../interface.d.ts").Report, "parameters">} report which may have none any more
 * @param {HTMLElement} was where it was said last, of which what is typed there goes on
 * @param {() => void} run refreshes the block
 */
export async function valuesCard(pane, block, { parameters = [] }, was, run) {
  const list = h("dl", { class: "facts" });
  const conflict = h("div", { class: "choices", hidden: true });
  const other = h("div", { class: "choices", hidden: true }, h("button", { id: "refresh-values", class: "primary", onclick: run }, mark("refresh"), text.refresh));
  const settings = settingsOf(block);
  const byCells = Boolean(pane.port.parameters) && Object.values(settings).some(({ cell }) => cell);
  const card = h(
    "section",
    { class: "card", "aria-label": words.title },
    h("h3", {}, words.title),
    list,
    conflict,
    other,
    byCells && followBox(pane, block),
  );
  const shown = await shownBy(pane, block);
  const left = undeclared(parameters, settings);
  let looks = 0;
  const draw = (/** @type {Map<string, FoundParameter>} */ found) => {
    const lines = [...parameters.map((parameter) => lineOf(parameter, settings, shown, found.get(parameter.name))), ...left];
    fill(list, lines.flatMap(({ label, said }) => [h("dt", {}, label), h("dd", {}, said)]));
    const blamed = blameOf(block, found);
    const at = found.get(blamed)?.rect;
    const refused = at && same(lines.find(({ name }) => name === blamed)?.now, block.run?.parameters?.[blamed]?.value);
    other.hidden = Boolean(refused) || !lines.some(({ differs }) => differs);
    conflict.hidden = !at;
    fill(conflict, at && h("button", { id: "go-to-cell", class: "primary", onclick: () => pane.port.reveal(at).catch(pane.fail) }, mark("target"), text.goTo(formatLocation(at))));
  };
  const look = async () => {
    const own = ++looks;
    const found = await standing(pane.port, block.placement, parameters);
    if (own === looks) draw(found); // else a later one tells more
  };
  draw(new Map());
  if (byCells) {
    const soon = settled(() => look().catch(() => {}), SETTLE); // a hint only: the next refresh tells
    let drawn = false;
    const end = pane.port.watch(({ kind }) => { // from before the first look, lest a change between the two is missed
      if (drawn && !card.isConnected) return end();
      if (kind !== "selection") soon();
      return undefined;
    });
    await look().catch((error) => list.append(h("dt", {}, words.now), h("dd", {}, error.message))); // they can be changed all the same
    drawn = true;
  }
  const details = changing(pane, block, parameters, was.querySelector("details")?.open);
  card.append(details);
  const typed = /** @type {HTMLElement | null} */ (was.querySelector("details:has(form[data-typed])"));
  if (typed) keep(typed, details);
  return card;
}

/**
 * Puts what a person is typing into the place of what was drawn anew, with its focus, once that is shown.
 * @param {HTMLElement} typed
 * @param {HTMLElement} drawn
 */
function keep(typed, drawn) {
  const focused = typed.contains(document.activeElement) && /** @type {HTMLElement} */ (document.activeElement);
  setTimeout(() => {
    if (!drawn.isConnected) return; // another one was drawn since
    drawn.replaceWith(typed);
    if (focused) focused.focus({ preventScroll: true });
  });
}

/** Whether two values are the same, or both none. @param {unknown} a @param {unknown} b */
const same = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/**
 * The values that the block shows: those of its last run that succeeded, where that is known.
 * @param {Pane} pane
 * @param {Block} block
 * @returns {Promise<Record<string, {value?: any, cell?: string}>>}
 */
export async function shownBy({ api }, { deployment, report, placement, run }) {
  if (run?.state === "SUCCEEDED") return run.parameters ?? {};
  if (!placement.refreshedAt || placement.lastRun?.state === "SUCCEEDED") return {}; // of the latter it is being read
  for (const more of [[], [["state", "SUCCEEDED"]]]) { // a run that failed may have written this block: only where none of late did, older ones are asked for
    const filters = new URLSearchParams([["report", String(report)], ["document", placement.workbookId], ["first", "20"], ...more]);
    const { items } = await api.get(`/deployments/${deployment}/refreshes?${filters}`);
    const blocks = items.flatMap((/** @type {any} */ one) => readRun(one).placements);
    const last = blocks.find((/** @type {any} */ one) => one.placementId === placement.id && one.state === "SUCCEEDED");
    if (last) return last.parameters ?? {};
  }
  return {};
}

/**
 * Has fn called once calls of what is returned pause.
 * @param {() => unknown} fn
 * @param {number} pause
 */
export function settled(fn, pause) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(fn, pause);
  };
}

/**
 * The parameter whose cell ended the last run in a conflict; "" for none.
 * @param {Block} block
 * @param {Map<string, FoundParameter>} found
 */
function blameOf({ status, placement }, found) {
  const { error = "" } = placement.lastRun ?? {};
  if (status !== "CONFLICT") return "";
  const said = [...found].filter(([name, { rect }]) => [formatLocation(rect), placement.parameters?.[name]?.cell].some((cell) => cell && error.includes(`${cell} `)));
  const empty = [...found].filter(([, { cells, fault }]) => !fault && cells.every(({ value }) => value === null));
  const [blamed] = said.length || !error.includes("has no value") ? said : empty;
  return blamed?.[0] ?? "";
}

/**
 * What is said of one parameter.
 * @param {Parameter} parameter
 * @param {Settings} settings
 * @param {Record<string, {value?: any, cell?: string}>} used for what the block shows
 * @param {FoundParameter | undefined} found what its cells say now
 */
export function lineOf(parameter, settings, used, found) {
  const { name, default: usual } = parameter;
  const setting = settings[name] ?? { value: usual };
  const label = labelOf(parameter);
  const was = used[name]?.value;
  const known = was !== undefined;
  if (!found) {
    const differs = known && setting.value !== undefined && !setting.cell && !same(was, setting.value);
    const said = [settingText(setting), (differs || setting.cell) && known && words.shown(valueText(was))].filter(Boolean).join(", ");
    return { name, label, said: said || words.nothing, differs };
  }
  const at = formatLocation(found.rect);
  const read = valueIn(parameter, found);
  const now = read === undefined ? usual : (read ?? undefined);
  const differs = known && !same(now, was);
  if (found.fault) return { name, label, said: [words.unread(at, words.faults[found.fault]), known && words.shown(valueText(was))].filter(Boolean).join(", "), differs, now };
  if (differs) return { name, label, said: words.says(at, now === undefined ? shownIn(found) : valueText(now), valueText(was)), differs, now };
  return { name, label, said: [settingText({ cell: at }), known && words.shown(valueText(was))].filter(Boolean).join(", "), differs, now };
}

/**
 * What is said of what the placement says of parameters that the report does not have any more.
 * @param {Parameter[]} parameters
 * @param {Settings} settings
 */
function undeclared(parameters, settings) {
  const others = Object.entries(settings).filter(([name]) => !parameters.some((one) => one.name === name));
  return others.map(([name, setting]) => ({ name, label: name, said: words.undeclared(settingText(setting)), differs: false, now: undefined }));
}

/** What cells show that say no value. @param {FoundParameter} found */
function shownIn({ cells }) {
  if (cells.length > 1) return words.many;
  return cells.length && cells[0].value !== null ? cellText(cells[0].value) : words.nothing;
}

/**
 * @param {Pane} pane
 * @param {Block} block
 */
function followBox(pane, block) {
  const onchange = async () => {
    box.ariaBusy = "true"; // until what the cells say now is known
    await setFollows(pane, block, box.checked);
    box.checked = follows(pane, block); // a device may refuse to keep it
    box.ariaBusy = null;
  };
  const box = h("input", { type: "checkbox", id: "by-itself", onchange });
  pane.store.watch(box, () => follows(pane, block), (on) => {
    box.checked = on;
  });
  return h("label", { class: "check" }, box, pane.port.kind === "sheets" ? words.byItselfSoon : words.byItself);
}

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {Parameter[]} parameters
 * @param {boolean | undefined} open
 */
function changing(pane, block, parameters, open) {
  const here = parameters.map((one) => ({ ...one, fromCells: Boolean(one.fromCells && (pane.port.parameters || settingsOf(block)[one.name]?.cell)) }));
  const changed = () => {
    form.dataset.typed = "yes";
  };
  const fields = settingFields(here, settingsOf(block), { changed, pick: pickOf(pane), fail: pane.fail });
  const save = h("button", { id: "save-values" }, words.save);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (save.ariaDisabled) return;
    save.ariaDisabled = "true"; // a disabled one would lose the focus
    try {
      const now = pane.store.state.blocks.find(({ key }) => key === block.key) ?? block; // it may stand elsewhere by now
      const said = setOptions(pane, now, { parameters: fields.value() });
      delete form.dataset.typed; // what is read then is drawn
      await said;
      pane.notice({ sentence: words.saved });
    } catch (error) {
      changed();
      if (!fields.refused(/** @type {any} */ (error))) pane.fail(error);
    }
    save.ariaDisabled = null;
  };
  const form = h("form", { onsubmit: submit }, fields.elements, save);
  return h("details", { open }, h("summary", {}, words.change), form);
}
