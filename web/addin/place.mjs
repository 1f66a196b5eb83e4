/** Placing a report: find it, look at it, choose where it stands, and write it. */
import { fill, h, mark } from "../ui/dom.mjs";
import { sleep } from "../ui/api.mjs";
import { cellText, count, number, text } from "../ui/text.mjs";
import { blockOf, connect, head } from "./blocks.mjs";
import { formatLocation } from "./address.mjs";

/** What it says, in English. */
const words = {
  find: "Find a report",
  none: "No report matches.",
  deployment: "Deployment",
  shown: (/** @type {number} */ n) => `The first ${number(n)} are shown. Type more of the name to find others.`,
  back: "Another report",
  preview: "First rows",
  size: (/** @type {number} */ rows, /** @type {number} */ columns) =>
    `${count(rows, "row")} × ${count(columns, "column")}, the header included`,
  at: "Top left cell",
  atHow: "The cell that is selected in the sheet. Select another one to move it.",
  covers: (/** @type {string} */ address) => `It fills ${address}.`,
  show: "Show on the sheet",
  free: "These cells are empty.",
  filled: (/** @type {number} */ n, /** @type {string} */ cells) =>
    `${count(n, "cell")} there ${n === 1 ? "is" : "are"} filled (${cells}). Placing the report writes over ${n === 1 ? "it" : "them"}; the run keeps what stood there.`,
  overlaps: (/** @type {string} */ name) => `It would cover the block “${name}”. Choose another cell.`,
  options: "Options",
  onEdit: "When someone edits a cell of it",
  onEditChoice: { keep: "Keep the edit", overwrite: "Write over it", stop: "Stop and ask" },
  shiftRows: "Rows below move with the block",
  fillRight: "Formulas filled down (optional)",
  fillRightHow: "Columns to the right of the block, such as F:H, whose formulas new rows get.",
  statusCell: "Status cell (optional)",
  statusCellHow: "A cell of the same sheet, such as B1, that says when the block was refreshed.",
  here: "Place it here",
  over: "Place it and write over these cells",
  placed: (/** @type {string} */ name) => `“${name}” is placed.`,
  placing: "Placing…",
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("./port.mjs").Rect} Rect
 * @typedef {import("../interface.d.ts").Report} Report
 */

/** Rows of a preview, and reports of a search. */
const PREVIEW = 5;
const FOUND = 50;

/** Cells that a warning names, and cells read at once to look for filled ones. */
const NAMED = 3;
const LOOKED = 20_000;

/** @param {Pane} pane */
export function screen(pane) {
  const place = h("section", { class: "screen", "aria-label": text.place });
  search(pane, place);
  return place;
}

/**
 * The first step: find a report.
 * @param {Pane} pane
 * @param {HTMLElement} place
 */
function search(pane, place) {
  const { deployments } = /** @type {import("./shapes.mjs").Me} */ (pane.store.state.me);
  const which = h(
    "select",
    { onchange: () => look() },
    deployments.map(({ id }) => h("option", { value: id }, String(id))),
  );
  const find = h("input", { type: "search", id: "find-report", oninput: () => look(250) });
  const found = h("ul", { class: "reports" });
  const said = h("p", { class: "hint", role: "status" });
  let last = new AbortController();

  async function look(wait = 0) {
    last.abort();
    last = new AbortController();
    const { signal } = last;
    try {
      await sleep(wait, signal);
      const query = `first=${FOUND}&sortBy=name${find.value && `&search=${encodeURIComponent(find.value)}`}`;
      const { items, pageInfo } = await pane.api.get(`/deployments/${which.value}/reports?${query}`, { signal });
      const reports = items.filter((/** @type {any} */ report) => report.name !== undefined);
      said.textContent = !reports.length ? words.none : pageInfo.hasNextPage ? words.shown(FOUND) : "";
      found.replaceChildren(
        ...reports.map((/** @type {Report} */ report) =>
          h(
            "li",
            {},
            h(
              "button",
              { class: "plain", onclick: () => chosen(pane, place, { ...report, deploymentId: Number(which.value) }) },
              h("span", { class: "name", title: report.name }, report.name),
            ),
          ),
        ),
      );
    } catch (error) {
      pane.fail(error);
    }
  }
  fill(
    place,
    head(text.place, text.back, () => pane.show("blocks")),
    h(
      "div",
      { class: "card" },
      deployments.length > 1 && h("label", { class: "field" }, h("span", {}, words.deployment), which),
      h("label", { class: "field" }, h("span", {}, words.find), find),
      said,
      found,
    ),
  );
  find.focus();
  look();
}

