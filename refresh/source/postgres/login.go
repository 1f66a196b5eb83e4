package postgres

import (
	"context"
	"fmt"
	"time"

	"mooring/checksum"
	"mooring/refresh/source"
)

// loginQuery reads what the login may do beyond reading.
const loginQuery = `SELECT rolname::text, rolsuper, rolbypassrls,
  has_function_privilege('pg_catalog.set_config(text, text, boolean)', 'EXECUTE')
FROM pg_catalog.pg_roles WHERE rolname = current_user`

// tablesQuery counts the tables that the login may read, and those that it may write to, and names one of these.
const tablesQuery = `SELECT count(*) FILTER (WHERE readable) > 0, count(*) FILTER (WHERE writable) > 0, coalesce(min(name) FILTER (WHERE writable), '')
FROM (SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) AS name,
    has_any_column_privilege(c.oid, 'SELECT') AS readable,
    has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') OR has_any_column_privilege(c.oid, 'INSERT, UPDATE') AS writable
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%'
    AND has_schema_privilege(n.oid, 'USAGE')) AS tables`

// Warnings names what lets a report's query see more than the user on whose behalf it runs may, what it could change, and a login that
// may read nothing.
func (p *server) Warnings(ctx context.Context, _ *time.Location) ([]string, error) {
	if p.config.WireOnly {
		return nil, nil // such a server need not have these catalogs
	}
	login, err := p.row(ctx, loginQuery)
	if err != nil || login == nil {
		return nil, err
	}
	name := login[0].Text
	if isTrue(login[1]) {
		return []string{fmt.Sprintf("the login %s is a superuser: row-level security does not bind its queries, "+
			"and they may read the server's files; %s", name, remedy)}, nil
	}
	var warnings []string
	if isTrue(login[2]) {
		warnings = append(warnings, fmt.Sprintf("the login %s has BYPASSRLS: row-level security does not bind its queries; %s", name, remedy))
	}
	if p.config.RowSecurity && isTrue(login[3]) {
		warnings = append(warnings, fmt.Sprintf("the login %s may execute set_config, with which a report's query can change "+
			"on whose behalf it runs: REVOKE EXECUTE ON FUNCTION pg_catalog.set_config(text, text, boolean) FROM PUBLIC", name))
	}
	tables, err := p.row(ctx, tablesQuery)
	if err != nil || tables == nil {
		return warnings, err
	}
	return append(warnings, ofTables(name, tables)...), nil
}

// remedy ends what is said of a login with too many rights.
const remedy = "give the source a login that may only SELECT what reports may show"

// ofTables says what is wrong with what a login may do with tables, from the row of tablesQuery.
func ofTables(name string, row []checksum.Cell) (warnings []string) {
	if !isTrue(row[0]) {
		warnings = append(warnings, fmt.Sprintf("the login %[1]s may read no table: GRANT USAGE ON SCHEMA public TO %[1]s; "+
			"GRANT SELECT ON ALL TABLES IN SCHEMA public TO %[1]s", name))
	}
	if isTrue(row[1]) {
		warnings = append(warnings, fmt.Sprintf("the login %s may write to tables such as %s: queries run in read-only transactions, and yet %s",
			name, row[2].Text, remedy))
	}
	return warnings
}

// row returns the first row of a query, nil for none.
func (p *server) row(ctx context.Context, sql string) ([]checksum.Cell, error) {
	q, b := source.Query{SQL: sql}, new(checksum.Builder)
	_, err := p.Query(ctx, q, b)
	if err != nil || b.Rows() < 2 {
		return nil, err
	}
	return b.Grid().Cells(1, nil), nil
}

func isTrue(c checksum.Cell) bool { return c == checksum.Bool(true) }
