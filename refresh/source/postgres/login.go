package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"mooring/checksum"
	"mooring/refresh/source"
)

// loginQuery reads what the login may do beyond reading.
const loginQuery = `SELECT rolname::text, rolsuper, rolbypassrls,
  has_function_privilege('pg_catalog.set_config(text, text, boolean)', 'EXECUTE')
FROM pg_catalog.pg_roles WHERE rolname = current_user`

// Warnings names what lets a report's query see more than the user on whose behalf it runs may.
func (p *server) Warnings(ctx context.Context, _ *time.Location) (warnings []string, err error) {
	if p.config.WireOnly {
		return nil, nil // such a server need not have these catalogs
	}
	q, b := source.Query{SQL: loginQuery}, new(checksum.Builder)
	err = p.with(ctx, q, func(ctx context.Context, conn *pgconn.PgConn) error {
		_, err := p.read(ctx, conn, q, b)
		return err
	})
	if err != nil || b.Rows() < 2 {
		return nil, err
	}
	login := b.Grid().Cells(1, nil)
	name, is := login[0].Text, func(i int) bool { return login[i] == checksum.Bool(true) }
	const remedy = "give the source a login that may only SELECT what reports may show"
	switch {
	case is(1):
		return []string{fmt.Sprintf("the login %s is a superuser: row-level security does not bind its queries, "+
			"and they may read the server's files; %s", name, remedy)}, nil
	case is(2):
		warnings = append(warnings, fmt.Sprintf("the login %s has BYPASSRLS: row-level security does not bind its queries; %s",
			name, remedy))
	}
	if p.config.RowSecurity && is(3) {
		warnings = append(warnings, fmt.Sprintf("the login %s may execute set_config, with which a report's query can change "+
			"on whose behalf it runs: REVOKE EXECUTE ON FUNCTION pg_catalog.set_config(text, text, boolean) FROM PUBLIC", name))
	}
	return warnings, nil
}
