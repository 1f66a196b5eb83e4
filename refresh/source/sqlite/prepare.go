package sqlite

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

var _ source.Describer = (*database)(nil)

// Prepare compiles q.SQL in a child.
func (s *database) Prepare(ctx context.Context, q source.Query) (names []string, err error) {
	columns, err := s.Describe(ctx, q)
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names, err
}

// Describe is Prepare with the types that the columns are declared with.
func (s *database) Describe(ctx context.Context, q source.Query) ([]source.Field, error) {
	if err := source.WantSQL(q); err != nil {
		return nil, err
	}
	statement, err := named.SQLite.Bind(q.SQL, q.Parameters)
	if err != nil {
		return nil, err
	}
	var columns []source.Field
	err = s.run(ctx, childRequest{SQL: statement.SQL, Values: wireValues(statement), Prepare: true}, func(r *resultReader) error {
		list, err := r.columns()
		if err != nil {
			return err
		}
		for _, c := range list {
			columns = append(columns, source.Field{Name: c.Name, Type: fieldType(c.Declared)})
		}
		_, err = r.next()
		return err
	})
	if err != nil {
		return nil, located(err, statement)
	}
	return columns, nil
}

// located says where in the query the fault of its compilation lies, if that is known.
func located(fault error, s *named.Statement) error {
	e, ok := errors.AsType[*libraryError](fault)
	if !ok {
		return fault
	}
	offset := e.offset
	if offset < 0 {
		offset = missingTable(e.message, s.SQL)
	}
	return s.AtByte(fault, offset)
}

// missingTable finds where the query first names the table of "no such table: name", a message for which the library knows no place;
// -1 for other messages.
func missingTable(message, sql string) int {
	table, ok := strings.CutPrefix(message, "no such table: ")
	if !ok {
		return -1
	}
	_, bare, hasSchema := strings.Cut(table, ".")
	if !hasSchema {
		bare = table
	}
	name := `["'\x60\[]?` + regexp.QuoteMeta(bare) + `(?:["'\x60\]]|\b|$)`
	find, err := regexp.Compile(`(?i)(?:\b(?:FROM|JOIN)\s+|,\s*)(?:\w+\s*\.\s*)?(` + name + `)`)
	if err != nil {
		return -1
	}
	if at := find.FindStringSubmatchIndex(sql); at != nil {
		return at[2]
	}
	return -1
}
