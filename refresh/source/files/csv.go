package files

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"mooring/refresh/source/sqlite"
)

// csvReader reads the rows of a CSV file below its head.
type csvReader struct {
	*csv.Reader
	in   *rowInput
	head []string
	last int // line in which the last row ended
}

const (
	// csvBuffer is how much of a file is held, and how far its head is looked through for what stands between its names.
	csvBuffer = 64 << 10
	byteOrder = "\xef\xbb\xbf" // in UTF-8 it says nothing
)

// csvTable reads the head and, to type the columns, every value.
func csvTable(ctx context.Context, f *file) (*sqlite.Table, error) {
	r, err := newCSVReader(f.input(ctx))
	if err != nil {
		return nil, err
	}
	found := make([]kinds, len(r.head))
	for {
		row, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		for i, text := range row {
			if !utf8.ValidString(text) {
				line, _ := r.FieldPos(i)
				return nil, wrongAt(line, "no UTF-8; save the file as UTF-8")
			}
			if text != "" && found[i]&other == 0 {
				found[i] |= kindOf(text)
			}
		}
	}
	t := &sqlite.Table{}
	for i, name := range r.head {
		t.Columns = append(t.Columns, sqlite.TableColumn{Name: name, Type: found[i].declared()})
	}
	t.Fill = func(ctx context.Context, to sqlite.Rows) error { return fillCSV(f.input(ctx), t.Columns, to) }
	return t, nil
}

// fillCSV adds the rows, which were found to fit the columns.
func fillCSV(in *rowInput, columns []sqlite.TableColumn, to sqlite.Rows) error {
	r, err := newCSVReader(in)
	if err != nil {
		return err
	}
	a := &adder{Rows: to}
	for {
		row, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i, text := range row {
			if text == "" {
				a.Null()
			} else if a.add(columns[i].Type, text) != nil {
				return errChanged
			}
		}
		if err := a.End(); err != nil {
			return err
		}
	}
}

// newCSVReader reads the head.
func newCSVReader(in *rowInput) (*csvReader, error) {
	buffered := bufio.NewReaderSize(in, csvBuffer)
	begin, err := buffered.Peek(csvBuffer)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(begin, []byte("\xff\xfe")) || bytes.HasPrefix(begin, []byte("\xfe\xff")) {
		return nil, wrongAt(1, "UTF-16; save the file as UTF-8")
	}
	if bytes.HasPrefix(begin, []byte(byteOrder)) {
		begin = begin[len(byteOrder):]
		_, _ = buffered.Discard(len(byteOrder))
	}
	r := &csvReader{Reader: csv.NewReader(buffered), in: in}
	r.Comma, r.ReuseRecord = delimiter(begin), true
	head, err := r.next()
	if errors.Is(err, io.EOF) {
		return nil, wrongAt(1, "no head; write the names of the columns into the first line")
	}
	if err != nil {
		return nil, err
	}
	r.head = append(r.head, head...)
	return r, checkHead(r.head)
}

// checkHead returns what is wrong with the head.
func checkHead(head []string) error {
	for _, name := range head {
		switch {
		case !utf8.ValidString(name):
			return wrongAt(1, "no UTF-8; save the file as UTF-8")
		case strings.ContainsRune(name, '\r'):
			return wrongAt(1, "its lines end with CR alone; save the file with LF or CRLF")
		}
	}
	if whole, ok := errors.AsType[*fileError](checkColumns(head)); ok {
		return wrongAt(1, "%s", whole.text)
	}
	return nil
}

// delimiter is which of comma, semicolon and tab the head has most of outside of quotes, and the first of them where it has as many.
func delimiter(begin []byte) rune {
	const known = ",;\t"
	var counts [len(known)]int
	quoted := false
	for _, c := range begin {
		if c == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if c == '\n' {
			break
		}
		if i := strings.IndexByte(known, c); i >= 0 {
			counts[i]++
		}
	}
	most := 0
	for i, n := range counts {
		if n > counts[most] {
			most = i
		}
	}
	return rune(known[most])
}

// next returns the next row, which is valid until the one after it.
func (r *csvReader) next() ([]string, error) {
	r.in.nextRow()
	row, err := r.Read()
	at, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case err == nil:
		r.last, _ = r.FieldPos(len(row) - 1)
		return row, nil
	case errors.Is(err, errLongRow):
		return nil, longRow(r.last + 1)
	case !ok:
		return nil, err
	case errors.Is(at.Err, csv.ErrFieldCount):
		return nil, wrongAt(at.StartLine, "%d values, where the head has %d names; quote values that hold what stands between values", len(row), len(r.head))
	case errors.Is(at.Err, csv.ErrBareQuote):
		return nil, wrongAt(at.StartLine, "a quote in a value that does not begin with one; put the value in quotes, and double those in it")
	case errors.Is(at.Err, csv.ErrQuote):
		return nil, wrongAt(at.StartLine, "a value in quotes that does not end with its quote; double the quotes in it")
	}
	return nil, wrongAt(at.StartLine, "%s", at.Err)
}
