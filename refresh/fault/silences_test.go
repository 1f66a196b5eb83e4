package fault

import (
	"bytes"
	"log/slog"
	"testing"
)

// However much fails while a source or host does not answer, the log has one line when that begins and one with their number when it is over.
func TestASilenceIsTwoLines(t *testing.T) {
	var text bytes.Buffer
	var s Silences
	log := slog.New(slog.NewJSONHandler(&text, nil))
	s.Answered(t.Context(), log, "host a", "one") // nothing has failed
	for i, asked := range []string{"one", "two", "one"} {
		if begins := s.Failed("host a", asked); begins != (i == 0) {
			t.Errorf("fault %d begins a silence: %t", i, begins)
		}
	}
	if !s.Failed("host b", "one") {
		t.Error("that of another host is taken for the same")
	}
	s.Answered(t.Context(), log, "host a", "three") // it never failed
	if over := logged(t, &text, "answers again"); len(over) != 0 {
		t.Errorf("it is over though what failed has not been answered: %v", over)
	}
	s.Answered(t.Context(), log, "host a", "two")
	s.Answered(t.Context(), log, "host a", "one")
	over := logged(t, &text, "answers again")
	if len(over) != 1 || over[0]["failed"] != 3.0 || over[0]["subject"] != "host a" {
		t.Errorf("it ends with %v", over)
	}
	if !s.Failed("host a", "one") {
		t.Error("the next silence does not begin")
	}
}
