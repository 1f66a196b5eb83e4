package source

import (
	"strings"
	"time"

	"mooring/placements"
)

// wantSQL refuses what a database cannot run at all.
func wantSQL(q Query) error {
	switch {
	case strings.TrimSpace(q.JSON) != "":
		return structure(nil, "the report has a jsonQuery, which only a source of kind cube can run; give it a sqlQuery")
	case strings.TrimSpace(q.SQL) == "":
		return noStatement()
	case strings.ContainsRune(q.SQL, 0):
		return structure(nil, "the query holds a NUL character; remove it")
	}
	return nil
}

func noStatement() error {
	return structure(nil, "the report has no query; give it one")
}

func severalStatements(cause error) error {
	return structure(cause, "the query holds more than one statement; leave one SELECT")
}

func onlyReads(cause error) error {
	return structure(cause, "the query would do more than read; leave one SELECT")
}

func noResult() error {
	return structure(nil, "the query has no result; make it a SELECT")
}

func timedOut(cause error, after time.Duration) error {
	return fault(placements.Permanent, cause, "the query took longer than %s; make it faster, or raise statementTimeout", after)
}

func tooBig(cause error) error {
	return fault(placements.Permanent, cause, "the query needs more memory than a query may have; make it simpler, or its values smaller")
}
