/**
 * What the buttons do: to the file as a person would, to the source, to the agent, and a refresh through the interface.
 *
 * @typedef {import("./server.mjs").Server} Server
 * @typedef {import("./document.mjs").Document} Document
 * @typedef {import("./grid.mjs").Grid} Grid
 * @typedef {import("../ui/api.mjs").Api} Api
 * @typedef {import("../addin/port.mjs").Rect} Rect
 */
import { cellName, MAX_COLUMNS, parseReference } from "./reference.mjs";
import { text } from "./text.mjs";

const POLL = 250; // ms
const PATIENCE = 1500; // ms, until it is said that a refresh waits

export class Actions {
  /** @param {{server: Server, document: Document, grid: Grid, api: Api, id: string, agent: boolean, say: (sentence: string) => void, onAgent: () => void}} desk */
  constructor(desk) {
    this.desk = desk;
    this.agent = desk.agent;
  }

  /** The block to work on: one of the sheet that is shown, else the first. @returns {Rect | null} */
  block() {
    const { book } = this.desk.document;
    const all = book.names.filter(({ name }) => /^_mooring_/i.test(name)).flatMap(({ reference }) => parseReference(reference.trim()) ?? [])
      .filter(({ sheet, rows }) => book.sheet(sheet) && rows > 1);
    return all.find(({ sheet }) => sheet === this.desk.grid.sheet.name) ?? all[0] ?? null;
  }

  /** Does something with the block, if there is one. @param {(block: Rect) => Promise<void>} work */
  async withBlock(work) {
    const block = this.block();
    if (block) await work(block);
    else this.desk.say(text.noBlock);
  }

  async change() {
    this.desk.say(text.changed(await this.desk.server.changeSource()));
  }

  /** Types over the first number of the block that is still one, in its last column but one where that has any. */
  type() {
    return this.withBlock(async (block) => {
      const at = this.numberIn(block);
      if (!at) return this.desk.say(text.nothingToType);
      const words = `about ${roughly(at.value)}`;
      this.desk.grid.reveal({ sheet: block.sheet, row: at.row, column: at.column, rows: 1, columns: 1 });
      await this.desk.document.edit({ kind: "set", sheet: block.sheet, row: at.row, column: at.column, cells: [[{ value: words }]] });
      this.desk.say(text.typed(cellName(at.row, at.column), words));
    });
  }

  /** @param {Rect} block */
  numberIn(block) {
    const sheet = this.desk.document.book.known(block.sheet);
    const columns = [block.columns - 2, ...Array.from({ length: block.columns }, (_, i) => i)].filter((i) => i >= 0);
    for (const column of columns) {
      for (let i = Math.min(3, block.rows - 1); i < block.rows; i++) {
        const value = sheet.cell(block.row + i, block.column + column)?.value;
        if (typeof value === "number") return { row: block.row + i, column: block.column + column, value };
      }
    }
    return null;
  }

  insert() {
    return this.withBlock(async (block) => {
      this.desk.grid.reveal({ ...block, rows: 1 });
      await this.desk.document.edit({ kind: "shift", sheet: block.sheet, row: block.row, rows: 1, column: 0, columns: MAX_COLUMNS });
      this.desk.say(text.inserted(block.row + 1));
    });
  }

  sort() {
    return this.withBlock(async (block) => {
      const sheet = this.desk.document.book.known(block.sheet);
      const first = sheet.cell(block.row + 1, block.column)?.value ?? "";
      const last = sheet.cell(block.row + block.rows - 1, block.column)?.value ?? "";
      const descending = first <= last;
      const area = { row: block.row + 1, column: block.column, rows: block.rows - 1, columns: block.columns };
      this.desk.grid.reveal({ ...block, rows: 1 });
      await this.desk.document.edit({ kind: "sort", sheet: block.sheet, ...area, by: block.column, descending });
      this.desk.say(text.sorted(descending));
    });
  }

  async stop() {
    await this.setAgent(false);
    this.desk.say(text.stopped);
  }

  async start() {
    await this.setAgent(true);
    this.desk.say(text.started);
  }

  /** @param {boolean} running */
  async setAgent(running) {
    await this.desk.server.setAgent(running);
    this.agent = running;
    this.desk.onAgent();
  }

  /** Lets an agent refresh everything in the file, and says what that did. */
  async refresh() {
    await this.desk.document.save();
    this.desk.say(text.refreshing);
    const { runs } = await this.desk.api.post(`/external-documents/${encodeURIComponent(this.desk.id)}/refreshes`, {});
    const total = { rowsWritten: 0, movedRows: 0, edited: 0 };
    for (const { deploymentId, runId } of runs) {
      const run = await this.ended(deploymentId, runId);
      if (run.state !== "SUCCEEDED") return this.desk.say(text.failed(run.error || run.state));
      total.rowsWritten += run.rowsWritten;
      total.movedRows += run.movedRows;
      total.edited += run.placements.reduce((/** @type {number} */ sum, /** @type {{editedRows?: number[]}} */ p) => sum + (p.editedRows?.length ?? 0), 0);
    }
    await this.desk.document.look();
    this.desk.say(text.refreshed(total));
  }

  /** Waits for the end of a run. @param {number} deployment @param {string} runId */
  async ended(deployment, runId) {
    for (let waited = 0; ; waited += POLL) {
      const run = await this.desk.api.get(`/deployments/${deployment}/refreshes/${runId}`);
      if (run.endedAt) return run;
      if (waited >= PATIENCE && !this.agent) this.desk.say(text.waitingForAgent);
      await new Promise((resolve) => setTimeout(resolve, POLL));
    }
  }
}

/** A number as a person would say it. @param {number} n */
function roughly(n) {
  const size = Math.abs(n);
  if (size >= 1e6) return `${(n / 1e6).toFixed(1)} million`;
  return size >= 1000 ? `${Math.round(n / 1000).toLocaleString("en")} thousand` : String(n);
}
