/**
 * The document that the page shows: the file as the server has it, the workbook read from it, and what was changed since. Every change
 * is saved as a spreadsheet program saves, the whole file at once, and only over the state that was read: if somebody else wrote the
 * file meanwhile, it is read again and the changes are made again on it.
 *
 * @typedef {import("./book.mjs").Book} Book
 * @typedef {import("./book.mjs").Change} Change
 * @typedef {import("./xlsx.mjs").File} File
 * @typedef {"saved" | "saving" | "waiting" | "offline"} State
 * @typedef {{kind: "cells" | "file" | "state"}} Notice
 *
 * Where the file is. get returns null when it is still the tagged state; put returns the new tag, null when the file is neither that state nor what is put,
 * and throws Held while something else has the file.
 * @typedef {{get(tag: string): Promise<{bytes: Uint8Array, tag: string} | null>, put(bytes: Uint8Array, tag: string): Promise<string | null>}} Store
 */
import { Calculator } from "./calc.mjs";
import { readXLSX } from "./xlsx.mjs";

/** The file cannot be written for now. */
export class Held extends Error {}

/** The file was written by others, so that what was asked for no longer fits. */
export class Stale extends Error {}

const RETRY = 400; // ms
const MAX_UNDO = 200;
const TRIES = 25; // of a write that may be refused

export class Document {
  /** @param {Store} store @param {{file: File, tag: string}} read */
  constructor(store, { file, tag }) {
    this.store = store;
    this.file = file;
    this.calculator = new Calculator(file.book);
    this.tag = tag;
    /** @type {State} */
    this.state = "saved";
    /** @type {Change[]} changes that no file holds yet */
    this.unsaved = [];
    /** @type {Change[][]} */
    this.undos = [];
    /** @type {Change[][]} */
    this.redos = [];
    /** @type {Set<(notice: Notice) => void>} */
    this.listeners = new Set();
    /** @type {Promise<void> | null} */
    this.saving = null;
    this.busy = Promise.resolve();
  }

  /** @param {Store} store */
  static async open(store) {
    const found = await store.get("");
    if (!found) throw new Error("the store has no file");
    return new Document(store, { file: await readXLSX(found.bytes), tag: found.tag });
  }

  /** The workbook; another one after the file was read again. */
  get book() {
    return this.file.book;
  }

  /** What a cell of a sheet shows. @param {string} sheet @param {import("./book.mjs").Cell | undefined} cell */
  value(sheet, cell) {
    return this.calculator.value(sheet, cell);
  }

  /** @param {(notice: Notice) => void} listener @returns {() => void} */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** @param {Notice["kind"]} kind */
  tell(kind) {
    for (const listener of this.listeners) listener({ kind });
  }

  /** @param {State} state */
  become(state) {
    if (this.state === state) return;
    this.state = state;
    this.tell("state");
  }

  /** Makes changes that belong together, as one step for undo, and saves. @param {...Change} changes */
  edit(...changes) {
    this.undos.push(this.make(changes));
    this.undos.splice(0, this.undos.length - MAX_UNDO);
    this.redos = [];
    return this.save();
  }

  /** @param {Change[]} changes @returns {Change[]} what undoes them, in the order to make it */
  make(changes) {
    const undo = [];
    for (const change of changes) {
      undo.unshift(...this.book.apply(change));
      this.unsaved.push(change);
    }
    this.tell("cells");
    return undo;
  }

  undo() {
    return this.step(this.undos, this.redos);
  }

  redo() {
    return this.step(this.redos, this.undos);
  }

  /** @param {Change[][]} from @param {Change[][]} to */
  step(from, to) {
    const changes = from.pop();
    if (!changes) return Promise.resolve();
    to.push(this.make(changes));
    return this.save();
  }

  /** Saves what is not saved, and ends when the file holds it. */
  save() {
    this.saving ??= this.alone(() => this.saveAll()).finally(() => {
      this.saving = null;
    });
    return this.saving;
  }

  /** Does work on the file once what was begun before has ended. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  alone(work) {
    const done = this.busy.then(work);
    this.busy = done.then(() => {}, () => {});
    return done;
  }

  async saveAll() {
    while (this.unsaved.length) {
      this.become("saving");
      const sent = this.unsaved.length;
      const bytes = await this.file.write();
      if (await this.put(bytes)) this.unsaved.splice(0, sent);
      else await this.reload();
    }
    this.become("saved");
  }

  /**
   * Writes changes to the very state of the file that plan looks at, all of them or, throwing Stale, none.
   * @param {() => Change[]} plan
   */
  write(plan) {
    return this.alone(async () => {
      await this.saveAll();
      for (const change of plan()) this.book.apply(change);
      this.tell("cells");
      this.become("saving");
      const written = await this.put(await this.file.write(), TRIES);
      if (!written) await this.reload(true);
      this.become("saved");
      if (!written) throw new Stale();
      if (this.unsaved.length) void this.save();
    });
  }

  /** Tries until the file is written or is found to be another, and reports whether it was written. @param {Uint8Array} bytes @param {number} tries */
  async put(bytes, tries = Infinity) {
    for (; tries > 0; tries--) {
      try {
        const tag = await this.store.put(bytes, this.tag);
        if (tag !== null) this.tag = tag;
        return tag !== null;
      } catch (error) {
        this.become(error instanceof Held ? "waiting" : "offline");
        await new Promise((resolve) => setTimeout(resolve, RETRY));
      }
    }
    return false;
  }

  /** Takes the file as it is now, if it is another or always is set; what is not saved is made again on it. Reports whether it was. */
  async reload(always = false) {
    const found = await this.store.get(always ? "" : this.tag);
    if (!found) return false;
    this.file = await readXLSX(found.bytes);
    this.calculator = new Calculator(this.book);
    this.tag = found.tag;
    this.undos = [];
    this.redos = [];
    const again = this.unsaved;
    this.unsaved = [];
    for (const change of again) this.remake(change);
    this.tell("file");
    return true;
  }

  /** @param {Change} change */
  remake(change) {
    if ("sheet" in change && !this.book.sheet(change.sheet)) return; // its sheet is gone, and it with it
    this.book.apply(change);
    this.unsaved.push(change);
  }

  /** Looks whether the file was written by others. A server that does not answer is shown, and looked for again. */
  async look() {
    if (this.saving) return;
    try {
      await this.alone(() => this.reload());
      this.become(this.unsaved.length ? "saving" : "saved");
    } catch {
      this.become("offline");
    }
  }
}
