package mysql

import (
	"context"

	"mooring/refresh/source"
)

var _ source.Describer = (*server)(nil)

// Prepare has the server parse q.SQL. Only MariaDB says the columns then.
func (s *server) Prepare(ctx context.Context, q source.Query) (names []string, err error) {
	columns, err := s.Describe(ctx, q)
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names, err
}

// Describe is Prepare with the types that the server says. It is sent no values, which it could quote.
func (s *server) Describe(ctx context.Context, q source.Query) (columns []source.Field, err error) {
	bound, err := bind(q)
	if err != nil {
		return nil, err
	}
	err = s.with(ctx, q.Location, func(ctx context.Context, own *session) error {
		statement, err := own.prepare(ctx, bound)
		if err != nil {
			return err
		}
		described, err := describedIn(statement, "columns")
		for _, c := range described {
			columns = append(columns, source.Field{Name: c.name, Type: c.fieldType()})
		}
		return err
	})
	if err != nil {
		return nil, located(err, bound)
	}
	return columns, nil
}
