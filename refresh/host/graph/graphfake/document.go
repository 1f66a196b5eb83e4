package graphfake

import (
	"mooring/refresh/host/hosttest/book"
)

// document is a workbook with what the service keeps beside its content.
type document struct {
	*book.Book
	drive  *drive
	path   string // below the root of its drive
	denied bool
	locked []lock
	lags   bool
	// desktop says that a program on a desktop has it open.
	desktop bool
	shown   int // the revision that a lagging tag shows next
}

// lock is a rectangle whose cells cannot be changed on a protected sheet.
type lock struct {
	sheet *book.Sheet
	rect  book.Region
}

// tag is the revision that the item's cTag shows. A lagging one shows what there was when it was last asked for: what sessions write, and
// what people type, reaches the file later.
func (d *document) tag() int {
	if !d.lags {
		return d.Revision
	}
	shown := d.shown
	d.shown = d.Revision
	return shown
}

func (d *document) protected(s *book.Sheet) bool {
	for _, l := range d.locked {
		if l.sheet == s {
			return true
		}
	}
	return false
}

// lockedIn reports whether all cells of a rectangle are locked, or none; nil for some.
func (d *document) lockedIn(s *book.Sheet, r book.Region) any {
	n := 0
	for row := r.Row; row < r.Row+r.Rows && len(d.locked) > 0; row++ {
		for column := r.Column; column < r.Column+r.Columns; column++ {
			for _, l := range d.locked {
				if l.sheet == s && l.rect.Holds(row, column) {
					n++
				}
			}
		}
	}
	switch n {
	case 0:
		return false
	case r.Rows * r.Columns:
		return true
	}
	return nil
}

// copy is the document as a request finds it whose changes are not kept.
func (d *document) copy() *document {
	return &document{Book: d.Clone(), drive: d.drive, path: d.path, denied: d.denied}
}

// Lock protects a sheet of a workbook; a rectangle of its cells is locked.
func (s *Server) Lock(id, sheet string, r book.Region) {
	s.mu.Lock()
	defer s.mu.Unlock()
	doc := s.docs[id]
	doc.locked = append(doc.locked, lock{doc.Sheet(sheet), r})
}

// RefuseSessions makes the fake open no session, as the service does for applications of some tenants.
func (s *Server) RefuseSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusesSessions = true
}

// RefuseHiding makes the fake hide no name.
func (s *Server) RefuseHiding() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusesHiding = true
}

// LoseWrites makes the fake answer what is written outside sessions as if it kept it.
func (s *Server) LoseWrites() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.losesWrites = true
}

// LagTags makes the tags of a workbook show each change only to the second who asks.
func (s *Server) LagTags(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs[id].lags, s.docs[id].shown = true, s.docs[id].Revision
}

// TextCells sets the format of the first cells of all sheets of a workbook to @.
func (s *Server) TextCells(id string, rows, columns int) {
	s.Edit(id, func(b *book.Book) {
		for _, sheet := range b.Sheets {
			for i := range rows * columns {
				sheet.SetFormat(i/columns, i%columns, "@")
			}
		}
	})
}
