package sqlite

import (
	"math"
	"slices"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

var _ source.Binder = (*database)(nil)

// ParameterFaults looks at the sqlQuery.
func (s *database) ParameterFaults(q source.Query, of []placements.Parameter) []placements.Detail {
	return named.SQLite.Faults("/sqlQuery", q.SQL, of)
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
