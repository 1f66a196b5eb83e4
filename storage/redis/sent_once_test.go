package redis_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"mooring/storage/redis"
	"mooring/storage/storagetest"
)

// losing opens connections that lose the answer to the next INCR, once it is armed.
type losing struct {
	armed, lost atomic.Bool
}

func (l *losing) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	return &losingConn{Conn: c, of: l}, err
}

type losingConn struct {
	net.Conn
	of    *losing
	loses bool // the next answer
}

func (c *losingConn) Write(b []byte) (int, error) {
	c.loses = bytes.Contains(b, []byte("incr")) && c.of.armed.CompareAndSwap(true, false)
	return c.Conn.Write(b)
}

func (c *losingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.loses {
		c.of.lost.Store(true)
		c.Conn.Close()
		return 0, io.EOF
	}
	return n, err
}

// What is not known to have been carried out is not sent again: a commit would find what its first sending has done, and say that another
// writer was there.
func TestACommandWhoseAnswerWasLostIsNotSentAgain(t *testing.T) {
	for name, address := range map[string]string{"one server": storagetest.Redis(t), "a cluster": storagetest.Cluster(t)} {
		for how, send := range map[string]func(redis.UniversalClient, context.Context) error{
			"a command": func(rdb redis.UniversalClient, ctx context.Context) error { return rdb.Incr(ctx, "{k}command").Err() },
			"a pipeline": func(rdb redis.UniversalClient, ctx context.Context) error {
				p := rdb.Pipeline()
				p.Incr(ctx, "{k}pipeline")
				p.Incr(ctx, "{k}pipeline")
				_, err := p.Exec(ctx)
				return err
			},
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				var l losing
				rdb, err := redis.Dial(address, l.dial, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer rdb.Close()
				if err := send(rdb, t.Context()); err != nil { // opens the connection
					t.Fatal(err)
				}
				key := map[string]string{"a command": "{k}command", "a pipeline": "{k}pipeline"}[how]
				before, err := rdb.Get(t.Context(), key).Int()
				if err != nil {
					t.Fatal(err)
				}
				l.armed.Store(true)
				if err := send(rdb, t.Context()); err == nil || !l.lost.Load() {
					t.Errorf("the answer was lost: %t, and the error is %v", l.lost.Load(), err)
				}
				after, err := rdb.Get(t.Context(), key).Int()
				if err != nil || after != 2*before {
					t.Errorf("%d, %v after %d: want each sent once more", after, err, before)
				}
			})
		}
	}
}
