package record

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mooring/placements"
)

// Edit is a cell of a placement's block that a person changed and that the last run kept. A value is what JSON has for the cell, as in an
// OverwrittenRow: {formula, value} for a formula, nil for an empty cell.
type Edit struct {
	ID       string `json:"id"`                 // stays with the edit while runs keep it, wherever its row moves
	Row      int    `json:"row"`                // relative to the block's anchor as the last run left it, from zero; row 0 is the header
	Column   int    `json:"column"`             // likewise
	Name     string `json:"name"`               // the column's heading
	Yours    any    `json:"yours"`              // the cell's value
	Source   any    `json:"source"`             // what the source has there; nil too when it is not known, and when Inserted
	Inserted bool   `json:"inserted,omitempty"` // of a row that the person inserted
	SeenAt   string `json:"seenAt"`             // when a run first saw it: RFC 3339, UTC, with milliseconds
	Returned bool   `json:"-"`                  // given back to the source: the next run takes the source's value
	// TextAmongNumbers: it is a text in a column in which the source has numbers: sums leave it out.
	TextAmongNumbers bool `json:"textAmongNumbers,omitempty"`
}

// At is the cell in p's spreadsheet.
func (e Edit) At(p placements.Placement) placements.Location {
	a, _ := p.Address()
	a.Anchor.Row += e.Row
	a.Anchor.Column += e.Column
	return placements.Location{Sheet: a.Sheet, Anchor: a.Anchor, Rows: 1, Columns: 1}
}

// Summarize counts edits, which come by row; nil when there are none. An edit that does not say when it was seen was seen at now.
func Summarize(edits []Edit, now string) *placements.EditSummary {
	if len(edits) == 0 {
		return nil
	}
	sum := &placements.EditSummary{Cells: len(edits), Since: now}
	for i, e := range edits {
		if i == 0 || e.Row != edits[i-1].Row {
			sum.Rows++
		}
		sum.Since = min(sum.Since, cmp.Or(e.SeenAt, now))
	}
	return sum
}

// Cursor returns the row and column of e, relative to the anchor: a run between two pages may move what follows.
func (e Edit) Cursor() string { return strconv.Itoa(e.Row) + "." + strconv.Itoa(e.Column) }

// Compare orders edits by row, then column.
func (e Edit) Compare(o Edit) int {
	return cmp.Or(cmp.Compare(e.Row, o.Row), cmp.Compare(e.Column, o.Column))
}

// The bounds of the edits that are listed. A placement's EditSummary counts all.
const (
	MaxEdits     = 10_000
	MaxEditBytes = 4 << 20 // of their JSON
)

// EditPage is a page of a placement's edits, by row, then column, and the placement as it was at the same moment.
type EditPage struct {
	Placement placements.Placement
	Page[Edit]
}

// ParseEditCursor returns an Edit at the cursor's cell; one before all others for the start.
func ParseEditCursor(text string) (Edit, error) {
	if text == "" {
		return Edit{Row: -1}, nil
	}
	row, column, _ := strings.Cut(text, ".")
	var e Edit
	var err, err2 error
	e.Row, err = strconv.Atoi(row)
	e.Column, err2 = strconv.Atoi(column)
	if errors.Join(err, err2) != nil || e.Row < 0 || e.Column < 0 {
		return e, placements.Errorf(placements.CodeCursor, "The cursor is not one of this list: send the endCursor of the page before.")
	}
	return e, nil
}

// EditsUpTo is how many edits stand before or at the cell of last.
func EditsUpTo(edits []Edit, last Edit) int {
	n, at := slices.BinarySearchFunc(edits, last, Edit.Compare)
	if at {
		n++
	}
	return n
}

// ChooseEdits lists the ids of the edits at those cells; of all that can be given back for nil.
func ChooseEdits(p placements.Placement, edits []Edit, cells []string) (ids []any, err error) {
	if cells == nil {
		for _, e := range edits {
			if !e.Inserted {
				ids = append(ids, e.ID)
			}
		}
		return ids, nil
	}
	var faults []placements.Detail
	for i, cell := range cells {
		e, fault := editAt(p, edits, cell)
		if fault != "" {
			faults = append(faults, placements.Detail{Pointer: fmt.Sprintf("/cells/%d", i), Code: placements.CodeInvalid, Message: fault})
			continue
		}
		ids = append(ids, e.ID)
	}
	if len(faults) == 0 {
		return ids, nil
	}
	wrong := placements.Faulty(faults...)
	if len(faults) > 1 {
		wrong.Message = fmt.Sprintf("%d of the cells cannot be given back; see details.", len(faults))
	}
	return nil, wrong
}

// editAt finds the edit at a cell. fault is the sentence for the user, empty when there is one that can be given back.
func editAt(p placements.Placement, edits []Edit, cell string) (e Edit, fault string) {
	l, err := placements.ParseLocation(cell)
	if err != nil {
		return e, err.Error()
	}
	if l.Range {
		return e, fmt.Sprintf("%s is a range: name each cell by itself.", l)
	}
	a, _ := p.Address()
	here := l.Sheet == "" || placements.Address{Sheet: l.Sheet}.Is(placements.Address{Sheet: a.Sheet})
	at := Edit{Row: l.Anchor.Row - a.Anchor.Row, Column: l.Anchor.Column - a.Anchor.Column}
	n, found := slices.BinarySearchFunc(edits, at, Edit.Compare)
	switch {
	case !here || !found:
		return e, fmt.Sprintf("%s is no edited cell of this placement: name cells that the list of its edits has.", l)
	case edits[n].Inserted:
		return e, fmt.Sprintf("%s is in a row that a person inserted: delete the row, or refresh with onEdit \"overwrite\".", l)
	}
	return edits[n], ""
}

// EncodeEdits returns the edits that are listed, the first ones within the bounds, and their JSON. It fills in missing IDs and times.
func EncodeEdits(edits []Edit, now string) (text string, listed []Edit, err error) {
	listed = slices.Clone(edits[:min(len(edits), MaxEdits)])
	b := bytes.NewBufferString("[")
	for i := range listed {
		e := &listed[i]
		e.ID, e.SeenAt = cmp.Or(e.ID, rand.Text()), cmp.Or(e.SeenAt, now)
		one, err := Encode(e)
		if err != nil {
			return "", nil, fmt.Errorf("edit of row %d, column %d: %w", e.Row, e.Column, err)
		}
		if b.Len()+len(one) > MaxEditBytes {
			listed = listed[:i]
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(one)
	}
	b.WriteByte(']')
	return b.String(), listed, nil
}

// DecodeEdits reads the edits that are listed, and which of them are given back.
func DecodeEdits(placementID, text string, returned []string) ([]Edit, error) {
	if text == "" {
		return nil, nil
	}
	var edits []Edit
	if err := json.Unmarshal([]byte(text), &edits); err != nil {
		return nil, fmt.Errorf("edits of placement %s: %w", placementID, err)
	}
	marks := make(map[string]bool, len(returned))
	for _, id := range returned {
		marks[id] = true
	}
	for i := range edits {
		edits[i].Returned = marks[edits[i].ID]
	}
	return edits, nil
}

// MissingEdits lists those of some edits that are not among others.
func MissingEdits(edits, others []Edit) []Edit {
	ids := make(map[string]bool, len(others))
	for _, e := range others {
		ids[e.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(edits), func(e Edit) bool { return ids[e.ID] })
}
