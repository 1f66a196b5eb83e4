package sqlite

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"mooring/refresh/source"
)

var _ source.Catalog = (*database)(nil)

// Catalog lists the file's tables and views in a child, which compiles a statement on each of them: its columns are those of that.
func (s *database) Catalog(ctx context.Context, _ source.User) ([]source.Dataset, error) {
	var columns source.ColumnList
	err := s.run(ctx, childRequest{SQL: schemaQuery, Catalog: true}, func(r *resultReader) error {
		list, err := r.columns()
		if err != nil {
			return err
		}
		for _, c := range list {
			if c.Fault != "" {
				continue
			}
			of := source.Dataset{Name: c.Of, Kind: source.KindTable, Insert: identifier(c.Of)}
			if c.View {
				of.Kind = source.KindView
			}
			columns.Add(of, source.Field{Name: c.Name, Insert: identifier(c.Name), Type: fieldType(c.Declared)})
		}
		_, err = r.next()
		return err
	})
	if err != nil {
		return nil, err
	}
	return append([]source.Dataset{}, columns.Datasets()...), nil
}

// identifier is a name as SQL has it. SQLite tells no small letter from a capital one.
func identifier(name string) string {
	if small := strings.ToLower(name); source.Identifier(small) == small {
		return name
	}
	return source.Identifier(name)
}

// fieldType is what a declared type says of a column's values. Values of a column without one may be anything.
func fieldType(declared string) source.FieldType {
	switch declaredAs(declared) {
	case declaredBool:
		return source.TypeBoolean
	case declaredDate:
		return source.TypeDate
	case declaredDateTime:
		return source.TypeDateTime
	case declaredTime:
		return source.TypeTime
	case declaredDecimal:
		return source.TypeNumber
	case declaredJSON:
		return source.TypeJSON
	case declaredUUID:
		return source.TypeText
	}
	for _, affinity := range affinities {
		if affinity.of.MatchString(declared) {
			return affinity.is
		}
	}
	return source.TypeOther
}

// affinities are SQLite's own rules for what a declared type means, in their order.
var affinities = []struct {
	of *regexp.Regexp
	is source.FieldType
}{
	{regexp.MustCompile(`(?i)INT`), source.TypeNumber},
	{regexp.MustCompile(`(?i)CHAR|CLOB|TEXT`), source.TypeText},
	{regexp.MustCompile(`(?i)BLOB`), source.TypeOther},
	{regexp.MustCompile(`(?i)REAL|FLOA|DOUB`), source.TypeNumber},
}

// schemaQuery lists tables and views, the virtual ones first: their shadow tables are known by their names.
const schemaQuery = `SELECT name, type = 'view', coalesce(sql, '') LIKE 'CREATE VIRTUAL TABLE%' AS virtual FROM sqlite_schema
WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY virtual DESC, name`

// shadows are how the tables end in which virtual tables keep what is theirs.
var shadows = []string{"_data", "_idx", "_content", "_docsize", "_config", "_node", "_rowid", "_parent"}

// catalog returns the columns of what the request's statement lists, sorted by its names. What cannot be read, such as a view of a table that
// is gone, is left out.
func (c *connection) catalog(schema string) ([]wireColumn, error) {
	if c.tables != nil {
		return c.tables.catalog(c)
	}
	stmt, err := c.prepareOne(schema)
	if err != nil {
		return nil, err
	}
	defer c.finalize(stmt)
	var list []wireColumn
	var owned []string
	for {
		more, err := c.step(stmt)
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		name := libc.GoString(sqlite3.Xsqlite3_column_text(c.tls, stmt, 0))
		if slices.Contains(owned, name) {
			continue
		}
		if sqlite3.Xsqlite3_column_int(c.tls, stmt, 2) != 0 {
			for _, ending := range shadows {
				owned = append(owned, name+ending)
			}
		}
		list = append(list, c.columnsOf(name, sqlite3.Xsqlite3_column_int(c.tls, stmt, 1) != 0)...)
	}
	slices.SortStableFunc(list, func(a, b wireColumn) int { return strings.Compare(a.Of, b.Of) })
	return list, nil
}

// columnsOf are the columns of a table or view; none where it cannot be read.
func (c *connection) columnsOf(name string, view bool) []wireColumn {
	stmt, err := c.prepareOne("SELECT * FROM " + `"` + strings.ReplaceAll(name, `"`, `""`) + `"`)
	if err != nil {
		return nil
	}
	defer c.finalize(stmt)
	list := c.columns(stmt)
	for i := range list {
		list[i].Of, list[i].View = name, view
	}
	return list
}
