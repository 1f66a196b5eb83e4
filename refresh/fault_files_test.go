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

// fileSource gives the table that is described in the file that a query names: its version and its number of rows.
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

func (h fileHost) Read(_ context.Context, b host.Block, want checksum.Extent) (host.View, error) {
	d, err := h.load(b.Document)
	if err != nil {
		return host.View{}, err
	}
	v := host.View{Sheet: b.Sheet, Anchor: b.Anchor, Revision: fmt.Sprint(d.Revision), Calls: 1}
	if m, ok := d.Markers[b.PlacementID]; ok {
		v.Marked, v.Anchor, v.Extent = true, m.Anchor, m.Extent
	}
	v.Cells = d.table(v.Anchor, checksum.Extent{Rows: max(want.Rows, v.Extent.Rows), Columns: max(want.Columns, v.Extent.Columns)})
	return v, nil
}

// Write makes checking the revision and replacing the file one step, among all processes.
func (h fileHost) Write(_ context.Context, p host.Patch) (host.Written, error) {
	lock, err := os.OpenFile(filepath.Join(h.dir, p.Block.Document+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return host.Written{}, err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return host.Written{}, err
	}
	d, err := h.load(p.Block.Document)
	if err != nil {
		return host.Written{}, err
	}
	if fmt.Sprint(d.Revision) != p.Revision {
		return host.Written{}, &placements.Fault{Class: placements.Transient, Message: "the document changed while it was refreshed"}
	}
	w := d.apply(p)
	text, err := json.Marshal(d)
	if err != nil {
		return w, err
	}
	file := filepath.Join(h.dir, p.Block.Document)
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return w, err
	}
	return w, os.Rename(file+".new", file)
}

func (d *fileDocument) apply(p host.Patch) host.Written {
	w := host.Written{Calls: 1}
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

func (fileHost) CanShift() bool              { return false }
func (fileHost) Check(context.Context) error { return nil }
