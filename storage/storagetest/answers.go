package storagetest

import (
	"bytes"
	"net"
	"time"
)

// answers tells whether the server on addr reports want in its INFO: another process may have taken the port.
func answers(addr string, want []byte) bool {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return false
	}
	if _, err := c.Write([]byte("INFO server\r\n")); err != nil {
		return false
	}
	var reply []byte
	buffer := make([]byte, 4096)
	for !bytes.Contains(reply, want) {
		n, err := c.Read(buffer)
		if err != nil {
			return false
		}
		reply = append(reply, buffer[:n]...)
	}
	return true
}
