import { SignedOut, sleep } from "./api.mjs";

/** @typedef {{type: string, reportId: number, data: Record<string, any>}} MooringEvent of type "gap": events were missed, read anew */

/** A stream says something at least every 15 s; one that is silent for so long is dead, though the connection may not know. */
const SILENCE = 45_000;

/** Reads server-sent events from text that comes in pieces. */
export class EventParser {
  constructor() {
    this.rest = "";
    this.lastId = "";
  }

  /**
   * @param {string} text
   * @returns {MooringEvent[]} the events that are complete with it
   */
  push(text) {
    const blocks = (this.rest + text).split("\n\n");
    this.rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => this.parse(block));
  }

  /** @param {string} block */
  parse(block) {
    /** @type {Record<string, string>} */
    const fields = {};
    for (const line of block.split("\n")) {
      const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      if (name) fields[name] = value;
    }
    if (fields.id) this.lastId = fields.id;
    if (fields.event === "gap") return [{ type: "gap", reportId: 0, data: {} }];
    return fields.data ? [/** @type {MooringEvent} */ (JSON.parse(fields.data))] : [];
  }
}

/**
 * Calls fn with every event of a deployment until the signal aborts, through losses of the connection and ends of tokens.
 * @param {import("./api.mjs").Api} api
 * @param {number} deployment
 * @param {(event: MooringEvent) => void} fn
 * @param {AbortSignal} signal
 */
export async function follow(api, deployment, fn, signal) {
  const parser = new EventParser();
  while (!signal.aborted) {
    try {
      await readStream(api, deployment, parser, fn, signal);
    } catch (error) {
      if (error instanceof SignedOut) return;
    }
    await sleep(1000, signal).catch(() => {});
  }
}

/**
 * @param {import("./api.mjs").Api} api
 * @param {number} deployment
 * @param {EventParser} parser
 * @param {(event: MooringEvent) => void} fn
 * @param {AbortSignal} signal
 */
async function readStream(api, deployment, parser, fn, signal) {
  const dead = new AbortController();
  let alarm = setTimeout(() => dead.abort(), SILENCE);
  const headers = { Accept: "text/event-stream", ...(parser.lastId && { "Last-Event-ID": parser.lastId }) };
  try {
    const answer = await api.open("GET", `/deployments/${deployment}/events`, {
      headers, patience: Infinity, signal: AbortSignal.any([signal, dead.signal]),
    });
    if (!answer.body) return;
    parser.rest = "";
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(alarm);
      alarm = setTimeout(() => dead.abort(), SILENCE);
      for (const event of parser.push(value)) fn(event);
    }
  } finally {
    clearTimeout(alarm);
  }
}
