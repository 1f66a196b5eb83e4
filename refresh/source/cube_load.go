package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"mooring/checksum"
)

// load runs a jsonQuery. Cube cuts what is longer than the limit asked for, or its own, without a word: therefore one row more
// than allowed is asked for, and a result as long as Cube's own limit is taken for a cut one.
func (c *cube) load(ctx context.Context, load loadQuery, q Query, b *checksum.Builder) ([]Column, error) {
	l := limitOf(q, c.config)
	asked := load.limit
	if asked == 0 {
		asked = min(l.rows+1, c.config.RowLimit)
	}
	body, err := load.body(asked, q.Location)
	if err != nil {
		return nil, err
	}
	var answer loadAnswer
	err = c.ask(ctx, "/v1/load", body, func(r io.Reader) error { return answer.read(c, r) })
	if err != nil {
		return nil, err
	}
	columns, rows, err := answer.appendTo(b, load, q.Location, l)
	if err != nil {
		return nil, err
	}
	if rows >= c.config.RowLimit && (load.limit == 0 || load.limit > c.config.RowLimit) {
		return nil, cut(c.config.RowLimit)
	}
	return columns, nil
}

func cut(rows int) error {
	return structure(nil, "the result has %d rows, where Cube cuts it off; narrow the query, or raise CUBEJS_DB_QUERY_LIMIT and the source's rowLimit", rows)
}

// loadAnswer is the answer of /v1/load.
type loadAnswer struct {
	Error      string          `json:"error"`
	Data       json.RawMessage `json:"data"` // rows, which need Annotation to be read
	Annotation map[string]map[string]struct {
		Type string `json:"type"`
	} `json:"annotation"`
}

func (a *loadAnswer) read(c *cube, r io.Reader) error {
	*a = loadAnswer{}
	body := &io.LimitedReader{R: r, N: maxAnswer}
	err := json.NewDecoder(body).Decode(a)
	switch {
	case err != nil && body.N == 0:
		return structure(err, "Cube's answer is larger than %d MiB; narrow the query", maxAnswer>>20)
	case err != nil:
		return unreadable(err)
	case a.Error == continueWait:
		return errContinueWait
	case a.Error != "":
		return c.refused(errors.New(a.Error), a.Error)
	case len(a.Data) == 0:
		return unexpected(nil)
	}
	return nil
}

// appendTo appends the header and every row to b, and counts the rows below the header.
func (a *loadAnswer) appendTo(b *checksum.Builder, load loadQuery, location *time.Location, l limit) ([]Column, int, error) {
	keys := load.columns()
	columns, cells := make([]Column, len(keys)), make([]jsonCell, len(keys))
	for i, key := range keys {
		kind := a.kindOf(key)
		cells[i] = jsonCell{kind, location}
		columns[i] = Column{Name: key, Format: kind.format()}
		if kind == kindTime && load.isDay(key) {
			columns[i].Format = checksum.DateFormat
		}
	}
	if err := l.check(0, len(columns)); err != nil {
		return nil, 0, err
	}
	appendHeader(b, columns)
	rows := json.NewDecoder(bytes.NewReader(a.Data))
	if _, err := rows.Token(); err != nil {
		return nil, 0, unexpected(err)
	}
	n := 0
	for ; rows.More(); n++ {
		var row map[string]json.RawMessage
		if err := rows.Decode(&row); err != nil {
			return nil, 0, unexpected(err)
		}
		if err := l.check(n+1, len(columns)); err != nil {
			return nil, 0, err
		}
		for i, key := range keys {
			value, ok := row[key]
			if !ok {
				return nil, 0, structure(nil, "Cube's answer has no %q; check the member's name", key)
			}
			cells[i].append(b, value)
		}
		b.EndRow()
	}
	return columns, n, nil
}

// kindOf looks a member up among measures, dimensions and timeDimensions.
func (a *loadAnswer) kindOf(member string) jsonKind {
	for _, group := range a.Annotation {
		if of, ok := group[member]; ok {
			return annotatedKind(of.Type)
		}
	}
	return kindAny
}
