/** Placing a report: find it, and look at it. */
import { fill, h } from "../ui/dom.mjs";
import { sleep } from "../ui/api.mjs";
import { cellText, count, number, text, when } from "../ui/text.mjs";
import { head, rectOf } from "./blocks.mjs";
import { newReport } from "./build.mjs";

/** What it says, in English. */
const words = {
  find: "Find a report",
  none: "No report matches.",
  deployment: "Deployment",
  changed: (/** @type {string} */ time) => `changed ${time}`,
  sizeThen: (/** @type {number} */ rows, /** @type {number} */ columns) => `${count(rows, "row")} × ${count(columns, "column")}`,
  shown: (/** @type {number} */ n) => `The latest ${number(n)} are shown. Type more of the name to find others.`,
  back: "Another report",
  preview: "First rows",
  corrects: "To see rows, correct what is said above.",
  size: (/** @type {number} */ rows, /** @type {number} */ columns) =>
    `${count(rows, "row")} × ${count(columns, "column")}, the header included`,
};

/**
 * @typedef {import("./shapes.mjs").Pane} Pane
 * @typedef {import("../interface.d.ts").Report} Report
 * @typedef {import("./target.mjs").Showing} Showing
 */

/** Rows of a preview, and reports of a search. */
const PREVIEW = 5;
const FOUND = 50;

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
      const query = `first=${FOUND}&sortBy=updatedAt&sortDirection=desc${find.value && `&search=${encodeURIComponent(find.value)}`}`;
      const { items, pageInfo } = await pane.api.get(`/deployments/${which.value}/reports?${query}`, { signal });
      const reports = items.filter((/** @type {any} */ report) => report.name !== undefined);
      said.textContent = !reports.length ? words.none : pageInfo.hasNextPage ? words.shown(FOUND) : "";
      found.replaceChildren(
        ...reports.map((/** @type {Report} */ report) =>
          h("li", {}, row(report, () => chosen(pane, place, { ...report, deploymentId: Number(which.value) }))),
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
      newReport(pane, place, () => Number(which.value), { back: () => search(pane, place), place: (report) => chosen(pane, place, report) }),
    ),
  );
  find.focus();
  look();
}

/**
 * A report that was found: what it is, whose it is, how large it was where it was written last, and when it was changed.
 * @param {Report} report
 * @param {() => void} onclick
 */
function row(report, onclick) {
  const { name, description, user, updatedAt, externalWorkbookPlacements } = report;
  const written = externalWorkbookPlacements.find((placement) => placement.refreshedAt && placement.endResultCell);
  const { rows, columns } = written ? rectOf(written) : { rows: 0, columns: 0 };
  const facts = [user.firstName || user.email, rows && words.sizeThen(rows, columns), words.changed(when(updatedAt))];
  const about = `about-${report.id}`;
  return [
    h("button", { class: "plain", "aria-describedby": about, onclick }, h("span", { class: "name", title: name }, name)),
    h("div", { id: about }, description && h("p", {}, description), h("p", { class: "hint" }, facts.filter(Boolean).join(" · "))),
  ];
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
  const goes = h("div");
  place.append(goes);
  /** @type {Showing} */
  const on = { card, goes };
  if (!report.parameters?.length) return shown(pane, report, on);
  const { asked } = await import("./asking.mjs");
  return asked(pane, report.parameters, on, (how) => shown(pane, report, on, how));
}

/**
 * Shows the first rows of a report, and where it goes.
 * @param {Pane} pane
 * @param {Report} report
 * @param {Showing} on
 * @param {{parameters?: object, more?: object, isLast?: () => boolean, refused?: (error: any) => boolean}} [how] parameters: the values that it is
 *   shown for; more: what the placement is to say of them; isLast: whether they still count; refused: says beside them why they were
 */
async function shown(pane, report, on, { parameters, more = {}, isLast = () => true, refused = () => false } = {}) {
  const { card } = on;
  try {
    const path = `/deployments/${report.deploymentId}/reports/${report.id}/result`;
    const result = await pane.api.post(path, { first: PREVIEW, ...(parameters && { parameters }) }, { repeatable: true });
    const size = { rows: result.totalRowCount ?? result.rowCount, columns: result.columnCount };
    const { target } = await import("./target.mjs");
    if (!isLast()) return;
    fill(card, h("h3", {}, words.preview), table(result), h("p", { class: "hint" }, words.size(size.rows, size.columns)));
    on.target ??= target(pane, report, on.goes);
    on.target.offer(size, more);
  } catch (error) {
    if (!isLast()) return;
    if (refused(error)) return fill(card, h("p", { role: "status" }, words.corrects));
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
