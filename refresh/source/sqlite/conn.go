package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"mooring/refresh/source"
)

// connection is one connection to an SQLite file that can only read. It speaks the library's C interface and not
// database/sql, for three things the driver does not offer: an authorizer, a statement that stops in any step when its
// context ends, and cells as they are stored. Not safe for concurrent use.
type connection struct {
	tls *libc.TLS
	db  uintptr
	ctx context.Context // ends the running statement

	tables *madeTables // nil: the statement is on a file

	// The library holds these as C function pointers, which keep nothing alive.
	authorize func(*libc.TLS, uintptr, int32, uintptr, uintptr, uintptr, uintptr) int32
	progress  func(*libc.TLS, uintptr) int32
	busy      func(*libc.TLS, uintptr, int32) int32
}

const (
	// progressSteps is how many virtual machine instructions run between two looks at the context: about 0.1 ms.
	progressSteps = 4000
	// busyWait is how long a statement waits for another program that is writing the file.
	busyWait = 5 * time.Second
	busyStep = 10 * time.Millisecond
	// minValueBytes is the least that the limit of one value comes down to: far more than a cell of a spreadsheet holds.
	minValueBytes = 64 << 10
)

// smallerLimits are those that are smaller than the library's own, which suit a program that writes its SQL itself.
var smallerLimits = map[int32]int32{
	sqlite3.SQLITE_LIMIT_LENGTH:              source.MaxDriverBytes,
	sqlite3.SQLITE_LIMIT_SQL_LENGTH:          1 << 20,
	sqlite3.SQLITE_LIMIT_VDBE_OP:             1 << 20,
	sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
	sqlite3.SQLITE_LIMIT_ATTACHED:            0,
}

// readingModules are the virtual tables that queries may use, besides json_each and json_tree. Others, such as sqlite_dbpage and
// dbstat, show the file and not its data.
var readingModules = []string{"fts5", "fts5vocab", "rtree", "rtree_i32", "geopoly"}

