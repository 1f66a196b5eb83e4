package mysql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

const (
	// connectTimeout is how long a new connection may take.
	connectTimeout = 10 * time.Second
	// killTimeout is how long it may take to end a query at the server.
	killTimeout = 5 * time.Second
)

// link is what the driver's connections can do.
type link interface {
	driver.Conn
	driver.ExecerContext
	driver.QueryerContext
	driver.ConnPrepareContext
}

// session is a connection on which one query runs.
type session struct {
	link
	meter   *meter
	id      string // of the connection, at the server
	at      string // which server that is
	version string
	zone    zone
	running bool // the server may be at work on a statement
}

// connectError is what kept a session from beginning, before its author had any part in it.
type connectError struct{ error }

func (e connectError) Unwrap() error { return e.error }

// begin opens a session whose dates are of location, in a read-only transaction.
func (s *server) begin(ctx context.Context, location *time.Location) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	own, err := s.connect(ctx, location)
	if err != nil {
		return nil, connectError{err}
	}
	for _, sql := range []string{s.settings(own), "SET SESSION TRANSACTION READ ONLY", "START TRANSACTION READ ONLY"} {
		if _, err := own.ExecContext(ctx, sql, nil); err != nil {
			own.hangUp()
			return nil, connectError{err}
		}
	}
	return own, nil
}

// connect logs in and asks the server who it is, and whether it knows the location.
func (s *server) connect(ctx context.Context, location *time.Location) (*session, error) {
	own := &session{meter: new(meter)}
	own.meter.allow(source.MaxDriverBytes)
	login := s.login.Clone()
	login.DialFunc = func(ctx context.Context, network, address string) (_ net.Conn, err error) {
		own.meter.Conn, err = new(net.Dialer).DialContext(ctx, network, address)
		return own.meter, err
	}
	connector, err := mysql.NewConnector(login)
	if err != nil {
		return nil, err
	}
	conn, err := connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	own.link = conn.(link)
	name := source.ZoneName(location)
	row, err := own.firstRow(ctx, "SELECT CONNECTION_ID(), CONCAT(@@hostname, ':', @@port), VERSION(), "+
		"CONVERT_TZ('2000-01-01', '+00:00', "+quoteLiteral(name)+") IS NOT NULL", 4)
	if err != nil {
		own.hangUp()
		return nil, err
	}
	own.id, own.at, own.version, own.zone = row[0], row[1], row[2], zoneOf(location, name, row[3] == "1")
	return own, nil
}

// firstRow returns the first row of a query of so many columns as texts.
func (own *session) firstRow(ctx context.Context, sql string, columns int) ([]string, error) {
	rows, err := own.QueryContext(ctx, sql, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	values := make([]driver.Value, columns)
	if err := rows.Next(values); err != nil {
		return nil, err
	}
	texts := make([]string, columns)
	for i, v := range values {
		if bytes, ok := v.([]byte); ok {
			texts[i] = string(bytes)
		} else if v != nil {
			texts[i] = fmt.Sprint(v)
		}
	}
	return texts, nil
}

// settings makes results independent of how the server is configured. What GROUP_CONCAT would cut is a result beyond the limits here.
func (s *server) settings(own *session) string {
	timeout := "max_execution_time=" + strconv.FormatInt(max(s.config.StatementTimeout.Milliseconds(), 1), 10)
	if strings.Contains(own.version, "MariaDB") {
		timeout = "max_statement_time=" + strconv.FormatFloat(s.config.StatementTimeout.Seconds(), 'f', 6, 64)
	}
	return strings.Join([]string{
		"SET NAMES utf8mb4", "sql_mode=''", "time_zone=" + quoteLiteral(own.zone.name), "max_error_count=1024",
		"group_concat_max_len=" + strconv.Itoa(source.MaxDriverBytes), timeout,
	}, ", ")
}

// execute sends a statement with its values and returns its rows. Nothing of a statement that has no result, as far as the server says so, is run.
func (own *session) execute(ctx context.Context, s *named.Statement) (driver.Rows, error) {
	statement, err := own.prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	own.running = true
	rows, err := statement.QueryContext(ctx, boundValues(s))
	if _, answered := errors.AsType[*mysql.MySQLError](err); answered {
		own.running = false
	}
	return rows, err
}

// statement is what the driver's prepared statements can do.
type statement interface {
	driver.Stmt
	driver.StmtQueryContext
}

// prepare has the server parse a statement.
func (own *session) prepare(ctx context.Context, s *named.Statement) (statement, error) {
	prepared, err := own.PrepareContext(ctx, s.SQL)
	switch {
	case err != nil:
		return nil, err
	case prepared.NumInput() != len(s.Values):
		return nil, source.Structure(nil, "the query has a parameter ?, for which there is no value; write the value itself")
	}
	return prepared.(statement), nil
}

// cutShort are warnings that a result is not what the query means: a value cut by GROUP_CONCAT, a value larger than the server's packets,
// which comes as NULL, a recursion that ended early.
var cutShort = map[string]bool{"1260": true, "1301": true, "1931": true}

// wholeResult faults a result that the server says it cut.
func (own *session) wholeResult(ctx context.Context) error {
	rows, err := own.QueryContext(ctx, "SHOW WARNINGS", nil)
	if err != nil {
		return err
	}
	defer rows.Close()
	for warning := make([]driver.Value, 3); ; {
		err := rows.Next(warning)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if code := fmt.Sprint(warning[1]); cutShort[code] {
			return source.Structure(nil, "the server cut the result: %s; narrow the query",
				source.Said("warning "+code, fmt.Sprintf("%s", warning[2])))
		}
	}
}

// hangUp closes the connection, whatever it is at.
func (own *session) hangUp() {
	if own.running {
		_ = own.meter.Close() // the driver would read the rows that are not wanted, or wait for its turn to write
	}
	_ = own.Close()
}

// end ends a session. A statement that was not read to its end is ended at the server, which would notice only at its next row that nobody
// waits; the session's slot is free once it is.
func (s *server) end(own *session) {
	own.hangUp()
	if !own.running {
		s.slots.Give()
		return
	}
	s.leaving.Go(func() {
		defer s.slots.Give()
		ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
		defer cancel()
		s.kill(ctx, own)
	})
}

// kill ends what runs on another connection, if its server can be reached; behind a balancer another one may answer, which has other
// connections by that number. KILL QUERY would let a statement run that had not begun yet.
func (s *server) kill(ctx context.Context, other *session) {
	own, err := s.connect(ctx, nil)
	if err != nil {
		return // the statement timeout ends it
	}
	defer own.hangUp()
	if own.at == other.at {
		_, _ = own.ExecContext(ctx, "KILL "+other.id, nil) // it may have ended meanwhile
	}
}
