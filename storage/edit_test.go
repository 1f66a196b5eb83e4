package storage_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

// The times of these edits.
const (
	monday  = "2026-03-02T07:00:00.000Z"
	tuesday = "2026-03-03T07:00:00.000Z"
)

// adaReads is Ada, who may read every report.

// seen is an edit of a number, the source's being 1.
func seen(id string, row, column int, at string) record.Edit {
	return record.Edit{ID: id, Row: row, Column: column, Name: "amount", Yours: 2.0, Source: 1.0, SeenAt: at}
}

// leaveEdits refreshes p in a run that leaves those edits, after during.
func (c *clockwork) leaveEdits(p placements.Placement, edits []record.Edit, during ...func()) {
	c.Helper()
	a, before := c.beginNext("a", c.manual()), c.placed(p)
	for _, f := range during {
		f()
	}
	a.Run.State, a.Run.EndedAt = placements.RunSucceeded, placements.Time(tick)
	must(c.T, c.q.Complete(c.Context(), a, work.Outcome{
		Placements: []work.PlacementOutcome{{Placement: before.Placement, Before: before, Written: true, Rows: []byte("prints"), Edits: edits}},
	}))
}

// edits is what an attempt finds of a placement's edits.
func (c *clockwork) edits(p placements.Placement) []record.Edit {
	c.Helper()
	blocks, err := c.q.Blocks(c.Context(), c.d().Tenant, []work.BlockQuery{{
		Deployment: c.d(), ReportID: c.report.ID, Known: storage.Placed{Placement: p},
	}})
	must(c.T, err)
	return blocks[0].Rows.Edits
}

// giveBack gives back cells of p as someone who may.
func (c *clockwork) giveBack(p placements.Placement, cells ...string) error {
	c.Helper()
	return c.s.Placements().ReturnEdits(c.Context(), c.d(), c.report.ID, p.ID, cells, ada, anyEdits)
}

func anyEdits(*storage.Report, *placements.Placement) error { return nil }

// told lists the events of edits since the start, each with what its data has beside the place.
func (c *clockwork) told() []string {
	c.Helper()
	events, err := c.s.Queue().Events.After(c.Context(), c.d(), "0-0", 1000)
	must(c.T, err)
	var told []string
	for _, e := range events {
		kind, isEdits := strings.CutPrefix(string(e.Type), "placement.edits_")
		if !isEdits {
			continue
		}
		var data struct {
			PlacementID, ExternalWorkbookID, ResultLocation string
			Rows, Cells                                     int
			NewCells                                        []string
		}
		must(c.T, json.Unmarshal(e.Data, &data))
		if data.PlacementID == "" || data.ExternalWorkbookID != "book" || data.ResultLocation == "" {
			c.Errorf("the event does not say where: %s", e.Data)
		}
		if kind == "kept" {
			kind = fmt.Sprintf("kept %d/%d %s", data.Rows, data.Cells, strings.Join(data.NewCells, " "))
		}
		told = append(told, kind)
	}
	return told
}

// leftovers lists the keys that are kept of edits.
func (c *clockwork) leftovers() []string {
	c.Helper()
	var keys []string
	for key := range c.s.Dump(c.T) {
		if strings.Contains(key, ":edits:") || strings.Contains(key, ":returned:") {
			keys = append(keys, key)
		}
	}
	return keys
}

