/** What Mooring keeps in a workbook: the workbook's own id, and small texts. */

const PREFIX = "mooring.";
const IDENTITY = "document";

/**
 * @param {Excel.RequestContext} context
 * @param {string} key
 */
export async function getSetting(context, key) {
  const setting = context.workbook.settings.getItemOrNullObject(PREFIX + key).load("value");
  await context.sync();
  return setting.isNullObject ? null : String(setting.value);
}

/**
 * @param {Excel.RequestContext} context
 * @param {string} key
 * @param {string | null} value
 */
export async function setSetting(context, key, value) {
  const setting = context.workbook.settings.getItemOrNullObject(PREFIX + key).load("value");
  await context.sync();
  if (value !== null) context.workbook.settings.add(PREFIX + key, value);
  else if (!setting.isNullObject) setting.delete();
  await context.sync();
}

/**
 * What a workbook is called. It keeps its id in its settings with the addresses where it has been opened: a file that has the id but
 * stands elsewhere is a copy, or was moved. Nothing is kept before something is written to the workbook.
 */
export class Identity {
  /** @param {() => string} address */
  constructor(address) {
    this.address = address;
    /** @type {{id: string, addresses: string[]} | null} */
    this.unsaved = null;
  }

  /** @param {Excel.RequestContext} context */
  async document(context) {
    context.workbook.load("name");
    const { id, addresses } = await this.load(context);
    const known = addresses.includes(this.address()) || this.address() === "";
    return { id, name: context.workbook.name, ...(known ? {} : { copyOf: id }) };
  }

  /**
   * @param {Excel.RequestContext} context
   * @param {boolean} own
   */
  async adopt(context, own) {
    const { id, addresses } = await this.load(context);
    this.unsaved = own ? this.fresh() : { id, addresses: [...addresses, this.address()] };
    await this.save(context);
  }

  /**
   * Keeps the id in the workbook, if it is not kept there yet.
   * @param {Excel.RequestContext} context
   */
  async save(context) {
    if (!this.unsaved) await this.load(context);
    if (!this.unsaved) return;
    await setSetting(context, IDENTITY, JSON.stringify(this.unsaved));
    this.unsaved = null;
  }

  fresh() {
    return { id: crypto.randomUUID(), addresses: [this.address()] };
  }

  /**
   * @param {Excel.RequestContext} context
   * @returns {Promise<{id: string, addresses: string[]}>}
   */
  async load(context) {
    const kept = await getSetting(context, IDENTITY);
    if (kept !== null) return JSON.parse(kept);
    this.unsaved ??= this.fresh();
    return this.unsaved;
  }
}
