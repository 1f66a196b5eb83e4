package postgres

import (
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
)

// runningError is what the server said while a statement ran: its text may quote what the statement read.
type runningError struct{ error }

func (e runningError) Unwrap() error { return e.error }

// ofText reports whether an error speaks of nothing but the query's text: the server found it while it parsed the statement, names the
// character, and no function or statement that the query runs stands between.
func ofText(e *pgconn.PgError, err error) bool {
	_, ran := errors.AsType[runningError](err)
	return !ran && e.Position > 0 && e.InternalPosition == 0 && e.InternalQuery == "" && e.Where == ""
}

// stateClasses are the classes of SQLSTATEs that users are told, in words. A function may raise an error with a SQLSTATE made of what it
// read: of any other nothing is said.
var stateClasses = map[string]string{
	"08": "connection", "0A": "feature not supported", "21": "cardinality", "22": "data exception", "23": "constraint",
	"28": "authorization", "2F": "function", "38": "external routine", "39": "external routine", "3D": "database", "40": "rollback",
	"42": "names, types or privileges", "53": "resources", "54": "program limit", "55": "object state", "57": "operator intervention",
	"58": "system", "F0": "configuration", "HV": "foreign data", "P0": "raised by a function", "XX": "internal",
}

// withoutRows returns an error that quotes no row: of one of the server's whose text may, only the class of its SQLSTATE is left. A run's
// error is told to all who may read the report, and the rows were meant for one of them. The text goes nowhere, not even into the log.
func withoutRows(err error) error {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || ofText(refused, err) || ofSeveral(refused) {
		return err
	}
	code := refused.Code
	class, words := classOf(refused)
	if !slices.Contains([]string{stateQueryCanceled, stateReadOnlyTransaction, stateInsufficientPrivilege, stateLockNotAvailable}, code) {
		code = class + "000"
	}
	return &pgconn.PgError{Severity: "ERROR", Code: code, Message: fmt.Sprintf("an error of class %s (%s), whose text is left out, "+
		"since it may quote rows that others may not see; PostgreSQL's own log has it", class, words)}
}

// classOf is the class of an error's SQLSTATE, in words too.
func classOf(e *pgconn.PgError) (class, words string) {
	if len(e.Code) > 2 && stateClasses[e.Code[:2]] != "" {
		return e.Code[:2], stateClasses[e.Code[:2]]
	}
	return "XX", "unknown"
}
