package postgres

import (
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

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
