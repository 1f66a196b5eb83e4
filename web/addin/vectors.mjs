/**
 * What checksum/testdata/vectors.json asks of a twin, in any world that runs one: for tests in Node and in a browser.
 */

/** @typedef {import("./mooring.mjs").Cell} Cell */

/** @type {Record<string, number>} */
const NUMBERS = { NaN: NaN, "+Inf": Infinity, "-Inf": -Infinity, "-0": -0 };

/**
 * A cell as the vectors write it (checksum/vectors_test.go).
 * @param {any} vector
 * @returns {Cell}
 */
export function cellOf(vector) {
  if (vector === null || typeof vector !== "object" || "error" in vector) return vector;
  if ("times" in vector) return vector.text.repeat(vector.times);
  return NUMBERS[vector.number];
}

/**
 * The rows of a table as the vectors write it.
 * @param {{cells?: any[][], counted?: number}} table
 * @returns {Cell[][]}
 */
export function rowsOf({ cells = [], counted = 0 }) {
  if (counted === 0) return cells.map((row) => row.map(cellOf));
  return Array.from({ length: counted }, (_, i) => [i, `row ${i}`, i % 2 === 0]);
}

/**
 * Bytes in hex.
 * @param {Iterable<number>} bytes
 */
export function hex(bytes) {
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

/**
 * Holds a twin to every vector: how many were looked at, and a sentence for each that it fails.
 * @param {any} twin
 * @param {any} vectors
 */
export async function hold(twin, vectors) {
  const verdict = { checked: 0, faults: /** @type {string[]} */ ([]) };
  /** @type {(fact: string, got: unknown, want: unknown) => void} */
  const same = (fact, got, want) => {
    verdict.checked++;
    if (JSON.stringify(got) === JSON.stringify(want)) return;
    verdict.faults.push(`${fact}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`.slice(0, 500));
  };
  for (const [i, { cells, bytes }] of vectors.rows.entries()) same(`row ${i}`, hex(twin.encodeRow(cells.map(cellOf))), bytes);
  for (const table of vectors.tables) {
    const rows = rowsOf(table);
    same(`checksum of ${table.name}`, twin.checksum(rows), table.checksum);
    same(`checksum of ${table.name} by the platform`, await twin.checksumAsync(rows), table.checksum);
    same(`row count of ${table.name}`, twin.rowCount(table.checksum), rows.length);
  }
  for (const { name, now, have, spans } of vectors.since) {
    same(`changed rows, ${name}`, Array.from(twin.changedRows(now, have), ({ from, to }) => [from, to]), spans);
    same(`equal, ${name}`, twin.equalChecksums(now, have), name === "the same");
  }
  return verdict;
}
