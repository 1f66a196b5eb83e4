//go:build unix

package postgres_test

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"mooring/placements"
	"mooring/refresh/secret"
	"mooring/refresh/source"
	"mooring/refresh/source/postgres"
	"mooring/refresh/source/sourcetest"
)

func wantListenFault(t *testing.T, err error, class placements.Class, says string) {
	t.Helper()
	fault, ok := errors.AsType[*placements.Fault](err)
	if !ok || fault.Class != class || !strings.Contains(fault.Message, says) {
		t.Errorf("got %v, want a %s fault that says %q", err, class, says)
	}
}

// testPostgresListen holds that a lost connection ends a listener, and that it takes none of those of queries.
func testPostgresListen(t *testing.T, server *sourcetest.Postgres, config postgres.Config) {
	config.MaxConnections = 1
	src := sourcetest.Open(t, &config)
	heard, ended := make(chan struct{}), make(chan error)
	go func() {
		ended <- src.(source.Listener).Listen(t.Context(), "orders", func() { heard <- struct{}{} })
	}()
	<-heard
	sourcetest.Table(t, src, source.Query{SQL: "SELECT 1"})
	server.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mooring'")
	wantListenFault(t, <-ended, placements.Transient, "")
}

// startPooler starts a server that takes every statement, as a pooler does, and never delivers a notification.
func startPooler(t *testing.T) postgres.Config {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go servePooled(conn)
		}
	}()
	return postgres.Config{URL: secret.Text("postgres://u@" + l.Addr().String() + "/d?sslmode=disable")}
}

func servePooled(conn net.Conn) {
	defer conn.Close()
	b := pgproto3.NewBackend(conn, conn)
	if _, err := b.ReceiveStartupMessage(); err != nil {
		return
	}
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	for b.Flush() == nil {
		if _, err := b.Receive(); err != nil {
			return
		}
		b.Send(&pgproto3.CommandComplete{CommandTag: []byte("LISTEN")})
		b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	}
}

func TestPostgresSaysWhenAPoolerKeepsNotificationsBack(t *testing.T) {
	config := startPooler(t)
	err := sourcetest.Open(t, &config).(source.Listener).Listen(t.Context(), "orders", func() { t.Error("it hears") })
	wantListenFault(t, err, placements.Permanent, "PgBouncer")
}