func TestTheEditsOfARunAreKeptAsItLeftThem(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!B2")
		want := []record.Edit{
			{ID: "renamed", Row: 0, Column: 1, Name: "amount", Yours: "Betrag <&>", Source: "amount", SeenAt: tuesday},
			{ID: "emptied", Row: 3, Column: 0, Name: "city", Source: "Berlin", SeenAt: monday},
			{ID: "formula", Row: 3, Column: 1, Name: "amount", Yours: map[string]any{"formula": "=1+1", "value": 2.0}, SeenAt: tuesday},
			{ID: "own", Row: 7, Column: 0, Name: "city", Yours: true, Inserted: true, SeenAt: tuesday},
		}
		c.leaveEdits(p, want)
		if diff := cmp.Diff(want, c.edits(p)); diff != "" {
			c.Errorf("an attempt finds (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(&placements.EditSummary{Rows: 3, Cells: 4, Since: monday}, c.placed(p).Edits); diff != "" {
			c.Errorf("the placement shows (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"kept 3/4 S!C2 S!B5 S!C5 S!B9"}, c.told()); diff != "" {
			c.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

func TestCompletingNamesANewEdit(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		c.s.SetNow(func() time.Time { return tick })
		c.leaveEdits(p, []record.Edit{seen("", 1, 0, ""), seen("", 1, 1, "")})
		got := c.edits(p)
		if len(got) != 2 || got[0].ID == "" || got[0].ID == got[1].ID || got[0].SeenAt != placements.Time(tick) {
			c.Errorf("the edits are %+v", got)
		}
		if since := c.placed(p).Edits.Since; since != placements.Time(tick) {
			c.Errorf("the oldest is of %s", since)
		}
	})
}

func TestEventsTellOfNewEditsAndOfTheLast(t *testing.T) {
	a, b, moved := seen("a", 1, 0, monday), seen("b", 2, 0, monday), seen("a", 5, 0, monday)
	for _, tt := range []struct {
		name string
		runs [][]record.Edit
		want []string
	}{
		{"none and none are no event", [][]record.Edit{nil, nil}, nil},
		{"kept again is no event", [][]record.Edit{{a, b}, {a, b}}, []string{"kept 2/2 S!A2 S!A3"}},
		{"a row that moves is no new edit", [][]record.Edit{{a}, {moved}}, []string{"kept 1/1 S!A2"}},
		{"fewer are no event", [][]record.Edit{{a, b}, {b}}, []string{"kept 2/2 S!A2 S!A3"}},
		{"one more is told, alone", [][]record.Edit{{a}, {a, b}}, []string{"kept 1/1 S!A2", "kept 2/2 S!A3"}},
		{"another one instead is told", [][]record.Edit{{a}, {b}}, []string{"kept 1/1 S!A2", "kept 1/1 S!A3"}},
		{"the last one gone is told once", [][]record.Edit{{a}, nil, nil}, []string{"kept 1/1 S!A2", "gone"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachClockwork(t, "skip", func(c *clockwork) {
				p := c.connect("S!A1")
				for _, edits := range tt.runs {
					c.leaveEdits(p, edits)
				}
				if diff := cmp.Diff(tt.want, c.told()); diff != "" {
					c.Errorf("events (-want +got):\n%s", diff)
				}
				if last := tt.runs[len(tt.runs)-1]; len(last) == 0 && (c.placed(p).Edits != nil || len(c.leftovers()) > 0) {
					c.Errorf("without edits there are %v and %v", c.placed(p).Edits, c.leftovers())
				}
			})
		})
	}
}

func TestAMarkGoesByTheEditAndEndsWithIt(t *testing.T) {
	a, b, moved := seen("a", 1, 0, monday), seen("b", 2, 0, monday), seen("a", 5, 0, monday)
	for _, tt := range []struct {
		name   string
		during bool // the mark is set while the run is in flight
		after  []record.Edit
		want   string // ids of those given back after the run
		keys   int
	}{
		{"an edit that is still there stays marked", false, []record.Edit{a, b}, "a", 2},
		{"it stays marked where its row moved", false, []record.Edit{b, moved}, "a", 2},
		{"a mark set while the run was in flight is not lost", true, []record.Edit{a, b}, "a", 2},
		{"a mark ends with its edit", false, []record.Edit{b}, "", 1},
		{"also one set while the run was in flight", true, []record.Edit{b}, "", 1},
		{"the last edit takes the marks with it", false, nil, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachClockwork(t, "skip", func(c *clockwork) {
				p := c.connect("S!A1")
				c.leaveEdits(p, []record.Edit{a, b})
				mark := func() { must(c.T, c.giveBack(p, "A2")) }
				if tt.during {
					c.leaveEdits(p, tt.after, mark)
				} else {
					mark()
					if got := returned(c.edits(p)); got != "a" {
						c.Errorf("an attempt finds %q given back, want a", got)
					}
					c.leaveEdits(p, tt.after)
				}
				if got := returned(c.edits(p)); got != tt.want {
					c.Errorf("given back is %q, want %q", got, tt.want)
				}
				if keys := c.leftovers(); len(keys) != tt.keys {
					c.Errorf("kept are %v, want %d keys", keys, tt.keys)
				}
			})
		})
	}
}

// returned names the edits that are given back.
func returned(edits []record.Edit) string {
	var ids []string
	for _, e := range edits {
		if e.Returned {
			ids = append(ids, e.ID)
		}
	}
	return strings.Join(ids, " ")
}

func TestEditsEndWithTheCellsTheyAreIn(t *testing.T) {
	here := placements.Connection{ExternalWorkbookID: "book", ResultLocation: "S!A1", SheetID: "7", AddressOnly: true}
	connect := func(change func(*placements.Connection)) func(*clockwork, placements.Placement) {
		return func(c *clockwork, p placements.Placement) {
			sent := here
			sent.PlacementID = p.ID
			change(&sent)
			_, err := c.s.Placements().Connect(c.Context(), c.d(), c.report.ID, sent, adaReads, nil, false)
			must(c.T, err)
		}
	}
	for _, tt := range []struct {
		name string
		do   func(*clockwork, placements.Placement)
		kept bool
		gone bool // the placement, too
	}{
		{name: "a connect that says the address again keeps them", do: connect(func(*placements.Connection) {}), kept: true},
		{name: "so does one that renames its sheet", do: connect(func(s *placements.Connection) { s.ResultLocation = "New!A1" }), kept: true},
		{name: "a move to another cell ends them", do: connect(func(s *placements.Connection) { s.ResultLocation = "S!A2" })},
		{name: "so does one to another sheet", do: connect(func(s *placements.Connection) { s.ResultLocation, s.SheetID = "T!A1", "8" })},
		{name: "and one to another spreadsheet", do: connect(func(s *placements.Connection) { s.ExternalWorkbookID = "other" })},
		{name: "a data write by an add-in ends them", do: connect(func(s *placements.Connection) { s.AddressOnly = false })},
		{name: "a refresh stamp ends them", do: func(c *clockwork, p placements.Placement) {
			w := placements.Rewrite{Target: placements.Target{PlacementID: p.ID}}
			_, err := c.s.Placements().RecordRefresh(c.Context(), c.d(), c.report.ID, w, adaReads, nil)
			must(c.T, err)
		}},
		{name: "a disconnect ends them", gone: true, do: func(c *clockwork, p placements.Placement) {
			_, _, err := c.s.Placements().Disconnect(c.Context(), c.d(), c.report.ID, placements.Target{PlacementID: p.ID}, adaReads, nil, false)
			must(c.T, err)
		}},
		{name: "the end of the report ends them", gone: true, do: func(c *clockwork, _ placements.Placement) {
			must(c.T, c.s.Reports().Delete(c.Context(), c.d(), c.report.ID, ada, anyone))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachClockwork(t, "skip", func(c *clockwork) {
				made, err := c.s.Placements().Connect(c.Context(), c.d(), c.report.ID, here, adaReads, nil, false)
				must(c.T, err)
				p := *made.Placement
				c.leaveEdits(p, []record.Edit{seen("a", 1, 0, monday)})
				must(c.T, c.giveBack(p, "A2"))
				tt.do(c, p)
				keys, events := 0, []string{"kept 1/1 S!A2", "gone"}
				if tt.kept {
					keys, events = 2, events[:1]
				}
				if left := c.leftovers(); len(left) != keys {
					c.Errorf("kept are %v, want %d keys", left, keys)
				}
				if diff := cmp.Diff(events, c.told()); diff != "" {
					c.Errorf("events (-want +got):\n%s", diff)
				}
				if !tt.gone && (c.placed(p).Edits != nil) != tt.kept {
					c.Errorf("the placement shows %v", c.placed(p).Edits)
				}
			})
		})
	}
}

// A placement that was moved while the run was in flight is left alone, and so is what is kept beside it.
func TestCompletingLeavesNoEditsOnAMovedPlacement(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		c.leaveEdits(p, []record.Edit{seen("a", 1, 0, monday)}, func() {
			_, err := c.s.Placements().Connect(c.Context(), c.d(), c.report.ID, placements.Connection{
				ExternalWorkbookID: "book", ResultLocation: "S!H8", PlacementID: p.ID, AddressOnly: true,
			}, adaReads, nil, false)
			must(c.T, err)
		})
		if left := c.leftovers(); len(left) > 0 || c.placed(p).Edits != nil || len(c.told()) > 0 {
			c.Errorf("the completion leaves %v, %v, %v", left, c.placed(p).Edits, c.told())
		}
	})
}

