package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"mooring/placements"
	"mooring/refresh/source"
)

// SQLSTATEs that mean something of their own; the others are known by their class, the first two characters.
const (
	stateQueryCanceled         = "57014"
	stateReadOnlyTransaction   = "25006"
	stateInsufficientPrivilege = "42501"
	stateLockNotAvailable      = "55P03"
	stateSeveralStatements     = "42601"
)

// classify turns what went wrong at the server or on the way there into faults; others stay as they are.
func (p *server) classify(ctx context.Context, err error) error {
	var known *placements.Fault
	if err == nil || errors.As(err, &known) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return p.classifyState(refused, err)
	}
	if tooLong, ok := errors.AsType[*pgproto3.ExceededMaxBodyLenErr](err); ok {
		return source.LimitOf(source.Query{}, p.config.Limits).RowTooLarge(tooLong)
	}
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &untrusted):
		return source.Fault(placements.Auth, err,
			"the PostgreSQL server's certificate is not trusted; correct sslmode or sslrootcert in the source's url")
	case errors.Is(err, context.DeadlineExceeded), pgconn.Timeout(err):
		return p.late(err)
	}
	return source.Fault(placements.Transient, err, "the PostgreSQL server cannot be reached or hung up; try again")
}

// classifyPrelude is classify for what comes before the query, of which its author knows nothing.
func (p *server) classifyPrelude(ctx context.Context, err error) error {
	var refused *pgconn.PgError
	if ctx.Err() != nil || p.config.WireOnly || !errors.As(err, &refused) || len(refused.Code) < 2 {
		return p.classify(ctx, err)
	}
	switch refused.Code[:2] {
	case "0A", "22", "42": // not supported, bad value, unknown or malformed
		return source.Structure(err, "the server refuses a read-only transaction: %s; if it is no PostgreSQL, set the source's wireOnly",
			saidBy(refused))
	}
	return p.classify(ctx, err)
}

// late returns the fault of a statement that took too long, or of a server that did not answer.
func (p *server) late(err error) error {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		return source.Fault(placements.Transient, err, "the PostgreSQL server does not answer; try again")
	}
	return source.TimedOut(err, p.config.StatementTimeout)
}

// classifyState goes by the SQLSTATE.
func (p *server) classifyState(e *pgconn.PgError, err error) error {
	switch e.Code {
	case stateQueryCanceled:
		return source.TimedOut(err, p.config.StatementTimeout)
	case stateReadOnlyTransaction:
		return source.OnlyReads(err)
	case stateInsufficientPrivilege:
		return source.Fault(placements.Auth, err,
			"PostgreSQL does not allow the query: %s; grant the source's role what it needs", saidBy(e))
	case stateLockNotAvailable:
		return source.Fault(placements.Transient, err, "PostgreSQL holds a lock on what the query reads; try again")
	}
	if ofSeveral(e) {
		return source.SeveralStatements(err)
	}
	if len(e.Code) < 2 {
		return source.Fault(placements.Permanent, err, "the database refuses the query: %s", saidBy(e))
	}
	switch e.Code[:2] {
	case "28": // invalid authorization
		return source.Fault(placements.Auth, err, "PostgreSQL refuses the login; correct user and password in the source's url")
	case "08", "40", "53", "57": // connection, rollback, resources, operator
		return source.Fault(placements.Transient, err, "PostgreSQL could not run the query now: %s; try again", saidBy(e))
	case "58", "XX", "F0": // system, internal, configuration file: their messages are about the machine
		return source.Fault(placements.Permanent, err, "PostgreSQL reports an internal error (%s); its log says why",
			source.Said("class "+e.Code[:2], e.Code)) // a function may raise one whose code is what it read
	case "3D": // no such database
		return source.Structure(err, "PostgreSQL has no such database; correct the source's url")
	}
	return source.Structure(err, "the query does not run: %s", saidBy(e))
}

// ofSeveral reports whether an error speaks of several statements where one may stand.
func ofSeveral(e *pgconn.PgError) bool {
	return e.Code == stateSeveralStatements && e.Message == "cannot insert multiple commands into a prepared statement"
}

// saidBy are the server's words, of which else the class of the SQLSTATE is told.
func saidBy(e *pgconn.PgError) source.Words {
	class, words := classOf(e)
	return source.Said(fmt.Sprintf("an error of class %s (%s)", class, words), e.Message)
}
