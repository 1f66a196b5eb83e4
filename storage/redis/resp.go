package redis

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// rawConn is a connection to a server that is told things unasked. The client library takes it for broken when they come in the middle of
// something.
type rawConn struct {
	net.Conn
	in   *bufio.Reader
	told func(message []any) // called with each message that is no answer
}

// rawTimeout is how long an answer takes at most that all that was told comes before.
const rawTimeout = time.Minute

// dialRaw connects to a server as its client does.
func dialRaw(ctx context.Context, o *redis.Options, told func([]any)) (*rawConn, error) {
	conn, err := o.Dialer(ctx, o.Network, o.Addr)
	if err != nil {
		return nil, err
	}
	c := &rawConn{conn, bufio.NewReaderSize(conn, 1<<16), told}
	hello := []string{"HELLO", "3"}
	if o.Password != "" {
		user := o.Username
		if user == "" {
			user = "default"
		}
		hello = append(hello, "AUTH", user, o.Password)
	}
	if _, err = c.ask(hello...); err == nil && o.DB != 0 {
		_, err = c.ask("SELECT", strconv.Itoa(o.DB))
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return c, nil
}

// serverError is the server's refusal of a command.
type serverError string

func (e serverError) Error() string { return string(e) }

// ask sends a command and returns the answer.
func (c *rawConn) ask(words ...string) (any, error) {
	if err := c.SetDeadline(time.Now().Add(rawTimeout)); err != nil {
		return nil, err
	}
	command := fmt.Appendf(nil, "*%d\r\n", len(words))
	for _, word := range words {
		command = fmt.Appendf(command, "$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := c.Write(command); err != nil {
		return nil, err
	}
	for {
		first, err := c.in.Peek(1)
		if err != nil {
			return nil, err
		}
		push := first[0] == '>' // before the buffer has other bytes
		answer, err := c.read()
		if err != nil || !push {
			return answer, err
		}
		message, _ := answer.([]any)
		c.told(message)
	}
}

// errAnswer: what a server said is no RESP3.
var errAnswer = errors.New("redis: an answer cannot be read")

// read reads a value in RESP3. An error of the server is returned as the error; numbers are texts.
func (c *rawConn) read() (any, error) {
	line, err := c.in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	if len(line) < 3 {
		return nil, errAnswer
	}
	kind, rest := line[0], line[1:len(line)-2]
	switch kind {
	case '-':
		return nil, serverError(rest)
	case '+', ':', ',', '#', '(':
		return rest, nil
	case '_':
		return nil, nil
	case '$', '=', '!':
		return c.readText(rest)
	case '*', '>', '~':
		return c.readList(rest, 1)
	case '%', '|':
		return c.readList(rest, 2)
	}
	return nil, errAnswer
}

func (c *rawConn) readText(length string) (any, error) {
	n, err := strconv.Atoi(length)
	if err != nil || n < 0 {
		return nil, err // -1 is none
	}
	text := make([]byte, n+2)
	_, err = io.ReadFull(c.in, text)
	return string(text[:n]), err
}

// readList reads a list of so many times each values.
func (c *rawConn) readList(length string, each int) (any, error) {
	n, err := strconv.Atoi(length)
	if err != nil || n < 0 {
		return nil, err
	}
	var list []any
	for range n * each {
		value, err := c.read()
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}