/**
 * The second step: what it looks like, and where it goes.
 * @param {Pane} pane
 * @param {HTMLElement} place
 * @param {Report} report
 */
async function chosen(pane, place, report) {
  const card = h("div", { class: "card" }, h("p", { class: "muted" }, text.loading));
  fill(
    place,
    head(report.name, words.back, () => search(pane, place)),
    card,
  );
  /** @type {HTMLElement} */ (place.querySelector("h2")).focus();
  try {
    const path = `/deployments/${report.deploymentId}/reports/${report.id}/result`;
    const result = await pane.api.post(path, { first: PREVIEW }, { repeatable: true });
    const size = { rows: result.totalRowCount ?? result.rowCount, columns: result.columnCount };
    fill(card, h("h3", {}, words.preview), table(result), h("p", { class: "hint" }, words.size(size.rows, size.columns)));
    place.append(target(pane, report, size));
  } catch (error) {
    fill(card, h("p", { class: "bad", role: "alert" }, /** @type {Error} */ (error).message || text.awayNow));
  }
}

/** @param {{columns: {name: string}[], writes: {rows: unknown[][]}[]}} result */
function table({ columns, writes }) {
  const rows = writes.flatMap((one) => one.rows).slice(1);
  const kind = columns.map((_, i) => rows.some((row) => typeof row[i] === "number") && "number");
  return h(
    "div",
    { class: "table", tabindex: 0, role: "region", "aria-label": words.preview },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map(({ name }, i) => h("th", { scope: "col", class: kind[i] }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            columns.map((_, i) => h("td", { class: kind[i] }, cellText(row[i]))),
          ),
        ),
      ),
    ),
  );
}

/**
 * Where it goes: the selected cell, and what stands there.
 * @param {Pane} pane
 * @param {Report} report
 * @param {{rows: number, columns: number}} size
 */
function target(pane, report, size) {
  /** @type {Rect | null} */
  let rect = null;
  let over = false; // the person sees that cells are written over
  const at = h("output", {});
  const covers = h("p", { class: "hint" });
  const warning = h("p", { role: "status" });
  const options = optionFields();
  const go = h(
    "button",
    { class: "primary", disabled: true, onclick: () => rect && write(pane, report, rect, { options: options.value(), over }, go) },
    words.here,
  );
  const look = async () => {
    const { sheet, row, column } = await pane.port.selection();
    const next = { sheet, row, column, ...size };
    if (rect && formatLocation(rect) === formatLocation(next)) return;
    rect = next;
    at.textContent = formatLocation({ sheet, row, column });
    covers.textContent = words.covers(formatLocation(rect));
    go.disabled = true;
    const { free, overlapped } = await standing(pane, rect);
    if (rect !== next) return; // the person has moved on meanwhile
    over = Boolean(free);
    fill(warning, mark(free || overlapped ? "alert" : "check"), overlapped ? words.overlaps(overlapped) : free || words.free);
    warning.className = `state ${overlapped ? "bad" : free ? "warn" : "good"}`;
    go.textContent = free ? words.over : words.here;
    go.disabled = Boolean(overlapped);
  };
  const card = h(
    "div",
    { class: "card" },
    h("h3", {}, words.at),
    h("p", {}, at),
    h("p", { class: "hint" }, words.atHow),
    covers,
    h(
      "div",
      { class: "choices" },
      h("button", { onclick: () => rect && pane.port.reveal(rect).catch(pane.fail) }, mark("target"), words.show),
    ),
    warning,
    options.element,
    go,
  );
  const end = pane.port.watch(() => (card.isConnected || !shown ? look().catch(pane.fail) : end()));
  let shown = false;
  look().then(() => {
    shown = true;
  }, pane.fail);
  return card;
}