func TestImportedPlacementsHaveNoEdits(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := placements.Placement{ID: "p", WorkbookID: "book", ResultLocation: "S!A1"}
		p.Edits = &placements.EditSummary{Rows: 1, Cells: 1, Since: monday}
		must(c.T, storagetest.Import(c.Context(), c.s, c.d(), c.report.ID, []storage.Placed{{Placement: p}}))
		if got := c.placed(p).Edits; got != nil {
			c.Errorf("the placement shows %v", got)
		}
	})
}

func TestTheListOfEditsIsBoundedAndTheirNumberIsNot(t *testing.T) {
	many := func(n int, text string) []record.Edit {
		edits := make([]record.Edit, n)
		for i := range edits {
			edits[i] = seen(fmt.Sprint("e", i), i, 0, monday)
			edits[i].Yours = text
		}
		return edits
	}
	for _, tt := range []struct {
		name   string
		edits  []record.Edit
		listed int
	}{
		{"ten thousand are listed", many(10_000, "x"), 10_000},
		{"one more is counted only", many(10_001, "x"), 10_000},
		{"long texts are listed up to four million bytes", many(100, strings.Repeat("x", 50_000)), 83},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachClockwork(t, "skip", func(c *clockwork) {
				p := c.connect("S!A1")
				c.leaveEdits(p, tt.edits)
				if got := c.edits(p); len(got) != tt.listed {
					c.Errorf("%d edits are listed, want %d", len(got), tt.listed)
				}
				if got, want := c.placed(p).Edits.Cells, len(tt.edits); got != want {
					c.Errorf("%d cells are counted, want %d", got, want)
				}
				must(c.T, c.giveBack(p))
				c.leaveEdits(p, tt.edits)
				if told := c.told(); len(told) != 1 {
					c.Errorf("the same edits again are told: %v", told)
				}
				c.leaveEdits(p, nil)
				if left := c.leftovers(); len(left) > 0 {
					c.Errorf("left are %v", left)
				}
			})
		})
	}
}

