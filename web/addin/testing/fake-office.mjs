/**
 * Office.js over a Book, as strict as Excel is with add-ins: what was not loaded cannot be read, what is queued happens at the next sync,
 * one request and one answer have at most 5 MB, a request that fails midway leaves what went before, and events may be lost.
 */
import { Client, RequestContext } from "./fake-office-context.mjs";
import { Names, Range, Sheet } from "./fake-office-objects.mjs";

/** @typedef {import("./book.mjs").Book} Book */

export class FakeExcel {
  /**
   * @param {Book} book
   * @param {{name?: string, settings?: Map<string, unknown>}} [file]
   */
  constructor(book, { name = "Book1.xlsx", settings = new Map() } = {}) {
    this.book = book;
    this.name = name;
    this.settings = settings;
    this.editing = false; // a person is in the middle of a cell
    this.deaf = false; // events get lost
    this.largest = 0; // bytes of a request so far
    this.syncs = 0;
    this.saves = 0; // of the settings of the common interface
    /** @type {{sheet: import("./book.mjs").Sheet, area: import("./book.mjs").Area} | null} null: several ranges */
    this.selected = { sheet: book.sheets[0], area: { row: 0, column: 0, rows: 1, columns: 1 } };
    /** @type {Set<{event: string, handler: (args: unknown) => void}>} */
    this.handlers = new Set();
    this.common = new CommonSettings(this);
  }

  /** The object Excel of a task pane. */
  api() {
    return /** @type {any} */ ({ run: (/** @type {any[]} */ ...args) => this.run(...args) });
  }

  /** @param {any[]} args a batch, or a context and a batch */
  async run(...args) {
    const batch = args[args.length - 1];
    const common = /** @type {any} */ (globalThis);
    common.Office ??= { context: { document: {} } };
    common.Office.context.document.settings = this.common;
    common.Office.context.requirements ??= { isSetSupported: () => true };
    const context = args.length > 1 ? args[0] : new RequestContext(this);
    context.workbook ??= new Workbook(context);
    context.open = true;
    const result = await batch(context);
    await context.sync();
    context.open = false;
    return result;
  }

  /**
   * Tells of a change, unless it gets lost. Deleting rows and edits by others are often not told in any case.
   * @param {string} event
   */
  tell(event) {
    if (this.deaf) return;
    for (const known of this.handlers) if (known.event === event) known.handler({ type: event });
  }
}

/**
 * The settings of the file as the common interface has them: a copy that was read once, and takes the place of all that the file keeps
 * when it is saved.
 */
class CommonSettings {
  /** @param {FakeExcel} fake */
  constructor(fake) {
    this.fake = fake;
    this.copy = new Map(fake.settings);
  }

  /** @param {string} key */
  get(key) {
    return this.copy.get(key) ?? null;
  }

  /**
   * @param {string} key
   * @param {unknown} value
   */
  set(key, value) {
    this.copy.set(key, value);
  }

  /** @param {(result: unknown) => void} callback */
  refreshAsync(callback) {
    this.copy = new Map(this.fake.settings);
    queueMicrotask(() => callback({ status: "succeeded" }));
  }

  saveAsync() {
    this.fake.settings.clear();
    for (const [key, value] of this.copy) this.fake.settings.set(key, value);
    this.fake.saves++;
  }
}

class Workbook extends Client {
  /** @param {RequestContext} context */
  constructor(context) {
    super(context, () => context.fake, { name: (/** @type {FakeExcel} */ fake) => fake.name });
    this.names = new Names(context);
    this.worksheets = new Worksheets(context);
    this.settings = new Settings(context);
    return this.strict();
  }

  /** Excel's functions, of which the fake knows DATE. */
  get functions() {
    return {
      date: (/** @type {number} */ year, /** @type {number} */ month, /** @type {number} */ day) => {
        const serial = (/** @type {FakeExcel} */ { book }) => Date.UTC(year, month - 1, day) / 86_400_000 + (book.date1904 ? 24107 : 25569);
        return new Client(this.context, () => this.context.fake, { value: serial }).strict();
      },
    };
  }

  getSelectedRange() {
    return new Range(this.context, () => this.context.fake.selected ?? this.context.refuse("InvalidSelection"));
  }
}

class Worksheets extends Client {
  /** @param {RequestContext} context */
  constructor(context) {
    super(context, () => context.fake.book, {});
    /** @type {Sheet[] | undefined} */
    this.list = undefined;
    this.onChanged = new Events(context, "changed");
    this.onSelectionChanged = new Events(context, "selected");
    this.onAdded = new Events(context, "added");
    this.onDeleted = new Events(context, "deleted");
    return this.strict();
  }

  /** @param {string} names */
  load(names) {
    this.context.queue(() => {
      this.list = this.context.fake.book.sheets.map((/** @type {import("./book.mjs").Sheet} */ sheet) => {
        const item = new Sheet(this.context, () => sheet);
        item.target = sheet;
        for (const property of names.split(",")) item.take(property.trim().replace(/^items\//, ""));
        return item;
      });
    }, names);
    return this;
  }

  get items() {
    return this.list ?? this.context.refuse("PropertyNotLoaded");
  }

  /** @param {string} name */
  getItem(name) {
    return new Sheet(this.context, () => this.context.fake.book.sheet(name) ?? this.context.refuse("ItemNotFound"));
  }

  /** @param {string} name */
  getItemOrNullObject(name) {
    return new Sheet(this.context, () => this.context.fake.book.sheet(name) ?? null);
  }
}

class Events {
  /**
   * @param {RequestContext} context
   * @param {string} event
   */
  constructor(context, event) {
    this.context = context;
    this.event = event;
  }

  /** @param {(args: unknown) => void} handler */
  add(handler) {
    const { handlers } = this.context.fake;
    const known = { event: this.event, handler };
    this.context.queue(() => handlers.add(known));
    return { context: this.context, remove: () => this.context.queue(() => handlers.delete(known)) };
  }
}

class Settings extends Client {
  /** @param {RequestContext} context */
  constructor(context) {
    super(context, () => context.fake.settings, {});
    return this.strict();
  }

  /**
   * @param {string} key
   * @param {unknown} value
   */
  add(key, value) {
    this.context.queue(() => this.context.fake.settings.set(key, structuredClone(value)), [key, value]);
    return this.getItemOrNullObject(key);
  }

  /** @param {string} key */
  getItemOrNullObject(key) {
    return new Setting(this.context, key);
  }
}

class Setting extends Client {
  /**
   * @param {RequestContext} context
   * @param {string} key
   */
  constructor(context, key) {
    const { settings } = context.fake;
    super(context, () => (settings.has(key) ? key : null), { value: () => settings.get(key) });
    this.key = key;
    return this.strict();
  }

  delete() {
    this.context.queue(() => this.context.fake.settings.delete(this.key));
  }
}
