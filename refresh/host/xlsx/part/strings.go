package part

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/xml"
)

// Strings are a workbook's shared strings, one after the other. They are read once one is asked for.
type Strings struct {
	ctx     context.Context
	archive *archive.Archive
	part    string // that has them; empty for none
	read    bool
	err     error // that it was read with
	text    []byte
	ends    []int
}

// NewStrings returns the shared strings of a workbook.
func NewStrings(ctx context.Context, a *archive.Archive, wb *Workbook) *Strings {
	return &Strings{ctx: ctx, archive: a, part: wb.Related("sharedStrings")}
}

// load reads the table of shared strings, which a workbook may do without.
func (l *Strings) load() error {
	if l.archive.Part(l.part) == nil {
		return nil
	}
	r, err := l.archive.Stream(l.ctx, l.part, archive.MaxText)
	if err != nil {
		return err
	}
	defer r.Close()
	s := xml.NewScanner(r)
	for err = s.Root("sst", nil); err == nil; err = s.Next() {
		if !s.Opens("si") {
			continue
		}
		if l.text, err = ReadText(s, l.text); err != nil {
			break
		}
		l.ends = append(l.ends, len(l.text))
	}
	if err != io.EOF {
		return l.archive.Broken(fmt.Errorf("%s: %w", l.part, err))
	}
	return nil
}

// At is the string that a cell's value, an index, stands for.
func (l *Strings) At(index []byte) ([]byte, error) {
	if !l.read {
		l.read, l.err = true, l.load()
	}
	if l.err != nil {
		return nil, l.err
	}
	i, err := strconv.Atoi(string(index))
	if err != nil || i < 0 || i >= len(l.ends) {
		return nil, fmt.Errorf("no shared string %q", index)
	}
	from := 0
	if i > 0 {
		from = l.ends[i-1]
	}
	return l.text[from:l.ends[i]], nil
}
