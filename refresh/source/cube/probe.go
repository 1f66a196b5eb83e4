package cube

import (
	"context"
	"errors"
	"io"
	"strings"

	"mooring/refresh/source"
)

var _ source.Prober = (*layer)(nil)

// Probes wants nothing, or a query: a jsonQuery, or a sqlQuery.
func (c *layer) Probes(p source.Probe) error {
	if p.Listen != "" {
		return errors.New("listen: Cube announces nothing; leave it out, and the time of its last refresh is asked for")
	}
	if p.Query == "" {
		return nil
	}
	_, _, err := parseQuery(probeQuery(p.Query))
	return source.InQuery(err)
}

// probeQuery is the query of a probe, which tells by its first character of which kind it is.
func probeQuery(text string) source.Query {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return source.Query{JSON: text}
	}
	return source.Query{SQL: text}
}

// maxProbed is the most cubes whose last refresh is asked for.
const maxProbed = 20

// Probe returns a digest of the query's result; without one, when Cube last refreshed what it keeps of each cube.
func (c *layer) Probe(ctx context.Context, query string) (string, error) {
	if query != "" {
		return source.ProbeQuery(ctx, c, probeQuery(query))
	}
	var times strings.Builder
	_, err := c.within(ctx, func(ctx context.Context) ([]source.Column, error) {
		model, err := c.readModel(ctx)
		if err != nil {
			return nil, err
		}
		return nil, c.lastRefreshes(ctx, model, &times)
	})
	return times.String(), err
}

// lastRefreshes writes a line of each cube's name and time. A cube is asked by one row of its first member that may be asked for, which
// Cube answers from what it keeps until the cube's refresh key changes.
func (c *layer) lastRefreshes(ctx context.Context, model dataModel, into *strings.Builder) error {
	asked := 0
	for _, cube := range model.Cubes {
		query := cube.firstMember()
		if query == nil {
			continue
		}
		if asked++; asked > maxProbed {
			return source.Structure(nil, "the data model has more than %d cubes; give the probe a query on the one that tells", maxProbed)
		}
		at, err := c.lastRefresh(ctx, query)
		if err != nil {
			return err
		}
		into.WriteString(cube.Name + " " + at + "\n")
	}
	if asked == 0 {
		return source.Structure(nil, "the data model has no member that the token may ask for; give the probe a query")
	}
	return nil
}

// firstMember is a query of one row of a cube's first dimension, or else measure, that is public; nil without any.
func (m modelCube) firstMember() map[string]any {
	for _, kind := range []struct {
		key     string
		members []modelMember
	}{{"dimensions", m.Dimensions}, {"measures", m.Measures}} {
		for _, member := range kind.members {
			if member.shown() {
				return map[string]any{kind.key: []string{member.Name}, "limit": 1}
			}
		}
	}
	return nil
}

// lastRefresh returns when Cube last refreshed its answer to a query.
func (c *layer) lastRefresh(ctx context.Context, query map[string]any) (string, error) {
	body, err := encode(map[string]any{"query": query})
	if err != nil {
		return "", err
	}
	var answer struct {
		Error           string `json:"error"`
		LastRefreshTime string `json:"lastRefreshTime"`
	}
	err = c.ask(ctx, "/v1/load", body, func(r io.Reader) error {
		answer.Error, answer.LastRefreshTime = "", ""
		if err := decode(r, &answer); err != nil {
			return err
		}
		switch {
		case answer.Error == continueWait:
			return errContinueWait
		case answer.Error != "":
			return c.refused(errors.New(answer.Error), answer.Error)
		case answer.LastRefreshTime == "":
			return source.Structure(nil, "Cube does not say when it last refreshed; give the probe a query")
		}
		return nil
	})
	return answer.LastRefreshTime, err
}
