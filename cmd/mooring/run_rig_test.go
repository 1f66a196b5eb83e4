package main

import (
	"net/http"
	"time"

	"mooring/storage/record"
)

// placedIn makes a report that stands in a document, and returns its path.
func (s *site) placedIn(document, at string) string {
	s.t.Helper()
	path, _ := s.report("1", "SELECT name, amount FROM t")
	s.connect(path, document, at)
	return path
}

// runOf asks for a run of a report and returns its path.
func (s *site) runOf(report string) string {
	s.t.Helper()
	var started struct{ RunID string }
	if err := s.client.do(s.t.Context(), http.MethodPost, report+"/refreshes", map[string]any{}, &started); err != nil {
		s.t.Fatal(err)
	}
	return report + "/refreshes/" + started.RunID
}

// shown waits until a run is as it should be, and returns it.
func (s *site) shown(path, what string, is func(record.Run) bool) (run record.Run) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(poll) {
		run = record.Run{}
		if err := s.client.do(s.t.Context(), http.MethodGet, path, nil, &run); err != nil {
			s.t.Fatal(err)
		}
		if is(run) {
			return run
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the run is %s (%s: %s), want %s\n%s", run.State, run.ErrorClass, run.Error, what, s.server.out)
		}
	}
}

func hasEnded(run record.Run) bool { return run.EndedAt != "" }
