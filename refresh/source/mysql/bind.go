package mysql

import (
	"database/sql/driver"
	"math"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

var _ source.Binder = (*server)(nil)

// ParameterFaults looks at the sqlQuery.
func (s *server) ParameterFaults(q source.Query, of []placements.Parameter) []placements.Detail {
	return named.MySQL.Faults("/sqlQuery", q.SQL, of)
}

// bind makes the statement of a query, which is one that reads.
func bind(q source.Query) (*named.Statement, error) {
	s, err := named.MySQL.Bind(q.SQL, q.Parameters)
	if err != nil {
		return nil, err
	}
	q.SQL = s.SQL
	return s, wantRead(q)
}

// boundValues are the values of a statement as the driver takes them.
func boundValues(s *named.Statement) (list []driver.NamedValue) {
	for i, v := range s.Values {
		list = append(list, driver.NamedValue{Ordinal: i + 1, Value: boundValue(v.Scalar)})
	}
	return list
}

// boundValue is one: a whole number as an integer, a truth value as 0 or 1.
func boundValue(v placements.Scalar) driver.Value {
	const whole = 1 << 62 // all whole numbers up to it are int64, too
	is, isBool := v.Boolean()
	n, isNumber := v.Number()
	switch {
	case isBool && is:
		return int64(1)
	case isBool:
		return int64(0)
	case isNumber && n == math.Trunc(n) && math.Abs(n) <= whole:
		return int64(n)
	case isNumber:
		return n
	}
	return v.Text()
}
