package document

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/plan"
	"mooring/storage/record"
	"mooring/storage/work"
)

// lastWritten reads what is known of the last write to p:
//
//	the agent's last write was completed, and no other writer came since who is believed: what it left; otherwise
//	an add-in has written: what it reported; otherwise nothing.
//	Beside any of these, when writes were begun since: what they were to leave.
//
// columns is the width of the new result, for an add-in that reported none. run is the one at work.
func lastWritten(p placements.Placement, kept work.Rows, columns int, run string) (last remembered, err error) {
	completed, completedHere, err := readStored(p, kept.Completed)
	if err != nil {
		return remembered{}, err
	}
	begun, begunHere, err := readStored(p, kept.Begun)
	if err != nil {
		return remembered{}, err
	}
	last.proof = proofOf(p, completed, begun)
	completedHere, begunHere = completedHere || completed.renamed(p), begunHere || begun.renamed(p)
	write := p.LastWrite()
	switch {
	case completedHere && completed.RefreshedAt == write.At:
		last.Last, err = completed.last()
	case write.Query != "":
		last.Last = reported(p, write, columns)
	}
	if at, err := time.Parse(time.RFC3339, write.At); err == nil { // later than the write that it tells of
		last.Generations.Completed = max(last.Generations.Completed, at.UnixMicro())
	}
	if err == nil && begunHere {
		err = begun.beside(&last, run)
	}
	if err != nil {
		return remembered{}, fmt.Errorf("rows of placement %s: %w", p.ID, err)
	}
	last.marked = completedHere || begunHere
	if completedHere {
		last.filters = hashes(completed.Filters)
	}
	if begunHere {
		last.filters = append(last.filters, hashes(begun.Filters)...)
	}
	slices.Sort(last.filters)
	last.filters = slices.Compact(last.filters)
	last.beside = begunHere && begun.Beside
	last.opened = completed.opened(p) || begun.opened(p)
	uid := p.Behalf().UID
	last.foreign = p.WrittenFor() != uid || completedHere && completed.Behalf != uid || begunHere && (begun.Foreign || begun.Behalf != uid) ||
		!completedHere && write.Query != ""
	return last, nil
}

// Completed is what the last write to p left that was completed and is believed; nil where none is known.
func Completed(p placements.Placement, kept work.Rows) (*checksum.Baseline, error) {
	last, err := lastWritten(p, kept, 0, "")
	return last.Completed, err
}

// Opened reports whether an agent has written p in its document before, and so has had that open.
func Opened(p placements.Placement, kept work.Rows) (bool, error) {
	last, err := lastWritten(p, kept, 0, "")
	return last.opened, err
}

// last is what is known of the completed write that left s.
func (s stored) last() (plan.Last, error) {
	m, err := s.memory()
	if err != nil {
		return plan.Last{}, err
	}
	return plan.After(m), nil
}

// beside adds to last what the write that noted s was to leave.
func (s stored) beside(last *remembered, run string) error {
	m, err := s.memory()
	if err != nil {
		return err
	}
	last.Begun = []checksum.Baseline{*m.Last()}
	last.Begun[0].Others = hashes(s.Others)
	for _, w := range s.Unfinished {
		m, err := w.memory()
		if err != nil {
			return err
		}
		last.Begun = append(last.Begun, *m.Last())
	}
	last.Generations.Begun = append(s.Earlier, s.Generation)
	if last.Completed == nil {
		last.Formats = m.Formats
	}
	last.Overwritten = converted(s.Overwritten, planRow)
	if s.Run == run {
		last.change = s.Change
	}
	return nil
}

// readStored reads what is kept for p. here reports whether the placement still stands where it was then.
func readStored(p placements.Placement, blob []byte) (s stored, here bool, err error) {
	if len(blob) == 0 {
		return stored{}, false, nil
	}
	if err := json.Unmarshal(blob, &s); err != nil {
		return stored{}, false, fmt.Errorf("rows of placement %s: %w", p.ID, err)
	}
	s.rehome(p)
	return s, s.Address != "" && s.Address == p.AddressKey(), nil
}

// rehome makes the address of s one in the document of p as it is known now: it may have got or lost a link since.
func (s *stored) rehome(p placements.Placement) {
	home := placements.SheetKey(p.AddressDocument(), "")
	for _, id := range append(p.IDs(), p.WorkbookID) {
		if spot, there := strings.CutPrefix(s.Address, placements.SheetKey(id, "")); there {
			s.Address = home + spot
			return
		}
	}
}

// memory is the decoded form.
func (s stored) memory() (plan.Memory, error) {
	m, err := s.storedWrite.memory()
	m.Formats, m.Generation = s.Formats, s.Generation
	held, err2 := decodeHeld(s.Held)
	m.Held = held
	return m, errors.Join(err, err2)
}

