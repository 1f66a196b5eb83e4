/** The interface as a signed-in browser calls it: a cookie says who it is, and a header that only this page knows says that it means it. */
import { Api, Problem, Session, sameUser } from "../ui/api.mjs";

/**
 * @typedef {import("../interface.d.ts").Me} Me
 * @typedef {Parameters<Api["send"]>[2]} Request
 */

/** The page keeps nothing: the cookie is out of its reach. */
const unkept = { getItem: () => null, setItem: () => {}, removeItem: () => {} };

export class SessionApi extends Api {
  /** @param {{onAway: (away: import("../ui/api.mjs").Outage) => void, signIn: () => Promise<void>}} events as of Api */
  constructor(events) {
    super(new Session(unkept, ""), { ...events, root: new URL("../../api/v1", document.baseURI).pathname });
    /** @type {Me | null} */
    this.me = null;
  }

  /**
   * Begins a session with a key. Returns why there is none, or "".
   * @param {string} key
   * @param {{refused: string, away: string}} words for when the server says nothing
   */
  async begin(key, words) {
    const answer = await super.send("POST", "/session", { body: { token: key }, token: "" });
    if (!answer) return words.away;
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) return body.message ?? words.refused;
    this.became(body);
    return "";
  }

  /**
   * Reads something; null if it is not there.
   * @param {string} path
   * @param {AbortSignal} signal
   * @param {number[]} [statuses] that say so
   * @returns {Promise<any>}
   */
  async find(path, signal, statuses = [404]) {
    try {
      return await this.get(path, { signal });
    } catch (error) {
      if (error instanceof Problem && statuses.includes(error.status)) return null;
      throw error;
    }
  }

  /**
   * Takes note of who is signed in. What is shown was read by another person if that has changed, in another tab: it is read anew.
   * @param {Me} me
   */
  became(me) {
    const other = this.me && !sameUser(this.me, me);
    this.me = me;
    if (other) location.reload();
    return me;
  }

  /**
   * Sends a request once; a write once more if the session is another by now, begun in another tab.
   * @param {string} method
   * @param {string} path
   * @param {Request} request
   * @override
   */
  async send(method, path, request) {
    const csrf = this.me?.csrf;
    const answer = await super.send(method, path, this.meant(method, request));
    if (answer?.status !== 403 || method === "GET") return answer;
    const now = await super.send("GET", "/me", { token: "" });
    if (!now?.ok || this.became(await now.json()).csrf === csrf) return answer;
    return super.send(method, path, this.meant(method, request));
  }

  /**
   * @param {string} method
   * @param {Request} request
   * @returns {Request}
   */
  meant(method, request) {
    if (method === "GET" || !this.me?.csrf) return request;
    return { ...request, headers: { ...request.headers, "X-Mooring-CSRF": this.me.csrf } };
  }
}
