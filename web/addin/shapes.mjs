/**
 * What the pane knows, and what its screens and refreshes may ask of it. The module has types alone: no other one loads it.
 *
 * @typedef {import("./port.mjs").Port} Port
 * @typedef {import("./port.mjs").Rect} Rect
 * @typedef {import("../interface.d.ts").Placement} Placement
 * @typedef {import("../interface.d.ts").Run} Run
 * @typedef {{key: string, deployment: number, report: number, name: string, status: string, placement: Placement, at: Rect,
 *   run?: Run & {parameters?: import("../interface.d.ts").RunParameters}, gone?: boolean}} Block a placement in this document; at: where the server knows it; gone: its mark stands no more
 * @typedef {{onEdit?: string, shiftRows?: boolean, writeOver?: boolean, restores?: string}} How of a run; restores: the run whose change it puts back
 * @typedef {import("../interface.d.ts").Me} Me
 * @typedef {Omit<import("../interface.d.ts").DocumentLink, "state"> & {state: string}} Answer
 * @typedef {Answer & {at?: string, linked?: boolean, wait?: number}} DocumentLink at: the address of which that is known; linked: the document
 *   is, if not the file that is open; wait: ms after which it may be asked again
 * @typedef {{label: string, of: number, done: number, stopping: boolean}} Progress of a refresh of one or more blocks
 * @typedef {{blocks: Block[], loaded: boolean, readAt: string, me: Me | null, document: import("./port.mjs").Document,
 *   link: DocumentLink | null, progress: Progress | null}} State link: what is known of where agents reach the document
 * @typedef {{sentence: string, tone?: string, sign?: import("../ui/dom.mjs").Mark, more?: import("../ui/dom.mjs").Child[]}} Notice
 */

/**
 * @typedef {object} Pane
 * @property {Port} port
 * @property {import("../ui/api.mjs").Session} session
 * @property {import("../ui/api.mjs").Api} api
 * @property {import("../ui/dom.mjs").Store<State>} store
 * @property {string} screen the name of the screen that is shown, or about to be
 * @property {(name: string, what?: unknown) => Promise<void>} show shows a screen
 * @property {(notice: Notice | null) => void} notice
 * @property {(error: any) => void} fail says why something did not work
 * @property {() => void} bar draws the bar anew
 * @property {() => void} signOut signs this device out
 * @property {() => Promise<void>} open reads who the person is and what stands in the document, and follows both
 * @property {() => Promise<void>} reopen turns to the document that is open now
 * @property {() => Promise<void>} load reads all blocks of the document
 * @property {(block: Pick<Block, "deployment" | "report">) => Promise<import("../interface.d.ts").Report>} reportOf reads the report of a block
 * @property {(id: number) => Promise<void>} readReport reads the placements of one report anew
 * @property {(key: string, change: Partial<Block>) => void} patch changes some members of one block
 * @property {(block: Block) => void} wantRun reads the last run of a block, once
 * @property {() => Promise<void>} locate reads where the marks of blocks stand
 * @property {(block: Block) => Rect} rect where a block stands
 * @property {(block: Block) => Promise<void>} reveal
 * @property {(which: string) => Promise<void>} refreshMany all, those of the sheet, or of the selection
 * @property {() => void} look has the document looked for where agents reach it
 * @property {AbortController} looks ends that
 * @property {AbortController} ended what the person began, when they sign out
 * @property {string} askedAt the address with which the link was asked for
 * @property {{id: string, server: string} | undefined} linkedOn a server of the web where the document was linked while it was open here
 */
