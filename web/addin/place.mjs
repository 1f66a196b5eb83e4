/** Placing a report: find it, look at it, choose where it stands, and write it. */
import { fill, h, mark } from "../ui/dom.mjs";
import { sleep } from "../ui/api.mjs";
import { cellText, text } from "../ui/text.mjs";
import { blockOf, head } from "./blocks.mjs";
import { connect } from "./copy.mjs";
import { formatLocation } from "./address.mjs";

/**
 * @typedef {import("./pane.mjs").Pane} Pane
 * @typedef {import("./port.mjs").Rect} Rect
 * @typedef {{id: number, name: string, description?: string, deploymentId: number, access?: string}} Report
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
  const { deployments } = /** @type {import("./pane.mjs").Me} */ (pane.store.state.me);
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
      said.textContent = !reports.length ? text.placeNone : pageInfo.hasNextPage ? text.placeShown(FOUND) : "";
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
      deployments.length > 1 && h("label", { class: "field" }, h("span", {}, text.placeIn), which),
      h("label", { class: "field" }, h("span", {}, text.placeFind), find),
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
    head(report.name, text.placeBack, () => search(pane, place)),
    card,
  );
  /** @type {HTMLElement} */ (place.querySelector("h2")).focus();
  try {
    const path = `/deployments/${report.deploymentId}/reports/${report.id}/result`;
    const result = await pane.api.post(path, { first: PREVIEW }, { repeatable: true });
    const size = { rows: result.totalRowCount ?? result.rowCount, columns: result.columnCount };
    fill(card, h("h3", {}, text.preview), table(result), h("p", { class: "hint" }, text.size(size.rows, size.columns)));
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
    { class: "table", tabindex: 0, role: "region", "aria-label": text.preview },
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
    text.placeHere,
  );
  const look = async () => {
    const { sheet, row, column } = await pane.port.selection();
    const next = { sheet, row, column, ...size };
    if (rect && formatLocation(rect) === formatLocation(next)) return;
    rect = next;
    at.textContent = formatLocation({ sheet, row, column });
    covers.textContent = text.placeCovers(formatLocation(rect));
    go.disabled = true;
    const { free, overlapped } = await standing(pane, rect);
    if (rect !== next) return; // the person has moved on meanwhile
    over = Boolean(free);
    fill(warning, mark(free || overlapped ? "alert" : "check"), overlapped ? text.placeOverlaps(overlapped) : free || text.placeFree);
    warning.className = `state ${overlapped ? "bad" : free ? "warn" : "good"}`;
    go.textContent = free ? text.placeOver : text.placeHere;
    go.disabled = Boolean(overlapped);
  };
  const card = h(
    "div",
    { class: "card" },
    h("h3", {}, text.placeAt),
    h("p", {}, at),
    h("p", { class: "hint" }, text.placeAtHow),
    covers,
    h(
      "div",
      { class: "choices" },
      h("button", { onclick: () => rect && pane.port.reveal(rect).catch(pane.fail) }, mark("target"), text.placeShow),
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
  return { overlapped, free: filled.length ? text.placeFilled(filled.length, names) : "" };
}

/** What people may say of how a block behaves. */
function optionFields() {
  const onEdit = h(
    "select",
    {},
    Object.entries(text.onEditChoice).map(([value, label]) => h("option", { value }, label)),
  );
  const shiftRows = h("input", { type: "checkbox" });
  const fillRight = h("input", { type: "text", "aria-describedby": "fill-right-how", autocomplete: "off", maxlength: 12 });
  const statusCell = h("input", { type: "text", "aria-describedby": "status-cell-how", autocomplete: "off", maxlength: 12 });
  return {
    element: h(
      "details",
      {},
      h("summary", {}, text.placeOptions),
      h("label", { class: "field" }, h("span", {}, text.onEdit), onEdit),
      h("label", { class: "check" }, shiftRows, text.shiftRows),
      h("label", { class: "field" }, h("span", {}, text.fillRight), fillRight),
      h("p", { class: "hint", id: "fill-right-how" }, text.fillRightHow),
      h("label", { class: "field" }, h("span", {}, text.statusCell), statusCell),
      h("p", { class: "hint", id: "status-cell-how" }, text.statusCellHow),
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
  button.textContent = text.placing;
  try {
    const { mayWrite } = await import("./seen.mjs");
    if (!(await mayWrite(pane))) throw new DOMException("", "AbortError"); // the person does not want rows here
    const { id, name } = pane.store.state.document;
    const { placement } = await connect(pane, report.deploymentId, report.id, {
      externalWorkbookId: id,
      workbookName: name,
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
    if (outcome && !outcome.error) pane.notice({ sentence: text.placed(report.name) });
  } catch (error) {
    button.disabled = false;
    button.textContent = text.placeHere;
    pane.fail(error);
  }
}
