/** The list of the document's blocks, which the pane begins with; how a block's state is shown, and the head of a screen. */
import { VirtualList, h, mark, nextTry } from "../ui/dom.mjs";
import { nextTryWords, text } from "../ui/text.mjs";
import { ATTENTION, describe, narrowed, nextOf, ordered, stateOf } from "./blocks.mjs";

/**
 * @typedef {import("./pane.mjs").Pane} Pane
 * @typedef {import("./blocks.mjs").Block} Block
 */

/** How a state looks: never by its colour alone. @type {Record<string, {mark: import("../ui/dom.mjs").Mark, tone: string}>} */
const LOOKS = {
  UP_TO_DATE: { mark: "check", tone: "good" },
  CHANGED: { mark: "refresh", tone: "accent" },
  UNKNOWN: { mark: "circle", tone: "muted" },
  REFRESHING: { mark: "refresh", tone: "accent" },
  WAITING: { mark: "clock", tone: "muted" },
  FAILED: { mark: "alert", tone: "bad" },
  CONFLICT: { mark: "hand", tone: "warn" },
  DENIED: { mark: "lock", tone: "muted" },
  GONE: { mark: "gone", tone: "warn" },
};

/**
 * The line that says a block's state.
 * @param {Block} block
 * @param {number} me
 */
export function stateLine(block, me) {
  const { word, rest } = describe(block, me);
  const look = LOOKS[stateOf(block)] ?? LOOKS.UNKNOWN;
  const sign = mark(look.mark);
  const next = nextOf(block);
  if (stateOf(block) === "REFRESHING") sign.classList.add("spin");
  return h(
    "span",
    { class: `state ${look.tone}` },
    sign,
    h(
      "span",
      {},
      h("b", {}, word),
      next && [" · ", nextTry(next)],
      rest.filter(Boolean).map((one) => ` · ${one}`),
    ),
  );
}

/**
 * The head of a screen, with the way back.
 * @param {string} title
 * @param {string} back what the way back is called
 * @param {() => void} onBack
 */
export function head(title, back, onBack) {
  return h(
    "div",
    { class: "head" },
    h("button", { class: "plain", "aria-label": back, onclick: onBack }, mark("back")),
    h("h2", { tabindex: -1, title }, title),
  );
}

/**
 * The screen that lists the blocks.
 * @param {Pane} pane
 */
export function screen(pane) {
  const list = new VirtualList({
    label: text.blocksOf,
    rowHeight: 92,
    key: (/** @type {Block} */ block) => block.key,
    render: (block) => row(pane, block),
  });
  const find = h("input", { type: "search", "aria-label": text.find, placeholder: text.find, oninput: show });
  const urgent = h("input", { type: "checkbox", onchange: show });
  const urgentText = h("span");
  const narrow = h("div", { class: "narrow", hidden: true }, find, h("label", { class: "check" }, urgent, urgentText));
  const none = h("p", { class: "empty muted" });
  const element = h("section", { class: "screen blocks", "aria-label": text.blocks }, toolbar(pane), narrow, none, list.element);

  function show() {
    const { blocks, loaded } = pane.store.state;
    const attention = blocks.filter((block) => ATTENTION.includes(stateOf(block))).length;
    if (!attention) urgent.checked = false;
    urgentText.textContent = text.needAttention(attention);
    urgent.disabled = !attention;
    narrow.hidden = blocks.length < 9;
    const found = narrowed(ordered(blocks), narrow.hidden ? "" : find.value, urgent.checked);
    none.hidden = found.length > 0;
    none.textContent = loaded ? whyNone(pane) : text.loading;
    list.set(found);
  }
  pane.store.watch(element, (state) => state.blocks, show);
  pane.store.watch(element, (state) => state.loaded, show);
  return element;
}

/**
 * Why the list is empty.
 * @param {Pane} pane
 */
function whyNone({ port, store: { state } }) {
  if (state.blocks.length) return text.noneFound;
  if (!state.document.id) return text.noDocument;
  return port.host ? `${text.noBlocks} ${text.noBlocksHow}` : text.noBlocks;
}

/** @param {Pane} pane */
function toolbar(pane) {
  const menu = h(
    "div",
    { popover: "auto", id: "refresh-menu" },
    [
      ["all", text.refreshAll],
      ["sheet", text.refreshSheet],
      ["selection", text.refreshSelection],
    ]
      .filter(([which]) => which === "all" || pane.port.host)
      .map(([which, label]) =>
        h(
          "button",
          {
            onclick: () => {
              menu.hidePopover();
              pane.refreshMany(which);
            },
          },
          label,
        ),
      ),
  );
  const refresh = h("button", { popovertarget: "refresh-menu" }, mark("refresh"), text.refresh, mark("down"));
  pane.store.watch(
    refresh,
    (state) => Boolean(state.progress) || !state.blocks.length,
    (busy) => {
      refresh.disabled = busy;
    },
  );
  return h(
    "div",
    { class: "toolbar" },
    refresh,
    menu,
    pane.port.host && h("button", { class: "primary", onclick: () => pane.show("place") }, mark("plus"), text.place),
  );
}

/**
 * @param {Pane} pane
 * @param {Block} block
 */
function row(pane, block) {
  const me = pane.store.state.me?.user.id ?? 0;
  pane.wantRun(block);
  const { resultLocation } = block.placement;
  const { word, rest } = describe(block, me);
  const next = nextOf(block);
  const shown = [word, next && nextTryWords(next), ...rest].filter(Boolean).join(" · ");
  const jump =
    pane.port.host &&
    stateOf(block) !== "GONE" &&
    h(
      "button",
      { class: "plain jump", "aria-label": text.goTo(resultLocation), onclick: () => pane.reveal(block) },
      mark("target"),
      resultLocation,
    );
  return h(
    "div",
    { class: "row" },
    h(
      "button",
      {
        class: "open",
        "aria-label": `${block.name} ${shown}, ${resultLocation}`,
        disabled: block.status === "DENIED",
        onclick: () => pane.show("block", block.key),
      },
      h("span", { class: "name" }, block.name),
      stateLine(block, me),
    ),
    jump || h("span", { class: "jump muted" }, resultLocation),
  );
}
