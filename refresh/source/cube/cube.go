package cube

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"mooring/checksum"
	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

// Query runs q.JSON or q.SQL. Columns bear the names of Cube's members; times are the wall time of q.Location, which Cube is
// asked for unless the query names a time zone itself.
func (c *layer) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	columns, err := c.query(ctx, q, b)
	return columns, c.unquoted(ctx, err, q)
}

// unquoted is source.Unquoted: what Cube is sent has the values in it.
func (c *layer) unquoted(ctx context.Context, err error, q source.Query) error {
	return source.Unquoted(err, q, func(q source.Query) error {
		_, err := c.prepare(ctx, q)
		return err
	})
}

func (c *layer) query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	load, statement, err := parseQuery(q)
	if err != nil {
		return nil, err
	}
	return c.within(ctx, func(ctx context.Context) ([]source.Column, error) {
		if load == nil {
			return c.querySQL(ctx, statement, q, b)
		}
		return c.load(ctx, *load, q, b)
	})
}

// parseQuery returns the jsonQuery of q with its values, or the sqlQuery with them, where it has one.
func parseQuery(q source.Query) (load *loadQuery, sql string, err error) {
	if strings.TrimSpace(q.JSON) == "" {
		if err := source.WantSQL(q); err != nil {
			return nil, "", err
		}
		statement, err := named.Literals.Bind(q.SQL, q.Parameters)
		if err != nil {
			return nil, "", err
		}
		return nil, statement.SQL, nil
	}
	if strings.TrimSpace(q.SQL) != "" {
		return nil, "", source.Structure(nil, "the report has both a sqlQuery and a jsonQuery; leave one")
	}
	one, err := parseLoad(q)
	return &one, "", err
}

// Check reads the data model's description, which proves address and token, and lets Cube look at a query of as many rows as are asked
// for, which proves that rowLimit is not beyond its own limit.
func (c *layer) Check(ctx context.Context) error {
	_, err := c.within(ctx, func(ctx context.Context) ([]source.Column, error) {
		model, err := c.readModel(ctx)
		if err != nil {
			return nil, err
		}
		return nil, c.checkLimit(ctx, model)
	})
	return err
}

// dataModel is the answer of /v1/meta, as far as it is needed here.
type dataModel struct {
	Cubes []modelCube `json:"cubes"`
}

// modelCube is a cube, or a view of some.
type modelCube struct {
	described
	Dimensions []modelMember `json:"dimensions"`
	Measures   []modelMember `json:"measures"`
	Segments   []modelMember `json:"segments"`
}

type modelMember struct{ described }

// described is what cubes and their members have in common.
type described struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // cube or view, of a cube that says; string, number, boolean, time or geo of a member
	Title       string `json:"title"`
	Description string `json:"description"`
	Public      *bool  `json:"public"`    // nil: as Visible says
	Visible     *bool  `json:"isVisible"` // the same, of a Cube that has no public yet; nil: yes
}

// shown reports whether queries may name it.
func (d described) shown() bool {
	says := cmp.Or(d.Public, d.Visible)
	return says == nil || *says
}

func (c *layer) readModel(ctx context.Context) (model dataModel, err error) {
	body, err := c.send(ctx, http.MethodGet, "/v1/meta", newSpan().next(), nil)
	if err != nil {
		return model, err
	}
	defer body.Close()
	if err := decode(body, &model); err != nil {
		return model, err
	}
	if model.Cubes == nil {
		return model, unexpected(nil)
	}
	return model, nil
}

// checkLimit asks about rowLimit rows of any dimension, without running the query. A model without one is not asked about.
func (c *layer) checkLimit(ctx context.Context, model dataModel) error {
	for _, cube := range model.Cubes {
		for _, d := range cube.Dimensions {
			if !d.shown() {
				continue
			}
			body, err := encode(map[string]any{"query": map[string]any{"dimensions": []string{d.Name}, "limit": c.config.RowLimit}})
			if err != nil {
				return err
			}
			answer, err := c.send(ctx, http.MethodPost, "/v1/dry-run", newSpan().next(), body)
			if err != nil {
				return err
			}
			return answer.Close()
		}
	}
	return nil
}

// PerUser is false: every query is sent with the token of the configuration.
func (c *layer) PerUser() bool { return false }

func (c *layer) Close() error {
	c.client.CloseIdleConnections()
	return nil
}

// within runs f for as long as ctx and the statement timeout allow.
func (c *layer) within(ctx context.Context, f func(context.Context) ([]source.Column, error)) ([]source.Column, error) {
	if err := c.slots.Take(ctx); err != nil {
		return nil, err
	}
	defer c.slots.Give()
	limited, cancel := context.WithTimeout(ctx, c.config.StatementTimeout)
	defer cancel()
	columns, err := f(limited)
	switch {
	case err == nil:
		return columns, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, source.TimedOut(err, c.config.StatementTimeout)
	}
	return columns, err
}
