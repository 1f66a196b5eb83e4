package sqlite

import (
	"bufio"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

// A child writes its result as: the columns; for each row a rowMark and its values, each a byte of SQLite's datatype with the
// value after it; an endMark; the outcome. Columns and outcome are gob messages. A statement that does not compile has no columns.
const (
	endMark byte = iota
	rowMark
)

// wireColumn is a column as the statement has it. In a catalog it is one of a table, or of a view.
type wireColumn struct {
	Name, Declared string
	Of             string
	View           bool
	Fault          string // in place of the columns of a table that cannot be read
}

// outcome is how a child's statement ended: a zero outcome well, otherwise with a fault or with SQLite's extended result code.
type outcome struct {
	Class   placements.Class
	Code    int32
	Message string
	Offset  int // of a libraryError
}

func outcomeOf(err error) outcome {
	var known *placements.Fault
	var e *libraryError
	switch {
	case errors.As(err, &known):
		return outcome{Class: known.Class, Message: known.Message}
	case errors.As(err, &e):
		return outcome{Code: e.code, Message: e.message, Offset: e.offset}
	}
	return outcome{}
}

func (o outcome) err() error {
	switch {
	case o.Class != "":
		return &placements.Fault{Class: o.Class, Message: o.Message}
	case o.Code != 0:
		return &libraryError{code: o.Code, message: o.Message, offset: o.Offset}
	}
	return nil
}

// resultWriter writes a result. Its errors but end's mean that the parent has read enough.
type resultWriter struct {
	w       *bufio.Writer
	gob     *gob.Encoder
	begun   bool
	scratch [binary.MaxVarintLen64]byte
}

const wireBuffer = 64 << 10

func newResultWriter(w io.Writer) *resultWriter {
	buffered := bufio.NewWriterSize(w, wireBuffer)
	return &resultWriter{w: buffered, gob: gob.NewEncoder(buffered)}
}

func (w *resultWriter) columns(columns []wireColumn) error {
	w.begun = true
	return w.gob.Encode(columns)
}

// row writes the current row of stmt.
func (w *resultWriter) row(c *connection, stmt uintptr) error {
	err := w.w.WriteByte(rowMark)
	for i := range sqlite3.Xsqlite3_column_count(c.tls, stmt) {
		err = errors.Join(err, w.value(c.tls, stmt, i))
	}
	return err
}

func (w *resultWriter) value(tls *libc.TLS, stmt uintptr, i int32) error {
	datatype := sqlite3.Xsqlite3_column_type(tls, stmt, i)
	err := w.w.WriteByte(byte(datatype))
	switch datatype {
	case sqlite3.SQLITE_INTEGER:
		err = errors.Join(err, w.bits(uint64(sqlite3.Xsqlite3_column_int64(tls, stmt, i))))
	case sqlite3.SQLITE_FLOAT:
		err = errors.Join(err, w.bits(math.Float64bits(sqlite3.Xsqlite3_column_double(tls, stmt, i))))
	case sqlite3.SQLITE_TEXT:
		p := sqlite3.Xsqlite3_column_text(tls, stmt, i)
		err = errors.Join(err, w.bytes(view(p, sqlite3.Xsqlite3_column_bytes(tls, stmt, i))))
	case sqlite3.SQLITE_BLOB:
		p := sqlite3.Xsqlite3_column_blob(tls, stmt, i)
		err = errors.Join(err, w.bytes(view(p, sqlite3.Xsqlite3_column_bytes(tls, stmt, i))))
	}
	return err
}

func (w *resultWriter) bits(v uint64) error {
	binary.BigEndian.PutUint64(w.scratch[:8], v)
	_, err := w.w.Write(w.scratch[:8])
	return err
}

func (w *resultWriter) bytes(p []byte) error {
	n := binary.PutUvarint(w.scratch[:], uint64(len(p)))
	if _, err := w.w.Write(w.scratch[:n]); err != nil {
		return err
	}
	_, err := w.w.Write(p)
	return err
}

// end writes how the statement ended. A cause that is neither a fault nor SQLite's is returned.
func (w *resultWriter) end(cause error) error {
	o := outcomeOf(cause)
	if cause != nil && o == (outcome{}) {
		return cause
	}
	if !w.begun {
		if err := w.columns(nil); err != nil {
			return err
		}
	}
	return errors.Join(w.w.WriteByte(endMark), w.gob.Encode(o), w.w.Flush())
}

// errCut is a result that ends before its outcome: the child was killed or died.
var errCut = errors.New("the result was cut off")

func cutOff(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errCut, err)
}

// resultReader reads what a resultWriter wrote.
type resultReader struct {
	r       *bufio.Reader
	gob     *gob.Decoder
	scratch []byte
}

func newResultReader(r io.Reader) *resultReader {
	buffered := bufio.NewReaderSize(r, wireBuffer)
	return &resultReader{r: buffered, gob: gob.NewDecoder(buffered)}
}

func (r *resultReader) columns() (columns []wireColumn, err error) {
	err = r.gob.Decode(&columns)
	return columns, cutOff(err)
}

// next reports whether a row follows; when none does, the error is how the statement ended.
func (r *resultReader) next() (bool, error) {
	mark, err := r.r.ReadByte()
	if err != nil || mark == rowMark {
		return err == nil, cutOff(err)
	}
	var o outcome
	if err := r.gob.Decode(&o); err != nil {
		return false, cutOff(err)
	}
	return false, o.err()
}

func (r *resultReader) bits() (uint64, error) {
	var b [8]byte
	_, err := io.ReadFull(r.r, b[:])
	return binary.BigEndian.Uint64(b[:]), cutOff(err)
}

// bytes returns a text or blob, which is valid until the next one, if there is room for that many bytes.
func (r *resultReader) bytes(room func(int) error) ([]byte, error) {
	n, err := binary.ReadUvarint(r.r)
	if err != nil {
		return nil, cutOff(err)
	}
	if n > source.MaxDriverBytes {
		return nil, cutOff(fmt.Errorf("a value of %d bytes", n))
	}
	if err := room(int(n)); err != nil {
		return nil, err
	}
	if uint64(cap(r.scratch)) < n {
		r.scratch = make([]byte, n)
	}
	_, err = io.ReadFull(r.r, r.scratch[:n])
	return r.scratch[:n], cutOff(err)
}

// wireValue is the value of a variable as a child is told: a text, or a number.
type wireValue struct {
	Name   string // with its @
	IsText bool
	Text   string
	Number float64
}

// wireValues are those of a statement: a truth value is 0 or 1.
func wireValues(s *named.Statement) (values []wireValue) {
	for _, v := range s.Values {
		one := wireValue{Name: v.Name, IsText: v.IsText(), Text: v.Text()}
		one.Number, _ = v.Number()
		if is, ok := v.Boolean(); ok && is {
			one.Number = 1
		}
		values = append(values, one)
	}
	return values
}
