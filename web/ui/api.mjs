/** The client of the HTTP interface that the faces share: tokens and their renewal, errors, and what to do when the server is away. */
import { text } from "./text.mjs";

/**
 * @typedef {{access: string, refresh?: string, expires: number}} Tokens expires is when the access token does, in milliseconds
 * @typedef {{body?: unknown, signal?: AbortSignal, patience?: number, headers?: Record<string, string>, repeatable?: boolean,
 *   keepalive?: boolean}} Options patience: how many milliseconds to go on trying while the server is away; repeatable: a POST that may be
 *   sent twice; keepalive: the request outlives the page
 */

const PATIENCE = 30_000;
const LONGEST_WAIT = 15_000;

/** An error that the server answered with; message says what is wrong and what to do. */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {{code?: string, message?: string, count?: number,
   *   details?: {pointer: string, code: string, message: string, runId?: string}[]}} body
   * @param {number} [wait] ms after which it may be tried again
   */
  constructor(status, body, wait = 0) {
    super(body.message ?? `The server answered ${status}.`);
    this.status = status;
    this.wait = wait;
    this.code = body.code ?? "";
    this.count = body.count;
    this.details = body.details ?? [];
  }
}

/** The server cannot be reached, and patience has ended. */
export class Away extends Error {}

/** @typedef {"" | "server" | "storage"} Outage what does not answer: the server itself, or its storage; "" for neither */

/**
 * Reports whether an error is that the server is away: to a request, or to a module that is loaded when it is needed.
 * @param {unknown} error
 */
export function isAway(error) {
  return error instanceof Away || (error instanceof TypeError && /\bmodule\b/.test(error.message));
}

/**
 * What a person is told of an error; null for what they have done themselves.
 * @param {any} error
 * @returns {{sentence: string, tone: "bad", sign: "away" | "alert"} | null}
 */
export function faultOf(error) {
  if (error instanceof SignedOut || error?.name === "AbortError") return null;
  if (isAway(error)) return { sentence: text.awayNow, tone: "bad", sign: "away" };
  const known = error instanceof Problem || error?.name === "PortError";
  if (!known) console.error(error);
  return { sentence: known ? error.message : text.unexpected(String(error?.message ?? error)), tone: "bad", sign: "alert" };
}

/**
 * Reports whether two answers of /me are about the same user.
 * @param {{tenant: string, user: {id: number}}} a
 * @param {{tenant: string, user: {id: number}}} b
 */
export const sameUser = (a, b) => a.tenant === b.tenant && a.user.id === b.user.id;

/** The person turned away from signing in again. */
export class SignedOut extends Error {}

/** The tokens of one person, kept on this device for the one origin that frames the face: another origin starts signed out. */
export class Session {
  /**
   * @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} storage
   * @param {string} frame the origin of the framing page
   */
  constructor(storage, frame) {
    this.storage = storage;
    this.key = `mooring.session:${frame}`;
  }

  /** @returns {Tokens | null} */
  get tokens() {
    try {
      const kept = JSON.parse(this.storage.getItem(this.key) ?? "null");
      return typeof kept?.access === "string" ? kept : null;
    } catch {
      return null;
    }
  }

  /** @param {Tokens | null} tokens */
  set tokens(tokens) {
    if (tokens) this.storage.setItem(this.key, JSON.stringify(tokens));
    else this.storage.removeItem(this.key);
  }

  /** @param {{access_token: string, refresh_token?: string, expires_in?: number}} answer of the token endpoint */
  keep(answer) {
    const expires = Date.now() + (answer.expires_in ?? 8 * 3600) * 1000;
    this.tokens = { access: answer.access_token, refresh: answer.refresh_token, expires };
  }
}

export class Api {
  /**
   * @param {Session} session
   * @param {{onAway?: (away: Outage) => void, signIn?: () => Promise<void>, root?: string}} [settings] onAway: what is away has changed;
   *   signIn: the token has ended and could not be renewed, resolves when there is another; root: the interface's path
   */
  constructor(session, { onAway = () => {}, signIn = () => Promise.reject(new SignedOut()), root = "/api/v1" } = {}) {
    this.session = session;
    this.root = root;
    this.onAway = onAway;
    this.signIn = signIn;
    /** @type {Outage} */
    this.away = "";
    /** @type {Promise<void> | null} */
    this.renewing = null;
  }

