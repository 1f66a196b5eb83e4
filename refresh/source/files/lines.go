package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"mooring/refresh/source/sqlite"
)

// linesReader reads a file of JSON lines: an object a line.
type linesReader struct {
	in      *rowInput
	from    *bufio.Reader
	line    []byte
	number  int
	text    bytes.Reader // of the line
	decoder *jsontext.Decoder
}

func newLinesReader(in *rowInput) *linesReader {
	r := &linesReader{in: in, from: bufio.NewReaderSize(in, csvBuffer)}
	r.decoder = jsontext.NewDecoder(&r.text)
	return r
}

// next reads the next line that is not blank; the error after the last one is io.EOF.
func (r *linesReader) next() error {
	for {
		r.in.nextRow()
		r.number++
		err := r.readLine()
		if len(bytes.TrimSpace(r.line)) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			return nil
		}
		if errors.Is(err, errLongRow) {
			return longRow(r.number)
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads a line.
func (r *linesReader) readLine() error {
	r.line = r.line[:0]
	for {
		part, err := r.from.ReadSlice('\n')
		r.line = append(r.line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			if r.number == 1 {
				r.line = bytes.TrimPrefix(r.line, []byte(byteOrder))
			}
			return err
		}
	}
}

// members calls do for each member of the line's object, with its name as it is written. What do is given is valid until it returns.
func (r *linesReader) members(do func(name, value jsontext.Value) error) error {
	r.text.Reset(r.line)
	r.decoder.Reset(&r.text)
	if r.decoder.PeekKind() != '{' {
		return wrongAt(r.number, "no JSON object; write one a line")
	}
	_, err := r.decoder.ReadToken()
	var name jsontext.Value // of its own, since a value replaces what was read before
	for err == nil && r.decoder.PeekKind() == '"' {
		var read jsontext.Value
		if read, err = r.decoder.ReadValue(); err != nil {
			break
		}
		name = append(name[:0], read...)
		if read, err = r.decoder.ReadValue(); err != nil {
			break
		}
		if err := do(name, read); err != nil {
			return err
		}
	}
	if err == nil {
		_, err = r.decoder.ReadToken() // the object's end
	}
	if err == nil {
		if _, err = r.decoder.ReadToken(); err == nil {
			return wrongAt(r.number, "more than one JSON object; write one a line")
		}
	}
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return r.broken(err)
}

// broken says where in the line it is no JSON.
func (r *linesReader) broken(err error) error {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return wrongAt(r.number, "a key stands twice; leave one")
	}
	if at, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return wrongAt(r.number, "no JSON from byte %d on; write an object a line, in UTF-8", at.ByteOffset+1)
	}
	return wrongAt(r.number, "no JSON; write an object a line, in UTF-8")
}

// columnsOf finds the columns of names, as they are written in the file.
type columnsOf struct {
	names   []string
	known   map[string]int // by the name as written
	scratch []byte
}

// of returns the column of a name; -1 if there is none.
func (c *columnsOf) of(name jsontext.Value) int {
	if i, ok := c.known[string(name)]; ok {
		return i
	}
	c.scratch, _ = jsontext.AppendUnquote(c.scratch[:0], name) // the decoder has read it
	for i, known := range c.names {
		if known == string(c.scratch) {
			c.known[string(name)] = i
			return i
		}
	}
	return -1
}

// linesTable reads all lines: the columns are the keys of all objects, as they first appear, typed by all values.
func linesTable(ctx context.Context, f *file) (*sqlite.Table, error) {
	columns := &columnsOf{known: map[string]int{}}
	var found []kinds
	var scratch []byte
	r := newLinesReader(f.input(ctx))
	for {
		err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = r.members(func(name, value jsontext.Value) error {
				i := columns.of(name)
				if i < 0 {
					if i = len(columns.names); i == sqlite.MaxColumns {
						return wrongAt(r.number, "more than %d different keys; a table has at most so many columns", sqlite.MaxColumns)
					}
					columns.names, found = append(columns.names, string(columns.scratch)), append(found, 0)
					columns.known[string(name)] = i
				}
				var k kinds
				k, scratch = valueKind(value, scratch)
				found[i] |= k
				return nil
			})
		}
		if err != nil {
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, wrongAt(1, "no JSON object with a key; write one a line")
	}
	if err := checkColumns(columns.names); err != nil {
		return nil, err
	}
	t := &sqlite.Table{}
	for i, name := range columns.names {
		t.Columns = append(t.Columns, sqlite.TableColumn{Name: name, Type: found[i].declared()})
	}
	t.Fill = func(ctx context.Context, to sqlite.Rows) error {
		return fillLines(f.input(ctx), columns, t.Columns, to)
	}
	return t, nil
}

// valueKind is the kind of a value, none of null.
func valueKind(value jsontext.Value, scratch []byte) (kinds, []byte) {
	switch value.Kind() {
	case 'n':
		return 0, scratch
	case 't', 'f':
		return truth, scratch
	case '0':
		return numberKind(string(value)), scratch
	case '"':
		scratch, _ = jsontext.AppendUnquote(scratch[:0], value)
		return momentKind(string(scratch)), scratch
	}
	return nested, scratch
}

// fillLines adds the objects, which were found to fit the columns.
func fillLines(in *rowInput, names *columnsOf, columns []sqlite.TableColumn, to sqlite.Rows) error {
	row := &objectRow{values: make([][]byte, len(columns)), there: make([]bool, len(columns))}
	a := &adder{Rows: to}
	r := newLinesReader(in)
	for {
		err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = r.members(func(name, value jsontext.Value) error { return row.set(names.of(name), value) })
		}
		if err == nil {
			err = row.addTo(a, columns)
		}
		if err != nil {
			return err
		}
	}
}

// objectRow is an object in the order of the columns.
type objectRow struct {
	values [][]byte // texts without their quotes
	there  []bool
}

func (o *objectRow) set(i int, value jsontext.Value) (err error) {
	switch {
	case i < 0:
		return errChanged
	case value.Kind() == 'n':
		return nil
	case value.Kind() == '"':
		o.values[i], err = jsontext.AppendUnquote(o.values[i][:0], value)
	default:
		o.values[i] = append(o.values[i][:0], value...)
	}
	o.there[i] = true
	return err
}

func (o *objectRow) addTo(a *adder, columns []sqlite.TableColumn) error {
	for i, c := range columns {
		if !o.there[i] {
			a.Null()
			continue
		}
		o.there[i] = false
		if a.add(c.Type, string(o.values[i])) != nil {
			return errChanged
		}
	}
	return a.End()
}
