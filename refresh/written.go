package refresh

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage"
)

// written is what is known of the last write to a placement's block: what the agent remembers, or else what an add-in reported, or nothing.
type written struct {
	done   *checksum.Last           // by the last write that was completed; nil unless the agent wrote last
	begun  *checksum.Last           // by a write since then that was not completed; nil without any
	report *checksum.ResultChecksum // of an add-in, version 2
	extent checksum.Extent          // of the last write
	// formats are the number formats that it gave to the columns; nil where it is not known to have given any.
	formats []string
	held    held // by it
	// overwritten is what the write that was not completed may have replaced, if it was this run's.
	overwritten []storage.OverwrittenRow
}

// memory is what a write leaves to be remembered of a block, to know by it the next time what a person did.
type memory struct {
	rows     checksum.Block // as the source has them
	header   []checksum.Cell
	edited   []checksum.EditedRow
	inserted []uint64
	formats  []string // number format a column, empty for none
	held     held
}

// maxRemembered bounds the rows with cells of a person whose contents are remembered. Of further ones all cells stay once one was edited.
const maxRemembered = 10_000

// stored is the form in which a memory is kept beside a placement. It holds only while the placement stands where that write left it, and
// until another writer changes the block.
type stored struct {
	Address     string         `json:"address"`     // placements.Placement.AddressKey at that time
	RefreshedAt string         `json:"refreshedAt"` // of that write
	Rows        []byte         `json:"rows"`        // checksum.Block
	Header      []byte         `json:"header,omitempty"`
	Edited      []storedEdited `json:"edited,omitempty"`
	Inserted    []byte         `json:"inserted,omitempty"` // 8 bytes a row, little-endian
	Formats     []string       `json:"formats,omitempty"`
	Held        []storedHeld   `json:"held,omitempty"`
	// Others are, in an intent, the rows of earlier writes that were not completed; as Inserted.
	Others []byte `json:"others,omitempty"`
	// Run and Overwritten are, in an intent, the run and the rows that its write replaces.
	Run         string                   `json:"run,omitempty"`
	Overwritten []storage.OverwrittenRow `json:"overwritten,omitempty"`
}

// storedEdited is a checksum.EditedRow, its rows in canonical encoding.
type storedEdited struct {
	ID     string `json:"id"`
	Row    int    `json:"row"`
	Source []byte `json:"source"`
	Kept   []byte `json:"kept"`
}

// lastWritten reads what is kept for p. marked reports whether the marker in the document may be trusted: an add-in that moved the
// placement leaves the old marker behind. columns is the width of the new result, for an add-in that reported none. run is the one at
// work.
func lastWritten(p placements.Placement, kept storage.Rows, columns int, run string) (w written, marked bool, err error) {
	s, here, err := readStored(p, kept.Settled)
	if err != nil {
		return written{}, false, err
	}
	intent, intendedHere, err := readStored(p, kept.Intended)
	if err != nil {
		return written{}, false, err
	}
	marked = here || intendedHere
	if here && s.RefreshedAt == p.RefreshedAt {
		if w.done, err = s.last(); err != nil {
			return written{}, false, fmt.Errorf("rows of placement %s: %w", p.ID, err)
		}
		w.extent, w.formats = w.done.Extent(), s.Formats
		if w.held, err = readHeld(s.Held); err != nil {
			return written{}, false, fmt.Errorf("cells of placement %s: %w", p.ID, err)
		}
	}
	if intendedHere {
		if w.begun, err = intent.last(); err != nil {
			return written{}, false, fmt.Errorf("rows of placement %s: %w", p.ID, err)
		}
		w.begun.Others = hashes(intent.Others)
		if w.done == nil {
			w.formats = intent.Formats
		}
		if intent.Run == run {
			w.overwritten = intent.Overwritten
		}
	}
	if w.done != nil {
		markReturned(w.done, kept.Edits)
		return w, marked, nil
	}
	if p.QueryChecksum == "" {
		return w, marked, nil
	}
	w.takeReported(p, columns)
	return w, marked, nil
}

// takeReported takes what an add-in reported of its write.
func (w *written) takeReported(p placements.Placement, columns int) {
	if r, ok := p.Rect(); ok {
		w.extent = checksum.Extent{Rows: r.Bottom - r.Top + 1, Columns: r.Right - r.Left + 1}
	}
	if c := p.ResultChecksum; c != nil && c.V == checksum.Version && len(c.Chunks) > 0 {
		w.report = c
		if w.extent == (checksum.Extent{Rows: 1, Columns: 1}) {
			w.extent = checksum.Extent{Rows: c.Rows(), Columns: columns} // no end was reported: the digest knows the height
		}
	}
}

