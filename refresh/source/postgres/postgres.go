package postgres

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

// server runs queries on a PostgreSQL server, or on anything that speaks its wire protocol.
type server struct {
	config Config
	pool   *pool
}

// Query runs q.SQL by the extended protocol, which takes one statement, in a transaction that cannot write and is never
// committed. Rows go from the connection to b one at a time.
func (p *server) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	if err := source.WantSQL(q); err != nil {
		return nil, err
	}
	statement, err := p.bind(q)
	if err != nil {
		return nil, err
	}
	var columns []source.Column
	err = p.with(ctx, q, func(ctx context.Context, conn *pgconn.PgConn) (err error) {
		columns, err = p.read(ctx, conn, statement, q, b)
		return err
	})
	return columns, p.unquoted(ctx, err, q)
}

// unquoted is source.Unquoted. Where the server binds the values, withoutRows has left out the words that may quote them.
func (p *server) unquoted(ctx context.Context, err error, q source.Query) error {
	return source.Unquoted(err, q, func(q source.Query) error {
		if !p.config.WireOnly {
			return err
		}
		_, err := p.described(ctx, q)
		return err
	})
}

// Check logs in and runs a query.
func (p *server) Check(ctx context.Context) error {
	_, err := p.Query(ctx, source.Query{SQL: "SELECT 1"}, new(checksum.Builder))
	return err
}

// PerUser reports whether queries say on whose behalf they run.
func (p *server) PerUser() bool { return p.config.RowSecurity }

func (p *server) Close() error {
	p.pool.close()
	return nil
}

// with runs f on a connection within q's transaction, for as long as ctx and the statement timeout allow.
func (p *server) with(ctx context.Context, q source.Query, f func(context.Context, *pgconn.PgConn) error) error {
	conn, err := p.pool.acquire(ctx)
	if err != nil {
		return p.classifyPrelude(ctx, err)
	}
	defer p.pool.release(conn)
	if p.config.WireOnly {
		limited, cancel := context.WithTimeout(ctx, p.config.StatementTimeout)
		defer cancel()
		return p.classify(ctx, f(limited, conn))
	}
	// The server's own timeout leaves the connection usable: it should be the first to strike.
	limited, cancel := context.WithTimeout(ctx, p.config.StatementTimeout+time.Second)
	defer cancel()
	if err := conn.Exec(limited, p.prelude(q)).Close(); err != nil {
		p.reset(ctx, conn)
		return p.classifyPrelude(ctx, err)
	}
	err = f(limited, conn)
	if p.guards(q) {
		err = withoutRows(err)
	}
	cancel()
	p.reset(ctx, conn)
	return p.classify(ctx, err)
}

// guards reports whether what the server says of q while it runs may quote what not all may see who see faults: rows of one person, or the
// values of parameters.
func (p *server) guards(q source.Query) bool {
	return p.config.RowSecurity || len(q.Parameters) > 0 && !p.config.WireOnly
}

// read runs q as a statement and appends its result to b. With row security, or with values, the statement is described first: one that has
// no result, such as a DO block, could change on whose behalf it runs, and what the server says of a statement's text is known from what it
// says of rows.
func (p *server) read(
	ctx context.Context, conn *pgconn.PgConn, s *named.Statement, q source.Query, b *checksum.Builder,
) ([]source.Column, error) {
	if !p.guards(q) {
		return p.run(ctx, conn, s, q, b)
	}
	if _, err := describe(ctx, conn, s); err != nil {
		return nil, err
	}
	columns, err := p.run(ctx, conn, s, q, b)
	if err != nil {
		return columns, runningError{err}
	}
	return columns, nil
}

// run runs q as a statement, described or not, and appends its result to b.
func (p *server) run(
	ctx context.Context, conn *pgconn.PgConn, s *named.Statement, q source.Query, b *checksum.Builder,
) ([]source.Column, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	result := conn.ExecParams(ctx, s.SQL, textsOf(s), nil, nil, nil)
	columns, err := appendRows(source.NewResult(b, q, p.config.Limits), result, q.Location)
	if err != nil {
		cancel() // closing would else wait for the rows that are not wanted
		_, _ = result.Close()
		return columns, err
	}
	_, err = result.Close()
	switch {
	case err != nil:
		return nil, err
	case len(columns) == 0:
		return nil, source.NoResult()
	}
	return columns, nil
}

// resetTimeout bounds what is done to a connection after a query.
const resetTimeout = 5 * time.Second

// reset undoes whatever the query did to its session: rolling back takes settings made in it along, discarding the rest, such as
// advisory locks. A connection that cannot be reset is closed, and the pool drops it.
func (p *server) reset(ctx context.Context, conn *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resetTimeout)
	defer cancel()
	err := conn.Exec(ctx, "ROLLBACK").Close()
	if err == nil {
		err = conn.Exec(ctx, "DISCARD ALL").Close()
	}
	if err != nil {
		_ = conn.Close(ctx)
	}
}

// prelude opens the transaction in one round trip. The settings are made by SET and not by set_config, so that a role which may
// not execute set_config cannot change in its query on whose behalf it runs. The last statement takes the snapshot, after
// which PostgreSQL refuses to make the transaction a writing one.
func (p *server) prelude(q source.Query) string {
	type setting struct{ name, value string }
	settings := []setting{
		{"statement_timeout", strconv.FormatInt(p.config.StatementTimeout.Milliseconds(), 10)},
		{"DateStyle", "ISO"},
		{"IntervalStyle", "iso_8601"},
		{"bytea_output", "hex"},
		{"extra_float_digits", "3"},
	}
	if zone := source.ZoneName(q.Location); zone != "" {
		settings = append(settings, setting{"TimeZone", zone})
	}
	if len(q.Parameters) > 0 {
		settings = append(settings, setting{"standard_conforming_strings", "on"}) // as the dialect reads the text
	}
	if p.config.RowSecurity {
		settings = append(settings, []setting{
			{"mooring.tenant", q.User.Tenant},
			{"mooring.uid", strconv.FormatInt(q.User.ID, 10)},
			{"mooring.email", q.User.Email},
			{"mooring.roles", joinInts(q.User.Roles)},
		}...)
	}
	var s strings.Builder
	s.WriteString("BEGIN READ ONLY;")
	for _, set := range settings {
		s.WriteString("SET LOCAL " + set.name + "=" + quoteLiteral(set.value) + ";")
	}
	s.WriteString("SELECT 1")
	return s.String()
}

func joinInts(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(texts, ",")
}

// quoteLiteral makes s an SQL string, whatever standard_conforming_strings says. NUL, which no such string can hold, is dropped.
func quoteLiteral(s string) string {
	return "E'" + strings.NewReplacer(`\`, `\\`, `'`, `''`, "\x00", "").Replace(s) + "'"
}

var _ source.Binder = (*server)(nil)

// dialect is that of the server: one that only speaks the protocol need not bind as PostgreSQL does.
func (p *server) dialect() named.Dialect {
	if p.config.WireOnly {
		return named.Literals
	}
	return named.PostgreSQL
}

// ParameterFaults looks at the sqlQuery.
func (p *server) ParameterFaults(q source.Query, of []placements.Parameter) []placements.Detail {
	return p.dialect().Faults("/sqlQuery", q.SQL, of)
}

func (p *server) bind(q source.Query) (*named.Statement, error) {
	return p.dialect().Bind(q.SQL, q.Parameters)
}

// textsOf are the values of a statement as the protocol has texts. They have no type: the place of each decides.
func textsOf(s *named.Statement) (texts [][]byte) {
	for _, v := range s.Values {
		texts = append(texts, []byte(v.Text()))
	}
	return texts
}
