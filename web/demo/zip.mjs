/**
 * Zip files, as far as .xlsx files need them: parts are unpacked when they are looked into, and the others are written as they came.
 * What is read may be hostile, so everything has a bound.
 *
 * @typedef {{name: string, method: number, crc: number, size: number, packed: Uint8Array}} Part
 */

const MAX_FILE = 64 << 20;
const MAX_PARTS = 2000;
const MAX_PART = 128 << 20; // unpacked

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
const UTF8_NAMES = 0x800;
const FIRST_DAY = 0x21; // 1980-01-01, the earliest date that a zip can say

const decoder = new TextDecoder("utf-8");
const encoder = new TextEncoder();

/** An error for a file that cannot be read; its message is a sentence for the user. */
export class FileError extends Error {}

/**
 * The parts of a zip file by name, in the file's order.
 * @param {Uint8Array} bytes
 * @returns {Map<string, Part>}
 */
export function readZip(bytes) {
  if (bytes.length > MAX_FILE) throw new FileError("The file is larger than 64 MB, which this page does not show.");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return readEntries(bytes, view);
  } catch (error) {
    if (error instanceof RangeError) throw new FileError("The file is cut off or damaged.");
    throw error;
  }
}

/** @param {Uint8Array} bytes @param {DataView} view */
function readEntries(bytes, view) {
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  if (count > MAX_PARTS) throw new FileError("The file has more parts than this page shows.");
  const parts = new Map();
  let at = view.getUint32(end + 16, true);
  for (let i = 0; i < count; i++) {
    if (view.getUint32(at, true) !== ENTRY) throw new FileError("The file is cut off or damaged.");
    const part = readEntry(bytes, view, at);
    if (parts.has(part.name)) throw new FileError("The file has two parts of one name.");
    parts.set(part.name, part);
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return parts;
}

/** The end record stands last, but for a comment. @param {DataView} view */
function findEnd(view) {
  const first = Math.max(0, view.byteLength - 22 - 0xffff);
  for (let at = view.byteLength - 22; at >= first; at--) {
    if (view.getUint32(at, true) === END) return at;
  }
  throw new FileError("This is not an .xlsx file.");
}

/** @param {Uint8Array} bytes @param {DataView} view @param {number} at @returns {Part} */
function readEntry(bytes, view, at) {
  const flags = view.getUint16(at + 8, true);
  const method = view.getUint16(at + 10, true);
  const packed = view.getUint32(at + 20, true);
  const size = view.getUint32(at + 24, true);
  const name = decoder.decode(bytes.subarray(at + 46, at + 46 + view.getUint16(at + 28, true)));
  if (flags & ENCRYPTED) throw new FileError("The file is encrypted.");
  if (method !== STORED && method !== DEFLATED) throw new FileError("The file is packed in a way that this page does not know.");
  if (size > MAX_PART) throw new FileError("A part of the file is larger than this page shows.");
  const local = view.getUint32(at + 42, true);
  if (view.getUint32(local, true) !== LOCAL) throw new FileError("The file is cut off or damaged.");
  const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  if (from + packed > bytes.length) throw new FileError("The file is cut off or damaged.");
  return { name, method, crc: view.getUint32(at + 16, true), size, packed: bytes.subarray(from, from + packed) };
}

/**
 * What a part holds. A part that unpacks to more than it says is refused while it unpacks.
 * @param {Part} part
 */
async function unpack(part) {
  const bytes = part.method === STORED ? part.packed : await inflate(part);
  if (bytes.length !== part.size || crc32(bytes) !== part.crc) throw new FileError("A part of the file is damaged.");
  return bytes;
}

/** @param {Part} part */
async function inflate(part) {
  const out = new Uint8Array(part.size);
  let length = 0;
  const reader = stream(part.packed).pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (length + next.value.length > out.length) throw new FileError("A part of the file is larger than it says.");
      out.set(next.value, length);
      length += next.value.length;
    }
  } catch (error) {
    reader.cancel().catch(() => {}); // it failed already
    throw error instanceof FileError ? error : new FileError("A part of the file is damaged.");
  }
  return out.subarray(0, length);
}

/** A part's text. @param {Part} part */
export async function unpackText(part) {
  return decoder.decode(await unpack(part));
}

/** @param {string} name @param {string} text @returns {Promise<Part>} */
export async function pack(name, text) {
  const bytes = encoder.encode(text);
  const packed = await new Response(stream(bytes).pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer();
  return { name, method: DEFLATED, crc: crc32(bytes), size: bytes.length, packed: new Uint8Array(packed) };
}

/** @param {Uint8Array} bytes @returns {ReadableStream<Uint8Array<ArrayBuffer>>} */
function stream(bytes) {
  return new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)]).stream();
}

/** The zip file of some parts, in their order. @param {Iterable<Part>} parts */
export function writeZip(parts) {
  const chunks = [];
  const directory = [];
  let offset = 0;
  for (const part of parts) {
    const name = encoder.encode(part.name);
    const local = header(LOCAL, part, name, 30, 4);
    chunks.push(local, part.packed);
    const entry = header(ENTRY, part, name, 46, 6);
    new DataView(entry.buffer).setUint32(42, offset, true);
    directory.push(entry);
    offset += local.length + part.packed.length;
  }
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, END, true);
  end.setUint16(8, directory.length, true);
  end.setUint16(10, directory.length, true);
  end.setUint32(12, directory.reduce((sum, entry) => sum + entry.length, 0), true);
  end.setUint32(16, offset, true);
  return join([...chunks, ...directory, new Uint8Array(end.buffer)]);
}

/** The fields that the two headers of a part share begin at the version needed. */
function header(/** @type {number} */ signature, /** @type {Part} */ part, /** @type {Uint8Array} */ name, /** @type {number} */ length,
  /** @type {number} */ at) {
  const bytes = new Uint8Array(length + name.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, signature, true);
  if (signature === ENTRY) view.setUint16(4, 20, true);
  view.setUint16(at, 20, true);
  view.setUint16(at + 2, UTF8_NAMES, true);
  view.setUint16(at + 4, part.method, true);
  view.setUint16(at + 8, FIRST_DAY, true);
  view.setUint32(at + 10, part.crc, true);
  view.setUint32(at + 14, part.packed.length, true);
  view.setUint32(at + 18, part.size, true);
  view.setUint16(at + 22, name.length, true);
  bytes.set(name, length);
  return bytes;
}

/** @param {Uint8Array[]} chunks */
function join(chunks) {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) crc = CRC[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}
