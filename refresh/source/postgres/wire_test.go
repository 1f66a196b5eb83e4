package postgres_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/secret"
	"mooring/refresh/source"
	"mooring/refresh/source/postgres"
	"mooring/refresh/source/sourcetest"
)

// wireServer speaks PostgreSQL's wire protocol and nothing more: it knows no settings, no transactions and no simple queries.
// Every statement has the same result, in forms that PostgreSQL would not write, but for those about catalogs, of which it has none.
type wireServer struct {
	listener net.Listener
	logins   atomic.Int32
}

func startWireServer(t *testing.T) *wireServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &wireServer{listener: l}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s
}

func (s *wireServer) serve(conn net.Conn) {
	defer conn.Close()
	b := pgproto3.NewBackend(conn, conn)
	startup, err := b.ReceiveStartupMessage()
	if err != nil {
		return
	}
	message, ok := startup.(*pgproto3.StartupMessage)
	if !ok {
		return
	}
	for name := range message.Parameters {
		if name != "user" && name != "database" {
			b.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "42704", Message: "unknown parameter " + name})
			_ = b.Flush()
			return
		}
	}
	s.logins.Add(1)
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	failed := false // until the client synchronizes
	for b.Flush() == nil {
		message, err := b.Receive()
		if err != nil {
			return
		}
		if parse, is := message.(*pgproto3.Parse); is && strings.Contains(parse.Query, "_schema.") || is && strings.Contains(parse.Query, "pg_catalog.") {
			b.Send(&pgproto3.ErrorResponse{Severity: "ERROR", Code: "42P01", Message: "there is no such table"})
			failed = true
		}
		if _, is := message.(*pgproto3.Sync); is || !failed {
			failed = false
			s.answer(b, message)
		}
	}
}

func (s *wireServer) answer(b *pgproto3.Backend, message pgproto3.FrontendMessage) {
	switch message.(type) {
	case *pgproto3.Parse:
		b.Send(&pgproto3.ParseComplete{})
	case *pgproto3.Bind:
		b.Send(&pgproto3.BindComplete{})
	case *pgproto3.Describe:
		b.Send(&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{
			{Name: []byte("paid"), DataTypeOID: pgtype.BoolOID},
			{Name: []byte("n"), DataTypeOID: pgtype.Int8OID},
			{Name: []byte("at"), DataTypeOID: pgtype.TimestampOID},
			{Name: []byte("raw"), DataTypeOID: pgtype.ByteaOID},
		}})
	case *pgproto3.Execute:
		b.Send(&pgproto3.DataRow{Values: [][]byte{[]byte("true"), []byte("12.5"), []byte("2024-05-06T06:00:00.000"), []byte("raw")}})
		b.Send(&pgproto3.DataRow{Values: [][]byte{[]byte("maybe"), []byte("7"), []byte("06/05/2024"), nil}})
		b.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 2")})
	case *pgproto3.Sync:
		b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	case *pgproto3.Query:
		b.Send(&pgproto3.ErrorResponse{Severity: "ERROR", Code: "0A000", Message: "simple queries are unknown here"})
		b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	}
}

func (s *wireServer) config(wireOnly bool) *postgres.Config {
	url := "postgres://u@" + s.listener.Addr().String() + "/d?sslmode=disable"
	return &postgres.Config{URL: secret.Text(url), WireOnly: wireOnly}
}

func TestPostgresWireAlone(t *testing.T) {
	server := startWireServer(t)
	src := sourcetest.Open(t, server.config(true))
	if err := src.Check(context.Background()); err != nil {
		t.Fatal(err)
	}
	_, grid := sourcetest.Table(t, src, source.Query{SQL: "SELECT anything"})
	const day = 45418 // 2024-05-06
	for i, want := range [][]checksum.Cell{
		{checksum.Bool(true), checksum.Str("12.5"), checksum.Num(day + .25), checksum.Str("raw")},
		{checksum.Str("maybe"), checksum.Num(7), checksum.Str("06/05/2024")},
	} {
		if diff := cmp.Diff(want, grid.Cells(i+1, nil)); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", i+1, diff)
		}
	}
	if got := server.logins.Load(); got != 1 {
		t.Errorf("%d logins, want 1: the connection is kept", got)
	}
}

func TestPostgresSaysWhenAServerNeedsWireOnly(t *testing.T) {
	src := sourcetest.Open(t, startWireServer(t).config(false))
	var fault *placements.Fault
	if err := src.Check(context.Background()); !errors.As(err, &fault) {
		t.Fatalf("got %v, want a fault", err)
	}
	if fault.Class != placements.Structure || !strings.Contains(fault.Message, "wireOnly") {
		t.Errorf("%s: %s, want a structure fault that names wireOnly", fault.Class, fault.Message)
	}
}
