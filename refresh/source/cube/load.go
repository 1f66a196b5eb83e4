package cube

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"mooring/checksum"
	"mooring/refresh/source"
)

// load runs a jsonQuery. Cube cuts what is longer than the limit asked for, or its own, silently: therefore one row more
// than allowed is asked for, and a result as long as Cube's own limit is taken for a cut one.
func (c *layer) load(ctx context.Context, load loadQuery, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	l := source.LimitOf(q, c.config.Limits)
	asked := load.limit
	if asked == 0 {
		asked = min(l.MaxRows+1, c.config.RowLimit)
	}
	body, err := load.body(asked, q.Location)
	if err != nil {
		return nil, err
	}
	var answer loadAnswer
	err = c.ask(ctx, "/v1/load", body, func(r io.Reader) error {
		answer = loadAnswer{keys: load.columns(), rows: source.NewResult(new(checksum.Builder), q, c.config.Limits)}
		return answer.read(c, r)
	})
	if err != nil {
		return nil, err
	}
	columns, rows, err := answer.appendTo(source.NewResult(b, q, c.config.Limits), load, q.Location)
	if err != nil {
		return nil, err
	}
	if rows >= c.config.RowLimit && (load.limit == 0 || load.limit > c.config.RowLimit) {
		return nil, cut(c.config.RowLimit)
	}
	return columns, nil
}

func cut(rows int) error {
	return source.Structure(nil, "the result has %d rows, where Cube cuts it off; narrow the query, "+
		"or raise CUBEJS_DB_QUERY_LIMIT and the source's rowLimit", rows)
}

// loadAnswer is the answer of /v1/load. The rows come before what is needed to read them: until then they are kept as JSON, a text a
// value.
type loadAnswer struct {
	keys       []string
	rows       *source.Result
	ended      bool // all rows were read
	error      string
	annotation map[string]map[string]struct {
		Type string `json:"type"`
	}
}

func (a *loadAnswer) read(c *layer, r io.Reader) error {
	body := newCubeStream(r, a.rows.DriverBytes())
	err := body.delimiter('{')
	if err == nil {
		err = body.members(func(key string) (bool, error) { return a.member(body, key) })
	}
	switch {
	case errors.Is(err, errTooLong):
		return a.rows.RowTooLarge(err)
	case err != nil:
		return unreadable(err)
	case a.error == continueWait:
		return errContinueWait
	case a.error != "":
		return c.refused(errors.New(a.error), a.error)
	case !a.ended:
		return unexpected(nil)
	}
	return nil
}

func (a *loadAnswer) member(body *tokenStream, key string) (known bool, err error) {
	switch key {
	case "error":
		return true, body.value(&a.error)
	case "annotation":
		return true, body.value(&a.annotation)
	case "data":
		a.ended = true
		return true, body.elements(func() error { return a.row(body) })
	}
	return false, nil
}

// row keeps a row.
func (a *loadAnswer) row(body *tokenStream) error {
	var row map[string]json.RawMessage
	if err := body.value(&row); err != nil {
		return err
	}
	if err := a.rows.Check(a.rows.Rows()+1, len(a.keys)); err != nil {
		return err
	}
	for _, key := range a.keys {
		value, ok := row[key]
		if !ok {
			return source.Structure(nil, "Cube's answer has no %q; check the member's name", key)
		}
		if err := a.rows.Room(len(value)); err != nil {
			return err
		}
		a.rows.TextBytes(value)
	}
	return a.rows.End()
}

// appendTo appends the header and every row to b, and counts the rows below the header.
func (a *loadAnswer) appendTo(b *source.Result, load loadQuery, location *time.Location) ([]source.Column, int, error) {
	columns, cells := make([]source.Column, len(a.keys)), make([]jsonCell, len(a.keys))
	for i, key := range a.keys {
		kind := a.kindOf(key)
		cells[i] = jsonCell{kind, location}
		columns[i] = source.Column{Name: key, Format: kind.format()}
		if kind == kindTime && load.isDay(key) {
			columns[i].Format = checksum.DateFormat
		}
	}
	if err := b.Header(columns); err != nil {
		return nil, 0, err
	}
	rows := a.rows.Grid()
	var values []checksum.Cell
	for n := range rows.Rows() {
		values = rows.Cells(n, values[:0])
		for i, value := range values {
			cells[i].append(b.Builder, json.RawMessage(value.Text))
		}
		if err := b.End(); err != nil {
			return nil, 0, err
		}
	}
	return columns, rows.Rows(), nil
}

// kindOf looks a member up among measures, dimensions and timeDimensions.
func (a *loadAnswer) kindOf(member string) jsonKind {
	for _, group := range a.annotation {
		if of, ok := group[member]; ok {
			return annotatedKind(of.Type)
		}
	}
	return kindAny
}