// refusedFunctions reach out of the database, or would if they were linked in.
var refusedFunctions = []string{"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "fts5", "sqlite_log"}

// libraryError is a result code with the library's message for it.
type libraryError struct {
	code    int32 // extended
	message string
	offset  int // byte of the query at fault; -1 when the library does not say
}

func (e *libraryError) Error() string { return fmt.Sprintf("sqlite: %s (%d)", e.message, e.code) }

// primary is the code without its extension.
func (e *libraryError) primary() int32 { return e.code & 0xff }

// dialSQLite opens the file at path, which must exist, for reading. Nothing is read yet.
func dialSQLite(ctx context.Context, path string) (*connection, error) {
	return openSQLite(ctx, path, sqlite3.SQLITE_OPEN_READONLY)
}

func openSQLite(ctx context.Context, path string, access int32) (*connection, error) {
	c := &connection{tls: libc.NewTLS(), ctx: ctx}
	name, err := libc.CString(path)
	if err != nil {
		c.tls.Close()
		return nil, err
	}
	defer libc.Xfree(c.tls, name)
	out := c.tls.Alloc(8)
	defer c.tls.Free(8)
	code := sqlite3.Xsqlite3_open_v2(c.tls, name, out, access|sqlite3.SQLITE_OPEN_NOMUTEX, 0)
	c.db = libc.AtomicLoadPUintptr(out)
	if code != sqlite3.SQLITE_OK {
		err := c.fail(code)
		c.close()
		return nil, err
	}
	c.guard()
	if err := c.dropModules(readingModules); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// guard puts every statement to come under the authorizer, the context and the limits.
func (c *connection) guard() {
	c.authorize = func(_ *libc.TLS, _ uintptr, action int32, first, second, _, _ uintptr) int32 {
		if c.tables.making() || mayRead(action, libc.GoString(first), libc.GoString(second)) {
			return sqlite3.SQLITE_OK
		}
		return sqlite3.SQLITE_DENY
	}
	c.progress = func(*libc.TLS, uintptr) int32 {
		if c.ctx.Err() != nil {
			return 1
		}
		return 0
	}
	c.busy = func(_ *libc.TLS, _ uintptr, waits int32) int32 {
		if time.Duration(waits)*busyStep >= busyWait {
			return 0
		}
		select {
		case <-c.ctx.Done():
			return 0
		case <-time.After(busyStep):
			return 1
		}
	}
	sqlite3.Xsqlite3_extended_result_codes(c.tls, c.db, 1)
	for id, value := range smallerLimits {
		sqlite3.Xsqlite3_limit(c.tls, c.db, id, value)
	}
	// A pointer to a func value is what the translated library calls through.
	sqlite3.Xsqlite3_set_authorizer(c.tls, c.db, *(*uintptr)(unsafe.Pointer(&c.authorize)), 0)
	sqlite3.Xsqlite3_progress_handler(c.tls, c.db, progressSteps, *(*uintptr)(unsafe.Pointer(&c.progress)), 0)
	sqlite3.Xsqlite3_busy_handler(c.tls, c.db, *(*uintptr)(unsafe.Pointer(&c.busy)), 0)
}

// dropModules takes every virtual table away but those to keep.
func (c *connection) dropModules(keep []string) error {
	const pointer = unsafe.Sizeof(uintptr(0))
	size := (len(keep) + 1) * int(pointer)
	names := c.tls.Alloc(size)
	defer c.tls.Free(size)
	for i, name := range append(slices.Clone(keep), "") {
		text := uintptr(0) // ends the list
		if name != "" {
			var err error
			if text, err = libc.CString(name); err != nil {
				return err
			}
			defer libc.Xfree(c.tls, text)
		}
		libc.AtomicStorePUintptr(names+uintptr(i)*pointer, text)
	}
	if code := sqlite3.Xsqlite3_drop_modules(c.tls, c.db, names); code != sqlite3.SQLITE_OK {
		return c.fail(code)
	}
	return nil
}

// mayRead is the authorizer: a statement may select, read columns, recurse and call functions, nothing else.
func mayRead(action int32, first, second string) bool {
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE:
		return true
	case sqlite3.SQLITE_FUNCTION:
		return !slices.Contains(refusedFunctions, strings.ToLower(second))
	case sqlite3.SQLITE_PRAGMA:
		return first == "data_version" // full-text tables ask for it to read themselves
	}
	return false
}

// prepareOne compiles sql, which must be one statement that reads and has a result, and binds the values of its variables, each of which must
// have one. Comments may surround it.
func (c *connection) prepareOne(sql string, values ...wireValue) (uintptr, error) {
	text, err := libc.CString(sql)
	if err != nil {
		return 0, err
	}
	defer libc.Xfree(c.tls, text)
	var stmt uintptr
	for rest, end := text, text+uintptr(len(sql)); rest != end; {
		var next uintptr
		begin := rest
		next, rest, err = c.prepare(begin)
		switch {
		case stmt == 0 && err != nil:
			return 0, c.locate(err, int(begin-text))
		case stmt == 0:
			stmt = next
		case next != 0 || err != nil:
			c.finalize(next)
			c.finalize(stmt)
			return 0, source.SeveralStatements(err)
		}
	}
	if stmt == 0 {
		return 0, source.NoStatement()
	}
	err = c.vet(stmt)
	if err == nil {
		err = c.bind(stmt, values)
	}
	if err != nil {
		c.finalize(stmt)
		return 0, err
	}
	return stmt, nil
}

// vet refuses what the authorizer is not asked about, such as VACUUM INTO.
func (c *connection) vet(stmt uintptr) error {
	switch {
	case sqlite3.Xsqlite3_stmt_readonly(c.tls, stmt) == 0:
		return source.OnlyReads(nil)
	case sqlite3.Xsqlite3_column_count(c.tls, stmt) == 0:
		return source.NoResult()
	}
	return nil
}

// prepare compiles the first statement of the C string at sql and returns the rest of it, and 0 for text without a statement.
func (c *connection) prepare(sql uintptr) (stmt, rest uintptr, err error) {
	out := c.tls.Alloc(16)
	defer c.tls.Free(16)
	code := sqlite3.Xsqlite3_prepare_v2(c.tls, c.db, sql, -1, out, out+8)
	if code != sqlite3.SQLITE_OK {
		return 0, 0, c.fail(code)
	}
	return libc.AtomicLoadPUintptr(out), libc.AtomicLoadPUintptr(out + 8), nil
}

// locate adds to the error of prepare the byte of the query at fault, where the library knows it. The statement begins at begin.
func (c *connection) locate(err error, begin int) error {
	if e, ok := errors.AsType[*libraryError](err); ok {
		if offset := sqlite3.Xsqlite3_error_offset(c.tls, c.db); offset >= 0 {
			e.offset = begin + int(offset)
		}
	}
	return err
}

// bound keeps a row of that many columns, which the library holds whole, within so many bytes.
func (c *connection) bound(columns, bytes int) {
	sqlite3.Xsqlite3_limit(c.tls, c.db, sqlite3.SQLITE_LIMIT_LENGTH, int32(max(bytes/max(columns, 1), minValueBytes)))
}

// step runs stmt to its next row; false is its end.
func (c *connection) step(stmt uintptr) (bool, error) {
	switch code := sqlite3.Xsqlite3_step(c.tls, stmt); code {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, c.fail(code)
	}
}

// columns are the columns of a compiled statement.
func (c *connection) columns(stmt uintptr) []wireColumn {
	columns := make([]wireColumn, sqlite3.Xsqlite3_column_count(c.tls, stmt))
	for i := range columns {
		columns[i] = wireColumn{
			Name:     libc.GoString(sqlite3.Xsqlite3_column_name(c.tls, stmt, int32(i))),
			Declared: libc.GoString(sqlite3.Xsqlite3_column_decltype(c.tls, stmt, int32(i))),
		}
	}
	return columns
}

func (c *connection) finalize(stmt uintptr) { sqlite3.Xsqlite3_finalize(c.tls, stmt) }

func (c *connection) fail(code int32) error {
	message := libc.GoString(sqlite3.Xsqlite3_errstr(c.tls, code))
	if c.db != 0 {
		message = libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db))
	}
	return &libraryError{code: code, message: message, offset: -1}
}

