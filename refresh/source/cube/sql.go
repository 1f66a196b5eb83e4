package cube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"mooring/checksum"
	"mooring/refresh/source"
)

// querySQL runs a sqlQuery, whose values are in it. Cube streams its rows, and cuts those of a statement without a limit at its own limit silently: such a
// statement is given one, at which the query fails.
func (c *layer) querySQL(ctx context.Context, sql string, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	limit, own := source.LimitOf(q, c.config.Limits), parseSQLLimit(sql)
	request := map[string]any{"query": own.with(min(limit.MaxRows+1, c.config.RowLimit)), "throwContinueWait": true}
	if zone := source.ZoneName(q.Location); zone != "" {
		request["timezone"] = zone
	}
	body, err := encode(request)
	if err != nil {
		return nil, err
	}
	s := sqlStream{cube: c, b: source.NewResult(b, q, c.config.Limits), location: q.Location}
	if err := c.ask(ctx, "/v1/cubesql", body, s.read); err != nil {
		return s.columns, err
	}
	if s.rows >= c.config.RowLimit && (own.rows == 0 || own.rows > c.config.RowLimit) {
		return nil, cut(c.config.RowLimit)
	}
	return s.columns, nil
}

// sqlStream appends the lines of /v1/cubesql: first the schema, then one or more of rows, and at any time an error.
type sqlStream struct {
	cube     *layer
	b        *source.Result
	location *time.Location

	columns []source.Column
	cells   []jsonCell
	rows    int
	began   bool // a line of rows was seen, of which a whole result has one even if it is empty
}

type sqlColumn struct {
	Name string          `json:"name"`
	Type json.RawMessage `json:"column_type"`
}

func (s *sqlStream) read(r io.Reader) error {
	body := newCubeStream(r, s.b.DriverBytes())
	for {
		err := s.line(body)
		switch {
		case err == io.EOF && s.began:
			return nil
		case err == io.EOF && s.columns == nil:
			return tooOld(err)
		case errors.Is(err, errContinueWait):
			return err
		case errors.Is(err, errTooLong):
			return s.b.RowTooLarge(err)
		case err != nil:
			return unreadable(err)
		}
	}
}

// line reads one; io.EOF is the end of the answer.
func (s *sqlStream) line(body *tokenStream) error {
	begin, err := body.Token()
	if err != nil {
		return err
	}
	if begin != json.Delim('{') {
		return unexpected(nil)
	}
	knows := false
	err = body.members(func(key string) (bool, error) {
		known, err := s.member(body, key)
		knows = knows || known
		return known, err
	})
	if err == nil && !knows {
		return unexpected(nil)
	}
	return err
}

func (s *sqlStream) member(body *tokenStream, key string) (known bool, err error) {
	switch key {
	case "error":
		return true, s.error(body)
	case "schema":
		return true, s.schema(body)
	case "data":
		return true, s.data(body)
	}
	return false, nil
}

func (s *sqlStream) error(body *tokenStream) error {
	var message string
	if err := body.value(&message); err != nil {
		return err
	}
	switch {
	case message == continueWait && s.columns == nil:
		return errContinueWait
	case message == continueWait: // a repetition would append the rows again
		return brokeOff(errors.New("cube: asks to wait amid its rows"))
	case message != "":
		return s.cube.refused(errors.New(message), message)
	}
	return nil
}

func (s *sqlStream) schema(body *tokenStream) error {
	var schema []sqlColumn
	if err := body.value(&schema); err != nil {
		return err
	}
	if s.columns != nil {
		return unexpected(nil)
	}
	for _, column := range schema {
		kind := columnKind(column.Type)
		s.columns = append(s.columns, source.Column{Name: column.Name, Format: kind.format()})
		s.cells = append(s.cells, jsonCell{kind, s.location})
	}
	if len(s.columns) == 0 {
		return source.NoResult()
	}
	return s.b.Header(s.columns)
}

// data appends the rows of a line.
func (s *sqlStream) data(body *tokenStream) error {
	s.began = s.columns != nil
	rows := 0
	err := body.elements(func() error {
		rows++
		if s.columns == nil {
			return unexpected(nil)
		}
		return s.row(body)
	})
	if err == nil && rows == 0 && s.columns == nil {
		return tooOld(nil)
	}
	return err
}

func (s *sqlStream) row(body *tokenStream) error {
	var row []json.RawMessage
	if err := body.value(&row); err != nil {
		return err
	}
	s.rows++
	if err := s.b.Check(s.rows, len(s.columns)); err != nil {
		return err
	}
	if len(row) != len(s.columns) {
		return unexpected(fmt.Errorf("cube: a row of %d cells under %d columns", len(row), len(s.columns)))
	}
	for i, value := range row {
		if err := s.b.Room(len(value)); err != nil {
			return err
		}
		s.cells[i].append(s.b.Builder, value)
	}
	return s.b.End()
}

// tooOld is the fault of an empty result without its columns (cube#9798).
func tooOld(cause error) error {
	return source.Structure(cause, "the query has no rows, and Cube does not say which columns it would have: "+
		"its version is from before July 2025; upgrade Cube")
}
