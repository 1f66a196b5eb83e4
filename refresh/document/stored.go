package document

import (
	"mooring/checksum"
	"mooring/refresh/plan"
	"mooring/storage/record"
)

// remembered is what is known of the last write to a block.
type remembered struct {
	plan.Last
	proof proof
	// marked reports whether the marker in the document may be trusted: an add-in that moved the placement leaves the old marker behind.
	marked bool
	// opened reports whether an agent has written the block in its document, and so has had that open.
	opened bool
	// foreign reports whether what stands in the block may have been queried on behalf of another user than the one of now.
	foreign bool
	beside  bool                // see origin
	filters []uint64            // see outside
	change  *record.BlockChange // what the run at work began to change there; nil for nothing
}

// stored is the form in which a plan.Memory is kept beside a placement. It holds while the placement stands where that write left it, and
// until another writer changes the block.
type stored struct {
	Address     string `json:"address"`          // placements.Placement.AddressKey at that time
	RefreshedAt string `json:"refreshedAt"`      // of that write
	Behalf      int64  `json:"behalf,omitempty"` // the user on whose behalf it was queried
	storedWrite
	Formats    []string     `json:"formats,omitempty"`
	Held       []storedHeld `json:"held,omitempty"`
	Generation int64        `json:"generation,omitempty"` // see plan.Memory
	outside
	origin
	// Unfinished are, in a write-ahead record, earlier writes that were not completed and left other columns, the newest first.
	Unfinished []storedWrite `json:"unfinished,omitempty"`
	// Others are, in a write-ahead record, the rows of further writes that were not completed; as Inserted.
	Others []byte `json:"others,omitempty"`
	// Earlier are, in a write-ahead record, the generations of those writes.
	Earlier []int64 `json:"earlier,omitempty"`
	// Run, Overwritten and Change are, in a write-ahead record, the run, the edited rows that its write, or one before it that was not completed,
	// replaces, and what it changes.
	Run         string                  `json:"run,omitempty"`
	Overwritten []record.OverwrittenRow `json:"overwritten,omitempty"`
	Change      *record.BlockChange     `json:"change,omitempty"`
}

// storedWrite is the stored form of what a write leaves in the cells.
type storedWrite struct {
	Rows     []byte         `json:"rows"` // checksum.BlockRows
	Header   []byte         `json:"header,omitempty"`
	Edited   []storedEdited `json:"edited,omitempty"`
	Inserted []byte         `json:"inserted,omitempty"` // 8 bytes a row, little-endian
}

// storedEdited is a checksum.EditedRow, its rows in canonical encoding.
type storedEdited struct {
	ID     string `json:"id"`
	Row    int    `json:"row"`
	Source []byte `json:"source"`
	Kept   []byte `json:"kept"`
}

// storedHeld is the stored form of a cell: the source's and, behind it, what the document holds, as an encoded row.
type storedHeld struct {
	Column int    `json:"column"`
	Cells  []byte `json:"cells"`
}

// outside is what a write leaves outside the block.
type outside struct {
	Status string `json:"status,omitempty"` // the placement's status cell, if its marker stands there
	// Filters are the texts that the cell for the applied filters may hold if its marker stands there: fingerprints of rows of such a
	// cell, as Inserted.
	Filters []byte `json:"filters,omitempty"`
}

// origin is where a write that is remembered went, by whom it was made, and on whose word. What was remembered before one of these was kept
// says nothing of it: it counts as an agent's write, which is believed.
type origin struct {
	Sheet string `json:"sheet,omitempty"` // the sheet's id, as the host says it
	// Pane: add-ins alone have written the block there, so that no agent has seen its document.
	Pane bool `json:"pane,omitempty"`
	// Claimed: a client that has no edit access to the report said that it made the write, and what stood there before.
	Claimed bool `json:"claimed,omitempty"`
	// Foreign: the write was begun where values of another user than its own may stand; see remembered.
	Foreign bool `json:"foreign,omitempty"`
	// Beside: what the write was to replace has values that stood beside the block, which those who see the block may not see.
	Beside bool `json:"beside,omitempty"`
}

// proof is what the document has to show before what is remembered of a block is believed.
type proof struct {
	sheet       string  // where the last of the writes went that tell it
	claimed     bool    // see origin
	renamed     string  // the address of the last write to a sheet that has another name now, as the placement has it; empty for none
	generations []int64 // of the writes that are remembered
	begun       []int64 // of a claimed write that was begun, and of those before it that it knew of; nil for none
}

// unwritten reports whether nothing is known to have been written there, but by writes that were not completed.
func (r remembered) unwritten() bool { return r.Completed == nil && r.Extent == (checksum.Extent{}) }
