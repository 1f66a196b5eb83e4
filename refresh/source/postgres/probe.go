package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"mooring/placements"
	"mooring/refresh/source"
)

var (
	_ source.Prober   = (*server)(nil)
	_ source.Listener = (*server)(nil)
)

// maxChannel is the longest name of a channel, in bytes.
const maxChannel = 63

// Probes wants a query, a channel or both.
func (p *server) Probes(probe source.Probe) error {
	switch {
	case probe.Query == "" && probe.Listen == "":
		return errors.New("query: missing; kind postgres needs a query, or a channel to listen on under listen")
	case probe.Listen != "" && p.config.WireOnly:
		return errors.New("listen: needs a PostgreSQL server, which wireOnly rules out")
	case len(probe.Listen) > maxChannel || strings.ContainsRune(probe.Listen, 0):
		return errors.New("listen: the name of a channel has at most 63 bytes")
	case probe.Query == "":
		return nil
	}
	return source.InQuery(source.WantSQL(source.Query{SQL: probe.Query}))
}

// Probe returns a digest of the query's result.
func (p *server) Probe(ctx context.Context, query string) (string, error) {
	return source.ProbeQuery(ctx, p, source.Query{SQL: query})
}

const (
	// listenPing is how long a connection may be silent before the server is asked whether it is still there.
	listenPing = 30 * time.Second
	// proofLimit is how long the proof that notifications arrive may take.
	proofLimit = 5 * time.Second
)

// errPooled is why nothing would be heard.
var errPooled = errors.New("a notification did not arrive; a pooler such as PgBouncer in transaction mode keeps them back: " +
	"connect to the server itself")

// Listen listens on a connection of its own, beside those of queries. Before it calls heard, it proves by a notification of its own, sent
// over another connection, that notifications arrive: a pooler takes LISTEN without effect.
func (p *server) Listen(ctx context.Context, channel string, heard func()) error {
	if err := p.listen(ctx, channel, heard); ctx.Err() == nil {
		return p.classifyListen(ctx, err)
	}
	return ctx.Err()
}

func (p *server) classifyListen(ctx context.Context, err error) error {
	if errors.Is(err, errPooled) {
		return source.Fault(placements.Permanent, err, "PostgreSQL cannot be listened to: %v", errPooled)
	}
	return p.classify(ctx, err)
}

func (p *server) listen(ctx context.Context, channel string, heard func()) error {
	config := p.pool.config.Copy()
	proof, proved := "mooring_"+strings.ToLower(rand.Text()), false
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		switch {
		case n.Channel == proof:
			proved = true
		case proved && n.Channel == channel:
			heard()
		}
	}
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer shut(conn)
	if err := conn.Exec(ctx, "LISTEN "+quoteName(proof)+"; LISTEN "+quoteName(channel)).Close(); err != nil {
		return err
	}
	if err := p.prove(ctx, conn, proof, &proved); err != nil {
		return err
	}
	heard()
	for {
		if err := hear(ctx, conn); err != nil {
			return err
		}
	}
}

// prove sends a notification to the channel of the proof, and waits until conn has it.
func (p *server) prove(ctx context.Context, conn *pgconn.PgConn, channel string, proved *bool) error {
	limited, cancel := context.WithTimeout(ctx, proofLimit)
	defer cancel()
	other, err := pgconn.ConnectConfig(limited, p.pool.config)
	if err != nil {
		return err
	}
	defer shut(other)
	if err := other.Exec(limited, "NOTIFY "+quoteName(channel)).Close(); err != nil {
		return err
	}
	for !*proved {
		if err := conn.WaitForNotification(limited); err != nil {
			if limited.Err() != nil && ctx.Err() == nil {
				return errPooled
			}
			return err
		}
	}
	return nil
}

// hear waits for a notification, which the connection's handler is told of, or for the time to see whether the server is still there.
func hear(ctx context.Context, conn *pgconn.PgConn) error {
	limited, cancel := context.WithTimeout(ctx, listenPing)
	defer cancel()
	err := conn.WaitForNotification(limited)
	if err == nil || limited.Err() == nil || ctx.Err() != nil {
		return err
	}
	ping, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return conn.Ping(ping)
}

// quoteName makes an identifier of s, whatever it holds but NUL.
func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
