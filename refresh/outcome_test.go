package refresh

import (
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage/storagetest"
)

func TestARunSaysWhatItReplacedOnlyIfItMayHaveWritten(t *testing.T) {
	for _, tt := range []struct {
		fact     string
		below    bool // a person's cell is in the way
		refuses  placements.Class
		replaced int // rows
	}{
		{"a run that writes", false, "", 1},
		{"a run that meets a cell of a person below the block", true, "", 0},
		{"a run whose write is refused", false, placements.Structure, 0},
		{"a run whose write may have been carried out", false, placements.Transient, 1},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			d := newDesk(t, storagetest.Open(t, "embedded"), 1)
			first := d.ask(0, Request{})
			d.work()
			d.succeeded(first)
			d.books.enter("book", 1, 1, checksum.Str("mine"))
			if tt.below {
				d.tables.bulk = 1 // a row more
				d.books.enter("book", 3, 0, checksum.Str("a note"))
			}
			if tt.refuses != "" {
				d.books.refuse = func(host.Patch) *placements.Fault { return &placements.Fault{Class: tt.refuses, Message: "no"} }
			}
			id := d.ask(0, Request{Options: onEdit(placements.Overwrite)})
			d.work()
			run := d.run(id).Placements[0]
			if wrote := !tt.below && tt.refuses == ""; wrote != (run.State == placements.RunSucceeded) || wrote != (len(run.EditedRows) == 1) {
				t.Errorf("%s (%s), edited rows %v", run.State, run.Error, run.EditedRows)
			}
			if len(run.Overwritten) != tt.replaced {
				t.Errorf("replaced %v, want %d rows", run.Overwritten, tt.replaced)
			}
		})
	}
}
