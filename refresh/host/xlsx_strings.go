package host

import (
	"context"
	"fmt"
	"io"
	"strconv"
)

// xlsxStrings are a workbook's shared strings, one after the other.
type xlsxStrings struct {
	text []byte
	ends []int
}

// sharedStrings reads the table of shared strings, empty if the workbook has none.
func (p *xlsxPackage) sharedStrings(ctx context.Context, wb *xlsxWorkbook) (*xlsxStrings, error) {
	list := &xlsxStrings{}
	name := wb.related("sharedStrings")
	if p.part(name) == nil {
		return list, nil
	}
	r, err := p.stream(ctx, name, xlsxMaxText)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s := newXMLScanner(r)
	for err = s.root("sst", nil); err == nil; err = s.next() {
		if !s.opens("si") {
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
func (l *xlsxStrings) at(index []byte) ([]byte, error) {
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