/**
 * What stands where a report would go: a warning about filled cells, and the name of a block that it would cover.
 * @param {Pane} pane
 * @param {Rect} rect
 */
async function standing(pane, rect) {
  const { touches } = await import("./runs.mjs");
  await pane.locate();
  const overlapped = pane.store.state.blocks.find((block) => !block.gone && touches(pane.rect(block), rect))?.name;
  const rows = Math.min(rect.rows, Math.max(1, Math.floor(LOOKED / rect.columns)));
  const { cells } = await pane.port.read({ ...rect, rows });
  const filled = cells.flatMap((row, r) =>
    row.flatMap((cell, c) => (cell === null || cell === "" ? [] : [{ row: rect.row + r, column: rect.column + c }])),
  );
  const names =
    filled
      .slice(0, NAMED)
      .map((cell) => formatLocation(cell))
      .join(", ") + (filled.length > NAMED ? ", …" : "");
  return { overlapped, free: filled.length ? words.filled(filled.length, names) : "" };
}

/** What people may say of how a block behaves. */
function optionFields() {
  const onEdit = h(
    "select",
    {},
    Object.entries(words.onEditChoice).map(([value, label]) => h("option", { value }, label)),
  );
  const shiftRows = h("input", { type: "checkbox" });
  const fillRight = h("input", { type: "text", "aria-describedby": "fill-right-how", autocomplete: "off", maxlength: 12 });
  const statusCell = h("input", { type: "text", "aria-describedby": "status-cell-how", autocomplete: "off", maxlength: 12 });
  return {
    element: h(
      "details",
      {},
      h("summary", {}, words.options),
      h("label", { class: "field" }, h("span", {}, words.onEdit), onEdit),
      h("label", { class: "check" }, shiftRows, words.shiftRows),
      h("label", { class: "field" }, h("span", {}, words.fillRight), fillRight),
      h("p", { class: "hint", id: "fill-right-how" }, words.fillRightHow),
      h("label", { class: "field" }, h("span", {}, words.statusCell), statusCell),
      h("p", { class: "hint", id: "status-cell-how" }, words.statusCellHow),
    ),
    value: () => ({
      ...(onEdit.value !== "keep" && { onEdit: onEdit.value }),
      ...(shiftRows.checked && { shiftRows: true }),
      ...(fillRight.value.trim() && { fillRight: fillRight.value.trim() }),
      ...(statusCell.value.trim() && { statusCell: statusCell.value.trim() }),
    }),
  };
}

/**
 * Records the placement and writes it.
 * @param {Pane} pane
 * @param {Report} report
 * @param {Rect} rect
 * @param {{options: Record<string, unknown>, over: boolean}} how
 * @param {HTMLButtonElement} button
 */
async function write(pane, report, rect, { options, over }, button) {
  button.disabled = true;
  button.textContent = words.placing;
  try {
    const { mayWrite } = await import("./document.mjs");
    if (!(await mayWrite(pane))) throw new DOMException("", "AbortError"); // the person does not want rows here
    const placement = await connect(pane, report.deploymentId, report.id, {
      resultLocation: formatLocation({ sheet: rect.sheet, row: rect.row, column: rect.column }),
      ...options,
    });
    const block = blockOf({
      access: "GRANTED",
      deploymentId: report.deploymentId,
      reportId: report.id,
      reportName: report.name,
      placement,
    });
    pane.store.set({ blocks: [...pane.store.state.blocks.filter((one) => one.key !== block.key), block] });
    const { refresh } = await import("./runs.mjs");
    // what the person saw and gave up is replaced by the run, which keeps it
    const [outcome] = await refresh(pane, [block], over ? { onEdit: "overwrite" } : {});
    await pane.show("blocks");
    if (outcome && !outcome.error) pane.notice({ sentence: words.placed(report.name) });
  } catch (error) {
    button.disabled = false;
    button.textContent = words.here;
    pane.fail(error);
  }
}
