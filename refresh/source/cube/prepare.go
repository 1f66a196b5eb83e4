package cube

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/source"
)

var _ source.Describer = (*layer)(nil)

// Prepare has Cube make its database's SQL of q and run nothing of it. The columns of a sqlQuery are not known then.
func (c *layer) Prepare(ctx context.Context, q source.Query) ([]string, error) {
	columns, err := c.prepare(ctx, q)
	return columns, c.unquoted(ctx, err, q)
}

func (c *layer) prepare(ctx context.Context, q source.Query) ([]string, error) {
	load, statement, err := parseQuery(q)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, source.AtByte(err, q.JSON, int(syntax.Offset)-1)
	}
	if err != nil {
		return nil, err
	}
	_, err = c.within(ctx, func(ctx context.Context) ([]source.Column, error) {
		if load == nil {
			return nil, c.prepareSQL(ctx, statement)
		}
		return nil, c.prepareLoad(ctx, *load, q)
	})
	if err != nil || load == nil {
		return nil, err
	}
	return load.columns(), nil
}

// Describe is Prepare with the types that the data model has. Those of a sqlQuery are not known, nor its columns.
func (c *layer) Describe(ctx context.Context, q source.Query) ([]source.Field, error) {
	names, err := c.Prepare(ctx, q)
	if err != nil || names == nil {
		return nil, err
	}
	model, err := c.Catalog(ctx, q.User)
	if err != nil {
		return nil, err
	}
	types := map[string]source.FieldType{}
	for _, d := range model {
		for _, member := range d.Members {
			types[member.Name] = member.Type
		}
	}
	fields := make([]source.Field, len(names))
	for i, name := range names {
		fields[i] = source.Field{Name: name, Type: source.TypeOther}
		if is, ok := types[name]; ok {
			fields[i].Type = is
		} else if strings.Count(name, ".") == 2 { // a time with its granularity
			fields[i].Type = source.TypeDateTime
		}
	}
	return fields, nil
}

// prepareLoad lets Cube look at a jsonQuery. If it refuses, its data model says whether a member is missing, and which.
func (c *layer) prepareLoad(ctx context.Context, load loadQuery, q source.Query) error {
	body, err := load.body(load.limit, q.Location)
	if err != nil {
		return err
	}
	err = c.ask(ctx, "/v1/dry-run", body, func(r io.Reader) error {
		var answer struct{ QueryType string }
		if err := decode(r, &answer); err != nil || answer.QueryType == "" {
			return cmp.Or(err, unexpected(nil))
		}
		return nil
	})
	if err == nil {
		return nil
	}
	if fault, ok := errors.AsType[*placements.Fault](err); !ok || fault.Class == placements.Auth {
		return err
	}
	model, failed := c.readModel(ctx)
	if failed != nil {
		return err
	}
	for _, member := range load.named() {
		if !model.has(member) {
			missing := source.Structure(err, "the query does not run: Cube's data model has no member %q", member)
			return source.AtByte(missing, q.JSON, strings.Index(q.JSON, `"`+member+`"`))
		}
	}
	return err
}

// named are the members that the query names.
func (l loadQuery) named() []string {
	names := slices.Concat(l.dimensions, l.measures, l.segments)
	for _, d := range l.times {
		names = append(names, d.Dimension)
	}
	for _, f := range l.filters {
		names = f.appendNamed(names)
	}
	return names
}

func (f loadFilter) appendNamed(names []string) []string {
	if member := cmp.Or(f.Member, f.Dimension); member != "" {
		names = append(names, member)
	}
	for _, part := range slices.Concat(f.And, f.Or) {
		names = part.appendNamed(names)
	}
	return names
}

// has reports whether queries may name the member. One of three parts is a time with its granularity.
func (m dataModel) has(name string) bool {
	if parts := strings.Split(name, "."); len(parts) == 3 {
		name = parts[0] + "." + parts[1]
	}
	is := func(member modelMember) bool { return member.Name == name && member.shown() }
	for _, cube := range m.Cubes {
		for _, kind := range [][]modelMember{cube.Dimensions, cube.Measures, cube.Segments} {
			if slices.ContainsFunc(kind, is) {
				return true
			}
		}
	}
	return false
}

// prepareSQL has Cube make SQL of a sqlQuery, whose values are in it.
func (c *layer) prepareSQL(ctx context.Context, sql string) error {
	body, err := encode(map[string]any{"query": parseSQLLimit(sql).bare, "format": "sql"})
	if err != nil {
		return err
	}
	return c.ask(ctx, "/v1/sql", body, func(r io.Reader) error {
		var answer sqlAnswer
		if err := decode(r, &answer); err != nil {
			return err
		}
		return answer.fault(c)
	})
}

// sqlAnswer is the answer of /v1/sql.
type sqlAnswer struct {
	Error string `json:"error"`
	SQL   struct {
		Status string `json:"status"`
		Error  string `json:"error"`
		Type   string `json:"query_type"`
	} `json:"sql"`
}

// fault is why the statement does not run. A sound one of which Cube would compute a part itself is an error of its own kind: no one
// statement of the database does the same.
func (a sqlAnswer) fault(c *layer) error {
	switch {
	case a.Error == continueWait:
		return errContinueWait
	case a.Error != "":
		return c.refused(errors.New(a.Error), a.Error)
	case a.SQL.Status == "ok", a.SQL.Type == "post_processing":
		return nil
	case a.SQL.Error == "":
		return unexpected(nil)
	}
	return c.refused(errors.New(a.SQL.Error), a.SQL.Error)
}
