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
  byItself: "Refresh by itself 2 seconds after such a cell was changed",
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

/**
 * @param {Pane} pane
 * @param {Block} block
 * @param {{was: HTMLElement, run: () => void}} how was: where it was said last, of which what is typed there goes on; run refreshes it
 */
export async function valuesCard(pane, block, { was, run }) {
  const report = await pane.api.get(`/deployments/${block.deployment}/reports/${block.report}`);
  const parameters = /** @type {Parameter[]} */ (report.parameters ?? []);
  if (!parameters.length) return null;
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
  let looks = 0;
  const look = async () => {
    const own = ++looks;
    const found = byCells ? await standing(pane.port, block.placement) : new Map();
    if (own !== looks) return; // a later one tells more
    const lines = parameters.map((parameter) => lineOf(parameter, settings, shown, found.get(parameter.name)));
    fill(list, lines.flatMap(({ label, said }) => [h("dt", {}, label), h("dd", {}, said)]));
    const blamed = blameOf(block, found);
    const at = found.get(blamed)?.rect;
    const refused = at && same(lines.find(({ name }) => name === blamed)?.now, block.run?.parameters?.[blamed]?.value);
    other.hidden = Boolean(refused) || !lines.some(({ differs }) => differs);
    conflict.hidden = !at;
    fill(conflict, at && h("button", { id: "go-to-cell", class: "primary", onclick: () => pane.port.reveal(at).catch(pane.fail) }, mark("target"), text.goTo(formatLocation(at))));
  };
  await look();
  if (byCells) {
    const end = pane.port.watch(({ kind }) => {
      if (!card.isConnected) return end();
      if (kind !== "selection") look().catch(() => {}); // a hint only: the next refresh tells
      return undefined;
    });
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
async function shownBy({ api }, { deployment, report, placement, run }) {
  if (run?.state === "SUCCEEDED") return run.parameters ?? {};
  if (!placement.refreshedAt || placement.lastRun?.state === "SUCCEEDED") return {}; // of the latter it is being read
  const filters = new URLSearchParams({ report: String(report), document: placement.workbookId, state: "SUCCEEDED", first: "20" });
  const { items } = await api.get(`/deployments/${deployment}/refreshes?${filters}`);
  const blocks = items.flatMap((/** @type {any} */ one) => readRun(one).placements);
  return blocks.find((/** @type {any} */ one) => one.placementId === placement.id && one.state === "SUCCEEDED")?.parameters ?? {};
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
  const empty = [...found].filter(([, { cells }]) => cells.every(({ value }) => value === null));
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
function lineOf(parameter, settings, used, found) {
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
  const now = valueIn(parameter, found) ?? (found.cells.every(({ value }) => value === null) ? usual : undefined);
  const differs = known && !same(now, was);
  if (differs) return { name, label, said: words.says(at, now === undefined ? shownIn(found) : valueText(now), valueText(was)), differs, now };
  return { name, label, said: [settingText({ cell: at }), known && words.shown(valueText(was))].filter(Boolean).join(", "), differs, now };
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
    box.ariaBusy = null;
  };
  const box = h("input", { type: "checkbox", id: "by-itself", checked: follows(pane, block), onchange });
  return h("label", { class: "check" }, box, words.byItself);
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