  /** @param {string} path @param {Options} [options] */
  get(path, options) {
    return this.call("GET", path, options);
  }
  /** @param {string} path @param {unknown} body @param {Options} [options] */
  post(path, body, options) {
    return this.call("POST", path, { ...options, body });
  }
  /** @param {string} path @param {unknown} body @param {Options} [options] */
  put(path, body, options) {
    return this.call("PUT", path, { ...options, body });
  }
  /** @param {string} path @param {unknown} [body] @param {Options} [options] */
  delete(path, body, options) {
    return this.call("DELETE", path, { ...options, body });
  }

  /**
   * Calls an operation and returns its answer's body. It tries again while the server is away or busy, if the call may be sent twice, and
   * signs in again when the token has ended; whatever waits for it then goes on where it was.
   * @param {string} method
   * @param {string} path below the root
   * @param {Options} [options]
   * @returns {Promise<any>}
   */
  async call(method, path, options = {}) {
    const answer = await this.open(method, path, options);
    const body = await answer.text();
    return body ? JSON.parse(body) : null;
  }

  /**
   * All items of a list, page by page. each is called with the items of every page as it comes.
   * @template T
   * @param {string} path
   * @param {(items: T[]) => void} [each]
   * @param {Options} [options]
   * @returns {Promise<T[]>}
   */
  async all(path, each = () => {}, options) {
    /** @type {T[]} */
    const items = [];
    for (let after = ""; ;) {
      const query = `${path.includes("?") ? "&" : "?"}first=500${after && `&after=${encodeURIComponent(after)}`}`;
      const page = await this.get(path + query, options);
      items.push(...page.items);
      each(page.items);
      if (!page.pageInfo.hasNextPage) return items;
      after = page.pageInfo.endCursor;
    }
  }

  /**
   * The answer to a request that succeeded, its body not yet read.
   * @param {string} method
   * @param {string} path
   * @param {Options} options
   * @returns {Promise<Response>}
   */
  async open(method, path, { body, signal, patience = PATIENCE, headers = {}, repeatable = method !== "POST", keepalive }) {
    const deadline = Date.now() + patience;
    for (let attempt = 0; ; attempt++) {
      const token = this.session.tokens?.access ?? "";
      const answer = await this.send(method, path, { body, signal, headers, token, keepalive });
      if (answer?.ok) return answer;
      if (answer?.status === 401) {
        await this.renew(token);
        continue;
      }
      const passing = !answer || [429, 502, 503, 504].includes(answer.status);
      const wait = pause(attempt, answer?.headers.get("Retry-After") ?? null);
      if (!passing || Date.now() + wait > deadline || !(repeatable || answer?.status === 429)) {
        if (answer) throw new Problem(answer.status, await answer.json().catch(() => ({})), wait);
        throw new Away();
      }
      await sleep(wait, signal);
    }
  }

