/** Prints the least processor time, in ms, in which the pane fingerprints a block of rows × 10 cells, as TestPaneFigures of refresh/document has it. */
import { fingerprint } from "../fingerprint.mjs";

const rows = Array.from({ length: Number(process.argv[2]) }, (_, row) =>
  Array.from({ length: 10 }, (_, column) => (column % 3 === 0 ? `text ${10 * row + column} 0` : 10 * row + column + 0.25)),
);
let least = Infinity;
for (let round = 0; round < 7; round++) {
  const before = process.cpuUsage();
  for (const row of rows) fingerprint(row);
  const { user, system } = process.cpuUsage(before);
  least = Math.min(least, (user + system) / 1000);
}
console.log(fingerprint(rows[rows.length - 1]), least);
