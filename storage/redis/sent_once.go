package redis

import (
	"context"
	"errors"
	"net"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// sentOnce makes the nodes of a cluster be sent each command once. The library's client of a cluster sends what was on a lost connection again,
// whatever MaxRetries says, although it may have been carried out. It does so for errors that it knows: a lost connection has one that it does
// not. Redirections, and connections that could not be opened, are followed by another try as before: nothing was carried out.
func sentOnce(o *redis.UniversalOptions) {
	dial := o.Dialer
	if dial == nil {
		dial = redis.NewDialer(&redis.Options{DialTimeout: o.DialTimeout, TLSConfig: o.TLSConfig})
	}
	o.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if checked, ok := c.(syscall.Conn); ok {
			return checkedConn{onceConn{c}, checked}, nil
		}
		return onceConn{c}, nil
	}
}

// onceConn is a connection whose loss is a lostError.
type onceConn struct{ net.Conn }

func (c onceConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, lost(err)
}

func (c onceConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	return n, lost(err)
}

// checkedConn is one of which the library can see that it is lost before it sends a command.
type checkedConn struct {
	onceConn
	syscall.Conn
}

// lostError says how a connection was lost. It unwraps to nothing, and does not say to the library that it is a timeout: see sentOnce.
type lostError struct {
	text string
	late bool // its time was over: a server that does not answer may still carry out what it was sent
}

func (e *lostError) Error() string { return e.text }

// lost returns the error of a connection.
func lost(err error) error {
	if err == nil {
		return nil
	}
	return &lostError{text: err.Error(), late: isTimeout(err)}
}

// isTimeout reports whether the time of a command was over.
func isTimeout(err error) bool {
	if l, ok := errors.AsType[*lostError](err); ok {
		return l.late
	}
	t, ok := errors.AsType[net.Error](err)
	return ok && t.Timeout()
}
