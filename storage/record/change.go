package record

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"mooring/placements"
)

// MaxChanges is how many runs of a placement keep what they changed, and MaxChangeBytes how much of it each does, packed.
const (
	MaxChanges     = 10
	MaxChangeBytes = 256 << 10
)

// BlockChange is what a run changed in the block of a placement.
type BlockChange struct {
	RunID   string       `json:"runId"`
	At      string       `json:"at"`              // RFC 3339, UTC, with milliseconds
	RunAs   int64        `json:"runAs,omitempty"` // the user on whose behalf the run wrote, and the one before: they may see the values; 0: none
	Columns []string     `json:"columns"`         // headings after the run
	Counts  ChangeCounts `json:"counts"`
	Kept    bool         `json:"kept"`             // the rows are there: they were not too many
	Packed  []byte       `json:"packed,omitempty"` // them, as PackRows packs them; nil where only the head was read
	// Restorable is how many cells of the rows a run can put back, and Restores the run whose change this one put back; empty: none.
	Restorable int    `json:"restorable,omitempty"`
	Restores   string `json:"restores,omitempty"`
	// Over: the run wrote over what people had typed where the block went for the first time. It kept no empty cells.
	Over bool `json:"over,omitempty"`
	Top  int  `json:"top,omitempty"` // the sheet's row of the headings after the run, from 1
}

// KeptChange is a change with its rows.
type KeptChange struct {
	BlockChange
	Rows []ChangedRow
}

// Restorable is how many cells of c that user, whose level on the report is l, may have put back into the block of p: who may manage the report,
// and on whose behalf p is queried, if c was written on their behalf or over what stood in their document.
func (w Actor) Restorable(c *BlockChange, p *placements.Placement, l Level) int {
	own := p.PlacedFor(w.ID) && (c.Over || w.Is(c.RunAs))
	if !c.Kept || l < MayManage && !(own && l >= MayRead) {
		return 0
	}
	return c.Restorable
}

// ChangeCounts counts rows of a block. Those that stand in another place, but are equal, are moved ones only.
type ChangeCounts struct {
	Changed int `json:"changed"`
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Moved   int `json:"moved"`
}

// ChangedRow is a row before and after a run. A cell is what JSON has for it: a number, a text, true or false, null for an empty one,
// {"error":"#N/A"} for an error, and for a formula {"formula":"=A1","value":6}, value being what it showed before the run.
type ChangedRow struct {
	Row    int   `json:"row"`           // the sheet's row number after the run, from 1; of one that was removed, before it
	Was    int   `json:"was,omitempty"` // before it, where that is another
	Before []any `json:"before"`        // nil: it was added
	After  []any `json:"after"`         // nil: it was removed
}

// PackRows returns the stored form of rows, nil when that is longer than MaxChangeBytes.
func PackRows(rows []ChangedRow) ([]byte, error) {
	var out bytes.Buffer
	packer, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	encoder := json.NewEncoder(packer)
	for _, row := range rows {
		if err := encoder.Encode(row); err != nil {
			return nil, fmt.Errorf("changed row %d: %w", row.Row, err)
		}
		if out.Len() > MaxChangeBytes {
			return nil, nil
		}
	}
	if err := packer.Close(); err != nil || out.Len() > MaxChangeBytes {
		return nil, err
	}
	return out.Bytes(), nil
}

// UnpackRows returns the rows that PackRows packed.
func UnpackRows(packed []byte) (rows []ChangedRow, err error) {
	rows = []ChangedRow{}
	decoder := json.NewDecoder(flate.NewReader(bytes.NewReader(packed)))
	for {
		var row ChangedRow
		if err := decoder.Decode(&row); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, fmt.Errorf("changed rows: %w", err)
		}
		rows = append(rows, row)
	}
}
