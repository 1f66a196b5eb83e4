package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"mooring/cmd/mooring/process"
	"mooring/storage/storagetest"
)

// slowRedis is a proxy of a Redis. On the first connection whose commands mark reports it answers nothing more, as a server that takes longer
// than its client waits.
type slowRedis struct {
	net.Listener
	behind string
	mark   func(sent []byte) bool
	silent atomic.Int64
	most   atomic.Int64 // bytes of one command, at most
}

func newSlowRedis(t *testing.T, address string, mark func(sent []byte) bool) *slowRedis {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	r := &slowRedis{Listener: l, behind: storagetest.HostPort(t, address), mark: mark}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.serve(c)
		}
	}()
	return r
}

func (r *slowRedis) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", r.behind)
	if err != nil {
		return
	}
	defer server.Close()
	var silent atomic.Bool
	var sent atomic.Int64 // bytes since the last answer
	go func() {
		defer client.Close()
		answer := make([]byte, 64<<10)
		for {
			n, err := server.Read(answer)
			if err != nil {
				return
			}
			sent.Store(0)
			if !silent.Load() {
				if _, err := client.Write(answer[:n]); err != nil {
					return
				}
			}
		}
	}()
	var recent []byte
	for b := make([]byte, 64<<10); ; {
		n, err := client.Read(b)
		if err != nil {
			return
		}
		recent = append(recent[max(0, len(recent)-256<<10):], b[:n]...)
		if r.mark(recent) && r.silent.CompareAndSwap(0, 1) {
			silent.Store(true)
		}
		for sum := sent.Add(int64(n)); sum > r.most.Load(); {
			r.most.Store(sum)
		}
		if _, err := server.Write(b[:n]); err != nil && !errors.Is(err, io.EOF) {
			return
		}
	}
}

// The built program imports many placements exactly once, whatever a slow Redis does not answer in time, and never sends it much at once.
func TestAnImportOnASlowRedis(t *testing.T) {
	t.Parallel()
	const lines = 3000
	address := storagetest.Redis(t)
	s := newSiteOn(t, address)
	report, id := s.report("1", "select * from t")
	var text strings.Builder
	for i := range lines {
		fmt.Fprintf(&text, `{"reportId":%d,"id":"p%d","workbookId":"doc%d.xlsx","resultLocation":"Data!B2","workbookName":"%s"}`+"\n", id, i, i, strings.Repeat("long ", 20))
	}
	// What carries out a transaction on a stage has a script, new to the server, one key, and four arguments.
	slow := newSlowRedis(t, address, func(sent []byte) bool {
		const head = "*8\r\n$4\r\neval\r\n"
		at := bytes.LastIndex(sent, []byte(head))
		if at < 0 {
			return false
		}
		command, _, _ := bytes.Cut(sent[at+len(head):], []byte("\r\n*"))
		return bytes.Contains(command, []byte("}:stage:"))
	})
	config := s.config
	s.config = filepath.Join(s.dir, "slow.yaml")
	writeFile(t, s.config, strings.ReplaceAll(siteConfig, "${REDIS}", "redis://"+slow.Addr().String()))
	status, stdout, stderr := s.imports("-", text.String())
	s.config = config
	if status != process.ExitDone || stdout != fmt.Sprintf("%d placements imported\n", lines) {
		t.Errorf("%d: %s%s", status, stdout, stderr)
	}
	if slow.silent.Load() == 0 {
		t.Error("the last command was answered")
	}
	if most := slow.most.Load(); most > 1<<20 {
		t.Errorf("%d bytes were sent at once", most)
	}
	if got := len(s.placed(report)); got != lines {
		t.Errorf("%d placements, want %d", got, lines)
	}
}
