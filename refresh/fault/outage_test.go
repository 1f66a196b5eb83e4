package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"mooring/storage"
)

var errSilent = fmt.Errorf("%w: connection refused", storage.ErrUnavailable)

// However many loops and attempts fail because of an outage, the log has one line when it begins, and one with their number when no loop fails any more.
func TestAnOutageIsTwoLines(t *testing.T) {
	var text bytes.Buffer
	var outage Outage
	log := slog.New(slog.NewJSONHandler(&text, nil))
	one := outage.Round(log, false, errSilent)
	other := outage.Round(log, false, errSilent)
	if level := outage.Level(log, errSilent); level != slog.LevelDebug {
		t.Errorf("an attempt that fails by it is logged at %s", level)
	}
	one = outage.Round(log, one, nil)
	one = outage.Round(log, one, errors.New("another fault"))
	other = outage.Round(log, other, errSilent)
	if lines := logged(t, &text, "storage answers again"); !other || one || len(lines) != 0 {
		t.Errorf("%v, %v: it is over while a loop fails because of it: %v", one, other, lines)
	}
	outage.Round(log, other, nil)
	outage.Round(log, false, nil)
	over := logged(t, &text, "storage answers again")
	if begun := logged(t, &text, "agent waits for the storage"); len(begun) != 1 || len(over) != 1 || over[0]["failed"] != 4.0 {
		t.Errorf("it begins with %v and ends with %v", begun, over)
	}
	if outage.Caused(log, errors.New("another fault")) || outage.Caused(log, nil) {
		t.Error("another error is taken for an outage")
	}
}

// An outage that only an attempt met is over with the next round of any loop.
func TestAnOutageOfAnAttempt(t *testing.T) {
	var text bytes.Buffer
	var outage Outage
	log := slog.New(slog.NewJSONHandler(&text, nil))
	outage.Caused(log, errSilent)
	outage.Round(log, false, nil)
	if over := logged(t, &text, "storage answers again"); len(over) != 1 || over[0]["failed"] != 1.0 {
		t.Errorf("it ends with %v", over)
	}
}

// logged are the lines of a log with a message.
func logged(t *testing.T, text *bytes.Buffer, message string) (lines []map[string]any) {
	t.Helper()
	for one := range strings.Lines(text.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(one), &line); err != nil {
			t.Fatal(err)
		}
		if line["msg"] == message {
			lines = append(lines, line)
		}
	}
	return lines
}
