package mysql

import (
	"context"
	"errors"

	"mooring/refresh/source"
)

var _ source.Prober = (*server)(nil)

// Probes wants a query.
func (s *server) Probes(probe source.Probe) error {
	switch {
	case probe.Listen != "":
		return errors.New("listen: MariaDB and MySQL announce nothing; give a query")
	case probe.Query == "":
		return errors.New("query: missing; kind mysql needs a query")
	}
	return source.InQuery(wantRead(source.Query{SQL: probe.Query}))
}

// Probe returns a digest of the query's result.
func (s *server) Probe(ctx context.Context, query string) (string, error) {
	return source.ProbeQuery(ctx, s, source.Query{SQL: query})
}
