/** The members of the views, searched, from which they go into the zones. */
import { VirtualList, announce, h } from "../ui/dom.mjs";
import { fits, placeOf, put } from "./state.mjs";
import { words } from "./words.mjs";

/**
 * @typedef {import("./draft.mjs").Draft} Draft
 * @typedef {import("./shapes.mjs").Dataset} Dataset
 * @typedef {import("./state.mjs").Member} Member
 * @typedef {import("./state.mjs").Zone} Zone
 * @typedef {{member: Member, of: Dataset, found: string, added: boolean}} Entry found: what a search looks through
 */

/** What is dragged to a zone: a member, and where it stood if it was in one. */
export const DRAGGED = "application/x-mooring-field";

/** The zones by the keys that put a member there. @type {Record<string, Zone>} */
export const KEYS = { r: "rows", c: "columns", v: "values", f: "filters" };

/** The height of a row, as the style sheet has it. */
const ROW = 52;

/**
 * Where a search looks for a member, and what it finds: all words of it, in any order.
 * @param {Dataset[]} datasets
 * @returns {Entry[]}
 */
export function entriesOf(datasets) {
  return datasets.flatMap((of) =>
    (of.members ?? []).map((member) => ({
      member,
      of,
      added: false,
      found: [member.name, member.title, member.description, of.title].join("\n").toLowerCase(),
    })),
  );
}

/**
 * @param {Entry[]} entries
 * @param {string} view "" for all
 * @param {string} search
 */
export function matching(entries, view, search) {
  const parts = search.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ of, found }) => (!view || of.name === view) && parts.every((part) => found.includes(part)));
}

export class Members {
  /**
   * @param {Draft} draft
   * @param {Dataset[]} datasets
   */
  constructor(draft, datasets) {
    this.draft = draft;
    this.entries = entriesOf(datasets);
    this.view = viewChoice(datasets, this.viewNow(datasets), () => this.show());
    this.search = h("input", { type: "search", id: "b-search", oninput: () => this.show() });
    this.said = h("p", { class: "b-hint", role: "status" });
    this.list = new VirtualList({
      label: words.members,
      rowHeight: ROW,
      key: ({ member }) => member.name,
      render: (entry) => this.row(entry),
    });
    this.element = h(
      "section",
      { class: "b-card b-members", "aria-label": words.members },
      datasets.length > 1 && h("label", { class: "b-field" }, h("span", {}, words.view), this.view),
      h("label", { class: "b-field" }, h("span", {}, words.search), this.search),
      this.said,
      this.list.element,
      h("p", { class: "b-hint" }, words.membersHow),
    );
    draft.followers.add(() => this.show());
    this.show();
  }

  /**
   * The view to begin with: that of what is chosen already, else the only one.
   * @param {Dataset[]} datasets
   */
  viewNow(datasets) {
    const { rows, columns, values } = this.draft.state;
    const [of] = [...rows.map(({ member }) => member), ...columns.map(({ member }) => member), ...values].map((name) => name.split(".")[0]);
    return datasets.find(({ name }) => name === of)?.name ?? (datasets.length === 1 ? datasets[0].name : "");
  }

  show() {
    const added = this.added();
    this.entries = this.entries.map((one) => (one.added === added.has(one.member.name) ? one : { ...one, added: !one.added }));
    const found = matching(this.entries, this.view.value, this.search.value);
    this.said.textContent = found.length ? words.found(found.length) : words.noneFound;
    this.list.set(found);
  }

  added() {
    const { rows, columns, values, segments } = this.draft.state;
    return new Set([...rows.map(({ member }) => member), ...columns.map(({ member }) => member), ...values, ...segments]);
  }

  /** @param {Entry} entry */
  row({ member, of, added }) {
    const title = member.title || member.name;
    const about = [words.roles[member.role], added && words.isIn, member.description || of.title || of.name].filter(Boolean).join(" · ");
    return h(
      "div",
      {
        class: `b-member ${member.role}`,
        draggable: "true",
        ondragstart: (/** @type {DragEvent} */ event) => event.dataTransfer?.setData(DRAGGED, JSON.stringify({ name: member.name })),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.onKey(event, member, of),
      },
      h(
        "button",
        { class: "plain", "aria-keyshortcuts": "R C V F", onclick: () => this.add(member, placeOf(member), of) },
        h("bdi", { class: "b-title", title: member.name }, title),
        h("span", { class: "b-about" }, about),
      ),
      member.role !== "segment" && h("button", { class: "plain", "aria-label": words.addFilterBy(title), onclick: () => this.add(member, "filters", of) }, words.addFilter),
    );
  }

  /**
   * @param {KeyboardEvent} event
   * @param {Member} member
   * @param {Dataset} of
   */
  onKey(event, member, of) {
    const zone = !event.ctrlKey && !event.metaKey && !event.altKey ? KEYS[event.key.toLowerCase()] : undefined;
    if (!zone) return;
    event.preventDefault();
    this.add(member, zone, of);
  }

  /**
   * Puts a member into a zone. From then on its view is shown: fields of others are seldom joined with it.
   * @param {Member} member
   * @param {Zone} zone
   * @param {Dataset} of
   */
  add(member, zone, of) {
    if (!fits(member, zone)) return;
    this.view.value ||= of.name;
    this.draft.set(put(this.draft.state, zone, member));
    announce(words.moved(member.title || member.name, words.zones[zone]));
  }
}

/**
 * @param {Dataset[]} datasets
 * @param {string} chosen
 * @param {() => void} changed
 */
function viewChoice(datasets, chosen, changed) {
  const option = (/** @type {Dataset} */ { name, title }) => h("option", { value: name, selected: name === chosen }, title || name);
  const of = (/** @type {string} */ kind) => datasets.filter((one) => one.kind === kind).map(option);
  const cubes = of("cube");
  return h(
    "select",
    { id: "b-view", onchange: changed },
    h("option", { value: "" }, words.allViews),
    of("view"),
    cubes.length ? h("optgroup", { label: words.cubes }, cubes) : null,
  );
}
