package xlsx

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"mooring/refresh/host/xlsx/xml"
)

// sharedStrings are a workbook's shared strings, one after the other.
type sharedStrings struct {
	text []byte
	ends []int
}

// sharedStrings reads the table of shared strings, empty if the workbook has none.
func (p *archive) sharedStrings(ctx context.Context, wb *workbook) (*sharedStrings, error) {
	list := &sharedStrings{}
	name := wb.related("sharedStrings")
	if p.part(name) == nil {
		return list, nil
	}
	r, err := p.stream(ctx, name, maxText)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s := xml.NewScanner(r)
	for err = s.Root("sst", nil); err == nil; err = s.Next() {
		if !s.Opens("si") {
			continue
		}
		if list.text, err = readXLSXText(s, list.text); err != nil {
			break
		}
		list.ends = append(list.ends, len(list.text))
	}
	if err != io.EOF {
		return nil, p.broken(fmt.Errorf("%s: %w", name, err))
	}
	return list, nil
}

// at is the string that a cell's value, an index, stands for.
func (l *sharedStrings) at(index []byte) ([]byte, error) {
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
