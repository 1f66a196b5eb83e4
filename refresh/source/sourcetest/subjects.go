package sourcetest

import (
	"fmt"

	"mooring/refresh/source"
)

// SQL is a subject with what sources of SQL have in common whose sample has the tables labels, of id and label, without a row, and changes, and a
// function raises, which fails.
func SQL(config source.Config) Subject {
	return Subject{
		Config:     config,
		Header:     source.Query{SQL: "SELECT id, label FROM labels"},
		Large:      func(n int) source.Query { return source.Query{SQL: fmt.Sprintf("SELECT repeat('x', %d)", n)} },
		Broken:     source.Query{SQL: "SELECT missing_column FROM labels"},
		BrokenAt:   "missing_column",
		BrokenWith: source.Query{SQL: "SELECT missing_column, @text FROM labels"},
		Raises:     source.Query{SQL: "SELECT raises()"},
		Several:    []string{"SELECT 1; SELECT 2", "-- nothing but a comment", ";"},
		Echo:       source.Query{SQL: "SELECT @text"},
		Among:      source.Query{SQL: "SELECT count(*) FROM (SELECT '--' AS x) AS one WHERE x IN (@texts)"},
		Cheap:      source.Query{SQL: "SELECT count(*) FROM changes"},
	}
}

// SQLite is SQL for sources that have SQLite read what is in files.
func SQLite(config source.Config) Subject {
	s := SQL(config)
	s.Rows = func(n int) source.Query {
		return source.Query{SQL: fmt.Sprintf(
			"WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < %d) SELECT i, 'row ' || i FROM n", n)}
	}
	s.Large = func(n int) source.Query { return source.Query{SQL: fmt.Sprintf("SELECT printf('%%.*c', %d, 'x')", n)} }
	s.Unending = source.Query{SQL: "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n) SELECT i FROM n"}
	s.Endless = source.Query{SQL: "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n) SELECT max(i) FROM n"}
	s.Raises = source.Query{SQL: "SELECT json('{')"}
	s.Telling = []source.Query{
		{SQL: "SELECT json_extract('{}', @text)"}, {SQL: "SELECT json_set('{}', @text, 1)"},
	}
	s.Several = append(s.Several, "SELECT 1; DROP TABLE labels", "SELECT 1; nonsense", "SELECT 1\x00; DROP TABLE labels")
	s.Keeps = true
	s.NoProbes = map[string]source.Probe{"listen": {Listen: "labels"}, "query": {Query: " "}}
	return s
}