// memory is the decoded form, without what is not of the cells.
func (w storedWrite) memory() (plan.Memory, error) {
	m := plan.Memory{Inserted: hashes(w.Inserted)}
	err := m.Rows.UnmarshalBinary(w.Rows)
	if len(w.Header) > 0 {
		var err2 error
		m.Header, err2 = checksum.DecodeRow(w.Header)
		err = errors.Join(err, err2)
	}
	for _, e := range w.Edited {
		source, err2 := checksum.DecodeRow(e.Source)
		kept, err3 := checksum.DecodeRow(e.Kept)
		err = errors.Join(err, err2, err3)
		m.Edited = append(m.Edited, checksum.EditedRow{ID: e.ID, Row: e.Row, Source: source, Kept: kept})
	}
	return m, err
}

// store is the stored form of what a write to p leaves.
func store(p placements.Placement, m plan.Memory, of origin) (stored, error) {
	write, err := storeWrite(checksum.Baseline{BlockRows: m.Rows, Header: m.Header, Edited: m.Edited, Inserted: m.Inserted})
	return stored{
		origin: of, storedWrite: write,
		Address: p.AddressKey(), RefreshedAt: p.RefreshedAt, Behalf: p.Behalf().UID,
		Generation: m.Generation, Formats: m.Formats, Held: encodeHeld(m.Held),
	}, err
}

// storeWrite is the stored form of what a write leaves in the cells.
func storeWrite(last checksum.Baseline) (w storedWrite, err error) {
	w.Header, w.Inserted = checksum.EncodeRow(last.Header), bytesOf(last.Inserted)
	w.Rows, err = last.MarshalBinary()
	for _, e := range last.Edited {
		w.Edited = append(w.Edited, storedEdited{e.ID, e.Row, checksum.EncodeRow(e.Source), checksum.EncodeRow(e.Kept)})
	}
	return w, err
}

// encodeWriteAhead is what to note before p is written by a run, and what is outside with it.
func encodeWriteAhead(p placements.Placement, c plan.Changes, change *record.BlockChange, run string, out outside, of origin) ([]byte, error) {
	s, err := store(p, c.Memory, of)
	if err != nil {
		return nil, err
	}
	s.outside = out
	for _, last := range c.Unfinished {
		w, err := storeWrite(last)
		if err != nil {
			return nil, err
		}
		s.Unfinished = append(s.Unfinished, w)
	}
	s.Others, s.Earlier = bytesOf(c.Others), c.Earlier
	s.Run, s.Overwritten, s.Change = run, converted(c.Replaced(), storageRow), change
	return json.Marshal(s)
}

// encodeMemory is what to keep once p was written, and what is outside with it.
func encodeMemory(p placements.Placement, m plan.Memory, out outside, of origin) ([]byte, error) {
	s, err := store(p, m, of)
	if err != nil {
		return nil, err
	}
	s.outside = out
	return json.Marshal(s)
}

// movedMemory is what is kept beside a placement that shifts have moved; nil for nothing. The sheet stays the one that was written.
func movedMemory(blob []byte, was, now placements.Placement) ([]byte, error) {
	s, here, err := readStored(was, blob)
	if err != nil || !here && !s.renamed(was) {
		return nil, err
	}
	from, _ := cellKey(was)
	to, _ := cellKey(now)
	s.Address = to + strings.TrimPrefix(s.Address, from)
	if s.Status == was.StatusCell {
		s.Status = now.StatusCell
	}
	return json.Marshal(s)
}

// encodeHeld is the stored form of as many cells as are remembered. Rows with others are written each time.
func encodeHeld(h plan.Held) (list []storedHeld) {
	for c, as := range h {
		if len(list) == plan.MaxRemembered {
			break
		}
		list = append(list, storedHeld{c.Column, checksum.EncodeRow([]checksum.Cell{c.Cell, as})})
	}
	slices.SortFunc(list, func(a, b storedHeld) int {
		return cmp.Or(cmp.Compare(a.Column, b.Column), bytes.Compare(a.Cells, b.Cells))
	})
	return list
}

func decodeHeld(list []storedHeld) (plan.Held, error) {
	h := make(plan.Held, len(list))
	for _, s := range list {
		cells, err := checksum.DecodeRow(s.Cells)
		if err != nil {
			return nil, err
		}
		h[plan.HeldCell{Column: s.Column, Cell: checksum.CellAt(cells, 0)}] = checksum.CellAt(cells, 1)
	}
	return h, nil
}

func hashes(b []byte) []uint64 {
	list := make([]uint64, 0, len(b)/8)
	for ; len(b) >= 8; b = b[8:] {
		list = append(list, binary.LittleEndian.Uint64(b))
	}
	return list
}

func bytesOf(list []uint64) []byte {
	b := make([]byte, 0, 8*len(list))
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}
