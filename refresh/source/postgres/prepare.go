package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

var (
	_ source.Explainer = (*server)(nil)
	_ source.Describer = (*server)(nil)
)

// Prepare has the server parse and describe q.SQL in q's transaction. It is not planned, since planning computes functions of constants.
func (p *server) Prepare(ctx context.Context, q source.Query) (names []string, err error) {
	columns, err := p.Describe(ctx, q)
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names, err
}

// Describe is Prepare with the types that the server says.
func (p *server) Describe(ctx context.Context, q source.Query) ([]source.Field, error) {
	columns, err := p.described(ctx, q)
	return columns, p.unquoted(ctx, err, q)
}

func (p *server) described(ctx context.Context, q source.Query) ([]source.Field, error) {
	if err := source.WantSQL(q); err != nil {
		return nil, err
	}
	s, err := p.bind(q)
	if err != nil {
		return nil, err
	}
	var columns []source.Field
	character := 0 // at fault
	err = p.with(ctx, q, func(ctx context.Context, conn *pgconn.PgConn) (err error) {
		columns, err = describe(ctx, conn, s)
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.InternalQuery == "" {
			character = int(refused.Position)
		}
		return err
	})
	if err != nil {
		return nil, s.AtCharacter(err, character)
	}
	return columns, nil
}

// describe returns the columns of a statement.
func describe(ctx context.Context, conn *pgconn.PgConn, s *named.Statement) ([]source.Field, error) {
	statement, err := conn.Prepare(ctx, "", s.SQL, nil)
	switch {
	case err != nil:
		return nil, err
	case len(statement.ParamOIDs) != len(s.Values):
		return nil, source.Structure(nil, "the query has a parameter such as $1, for which there is no value; write the value itself")
	case len(statement.Fields) == 0:
		return nil, source.NoResult()
	}
	columns, types := make([]source.Field, len(statement.Fields)), pgtype.NewMap()
	for i, f := range statement.Fields {
		columns[i] = source.Field{Name: f.Name, Type: source.TypeText}
		if t, ok := types.TypeForOID(f.DataTypeOID); ok {
			columns[i].Type = fieldType(t.Name)
		}
	}
	return columns, nil
}

// Explain has the server plan q.SQL too, which looks at what the login may read. A statement that cannot be explained is not refused.
func (p *server) Explain(ctx context.Context, q source.Query) error {
	if _, err := p.Prepare(ctx, q); err != nil || p.config.WireOnly {
		return err
	}
	s, err := p.bind(q)
	if err != nil {
		return err
	}
	err = p.with(ctx, q, func(ctx context.Context, conn *pgconn.PgConn) error {
		if _, err := conn.ExecParams(ctx, "EXPLAIN "+s.SQL, textsOf(s), nil, nil, nil).Close(); err != nil {
			return runningError{err}
		}
		return nil
	})
	if fault, ok := errors.AsType[*placements.Fault](err); ok && fault.Class != placements.Auth {
		return nil
	}
	return err
}
