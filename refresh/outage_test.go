package refresh

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/placements"
	"mooring/storage"
)

var errDown = fmt.Errorf("%w: connection refused", storage.ErrUnavailable)

// The line of what failed in a run names documents and placements; what failed for one cause is one line.
func TestAFailureNamesItsPlacements(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		var log bytes.Buffer
		r.engine.useLog(slog.New(slog.NewJSONHandler(&log, nil)))
		one := r.connect("Sheet1!B2")
		r.edit("other.xlsx", func(*excelize.File) {})
		two := r.connectTo("other.xlsx", "Sheet1!B2")
		r.exec("ALTER TABLE cities RENAME TO secret")
		r.failed(r.refresh(Request{}), placements.Structure, "no such table")
		lines := told(r.T, &log, "refresh failed")
		if len(lines) != 1 {
			r.Fatalf("%d lines: %v", len(lines), lines)
		}
		if got, want := fmt.Sprint(lines[0]["documents"], lines[0]["placements"], lines[0]["failed"]), fmt.Sprint([]string{"book.xlsx", "other.xlsx"}, []string{one.ID, two.ID}, 2); got != want {
			r.Errorf("it names %s, want %s", got, want)
		}
	})
}