func (c *connection) close() {
	sqlite3.Xsqlite3_close_v2(c.tls, c.db)
	c.tls.Close()
}

// view is SQLite's own memory as a slice, good until the next step. The pointer is none of Go's, therefore the detour.
func view(p uintptr, n int32) []byte {
	if n == 0 {
		return nil // SQLite returns no pointer then
	}
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&p))), n)
}

// bind gives each variable of stmt its value. SQLite would take one without for NULL.
func (c *connection) bind(stmt uintptr, values []wireValue) error {
	for i := range sqlite3.Xsqlite3_bind_parameter_count(c.tls, stmt) {
		name := ""
		if p := sqlite3.Xsqlite3_bind_parameter_name(c.tls, stmt, i+1); p != 0 {
			name = libc.GoString(p)
		}
		at := slices.IndexFunc(values, func(v wireValue) bool { return v.Name == name })
		if at < 0 {
			return unbound(name)
		}
		if code := c.bindValue(stmt, i+1, values[at]); code != sqlite3.SQLITE_OK {
			return c.fail(code)
		}
	}
	return nil
}

// unbound is the fault of a variable that has no value.
func unbound(name string) error {
	if name == "" {
		name = "?"
	}
	return source.Structure(nil, "the query has a variable %s for which there is no value; write the value itself, or the name of a "+
		"parameter behind @", name)
}

// bindValue binds one: a whole number as INTEGER, another one as REAL.
func (c *connection) bindValue(stmt uintptr, at int32, v wireValue) int32 {
	const whole = 1 << 62 // all whole numbers up to it are int64, too
	switch {
	case v.IsText:
		text := []byte(v.Text)
		p := c.tls.Alloc(len(text) + 1)
		defer c.tls.Free(len(text) + 1)
		copy(view(p, int32(len(text))), text)
		return sqlite3.Xsqlite3_bind_text(c.tls, stmt, at, p, int32(len(text)), sqlite3.SQLITE_TRANSIENT)
	case v.Number == math.Trunc(v.Number) && math.Abs(v.Number) <= whole:
		return sqlite3.Xsqlite3_bind_int64(c.tls, stmt, at, int64(v.Number))
	}
	return sqlite3.Xsqlite3_bind_double(c.tls, stmt, at, v.Number)
}
