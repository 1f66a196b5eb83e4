package mysql

import (
	"errors"
	"net"
)

// meter bounds what the driver reads, and so holds, of a row before it hands it over.
type meter struct {
	net.Conn
	left int
	over bool // it was more
}

// readAhead is what the driver may have read beyond a row: its buffer, and records of TLS.
const readAhead = 512 << 10

var errTooLarge = errors.New("the row is too large")

// allow lets the next row have so many bytes.
func (m *meter) allow(bytes int) { m.left = bytes + readAhead }

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		m.over = true
		return 0, errTooLarge
	}
	n, err := m.Conn.Read(p)
	m.left -= n
	return n, err
}
