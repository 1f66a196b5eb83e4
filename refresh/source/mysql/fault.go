package mysql

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"

	"github.com/go-sql-driver/mysql"

	"mooring/placements"
	"mooring/refresh/source"
)

// The numbers of errors that mean something of their own; those of MariaDB alone are below 2,000 or above 4,000, those of MySQL alone above 3,000.
var (
	refusedLogins = []uint16{1045, 1130, 1251, 1275, 1524, 1698, 1820, 1862, 3118, 3159, 3955, 4151}
	noDatabase    = []uint16{1044, 1049}
	noPrivilege   = []uint16{1142, 1143, 1227, 1370, 1345, 1356, 1449}
	timeouts      = []uint16{1969, 3024}
	notReading    = []uint16{1290, 1792, 1836}
	busy          = []uint16{
		1037, 1038, 1040, 1041, 1053, 1114, 1129, 1135, 1203, 1205, 1213, 1226, 1317, 1637, 1927, 3058, 3168, 3572,
	}
	internal = []uint16{1003, 1004, 1005, 1015, 1017, 1021, 1023, 1024, 1030, 1033, 1034, 1035, 1105, 1194, 1195, 1412, 1812}
)

// classify turns what went wrong at the server or on the way there into faults; others stay as they are.
func (s *server) classify(ctx context.Context, err error) error {
	var known *placements.Fault
	if err == nil || errors.As(err, &known) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, atLogin := errors.AsType[connectError](err)
	if refused, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return s.classifyNumber(refused, err, atLogin)
	}
	if fault := s.classifyLogin(err); fault != nil {
		return fault
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) && atLogin:
		return source.Fault(placements.Transient, err, "the database server does not answer; try again")
	case errors.Is(err, context.DeadlineExceeded):
		return source.TimedOut(err, s.config.StatementTimeout)
	case errors.Is(err, errUnknownColumns):
		return err
	}
	return source.Fault(placements.Transient, err, "the database server cannot be reached or hung up; try again")
}

// classifyLogin returns the fault of what the driver refuses before it logs in.
func (s *server) classifyLogin(err error) error {
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &untrusted):
		return source.Fault(placements.Auth, err, "the database server's certificate is not trusted; correct tls or ca of the source")
	case errors.Is(err, mysql.ErrNoTLS):
		return source.Fault(placements.Auth, err, "the database server offers no encryption; turn it on there, or where the network is safe set the source's tls to off")
	case errors.Is(err, mysql.ErrCleartextPassword), errors.Is(err, mysql.ErrOldPassword), errors.Is(err, mysql.ErrNativePassword),
		errors.Is(err, mysql.ErrUnknownPlugin):
		return source.Fault(placements.Auth, err, "the login signs in by a method that is not safe, or not known; give it a password of "+
			"mysql_native_password, caching_sha2_password or ed25519")
	}
	return nil
}

// classifyNumber goes by the server's number of the error.
func (s *server) classifyNumber(e *mysql.MySQLError, err error, atLogin bool) error {
	said := source.Said(fmt.Sprintf("error %d", e.Number), e.Message)
	is := func(list []uint16) bool { return slices.Contains(list, e.Number) }
	switch {
	case is(refusedLogins):
		return source.Fault(placements.Auth, err, "the database server refuses the login; correct user and password in the source's url")
	case is(noDatabase) && atLogin:
		return source.Structure(err, "the database server has no such database for the login; correct the source's url")
	case is(noPrivilege), is(noDatabase):
		return source.Fault(placements.Auth, err, "the database does not allow the query: %s; grant the source's login what it needs",
			said)
	case is(timeouts):
		return source.TimedOut(err, s.config.StatementTimeout)
	case is(notReading):
		return source.OnlyReads(err)
	case is(busy):
		return source.Fault(placements.Transient, err, "the database could not run the query now: %s; try again", said)
	case is(internal):
		return source.Fault(placements.Permanent, err, "the database reports an internal error (%d); its log says why", e.Number)
	case atLogin:
		return source.Structure(err, "the server is none that kind mysql knows: %s", said)
	}
	return source.Structure(err, "the query does not run: %s", said)
}
