package main

import (
	"net/http"
	"strings"
	"testing"

	"mooring/storage/storagetest"
)

// An operator reads in the log of the built program what failed where, and an outage of the storage as one line, and one once it is over.
func TestTheLogOfAnOutageAndOfABrokenFile(t *testing.T) {
	t.Parallel()
	redis := &redisServer{t: t, dir: t.TempDir(), addr: storagetest.FreeAddr(t)}
	redis.start()
	s := newSiteOn(t, storagetest.Addr(redis.addr))
	report := s.placedIn("broken.xlsx", "Data!B2")
	s.shown(s.runOf(report), "ended", hasEnded)
	line := s.server.waitFor(`msg="refresh failed"`)
	for _, want := range []string{"documents=[broken.xlsx]", "placements=[", "failed=1", "report=1"} {
		if !strings.Contains(line, want) {
			t.Errorf("the line of what failed lacks %s: %s", want, line)
		}
	}

	redis.kill()
	began := s.server.waitFor(`msg="agent waits for the storage"`)
	if n := strings.Count(began, "storage unavailable"); n != 1 {
		t.Errorf("it says %d times that the storage is unavailable: %s", n, began)
	}
	if status, _ := s.send(http.MethodGet, report, ""); status != http.StatusServiceUnavailable {
		t.Errorf("a request is answered by %d", status)
	}
	redis.start()
	s.server.waitFor(`msg="storage answers again"`)
	s.shown(s.runOf(report), "ended", hasEnded)
	for _, mark := range []string{`msg="agent waits for the storage"`, `msg="storage answers again"`} {
		if n := strings.Count(s.server.out.String(), mark); n != 1 {
			t.Errorf("%d lines with %s:\n%s", n, mark, s.server.out)
		}
	}
}