func TestEditsComeInPages(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		c.leaveEdits(p, []record.Edit{seen("a", 0, 2, monday), seen("b", 3, 0, monday), seen("c", 3, 1, monday), seen("d", 12, 0, monday)})
		var pages []string
		for after := ""; ; {
			page, err := c.s.Placements().Edits(c.Context(), c.d(), c.report.ID, p.ID, after, 2)
			must(c.T, err)
			ids := ""
			for _, e := range page.Items {
				ids += e.ID
			}
			pages = append(pages, ids)
			if after = page.EndCursor; !page.HasNextPage {
				break
			}
		}
		if diff := cmp.Diff([]string{"ab", "cd"}, pages); diff != "" {
			c.Errorf("pages (-want +got):\n%s", diff)
		}
		for _, cursor := range []string{"x", "1", "1.x", "-1.0", "eyJpIjoxfQ"} {
			if _, err := c.s.Placements().Edits(c.Context(), c.d(), c.report.ID, p.ID, cursor, 2); placements.CodeOf(err) != placements.CodeCursor {
				c.Errorf("cursor %q: %v", cursor, err)
			}
		}
		if _, err := c.s.Placements().Edits(c.Context(), c.d(), c.report.ID, "nobody's", "", 2); !errors.Is(err, storage.ErrNotFound) {
			c.Errorf("an unknown placement: %v", err)
		}
	})
}

func TestReturnEdits(t *testing.T) {
	own := seen("own", 4, 0, monday)
	own.Inserted = true
	edits := []record.Edit{seen("a", 1, 0, monday), seen("b", 1, 1, monday), own}
	for _, tt := range []struct {
		name   string
		cells  []string
		want   string
		faults map[string]string // pointer -> part of the message
	}{
		{name: "no cells are all but those of inserted rows", want: "a b"},
		{name: "an empty list is none", cells: []string{}},
		{name: "a cell with its sheet, however it is written", cells: []string{"'sales'!$c$4"}, want: "b"},
		{name: "the same cell twice", cells: []string{"B4", "Sales!B4"}, want: "a"},
		{name: "a cell that is no edit", cells: []string{"B4", "B5"}, faults: map[string]string{"/cells/1": "B5 is no edited cell"}},
		{name: "a cell of another sheet", cells: []string{"Other!B4"}, faults: map[string]string{"/cells/0": "Other!B4 is no edited cell"}},
		{name: "a cell above the block", cells: []string{"A1"}, faults: map[string]string{"/cells/0": "A1 is no edited cell"}},
		{name: "a cell of an inserted row", cells: []string{"B7"}, faults: map[string]string{"/cells/0": "delete the row"}},
		{name: "a range", cells: []string{"B4:C4"}, faults: map[string]string{"/cells/0": "is a range"}},
		{name: "no cell at all", cells: []string{"B4", "?"}, faults: map[string]string{"/cells/1": "is not a cell"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachClockwork(t, "skip", func(c *clockwork) {
				p := c.connect("Sales!B3")
				c.leaveEdits(p, edits)
				err := c.s.Placements().ReturnEdits(c.Context(), c.d(), c.report.ID, p.ID, tt.cells, ada, anyEdits)
				var invalid *placements.Error
				if tt.faults == nil {
					must(c.T, err)
				} else if !errors.As(err, &invalid) || len(invalid.Details) != len(tt.faults) {
					c.Fatalf("got %v, want faults %v", err, tt.faults)
				} else if f := invalid.Details[0]; tt.faults[f.Pointer] == "" || !strings.Contains(f.Message, tt.faults[f.Pointer]) {
					c.Errorf("got %v, want %v", f, tt.faults)
				}
				if got := returned(c.edits(p)); got != tt.want {
					c.Errorf("given back is %q, want %q", got, tt.want)
				}
			})
		})
	}
}

