package source

import (
	"strings"
	"time"

	"mooring/placements"
)

// WantSQL refuses what a database cannot run at all.
func WantSQL(q Query) error {
	switch {
	case strings.TrimSpace(q.JSON) != "":
		return Structure(nil, "the report has a jsonQuery, which only a source of kind cube can run; give it a sqlQuery")
	case strings.TrimSpace(q.SQL) == "":
		return NoStatement()
	case strings.ContainsRune(q.SQL, 0):
		return Structure(nil, "the query holds a NUL character; remove it")
	}
	return nil
}

func NoStatement() error {
	return Structure(nil, "the report has no query; give it one")
}

func SeveralStatements(cause error) error {
	return Structure(cause, "the query holds more than one statement; leave one SELECT")
}

func OnlyReads(cause error) error {
	return Structure(cause, "the query would do more than read; leave one SELECT")
}

func NoResult() error {
	return Structure(nil, "the query has no result; make it a SELECT")
}

func TimedOut(cause error, after time.Duration) error {
	return Fault(placements.Permanent, cause, "the query took longer than %s; make it faster, or raise statementTimeout", after)
}

func TooBig(cause error) error {
	return Fault(placements.Permanent, cause, "the query needs more memory than a query may have; make it simpler, or its values smaller")
}