  /**
   * Sends a request once. Returns null when no answer came.
   * @param {string} method
   * @param {string} path
   * @param {{body?: unknown, signal?: AbortSignal, headers?: Record<string, string>, token: string, keepalive?: boolean}} request
   */
  async send(method, path, { body, signal, headers, token, keepalive }) {
    const all = {
      ...headers,
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
    };
    try {
      const answer = await fetch(this.root + path, {
        method,
        signal,
        keepalive,
        headers: all,
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      this.setAway(await this.awayBy(method, answer));
      return answer;
    } catch (error) {
      if (signal?.aborted) throw error;
      this.setAway("server");
      return null;
    }
  }

  /**
   * What an answer tells to be away. A storage that refuses writes may go on with reads.
   * @param {string} method
   * @param {Response} answer
   * @returns {Promise<Outage>}
   */
  async awayBy(method, answer) {
    if (![502, 503, 504].includes(answer.status)) return "";
    const { code = "" } = await answer
      .clone()
      .json()
      .catch(() => ({}));
    if (!code.startsWith("storage_")) return "server";
    return method === "GET" || code === "storage_unavailable" ? "storage" : this.away;
  }

  /** @param {Outage} away */
  setAway(away) {
    if (away === this.away) return;
    this.away = away;
    this.onAway(away);
  }

  /**
   * Gets another token in place of one that was refused: from the refresh token, else by signing in. All who need it wait for one renewal.
   * @param {string} refused
   */
  renew(refused) {
    this.renewing ??= this.replaceToken(refused).finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  /** @param {string} refused */
  async replaceToken(refused) {
    // Panes of one browser share the tokens: the first renews, the others find what it kept.
    const renewed = await exclusively(this.session.key, async () => {
      const tokens = this.session.tokens;
      if (tokens && tokens.access !== refused) return true;
      if (!tokens?.refresh) return false;
      const answer = await this.token({ grant_type: "refresh_token", refresh_token: tokens.refresh });
      if (answer.access_token) this.session.keep(answer);
      return Boolean(answer.access_token);
    });
    if (renewed) return;
    this.session.tokens = null;
    await this.signIn();
  }

  /**
   * Asks the token endpoint, which answers errors as RFC 6749 does: {error, error_description}.
   * @param {Record<string, string>} grant
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  token(grant, signal) {
    return this.pairing("/device/token", grant, signal);
  }

  /**
   * @param {string} path
   * @param {Record<string, string>} body
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async pairing(path, body, signal) {
    return (await this.insist("POST", path, { body, signal, token: "" })).json();
  }

  /**
   * Sends a request, past the renewal of tokens, until the server is neither away nor busy.
   * @param {string} method
   * @param {string} path
   * @param {{body?: unknown, signal?: AbortSignal, token: string}} request
   */
  async insist(method, path, request) {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.send(method, path, request);
      if (answer && answer.status < 500 && answer.status !== 429) return answer;
      await sleep(pause(attempt, answer?.headers.get("Retry-After") ?? null), request.signal);
    }
  }
}

/**
 * How long to wait before the next attempt, in milliseconds: what the server asks for, else twice as long each time, scattered.
 * @param {number} attempt
 * @param {string | null} retryAfter
 */
export function pause(attempt, retryAfter) {
  const asked = Number(retryAfter) * 1000;
  if (asked > 0) return asked;
  return Math.min(LONGEST_WAIT, 500 * 2 ** attempt) * (0.75 + Math.random() / 4);
}

/**
 * @param {number} ms
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
}

/**
 * Does something while no other pane of this browser does, where the browser can say.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} fn
 * @returns {Promise<T>}
 */
function exclusively(name, fn) {
  return globalThis.navigator?.locks ? navigator.locks.request(name, fn) : fn();
}

/**
 * A run as it is read. One that was stopped did nothing more in any block; runs of earlier versions may have no list of these.
 * @template {{state: string, placements?: any[] | null}} R
 * @param {R} run
 * @returns {R & {placements: any[]}}
 */
export function readRun(run) {
  const placements = run.placements ?? [];
  if (run.state !== "STOPPED") return { ...run, placements };
  const settled = (/** @type {any} */ one) => (["QUEUED", "RUNNING"].includes(one.state) ? { ...one, state: "STOPPED" } : one);
  return { ...run, placements: placements.map(settled) };
}

// ---- events ----------------------------------------------------------------------------------------------------

/** @typedef {Pick<import("../interface.d.ts").Event, "data"> & {type: string, reportId: number}} MooringEvent of type "gap": events were missed, read anew */

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

/** How long a reader waits for streams to open. */
const OPENING = 300;

/**
 * Follows deployments, and resolves once their streams are open, or soon: a caller that reads then misses no event. The gap of a stream that
 * opens later goes to fn.
 * @param {Api} api
 * @param {number[]} deployments
 * @param {(event: MooringEvent) => void} fn
 * @param {AbortSignal} signal
 */
export async function following(api, deployments, fn, signal) {
  let waiting = true;
  const opened = deployments.map(
    (id) =>
      new Promise((resolve) => {
        const on = (/** @type {MooringEvent} */ event) => (waiting && event.type === "gap" ? resolve(undefined) : fn(event));
        follow(api, id, on, signal);
      }),
  );
  await Promise.race([Promise.all(opened), sleep(OPENING, signal).catch(() => {})]);
  waiting = false;
}

/**
 * Calls fn with every event of a deployment until the signal aborts, through losses of the connection and ends of tokens. A stream that
 * resumes none begins with a "gap": what happened before it is not told.
 * @param {Api} api
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
 * @param {Api} api
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
      headers,
      patience: Infinity,
      signal: AbortSignal.any([signal, dead.signal]),
    });
    if (!answer.body) return;
    if (!parser.lastId) fn({ type: "gap", reportId: 0, data: {} });
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
