package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"mooring/refresh/source"
)

// pool keeps connections to one server: at most cap(slots) at a time, the one used last first. It has no goroutine of its own;
// idle connections are looked at when another is returned.
type pool struct {
	config  *pgconn.Config
	slots   source.Slots // one taken by each connection in use or still being torn down
	closing sync.WaitGroup

	mu     sync.Mutex
	idle   []idleConn // the longest idle first
	closed bool
}

type idleConn struct {
	conn  *pgconn.PgConn
	since time.Time
}

const (
	// maxIdle is how long an unused connection is kept.
	maxIdle = 5 * time.Minute
	// pingTimeout is how long a connection may take to show that it still works.
	pingTimeout = 5 * time.Second
	// closeTimeout bounds the farewell to a server.
	closeTimeout = 5 * time.Second
)

func newPool(config *pgconn.Config, size int) *pool {
	return &pool{config: config, slots: make(source.Slots, size)}
}

// acquire returns a connection that answers, waiting for a free slot if need be. The caller must release it.
func (p *pool) acquire(ctx context.Context) (*pgconn.PgConn, error) {
	if err := p.slots.Take(ctx); err != nil {
		return nil, err
	}
	conn, err := p.connect(ctx)
	if err != nil {
		p.slots.Give()
	}
	return conn, err
}

func (p *pool) connect(ctx context.Context) (*pgconn.PgConn, error) {
	for {
		conn := p.takeIdle()
		if conn == nil {
			return pgconn.ConnectConfig(ctx, p.config)
		}
		if answers(ctx, conn) {
			return conn, nil
		}
		shut(conn) // the server went away meanwhile
	}
}

// answers reports whether a connection is alive: one whose server refuses the ping is, too.
func answers(ctx context.Context, conn *pgconn.PgConn) bool {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	err := conn.Ping(ctx)
	var refused *pgconn.PgError
	return err == nil || errors.As(err, &refused) && !conn.IsClosed()
}

// takeIdle returns the connection used last, nil when there is none.
func (p *pool) takeIdle() *pgconn.PgConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	last := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return last.conn
}

// release takes a connection back. One that was closed, as when its query was cancelled, frees its slot once the server has
// been told.
func (p *pool) release(conn *pgconn.PgConn) {
	if conn.IsClosed() {
		p.closing.Go(func() {
			<-conn.CleanupDone()
			p.slots.Give()
		})
		return
	}
	for _, old := range p.keep(conn) {
		shut(old)
	}
	p.slots.Give()
}

// keep puts conn among the idle ones and returns those to close.
func (p *pool) keep(conn *pgconn.PgConn) (old []*pgconn.PgConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return []*pgconn.PgConn{conn}
	}
	now := time.Now()
	for len(p.idle) > 0 && now.Sub(p.idle[0].since) > maxIdle {
		old = append(old, p.idle[0].conn)
		p.idle = p.idle[1:]
	}
	p.idle = append(p.idle, idleConn{conn, now})
	return old
}

// close closes the idle connections, lets those in use be closed when they come back, and waits for what is being torn down.
func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, i := range idle {
		shut(i.conn)
	}
	p.closing.Wait()
}

func shut(conn *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_ = conn.Close(ctx) // nothing is left to be done about it
}
