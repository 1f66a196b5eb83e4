/**
 * What the builder asks of the page around it, and what it reads. The module has types alone: no other one loads it.
 *
 * @typedef {import("../interface.d.ts").Report} Report
 * @typedef {import("./query.mjs").Pivot} Pivot
 * @typedef {import("./state.mjs").Member} Member
 * @typedef {Omit<Member, "role">} Column of a table
 * @typedef {{name: string, kind: "view" | "cube" | "table", title?: string, description?: string, insert?: string, members?: Member[],
 *   columns?: Column[]}} Dataset members of a semantic layer's, columns of a database's
 * @typedef {{sqlQuery?: string, jsonQuery?: string, pivotItems: Pivot | null, parameters: import("../interface.d.ts").Parameter[] | null}} Definition of
 *   the two queries, one
 * @typedef {Omit<Definition, "parameters"> & {declares?: Definition["parameters"], parameters?: Record<string, unknown>}} Question to a preview
 * @typedef {{message: string, code?: string, line?: number, column?: number, pointer?: string}} Fault
 * @typedef {{name: string, placements?: string[], formulas?: string[]}} Vanishing column
 * @typedef {{columns?: {appear?: string[], vanish?: Vanishing[], changed?: (string | {name: string})[]}, documents?: string[], blocks?: number,
 *   stopped?: {placement: string, message: string}[]}} Changes
 * @typedef {{columns?: {name: string}[], rows?: unknown[][], rowCount?: number, truncated?: boolean, faults?: Fault[], changes?: Changes}} Answer to
 *   a preview
 */

/**
 * @typedef {object} Face the page around the builder
 * @property {import("../ui/api.mjs").Api} api
 * @property {number} deployment
 * @property {(error: any) => void} fail says why something did not work
 * @property {(sentence: string) => void} say
 * @property {(report: Report) => void} saved goes on after a report was saved
 * @property {((report: Report) => void)} [place] goes on to placing it, where the page can
 */
