package postgres

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"mooring/refresh/source"
)

var _ source.Catalog = (*server)(nil)

// The lists of columns that servers have. Each row is schema, table, the kind of the table, column and type; of listOwn also the comments
// of both, and whether the table is found without its schema. Those of a table come one after the other.
const (
	// listOwn asks what only PostgreSQL has: also materialized views, and rights as queries meet them.
	listOwn = `SELECT n.nspname, c.relname, c.relkind, a.attname,
  pg_catalog.format_type(CASE WHEN t.typbasetype <> 0 THEN t.typbasetype ELSE t.oid END, NULL),
  pg_catalog.obj_description(c.oid, 'pg_class'), pg_catalog.col_description(c.oid, a.attnum), pg_catalog.pg_table_is_visible(c.oid)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%'
  AND has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT')
ORDER BY NOT pg_catalog.pg_table_is_visible(c.oid), n.nspname, c.relname, a.attnum`

	// listStandard asks what the SQL standard has.
	listStandard = `SELECT c.table_schema, c.table_name, t.table_type, c.column_name, c.data_type
FROM information_schema.columns c JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE c.table_schema NOT IN ('information_schema', 'pg_catalog')
ORDER BY c.table_schema, c.table_name, c.ordinal_position`

	// listPlain asks as little of the catalogs of PostgreSQL as another server may have of them.
	listPlain = `SELECT n.nspname, c.relname, c.relkind, a.attname, t.typname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
WHERE a.attnum > 0 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('information_schema', 'pg_catalog', 'pg_toast')
ORDER BY n.nspname, c.relname, a.attnum`
)

// Catalog lists tables and views with the columns that the login may read. A server that only speaks the protocol is asked for its
// information_schema and, where it has nothing there, for its pg_catalog.
func (p *server) Catalog(ctx context.Context, u source.User) ([]source.Dataset, error) {
	lists := []string{listOwn}
	if p.config.WireOnly {
		lists = []string{listStandard, listPlain}
	}
	listed := false
	for _, sql := range lists {
		found, err := p.list(ctx, source.Query{SQL: sql, User: u})
		switch {
		case hasNoList(err):
			continue
		case err != nil || len(found) > 0:
			return found, err
		}
		listed = true
	}
	if !listed {
		return nil, source.ErrUnlisted
	}
	return []source.Dataset{}, nil
}

// hasNoList reports whether an error says that the server does not know, or does not show, what a list is made of.
func hasNoList(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if _, atLogin := errors.AsType[*pgconn.ConnectError](err); !ok || atLogin || len(refused.Code) < 2 {
		return false
	}
	return !slices.Contains([]string{"08", "40", "53", "57"}, refused.Code[:2]) // it cannot tell now
}

// list returns the datasets that a list of columns has.
func (p *server) list(ctx context.Context, q source.Query) ([]source.Dataset, error) {
	var columns source.ColumnList
	err := p.with(ctx, q, func(ctx context.Context, conn *pgconn.PgConn) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		rows := conn.ExecParams(ctx, q.SQL, nil, nil, nil, nil)
		for rows.NextRow() {
			if of, column := listedColumn(rows.Values()); !columns.Add(of, column) {
				cancel() // there is no room for the rest
				_, _ = rows.Close()
				return nil
			}
		}
		_, err := rows.Close()
		return err
	})
	return columns.Datasets(), err
}

// listedColumn reads a row of a list of columns.
func listedColumn(row [][]byte) (of source.Dataset, column source.Field) {
	at := func(i int) string {
		if i >= len(row) {
			return ""
		}
		return strings.ToValidUTF8(string(row[i]), "\uFFFD")
	}
	schema, table, found := at(0), at(1), at(7) == "t"
	if len(row) <= 7 {
		found = schema == "public" || schema == ""
	}
	of = source.Dataset{Name: table, Kind: source.KindTable, Description: at(5), Insert: source.Identifier(table)}
	if !found {
		of.Name, of.Insert = schema+"."+table, source.Identifier(schema)+"."+of.Insert
	}
	if kind := at(2); kind == "v" || kind == "m" || strings.HasSuffix(strings.ToUpper(kind), "VIEW") {
		of.Kind = source.KindView
	}
	return of, source.Field{Name: at(3), Description: at(6), Insert: source.Identifier(at(3)), Type: fieldType(at(4))}
}

// fieldTypes are types by the names that servers have for them. What is not here comes as text.
var fieldTypes = map[source.FieldType][]string{
	source.TypeNumber: {
		"smallint", "integer", "bigint", "numeric", "decimal", "real", "double precision", "oid",
		"int2", "int4", "int8", "float4", "float8", "int", "int64", "double", "float",
	},
	source.TypeBoolean:  {"boolean", "bool"},
	source.TypeDate:     {"date"},
	source.TypeDateTime: {"timestamp without time zone", "timestamp with time zone", "timestamp", "timestamptz"},
	source.TypeTime:     {"time without time zone", "time"},
	source.TypeDuration: {"interval"},
	source.TypeJSON:     {"json", "jsonb", "array"},
	source.TypeOther:    {"bytea"},
}

// fieldType is what the values of a type are as cells.
func fieldType(name string) source.FieldType {
	name = strings.ToLower(name)
	if strings.HasSuffix(name, "[]") || strings.HasPrefix(name, "_") {
		return source.TypeJSON
	}
	for is, names := range fieldTypes {
		if slices.Contains(names, name) {
			return is
		}
	}
	return source.TypeText
}
