/** A spreadsheet as the whole port sees it: what Mooring keeps in it, and the marks that stand in it. */
import { SHEETS_NAMES, Standing, identityOf, markedPlacement, newIdentity } from "../port.mjs";

/** @typedef {{name: string, generation: number, rect: import("../port.mjs").Rect}} Named */

const ID = "mooring.document"; // Google's, which a copy keeps of its original
const IDENTITY = "mooring_document"; // as agents have a spreadsheet say which one it is
const GENERATION = /(_+)g([1-9][0-9]*)$/i; // of a name whose first holder marks nothing any more

export class Spreadsheet {
  /** @param {{call(name: string, ...args: unknown[]): Promise<any>}} relay */
  constructor(relay) {
    this.relay = relay;
    this.standing = new Standing();
    this.identified = false;
  }

  /**
   * A spreadsheet's id is Google's own. It is kept in the spreadsheet too: a copy has another one, and what was kept.
   * @returns {Promise<import("../port.mjs").Document>}
   */
  async document() {
    const { id, name } = await this.relay.call("document");
    const kept = await this.relay.call("setting", ID);
    return { id, name, ...(kept !== null && kept !== id ? { copyOf: kept } : {}) };
  }

  /**
   * A copy is called by its own id, whatever is decided of its blocks.
   * @param {boolean} own
   */
  async adopt(own) {
    const { id } = await this.relay.call("document");
    await this.relay.call("setting", ID, id);
    if (own) await this.relay.call("setting", IDENTITY, newIdentity());
  }

  /** Has the spreadsheet keep its id and its identity, unless it does. */
  async identify() {
    if (this.identified) return;
    const [id, identity] = await Promise.all([ID, IDENTITY].map((key) => this.relay.call("setting", key)));
    if (id === null) await this.adopt(false);
    if (!identityOf(identity)) await this.relay.call("setting", IDENTITY, newIdentity());
    this.identified = true;
  }

  /** The last generation of each mark. */
  async named() {
    /** @type {Map<string, Named>} by the name without its generation */
    const named = new Map();
    for (const [full, rect] of await this.relay.call("marks")) {
      const { name, generation } = generationOf(full.toLowerCase());
      if ((named.get(name)?.generation ?? 0) < generation) named.set(name, { name: full, generation, rect });
    }
    return named;
  }

  async marks() {
    const named = await this.named();
    const list = [...named].flatMap(([name, { rect }]) => {
      const placementId = markedPlacement(name, SHEETS_NAMES);
      return placementId === null ? [] : [{ placementId, rect }];
    });
    this.standing.listed(list);
    return list;
  }
}

/**
 * One of Google's names without its generation, and which generation it is. An id's underscores are written as two each.
 * @param {string} name
 */
function generationOf(name) {
  const [mark, underscores = "", number = ""] = GENERATION.exec(name) ?? [];
  if (!mark || underscores.length % 2 === 0) return { name, generation: 1 };
  return { name: name.slice(0, -1 - "g".length - number.length), generation: Number(number) };
}
