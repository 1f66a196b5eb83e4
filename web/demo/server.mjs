/**
 * What the page asks the server for besides the interface: the file, a change of the source, the agent. All of it is there under mooring
 * demo only.
 *
 * @typedef {{document: string, sheet: string, anchor: string, deployment: number, agent: boolean}} Setting
 */
import { Held } from "./document.mjs";

const UNCHANGED = 304;

/** A sentence with which the server refused. */
export class Refused extends Error {}

/**
 * @typedef {import("./document.mjs").Store} Store
 * @implements {Store}
 */
export class Server {
  /** @param {string} token */
  constructor(token) {
    this.token = token;
  }

  /** @param {string} action @param {RequestInit} [init] */
  async ask(action, init = {}) {
    const headers = { ...init.headers, Authorization: `Bearer ${this.token}` };
    const answer = await fetch(new URL(`/demo/actions/${action}`, location.href), { ...init, headers });
    if (answer.ok || answer.status === UNCHANGED) return answer;
    throw new Refused((await answer.text()).trim());
  }

  /**
   * The token to the code of a link; null if somebody has opened that link before.
   * @param {string} code
   * @returns {Promise<string | null>}
   */
  static async enter(code) {
    const answer = await new Server("").ask("enter", { method: "POST", body: JSON.stringify({ code }) });
    return (await answer.json()).token;
  }

  /** @returns {Promise<Setting>} */
  async setting() {
    return (await this.ask("state")).json();
  }

  /** @param {string} tag */
  async get(tag) {
    const answer = await this.ask("document", { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
    if (answer.status === UNCHANGED) return null;
    return { bytes: new Uint8Array(await answer.arrayBuffer()), tag: answer.headers.get("ETag") ?? "" };
  }

  /** @param {Uint8Array} bytes @param {string} tag */
  async put(bytes, tag) {
    const body = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)]);
    const answer = await (await this.ask("document", { method: "POST", headers: { "If-Match": tag }, body })).json();
    if (answer.held) throw new Held(answer.held);
    return answer.tag;
  }

  /** Changes some rows of the source and returns the states that they are of. @returns {Promise<string[]>} */
  async changeSource() {
    return (await (await this.ask("source", { method: "POST" })).json()).states;
  }

  /** @param {boolean} running */
  async setAgent(running) {
    await this.ask("agent", { method: "POST", body: JSON.stringify({ running }) });
  }
}
