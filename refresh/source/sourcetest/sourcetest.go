package sourcetest

import (
	"context"
	"testing"

	"mooring/checksum"
	"mooring/refresh/source"
)

// Subject is an implementation with what the suite needs to know of it. A statement that a kind of source cannot have is left
// empty, and its test is skipped.
type Subject struct {
	// Config opens the sample database.
	Config source.Config
	// Cells are queries of one row that prove how values become cells.
	Cells []CellCase
	// Header is a query of no rows, HeaderNames are its columns; nil are "id" and "label".
	Header      source.Query
	HeaderNames []string
	// Rows returns a query of n rows with two columns: numbers from 1 to n in ascending order, and any text that is not empty.
	Rows func(n int) source.Query
	// Large returns a query of one row with one text of n bytes.
	Large func(n int) source.Query
	// Slack is how many bytes beyond the encoded result a limit must leave for what the source's own form of it takes.
	Slack source.Size
	// Endless is a query that returns no row before the suite loses patience.
	Endless source.Query
	// Unending is a query whose rows do not end.
	Unending source.Query
	// Broken is a query that names a column which does not exist, missing_column.
	Broken source.Query
	// BrokenAt is the part of Broken's text at whose beginning its fault lies; empty for a source that does not say.
	BrokenAt string
	// Raises is a query that is sound and fails as soon as any of it runs.
	Raises source.Query
	// ColumnsUnknown: without running a query the source does not know its columns.
	ColumnsUnknown bool
	// Writes are single statements that would change something, Several are texts of more than one statement.
	Writes, Several []string
	// Unchanged fails the test if a write had any effect.
	Unchanged func(t *testing.T)
	// Unreachable are configurations of sources that do not answer or do not let us in, by what is wrong with them.
	Unreachable map[string]Unreachable
	// Cheap is a query for probes, and Change commits something that changes its result.
	Cheap  source.Query
	Change func(t *testing.T)
	// Keeps: without a query, too, the source tells a change.
	Keeps bool
	// NoProbes are what the source cannot do as a probe, by the key at fault.
	NoProbes map[string]source.Probe
	// Listed are what the source lists of itself; nil for one that lists nothing.
	Listed []source.Dataset
	// Announce tells a change on a channel; nil for a source that announces nothing.
	Announce func(t *testing.T, channel string)
	// Bound are queries with parameters. Echo is one of a single cell, the value of the text parameter "text", of which the suite tries what
	// could end a text of SQL, and Escapes besides. Among counts how often the text -- is in the list parameter "texts".
	Bound   []BoundCase
	Echo    source.Query
	Escapes []string
	Among   source.Query
	// Telling are queries with the text parameter "text" that fail with some of its values and have the source quote them. BrokenWith is Broken
	// with that parameter besides.
	Telling    []source.Query
	BrokenWith source.Query
	// Refuses are characters of a text that the source refuses, since it cannot bind.
	Refuses string
	// Internals are strings that no message for a user may hold: paths, addresses, secrets.
	Internals []string
}

// CellCase is a query whose row must come out as these cells, its columns with these formats.
type CellCase struct {
	Name    string
	Query   source.Query
	Want    []checksum.Cell
	Formats []string // nil: none has one
}

// open opens the sample database with its limits changed.
func (s Subject) open(t *testing.T, change func(*source.Limits)) source.Source {
	t.Helper()
	if change != nil {
		bounds := s.Config.Bounds()
		defer func(before source.Limits) { *bounds = before }(*bounds)
		change(bounds)
	}
	return Open(t, s.Config)
}

// Open opens a source for as long as the test runs.
func Open(t testing.TB, config source.Config) source.Source {
	t.Helper()
	src, err := config.Open(context.Background())
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return src
}

// Table runs q and returns its result.
func Table(t testing.TB, src source.Source, q source.Query) ([]source.Column, *checksum.Grid) {
	t.Helper()
	var b checksum.Builder
	columns, err := src.Query(context.Background(), q, &b)
	if err != nil {
		t.Fatalf("query %s%s: %v", q.SQL, q.JSON, err)
	}
	return columns, b.Grid()
}
