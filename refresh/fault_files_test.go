package refresh_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/source"
)

// fileSource returns the table that is described in the file that a query names: its version and its number of rows.
type fileSource struct{ dir string }

func (s fileSource) Query(_ context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	text, err := os.ReadFile(filepath.Join(s.dir, q.SQL))
	if err != nil {
		return nil, err
	}
	var version, rows int
	if _, err := fmt.Sscan(string(text), &version, &rows); err != nil {
		return nil, err
	}
	for _, row := range fileTable(version, rows) {
		b.Append(row...)
	}
	return []source.Column{{Name: "key"}, {Name: "value"}}, nil
}

// fileTable is a header and rows, of which two in three differ from one version to the next.
func fileTable(version, rows int) [][]checksum.Cell {
	table := [][]checksum.Cell{{checksum.Str("key"), checksum.Str("value")}}
	for i := range rows {
		value := version
		if i%3 == 0 {
			value = 0
		}
		table = append(table, []checksum.Cell{checksum.Num(float64(i)), checksum.Num(float64(value))})
	}
	return table
}

func (fileSource) Check(context.Context) error { return nil }
func (fileSource) Close() error                { return nil }

// fileHost keeps each document in a file of JSON, replaced in one step.
type fileHost struct{ dir string }

type fileDocument struct {
	Revision int
	Cells    map[string]checksum.Cell // by "<row>:<column>"
	Markers  map[string]fileMarker    // by placement
}

type fileMarker struct {
	Anchor placements.Anchor
	Extent checksum.Extent
}

func (h fileHost) load(name string) (d fileDocument, err error) {
	text, err := os.ReadFile(filepath.Join(h.dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return fileDocument{Cells: map[string]checksum.Cell{}, Markers: map[string]fileMarker{}}, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	return d, err
}

func spot(row, column int) string { return fmt.Sprintf("%d:%d", row, column) }

// table is the rectangle of that size from anchor.
func (d fileDocument) table(anchor placements.Anchor, size checksum.Extent) *checksum.Grid {
	var b checksum.Builder
	for row := range size.Rows {
		cells := make([]checksum.Cell, size.Columns)
		for column := range cells {
			cells[column] = d.Cells[spot(anchor.Row+row, anchor.Column+column)]
		}
		b.Append(cells...)
	}
	return b.Grid()
}

// fileSession is a document as it was read.
type fileSession struct {
	fileHost
	document string
	fileDocument
}

func (h fileHost) Open(_ context.Context, document string) (host.Session, error) {
	d, err := h.load(document)
	return &fileSession{fileHost: h, document: document, fileDocument: d}, err
}

func (s *fileSession) Close() error { return nil }

func (s *fileSession) Read(_ context.Context, wanted []host.Wanted) ([]host.Found, error) {
	var found []host.Found
	for _, w := range wanted {
		b := w.Block
		v := host.View{Sheet: b.Sheet, Anchor: b.Anchor}
		if m, ok := s.Markers[b.PlacementID]; ok {
			v.Marked, v.Anchor, v.Extent = true, m.Anchor, m.Extent
		}
		v.Cells = s.table(v.Anchor, checksum.Extent{Rows: max(w.Extent.Rows, v.Extent.Rows), Columns: max(w.Extent.Columns, v.Extent.Columns)})
		found = append(found, host.Found{View: v})
	}
	found[0].View.Calls = 1
	return found, nil
}

// Write makes checking the revision and replacing the file one step, among all processes.
func (s *fileSession) Write(_ context.Context, patches []host.Patch) ([]host.Written, error) {
	file := filepath.Join(s.dir, s.document)
	lock, err := os.OpenFile(file+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return nil, err
	}
	d, err := s.load(s.document)
	if err != nil {
		return nil, err
	}
	if d.Revision != s.Revision {
		return nil, &placements.Fault{Class: placements.Transient, Message: "the document changed while it was refreshed"}
	}
	var written []host.Written
	for _, p := range patches {
		written = append(written, d.apply(p))
	}
	written[0].Calls = 1
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return nil, err
	}
	s.fileDocument = d
	return written, os.Rename(file+".new", file)
}

func (d *fileDocument) apply(p host.Patch) host.Written {
	var w host.Written
	at := p.Block.Anchor
	for _, span := range p.Rows {
		for row := span.From; row < span.To; row++ {
			cells := p.Grid.Cells(row, nil)
			for column := range p.Extent.Columns {
				var cell checksum.Cell
				if column < len(cells) {
					cell = cells[column]
				}
				d.Cells[spot(at.Row+row, at.Column+column)] = cell
			}
			w.Rows++
			w.Cells += p.Extent.Columns
		}
	}
	for _, r := range p.Clear {
		for row := range r.Rows {
			for column := range r.Columns {
				delete(d.Cells, spot(at.Row+r.Row+row, at.Column+r.Column+column))
			}
			w.Rows++
		}
	}
	d.Markers[p.Block.PlacementID] = fileMarker{at, p.Extent}
	d.Revision++
	return w
}

func (fileHost) MaxShifts() int                    { return 0 }
func (fileHost) Has(context.Context, string) error { return nil }
func (fileHost) CanMove() bool                     { return false }
func (fileHost) Check(context.Context) error       { return nil }