func TestReturnEditsAsksWhetherItMay(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		c.leaveEdits(p, []record.Edit{seen("a", 1, 0, monday)})
		for _, id := range []string{p.ID, "nobody's"} {
			err := c.s.Placements().ReturnEdits(c.Context(), c.d(), c.report.ID, id, nil, ada, func(r *storage.Report, p *placements.Placement) error {
				if r.ID != c.report.ID || (p == nil) != (id == "nobody's") {
					c.Errorf("asked for %s with report %d, placement %v", id, r.ID, p)
				}
				return errDenied
			})
			if !errors.Is(err, errDenied) || returned(c.edits(p)) != "" {
				c.Errorf("denied for %s: %v", id, err)
			}
		}
		if err := c.s.Placements().ReturnEdits(c.Context(), c.d(), c.report.ID, "nobody's", nil, ada, anyEdits); !errors.Is(err, storage.ErrNotFound) {
			c.Errorf("an unknown placement: %v", err)
		}
		if err := c.s.Placements().ReturnEdits(c.Context(), c.d(), 999, p.ID, nil, ada, anyEdits); !errors.Is(err, storage.ErrNotFound) {
			c.Errorf("an unknown report: %v", err)
		}
	})
}

func TestACrashWhileEditsAreGivenBackLeavesAllOrNothing(t *testing.T) {
	for at := range 4 {
		t.Run(fmt.Sprintf("after %d round trips", at), func(t *testing.T) {
			eachClockwork(t, "skip", func(c *clockwork) {
				p := c.connect("S!A1")
				edits := make([]record.Edit, 1500) // more than one command takes
				for i := range edits {
					edits[i] = seen(fmt.Sprint("e", i), i, 0, monday)
				}
				c.leaveEdits(p, edits)
				before := c.s.Dump(t)
				revive := c.s.CrashAfter(at)
				if err := c.giveBack(p); !errors.Is(err, storage.ErrCrash) {
					t.Fatalf("not stopped: %v", err)
				}
				if revive() < 3 { // the third commits
					wantSameDump(t, before, c.s.Dump(t))
				}
				c.s.ExpireLocks(t)
				must(t, c.giveBack(p))
				if left := slices.DeleteFunc(c.edits(p), func(e record.Edit) bool { return e.Returned }); len(left) > 0 {
					t.Errorf("%d edits are not given back", len(left))
				}
			})
		})
	}
}

// A completion that is refused leaves the edits of the run before, with their marks.
func TestARefusedCompletionLeavesTheEditsAsTheyWere(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		c.leaveEdits(p, []record.Edit{seen("a", 1, 0, monday)})
		must(c.T, c.giveBack(p, "A2"))
		older := c.beginNext("a", c.manual())
		c.begin("b", c.orphan("b")[0])
		before := c.s.Dump(c.T)
		older.Run.State, older.Run.EndedAt = placements.RunSucceeded, placements.Time(tick)
		err := c.q.Complete(c.Context(), older, work.Outcome{Placements: []work.PlacementOutcome{
			{Placement: p, Before: c.placed(p), Written: true, Rows: []byte("x"), Edits: []record.Edit{seen("b", 2, 0, tuesday)}},
		}})
		if !errors.Is(err, storage.ErrLockLost) {
			c.Errorf("the older attempt completes: %v", err)
		}
		wantSameDump(c.T, before, c.s.Dump(c.T))
	})
}
