package mysql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

var _ source.Catalog = (*server)(nil)

// systemSchemas are those of every server.
const systemSchemas = "('information_schema', 'mysql', 'performance_schema', 'sys')"

// listColumns asks for the columns that the login may read, those of the database it is connected to first.
const listColumns = `SELECT c.table_schema, c.table_name, t.table_type, c.column_name, c.column_type, t.table_comment, c.column_comment,
  c.table_schema <=> DATABASE()
FROM information_schema.columns c JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE c.table_schema NOT IN ` + systemSchemas + ` AND t.table_type <> 'SEQUENCE' AND FIND_IN_SET('select', c.privileges)
ORDER BY NOT (c.table_schema <=> DATABASE()), c.table_schema, c.table_name, c.ordinal_position`

// Catalog lists tables and views with the columns that the login may read.
func (s *server) Catalog(ctx context.Context, _ source.User) ([]source.Dataset, error) {
	var columns source.ColumnList
	err := s.with(ctx, nil, func(ctx context.Context, own *session) error {
		rows, err := own.execute(ctx, &named.Statement{SQL: listColumns})
		if err != nil {
			return err
		}
		for row := make([]driver.Value, 8); ; {
			own.meter.allow(source.MaxDriverBytes)
			switch err := rows.Next(row); {
			case errors.Is(err, io.EOF):
				own.running = false
				return rows.Close()
			case err != nil:
				return err
			}
			if of, column := listedColumn(row); !columns.Add(of, column) {
				return nil // there is no room for the rest
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return append([]source.Dataset{}, columns.Datasets()...), nil
}

// listedColumn reads a row of listColumns.
func listedColumn(row []driver.Value) (of source.Dataset, column source.Field) {
	at := func(i int) string { return strings.ToValidUTF8(fmt.Sprintf("%s", row[i]), "\uFFFD") }
	schema, table, here := at(0), at(1), fmt.Sprint(row[7]) == "1"
	of = source.Dataset{Name: table, Kind: source.KindTable, Description: at(5), Insert: identifier(table)}
	if at(2) == "VIEW" {
		of.Kind, of.Description = source.KindView, "" // of which the comment is only VIEW
	}
	if !here {
		of.Name, of.Insert = schema+"."+table, identifier(schema)+"."+of.Insert
	}
	return of, source.Field{Name: at(3), Description: at(6), Insert: identifier(at(3)), Type: declaredAs(at(4))}
}

// declaredAs is what the values of a column are that is declared with a type, such as "decimal(10,2) unsigned".
func declaredAs(declared string) source.FieldType {
	declared = strings.ToLower(declared)
	if strings.HasPrefix(declared, "tinyint(1)") || strings.HasPrefix(declared, "bit(1)") {
		return source.TypeBoolean
	}
	name, _, _ := strings.Cut(declared, "(")
	name, _, _ = strings.Cut(name, " ")
	switch name {
	case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float", "double", "year", "bit":
		return source.TypeNumber
	case "date":
		return source.TypeDate
	case "datetime", "timestamp":
		return source.TypeDateTime
	case "time":
		return source.TypeDuration
	case "json":
		return source.TypeJSON
	case "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set", "uuid", "inet4", "inet6":
		return source.TypeText
	}
	return source.TypeOther
}
