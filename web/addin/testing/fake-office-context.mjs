/** Requests and proxy objects of Office.js. */

const PAYLOAD = 5 * 1024 * 1024; // bytes of a request, and of an answer

/**
 * The program behind the requests. @typedef {{name: string, book: import("./book.mjs").Book, settings: Map<string, unknown>, editing: boolean, largest: number, syncs: number,
 *   selected: {sheet: import("./book.mjs").Sheet, area: import("./book.mjs").Area} | null, handlers: Set<{event: string, handler: (args: unknown) => void}>}} Fake
 */

/** An error as Office.js throws it. */
export class RichApiError extends Error {
  /** @param {string} code */
  constructor(code) {
    super(code);
    this.name = "RichApi.Error";
    this.code = code;
  }
}

export class RequestContext {
  /** @param {Fake} fake */
  constructor(fake) {
    this.fake = fake;
    this.open = true;
    /** @type {any} */
    this.workbook = null;
    /** @type {(() => void)[]} */
    this.queued = [];
    this.size = 0;
    this.answer = 0;
  }

  /**
   * @param {() => void} action
   * @param {unknown} [args] what it carries
   */
  queue(action, args = null) {
    if (!this.open) throw new RichApiError("InvalidObjectPath"); // its Excel.run has ended
    this.queued.push(action);
    this.size += 100 + JSON.stringify(args).length;
  }

  /** Does what is queued. What went before an action that fails stays done. */
  async sync() {
    await null;
    const { fake, size } = this;
    const queued = this.queued.splice(0);
    this.size = 0;
    this.answer = 0;
    fake.syncs++;
    fake.largest = Math.max(fake.largest, size);
    if (queued.length > 0 && fake.editing) this.refuse("InvalidOperationInCellEditMode");
    if (size > PAYLOAD) this.refuse("RequestPayloadSizeLimitExceeded");
    for (const action of queued) action();
    if (this.answer > PAYLOAD) this.refuse("ResponsePayloadSizeLimitExceeded");
  }

  /**
   * @param {string} code
   * @returns {never}
   */
  refuse(code) {
    throw new RichApiError(code);
  }
}

/** A proxy object: it stands for something of the workbook that is looked up at the next sync. */
export class Client {
  /**
   * @param {RequestContext} context
   * @param {() => any} find returns what it stands for; null makes it a null object
   * @param {Record<string, (target: any) => unknown>} properties that can be loaded
   * @param {Record<string, (target: any, value: any) => void>} [setters]
   */
  constructor(context, find, properties, setters = {}) {
    this.context = context;
    this.properties = properties;
    this.setters = setters;
    /** @type {Map<string, unknown>} */
    this.loaded = new Map();
    /** @type {Map<string, any>} */
    this.reached = new Map();
    /** @type {boolean | undefined} */
    this.isNull = undefined;
    /** @type {any} */
    this.target = undefined;
    context.queue(() => {
      this.target = find();
    });
  }

  /**
   * What the object leads to, which is the same object each time.
   * @template T
   * @param {string} name
   * @param {() => T} make
   * @returns {T}
   */
  once(name, make) {
    if (!this.reached.has(name)) this.reached.set(name, make());
    return this.reached.get(name);
  }

  /** @param {string} names */
  load(names) {
    const list = names.split(",").map((name) => name.trim().replace(/^items\//, ""));
    this.context.queue(() => {
      this.isNull = this.target === null;
      if (!this.isNull) for (const name of list) this.take(name);
    }, names);
    return this;
  }

  /** @param {string} name */
  take(name) {
    if (!this.properties[name]) this.context.refuse("InvalidArgument");
    const value = this.properties[name](this.target);
    this.context.answer += JSON.stringify(value).length;
    this.loaded.set(name, structuredClone(value));
  }

  /**
   * Queues a change of what the object stands for; one of a null object is refused.
   * @param {(target: any) => void} change
   * @param {unknown} [args]
   */
  change(change, args) {
    this.context.queue(() => change(this.target ?? this.context.refuse("ItemNotFound")), args);
  }

  /**
   * The object as the add-in has it: nothing is read but what was loaded, nothing is there but what the fake knows.
   * @returns {this}
   */
  strict() {
    return new Proxy(this, {
      get: (object, name, proxy) => {
        if (name === "isNullObject") {
          if (object.isNull === undefined) throw new RichApiError("PropertyNotLoaded");
          return object.isNull;
        }
        if (typeof name === "string" && name in object.properties) {
          if (!object.loaded.has(name)) throw new RichApiError("PropertyNotLoaded");
          return object.loaded.get(name);
        }
        if (typeof name === "string" && name !== "then" && !(name in object)) throw new Error(`the fake knows no ${name}`);
        return Reflect.get(object, name, proxy);
      },
      set: (object, name, value) => {
        const setter = typeof name === "string" ? object.setters[name] : undefined;
        if (setter) object.change((target) => setter(target, structuredClone(value)), value);
        else Reflect.set(object, name, value);
        return true;
      },
    });
  }
}