// readStored reads what is kept for p. here reports whether the placement still stands where it was then.
func readStored(p placements.Placement, blob []byte) (s stored, here bool, err error) {
	if len(blob) == 0 {
		return stored{}, false, nil
	}
	if err := json.Unmarshal(blob, &s); err != nil {
		return stored{}, false, fmt.Errorf("rows of placement %s: %w", p.ID, err)
	}
	return s, s.Address != "" && s.Address == p.AddressKey(), nil
}

// last is the stored form as a merge takes it.
func (s stored) last() (*checksum.Last, error) {
	l := &checksum.Last{Inserted: hashes(s.Inserted)}
	err := l.UnmarshalBinary(s.Rows)
	if len(s.Header) > 0 {
		var err2 error
		l.Header, err2 = checksum.DecodeRow(s.Header)
		err = errors.Join(err, err2)
	}
	for _, e := range s.Edited {
		source, err2 := checksum.DecodeRow(e.Source)
		kept, err3 := checksum.DecodeRow(e.Kept)
		if err = errors.Join(err, err2, err3); err != nil {
			return nil, err
		}
		if e.Row < len(l.Fingerprints) {
			l.Edited = append(l.Edited, checksum.EditedRow{ID: e.ID, Row: e.Row, Source: source, Kept: kept})
		}
	}
	return l, err
}

// store is the stored form of what a write to p leaves.
func (m memory) store(p placements.Placement) (stored, error) {
	s := stored{
		Address: p.AddressKey(), RefreshedAt: p.RefreshedAt,
		Header: checksum.EncodeRow(m.header), Inserted: bytesOf(m.inserted), Formats: m.formats, Held: m.held.store(),
	}
	var err error
	s.Rows, err = m.rows.MarshalBinary()
	for _, e := range m.edited {
		s.Edited = append(s.Edited, storedEdited{e.ID, e.Row, checksum.EncodeRow(e.Source), checksum.EncodeRow(e.Kept)})
	}
	return s, err
}

// encodeWriteAhead is what to note before p is written by a run.
func encodeWriteAhead(p placements.Placement, plan Plan, run string) ([]byte, error) {
	s, err := plan.memory.store(p)
	if err != nil {
		return nil, err
	}
	s.Others, s.Run, s.Overwritten = bytesOf(plan.others), run, plan.Overwritten
	return json.Marshal(s)
}

// encodeStored is what to keep once p was written.
func encodeStored(p placements.Placement, m memory) ([]byte, error) {
	s, err := m.store(p)
	if err != nil {
		return nil, err
	}
	return json.Marshal(s)
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

// base is the block as Mooring or an add-in left it, for comparison with what stands in stands. An attempt that died between its write and
// its end may have left what it intended.
func (w written) base(stands *checksum.Grid) checksum.Last {
	done := w.completed(stands)
	if w.begun == nil {
		return done
	}
	return checksum.Likelier(done, *w.begun, stands.Block())
}

// completed is the block as the last completed write left it. An add-in's digest only tells which chunks are untouched: the rows of the
// others count as edited. Without a digest its cells are taken as it left them.
func (w written) completed(stands *checksum.Grid) checksum.Last {
	if w.done != nil {
		return *w.done
	}
	if w.extent == (checksum.Extent{}) {
		return checksum.Last{}
	}
	base := checksum.Last{Block: stands.Block()}
	if w.report == nil {
		return base
	}
	for _, s := range stands.Checksum().Since(*w.report) {
		for i := s.From; i < min(s.To, len(base.Fingerprints)); i++ {
			base.Fingerprints[i] = ^base.Fingerprints[i]
		}
	}
	return base
}

// known reports whether fingerprints of rows that Mooring wrote are remembered.
func (w written) known() bool { return w.done != nil || w.begun != nil }

// reach is how far the block may reach.
func (w written) reach() checksum.Extent {
	if w.begun == nil {
		return w.extent
	}
	return larger(w.extent, w.begun.Extent())
}

// others are the rows that writes which were not completed may leave, the newest first, without those of the last completed one. An agent
// that was held up may still carry out a write which others have given up, so that they need not stand there yet.
func (w written) others(most int) (rows []uint64) {
	if w.begun == nil {
		return nil
	}
	done := map[uint64]bool{}
	if w.done != nil {
		for _, row := range w.done.Fingerprints {
			done[row] = true
		}
	}
	for _, row := range slices.Concat(w.begun.Fingerprints, w.begun.Others) {
		if !done[row] && len(rows) < most {
			rows = append(rows, row)
		}
	}
	return rows
}
