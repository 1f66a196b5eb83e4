package redis_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mooring/storage/redis"
	"mooring/storage/storagetest"
)

// losing opens connections that lose the answer to the next INCR, once it is armed.
type losing struct {
	armed, lost atomic.Bool
	with        error // what a client sees of that
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
		return 0, c.of.with
	}
	return n, err
}

// increments are ways to increment a key, which is called as they are.
var increments = map[string]func(context.Context, redis.UniversalClient, string) error{
	"command": func(ctx context.Context, rdb redis.UniversalClient, key string) error {
		return rdb.Incr(ctx, key).Err()
	},
	"pipeline": func(ctx context.Context, rdb redis.UniversalClient, key string) error {
		p := rdb.Pipeline()
		p.Incr(ctx, key)
		p.Incr(ctx, key)
		_, err := p.Exec(ctx)
		return err
	},
}

// What is not known to have been carried out is not sent again: a commit would find what its first sending has done, and say that another
// writer was there. Nor is it when the answer comes too late, while other commands are answered: so it is after a process was paused.
func TestACommandWhoseAnswerWasLostIsNotSentAgain(t *testing.T) {
	for name, address := range map[string]string{"one server": storagetest.Redis(t), "a cluster": storagetest.Cluster(t)} {
		for how, send := range increments {
			for _, with := range []error{io.EOF, syscall.ECONNRESET, os.ErrDeadlineExceeded} {
				t.Run(fmt.Sprint(name, ", ", how, ", ", with), func(t *testing.T) {
					l := losing{with: &net.OpError{Op: "read", Net: "tcp", Err: with}}
					rdb, err := redis.Dial(address, l.dial, nil)
					if err != nil {
						t.Fatal(err)
					}
					defer rdb.Close()
					key := "{k}" + t.Name()
					if err := send(t.Context(), rdb, key); err != nil { // opens the connection
						t.Fatal(err)
					}
					before, err := rdb.Get(t.Context(), key).Int()
					if err != nil {
						t.Fatal(err)
					}
					var others sync.WaitGroup
					for range 32 { // which are answered meanwhile
						others.Go(func() {
							for !l.lost.Load() {
								_ = rdb.Get(t.Context(), key).Err()
							}
						})
					}
					l.armed.Store(true)
					err = send(t.Context(), rdb, key)
					if others.Wait(); err == nil {
						t.Error("it was answered")
					}
					var after int
					for deadline := time.Now().Add(storagetest.Patience); time.Now().Before(deadline); {
						if after, err = rdb.Get(t.Context(), key).Int(); err == nil { // else the server counts as silent for a moment
							break
						}
					}
					if err != nil || after != 2*before {
						t.Errorf("%d, %v after %d: want each sent once more", after, err, before)
					}
				})
			}
		}
	}
}
