package simulation

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"mooring/checksum"
	"mooring/placements"
	hosts "mooring/refresh/host"
)

// book is a document of one sheet.
type book struct {
	name    string
	cells   map[[2]int]checksum.Cell // by row and column
	markers map[string]placements.Rect
	stamps  map[string]string
	changes int // by anybody

	gone   bool // moved away
	locked bool // open elsewhere
}

func newBook(name string) *book {
	return &book{name: name, cells: map[[2]int]checksum.Cell{}, markers: map[string]placements.Rect{}, stamps: map[string]string{}}
}

func (b *book) set(row, column int, c checksum.Cell) {
	if c == (checksum.Cell{}) {
		delete(b.cells, [2]int{row, column})
		return
	}
	b.cells[[2]int{row, column}] = c
}

// table is what stands in a rectangle.
func (b *book) table(at placements.Anchor, size checksum.Extent) *checksum.Grid {
	var g checksum.Builder
	for row := range size.Rows {
		cells := make([]checksum.Cell, size.Columns)
		for column := range cells {
			cells[column] = b.cells[[2]int{at.Row + row, at.Column + column}]
		}
		g.Append(cells...)
	}
	return g.Grid()
}

func extentOf(r placements.Rect) checksum.Extent {
	return checksum.Extent{Rows: r.Bottom - r.Top + 1, Columns: r.Right - r.Left + 1}
}

// apply writes a patch.
func (b *book) apply(p hosts.Patch) (w hosts.Written) {
	b.changes++
	at := p.Block.Anchor
	for _, span := range p.Rows {
		for row := span.From; row < span.To; row++ {
			cells := p.Grid.Cells(row, nil)
			for column := range p.Extent.Columns {
				b.set(at.Row+row, at.Column+column, checksum.CellAt(cells, column))
			}
		}
	}
	for _, r := range p.Clear {
		for row := range r.Rows {
			for column := range r.Columns {
				b.set(at.Row+r.Row+row, at.Column+r.Column+column, checksum.Cell{})
			}
		}
	}
	if p.Stamp != "" {
		b.stamps[p.Block.PlacementID] = p.Stamp
	}
	b.markers[p.Block.PlacementID] = placements.Rect{
		Top: at.Row, Left: at.Column, Bottom: at.Row + p.Extent.Rows - 1, Right: at.Column + p.Extent.Columns - 1,
	}
	w.Count(&p)
	return w
}

// host is the service of the documents as a process reaches it.
type host struct{ *process }

// available returns why a document cannot be opened now; nil where it can.
func (h *host) available(document string) error {
	b := h.books[document]
	switch {
	case b == nil || b.gone:
		h.saw("document: missing")
		return &placements.Fault{Class: placements.Structure, Reason: placements.ReasonMissing, Message: "There is no such spreadsheet.", Err: fs.ErrNotExist}
	case b.locked:
		h.saw("document: locked")
		return &placements.Fault{Class: placements.Transient, Reason: placements.ReasonLocked, Message: "The spreadsheet is open elsewhere."}
	case time.Now().Before(h.quotaOut):
		h.saw("document: quota")
		return &placements.Fault{
			Class: placements.Quota, Reason: placements.ReasonQuota, Message: "The account has no requests left.", RetryAfter: time.Until(h.quotaOut),
		}
	}
	return nil
}

func (h *host) Open(ctx context.Context, document string) (hosts.Session, error) {
	if err := h.pass(ctx, "open", document); err != nil {
		return nil, err
	}
	if err := h.available(document); err != nil {
		return nil, err
	}
	return &session{host: h, book: h.books[document], document: document}, h.done("open")
}

func (h *host) Has(ctx context.Context, document string) error {
	if err := h.pass(ctx, "look", document); err != nil {
		return err
	}
	return h.available(document)
}

func (*host) MaxShifts() int              { return 0 }
func (*host) CanMove() bool               { return false }
func (*host) Check(context.Context) error { return nil }

// session is a document that is open.
type session struct {
	*host
	book     *book
	document string
	read     int // changes of the document when it was read
}

func (*session) Close() error { return nil }

func (s *session) Read(ctx context.Context, list []hosts.Wanted) ([]hosts.Found, error) {
	if err := s.pass(ctx, "read", s.document); err != nil {
		return nil, err
	}
	if err := s.available(s.document); err != nil {
		return nil, err
	}
	s.read = s.book.changes
	found := make([]hosts.Found, len(list))
	for i, w := range list {
		s.hasRead(w.Block.PlacementID)
		v := hosts.View{Sheet: w.Block.Sheet, Anchor: w.Block.Anchor}
		if r, ok := s.book.markers[w.Block.PlacementID]; ok {
			v.Marked, v.Anchor, v.Extent = true, placements.Anchor{Row: r.Top, Column: r.Left}, extentOf(r)
			v.Stamp = s.book.stamps[w.Block.PlacementID]
		}
		v.Cells = s.book.table(v.Anchor, v.Extent.Union(w.Extent))
		found[i].View = v
	}
	found[0].View.Calls = 1
	return found, s.done("read")
}

// hasRead notes when the block of a placement was read.
func (w *world) hasRead(placement string) {
	for _, p := range w.placed {
		if p.id == placement {
			p.read, p.untouched = time.Now(), len(p.typed) == 0
		}
	}
}

func (s *session) Write(ctx context.Context, patches []hosts.Patch) ([]hosts.Written, error) {
	if err := s.pass(ctx, "write", s.document); err != nil {
		return nil, err
	}
	if err := s.available(s.document); err != nil {
		return nil, err
	}
	if err := hosts.CheckPatches(s.document, patches); err != nil {
		s.fault("patches that no host may be asked for: %v", err)
		return nil, err
	}
	unclear := &placements.Fault{Class: placements.Transient, Message: "The service did not answer."}
	lot := part(mixed(s.seed, textSum("write", s.document), uint64(time.Now().UnixNano())))
	doubtful := time.Now().Before(s.doubtful)
	if doubtful && lot < 0.2 {
		s.saw("write: not made, answer lost")
		return nil, unclear
	}
	if s.book.changes != s.read {
		s.saw("write: changed meanwhile")
		return nil, &placements.Fault{Class: placements.Transient, Message: "The spreadsheet was changed meanwhile."}
	}
	done := make([]hosts.Written, len(patches))
	for i, p := range patches {
		s.trace.note("%s writes %s", s.name, describe(p))
		done[i] = s.book.apply(p)
	}
	s.read = s.book.changes
	done[0].Calls = 1
	if doubtful && lot < 0.6 {
		s.saw("write: made, answer lost")
		s.trace.note("%s is not told", s.name)
		return nil, unclear
	}
	return done, s.done("write")
}

// describe is what a patch does.
func describe(p hosts.Patch) string {
	return fmt.Sprintf("%s rows %v clear %v extent %v", p.Block.PlacementID, p.Rows, p.Clear, p.Extent)
}
