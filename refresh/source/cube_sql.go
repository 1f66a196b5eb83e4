package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"mooring/checksum"
)

// querySQL runs a sqlQuery. Cube streams its rows, and cuts those of a statement without a limit at its own limit silently: such a
// statement is given one, at which the query fails.
func (c *cube) querySQL(ctx context.Context, q Query, b *checksum.Builder) ([]Column, error) {
	limit, own := limitOf(q, c.config), parseSQLLimit(q.SQL)
	request := map[string]any{"query": own.with(min(limit.rows+1, c.config.RowLimit)), "throwContinueWait": true}
	if zone := zoneName(q.Location); zone != "" {
		request["timezone"] = zone
	}
	body, err := encode(request)
	if err != nil {
		return nil, err
	}
	s := sqlStream{cube: c, b: b, location: q.Location, limit: limit}
	if err := c.ask(ctx, "/v1/cubesql", body, s.read); err != nil {
		return nil, err
	}
	if s.rows >= c.config.RowLimit && (own.rows == 0 || own.rows > c.config.RowLimit) {
		return nil, cut(c.config.RowLimit)
	}
	return s.columns, nil
}

// sqlStream appends the lines of /v1/cubesql: first the schema, then one or more of rows, and at any time an error.
type sqlStream struct {
	cube     *cube
	b        *checksum.Builder
	location *time.Location
	limit    limit

	columns []Column
	cells   []jsonCell
	rows    int
	began   bool // a line of rows was seen, of which a whole result has one even if it is empty
}

type sqlLine struct {
	Schema []struct {
		Name string          `json:"name"`
		Type json.RawMessage `json:"column_type"`
	} `json:"schema"`
	Data  *[][]json.RawMessage `json:"data"`
	Error string               `json:"error"`
}

func (s *sqlStream) read(r io.Reader) error {
	for lines := json.NewDecoder(r); ; {
		var line sqlLine
		err := lines.Decode(&line)
		switch {
		case err == io.EOF && s.began:
			return nil
		case err == io.EOF && s.columns == nil:
			return tooOld(err)
		case err != nil:
			return unreadable(err)
		}
		if err := s.line(line); err != nil {
			return err
		}
	}
}

func (s *sqlStream) line(line sqlLine) error {
	switch {
	case line.Error == continueWait && s.columns == nil:
		return errContinueWait
	case line.Error == continueWait: // a repetition would append the rows again
		return brokeOff(errors.New("cube: asks to wait amid its rows"))
	case line.Error != "":
		return s.cube.refused(errors.New(line.Error), line.Error)
	case line.Schema != nil && s.columns == nil:
		return s.schema(line)
	case line.Data != nil && s.columns != nil:
		return s.data(*line.Data)
	case line.Data != nil && len(*line.Data) == 0:
		return tooOld(nil)
	}
	return unexpected(nil)
}

func (s *sqlStream) schema(line sqlLine) error {
	for _, column := range line.Schema {
		kind := columnKind(column.Type)
		s.columns = append(s.columns, Column{Name: column.Name, Format: kind.format()})
		s.cells = append(s.cells, jsonCell{kind, s.location})
	}
	if len(s.columns) == 0 {
		return noResult()
	}
	if err := s.limit.check(0, len(s.columns)); err != nil {
		return err
	}
	appendHeader(s.b, s.columns)
	return nil
}

func (s *sqlStream) data(rows [][]json.RawMessage) error {
	s.began = true
	for _, row := range rows {
		s.rows++
		if err := s.limit.check(s.rows, len(s.columns)); err != nil {
			return err
		}
		if len(row) != len(s.columns) {
			return unexpected(fmt.Errorf("cube: a row of %d cells under %d columns", len(row), len(s.columns)))
		}
		for i, value := range row {
			s.cells[i].append(s.b, value)
		}
		s.b.EndRow()
	}
	return nil
}

// tooOld is the fault of an empty result without its columns (cube#9798).
func tooOld(cause error) error {
	return structure(cause, "the query has no rows, and Cube does not say which columns it would have: its version is from before July 2025; "+
		"upgrade Cube")
}
