package graph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/graph"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
)

var block = host.Block{Document: doc, PlacementID: "p1", Sheet: "Data", Anchor: placements.Anchor{Row: 2, Column: 1}}

// stepsBefore are those of a Write that come before its own: the service's session, sheets, names, and a range to compare.
const stepsBefore = 4

// looksHidden are those before a Write that shifts cells, which look for hidden rows: how far the sheet is used, and what is hidden.
const looksHidden = 2

func (r rig) read(t testing.TB, want checksum.Extent) host.View {
	t.Helper()
	_, v := r.open(t, want)
	return v
}

// open reads the block in a session that stays open.
func (r rig) open(t testing.TB, want checksum.Extent) (host.Session, host.View) {
	t.Helper()
	s := hosttest.Open(t, r.host, doc)
	v, err := hosttest.Read(s, block, want)
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	return s, v
}

func TestUnchangedBlockTakesOneRequest(t *testing.T) {
	r := newRig(t)
	g := hosttest.Numbers(50, 5, nil)
	hosttest.Refresh(t, r.host, block, g)
	r.Requests()
	v := r.read(t, g.Extent())
	if seen := r.Requests(); len(seen) != 1 || v.Calls != 1 {
		t.Errorf("the read took %d requests and says %d, want 1", len(seen), v.Calls)
	}
	if diff := cmp.Diff(g.Checksum(), v.Cells.Checksum()); diff != "" {
		t.Error(diff)
	}
}

func TestWriteIsOneBatchInASession(t *testing.T) {
	r := newRig(t)
	s, v := r.open(t, checksum.Extent{Rows: 4, Columns: 2})
	r.Requests()
	w, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, hosttest.Numbers(4, 2, nil)))
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	if diff := cmp.Diff(host.Written{Rows: 4, Cells: 8, Calls: 1}, w); diff != "" {
		t.Error(diff)
	}
	const item = "/drives/b%21fake-drive/items/" + doc
	workbook := strings.ReplaceAll(item, "%21", "!") + "/workbook"
	want := [][]string{
		{"POST " + workbook + "/createSession"},
		{
			"GET " + workbook + "/worksheets?$select=id,name",
			"GET " + workbook + "/names?$select=name,value,scope,comment,visible",
			"GET " + workbook + "/worksheets('Data')/range(address='B3:C6')?$select=values,formulas,valueTypes,numberFormat",
		},
		{
			"PATCH " + workbook + "/worksheets('Data')/range(address='B3:C6')",
			"POST " + workbook + "/names/add",
			"PATCH " + workbook + "/names('_mooring_p1')",
			"POST " + workbook + "/closeSession",
		},
	}
	var got [][]string
	for _, seen := range r.Requests() {
		for i, step := range seen.Steps {
			seen.Steps[i] = strings.NewReplacer("%21", "!", "%27", "'").Replace(step)
		}
		got = append(got, seen.Steps)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := r.Sessions(); n != 0 {
		t.Errorf("%d sessions are still open", n)
	}
}

func TestScatteredRowsLeaveThoseBetween(t *testing.T) {
	r := newRig(t)
	hosttest.Refresh(t, r.host, block, hosttest.Numbers(30, 2, nil))
	r.Set(t, "Data", "B8", checksum.Str("typed"))
	s, v := r.open(t, checksum.Extent{Rows: 30, Columns: 2})
	p := hosttest.Whole(doc, "p1", v, hosttest.Numbers(30, 2, map[host.Position]checksum.Cell{
		{Row: 3}: checksum.Str("a"), {Row: 20, Column: 1}: checksum.Str("b"),
	}))
	p.Rows = []checksum.Span{{From: 3, To: 4}, {From: 20, To: 21}}
	p.Formats = []string{"", "0.00"}
	r.Requests()
	w, err := hosttest.Write(s, p)
	if err != nil || w.Rows != 2 {
		t.Fatalf("wrote %+v, %s", w, hosttest.Detail(err))
	}
	if steps := r.Requests()[2].Steps; len(steps) != 2 {
		t.Errorf("the steps were %v, want one PATCH and the session's end", steps)
	}
	for cell, want := range map[string]checksum.Cell{"B6": checksum.Str("a"), "C23": checksum.Str("b"), "B8": checksum.Str("typed"), "B7": checksum.Num(8)} {
		if c, _ := r.Get(t, "Data", cell); c != want {
			t.Errorf("%s holds %+v, want %+v", cell, c, want)
		}
	}
	for cell, want := range map[string]string{"C6": "0.00", "C23": "0.00", "C7": "", "B6": ""} {
		if got := r.NumberFormat(t, "Data", cell); got != want {
			t.Errorf("%s has format %q, want %q", cell, got, want)
		}
	}
}

func TestFarRowsAreSeparateSteps(t *testing.T) {
	r := newRig(t)
	g := hosttest.Numbers(5000, 2, nil)
	hosttest.Refresh(t, r.host, block, g)
	s, v := r.open(t, g.Extent())
	p := hosttest.Whole(doc, "p1", v, g)
	p.Rows = []checksum.Span{{From: 3, To: 4}, {From: 4000, To: 4001}}
	r.Requests()
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	if steps := r.Requests()[2].Steps; len(steps) != 3 {
		t.Errorf("the steps were %v, want two PATCHes and the session's end", steps)
	}
}

func TestSplitsLargeWrites(t *testing.T) {
	r := newRig(t)
	changed := map[host.Position]checksum.Cell{}
	for row := range 90 {
		changed[host.Position{Row: row}] = checksum.Str(strings.Repeat("x", 30_000))
	}
	g := hosttest.Numbers(90, 2, changed)
	s, v := r.open(t, g.Extent())
	r.Requests()
	w, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, g))
	if err != nil || w.Calls != 2 {
		t.Errorf("2.7 MB took %d calls, want 2: %s", w.Calls, hosttest.Detail(err))
	}
	for _, seen := range r.Requests() {
		if seen.Body > 2_100_000 || len(seen.Steps) > 20 {
			t.Errorf("a batch has %d bytes and %d steps", seen.Body, len(seen.Steps))
		}
	}
	if v := r.read(t, g.Extent()); v.Extent != g.Extent() {
		t.Errorf("the marker covers %+v", v.Extent)
	}
}

func TestBrokenWriteIsFoundAsTheOldBlockAndItsSessionClosed(t *testing.T) {
	r := newRig(t)
	hosttest.Refresh(t, r.host, block, hosttest.Numbers(5, 2, nil))
	s, v := r.open(t, checksum.Extent{Rows: 9, Columns: 2})
	r.FailStep(stepsBefore+1, 503, "serviceUnavailableUncategorized", "4") // the marker, after the cells
	_, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, hosttest.Numbers(9, 2, nil)))
	if f := hosttest.WantFault(t, err, placements.Transient); f.RetryAfter != 4*time.Second {
		t.Errorf("RetryAfter is %v, want 4s", f.RetryAfter)
	}
	if n := r.Sessions(); n != 0 {
		t.Errorf("%d sessions are still open", n)
	}
	s, v = r.open(t, checksum.Extent{Rows: 9, Columns: 2})
	if want := (checksum.Extent{Rows: 5, Columns: 2}); v.Extent != want {
		t.Errorf("the marker covers %+v, want %+v", v.Extent, want)
	}
	if _, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, hosttest.Numbers(9, 2, nil))); err != nil {
		t.Errorf("the second try: %s", hosttest.Detail(err))
	}
}

func TestRowsEditedBetweenReadAndWriteAreLeftAlone(t *testing.T) {
	for _, row := range []struct {
		fact  string
		edit  func(r rig)
		alone bool
	}{
		{"a cell of a row to be written", func(r rig) { r.Set(t, "Data", "C4", checksum.Str("typed")) }, true},
		{"a formula in a row to be written", func(r rig) { r.SetFormula(t, "Data", "C4", "1+2", checksum.Num(3)) }, true},
		{"a row inserted above", func(r rig) { r.InsertRows(t, "Data", 1, 1) }, true},
		{"the sheet renamed", func(r rig) { r.RenameSheet(t, "Data", "New") }, true},
		{"a cell of a row to be cleared", func(r rig) { r.Set(t, "Data", "B7", checksum.Str("typed")) }, true},
		{"a cell of a row that stays", func(r rig) { r.Set(t, "Data", "C5", checksum.Str("typed")) }, false},
		{"a cell elsewhere", func(r rig) { r.Set(t, "Data", "A1", checksum.Str("typed")) }, false},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newRig(t)
			hosttest.Refresh(t, r.host, block, hosttest.Numbers(5, 2, nil))
			s, v := r.open(t, checksum.Extent{Rows: 5, Columns: 2})
			r.LagTags(doc) // only the cells show it
			row.edit(r)
			state := r.State(t)
			p := hosttest.Whole(doc, "p1", v, hosttest.Numbers(4, 2, nil))
			p.Rows = []checksum.Span{{From: 1, To: 2}}
			p.Clear = []checksum.CellRect{{Row: 4, Rows: 1, Columns: 2}}
			_, err := hosttest.Write(s, p)
			if row.alone {
				hosttest.WantFault(t, err, placements.Transient)
			} else if err != nil {
				t.Error(hosttest.Detail(err))
			}
			if alone := r.State(t) == state; alone != row.alone || r.Sessions() != 0 {
				t.Errorf("the document was left alone: %t, and %d sessions are open", alone, r.Sessions())
			}
		})
	}
}

func TestTagThatLagsHindersNoSecondWrite(t *testing.T) {
	r := newRig(t)
	r.LagTags(doc)
	s, v := r.open(t, checksum.Extent{Rows: 4, Columns: 2})
	for n := range 3 {
		p := hosttest.Whole(doc, "p1", v, hosttest.Numbers(4+n, 2, nil))
		if _, err := hosttest.Write(s, p); err != nil {
			t.Fatalf("write %d: %s", n+1, hosttest.Detail(err))
		}
		var err error
		if v, err = hosttest.Read(s, block, p.Extent); err != nil {
			t.Fatalf("read %d: %s", n+1, hosttest.Detail(err))
		}
	}
}

func TestFormulaWhoseValueChangesByItselfIsNoEdit(t *testing.T) {
	r := newRig(t)
	hosttest.Refresh(t, r.host, block, hosttest.Numbers(5, 2, nil))
	r.SetFormula(t, "Data", "C4", "NOW()", checksum.Num(45000))
	s, v := r.open(t, checksum.Extent{Rows: 5, Columns: 2})
	r.SetFormula(t, "Data", "C4", "NOW()", checksum.Num(45001))
	if _, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, hosttest.Numbers(5, 2, nil))); err != nil {
		t.Error(hosttest.Detail(err))
	}
}

func TestReadsOfSeveralRangesShareASession(t *testing.T) {
	for _, row := range []struct {
		fact string
		rows int
		want int
	}{{"one range", 1000, 0}, {"two ranges", 10_001, 1}} {
		t.Run(row.fact, func(t *testing.T) {
			r := newRig(t)
			s := hosttest.Open(t, r.host, doc)
			if _, err := hosttest.Read(s, block, checksum.Extent{Rows: row.rows, Columns: 1}); err != nil {
				t.Fatal(hosttest.Detail(err))
			}
			if n := r.Sessions(); n != row.want {
				t.Errorf("%d sessions are open, want %d", n, row.want)
			}
			s.Close()
			if n := r.Sessions(); n != 0 {
				t.Errorf("%d sessions are still open", n)
			}
		})
	}
}

func TestLargeBlockIsReadInSeveralBatches(t *testing.T) {
	r := newRig(t)
	want := checksum.Extent{Rows: 150_000, Columns: 1} // two batches, of which the second fails
	r.Fail(1, 1, 503, "")
	_, err := hosttest.ReadBlock(r.host, block, want)
	hosttest.WantFault(t, err, placements.Transient)
	v := r.read(t, want)
	if v.Calls != 2 || v.Cells.Rows() != want.Rows {
		t.Errorf("%d rows in %d calls, want %d in 2", v.Cells.Rows(), v.Calls, want.Rows)
	}
}

func TestManyBlocksAreReadInSeveralBatches(t *testing.T) {
	r := newRig(t)
	var wanted []host.Wanted
	var patches []host.Patch
	g := hosttest.Numbers(3, 2, nil)
	for i := range 60 { // with more names than the service lists at once
		b := host.Block{Document: doc, PlacementID: fmt.Sprintf("many%d", i), Sheet: "Data", Anchor: placements.Anchor{Row: 5 * i}}
		wanted = append(wanted, host.Wanted{Block: b, Extent: g.Extent()})
		patches = append(patches, host.Patch{Block: b, Grid: g, Extent: g.Extent(), Rows: []checksum.Span{{From: 0, To: 3}}})
	}
	s := hosttest.Open(t, r.host, doc)
	for _, marked := range []bool{false, true} {
		found, err := s.Read(t.Context(), wanted)
		if err != nil {
			t.Fatal(hosttest.Detail(err))
		}
		for i, f := range found {
			if f.Err != nil || f.View.Marked != marked || f.View.Anchor != wanted[i].Block.Anchor || f.View.Cells.Rows() != 3 {
				t.Errorf("block %d: %+v, %s", i, f.View, hosttest.Detail(f.Err))
			}
		}
		if calls := found[0].View.Calls; calls != 4 {
			t.Errorf("the read took %d calls, want 4 for 60 ranges and what is in the document", calls)
		}
		if marked {
			break
		}
		if _, err := s.Write(t.Context(), patches); err != nil {
			t.Fatal(hosttest.Detail(err))
		}
	}
	for _, seen := range r.Requests() {
		if len(seen.Steps) > 20 {
			t.Errorf("a batch has %d steps", len(seen.Steps))
		}
	}
}

func TestRefusalAfterSomeStepsIsNoRefusalOfTheWhole(t *testing.T) {
	for _, row := range []struct {
		fact  string
		after int // steps
		class placements.Class
	}{
		{"the first step", 0, placements.Conflict},
		{"the second", 1, placements.Transient},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newRig(t)
			hosttest.Refresh(t, r.host, block, hosttest.Numbers(5, 2, nil))
			s, v := r.open(t, checksum.Extent{Rows: 9, Columns: 2})
			p := hosttest.Whole(doc, "p1", v, hosttest.Numbers(6, 2, nil))
			p.Shifts = []checksum.Shift{{At: 2, Rows: 1}}
			r.FailStep(stepsBefore+looksHidden+row.after, 409, "insertDeleteConflict", "")
			_, err := hosttest.Write(s, p)
			hosttest.WantFault(t, err, row.class)
		})
	}
}

func TestWriteStandsWhenItsSessionDoesNotClose(t *testing.T) {
	r := newRig(t)
	s, v := r.open(t, checksum.Extent{Rows: 4, Columns: 2})
	p := hosttest.Whole(doc, "p1", v, hosttest.Numbers(4, 2, nil))
	r.FailStep(stepsBefore+2, 503, "serviceUnavailableUncategorized", "") // after cells and marker
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
}

func TestLargeBlockThatChangesWhileItIsReadIsTransient(t *testing.T) {
	r := newRig(t)
	r.BetweenRequests(func(b *book.Book) { b.Sheet("Data").Set(0, 0, "typed") })
	_, err := hosttest.ReadBlock(r.host, block, checksum.Extent{Rows: 150_000, Columns: 1})
	hosttest.WantFault(t, err, placements.Transient)
}

func TestBlockIsFoundWhereItMoved(t *testing.T) {
	for _, row := range []struct {
		fact  string
		edit  func(r rig)
		sheet string
		calls int
	}{
		{"rows inserted above: a second request", func(r rig) { r.InsertRows(t, "Data", 1, 3) }, "Data", 2},
		{"its sheet renamed: a second request", func(r rig) { r.RenameSheet(t, "Data", "Sales '26/27") }, "Sales '26/27", 2},
		{"moved to another sheet", func(r rig) {
			r.Edit(doc, func(b *book.Book) { b.Names[0].Sheet = b.Sheet("Other") })
		}, "Other", 2},
		{"without a marker, the sheet's id finds a renamed one", func(r rig) {
			r.Edit(doc, func(b *book.Book) { b.DeleteName(b.Names[0].Name) })
			r.RenameSheet(t, "Data", "New")
		}, "New", 2},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newRig(t)
			g := hosttest.Numbers(10, 3, nil)
			v, _ := hosttest.Refresh(t, r.host, block, g)
			row.edit(r)
			block := block
			block.SheetID = v.SheetID
			v, err := hosttest.ReadBlock(r.host, block, g.Extent())
			if err != nil {
				t.Fatal(hosttest.Detail(err))
			}
			if v.Sheet != row.sheet || v.Calls != row.calls {
				t.Errorf("found on %q in %d calls; want %q in %d", v.Sheet, v.Calls, row.sheet, row.calls)
			}
		})
	}
}

func TestMarkerOfDeletedCellsIsReplaced(t *testing.T) {
	r := newRig(t)
	hosttest.Refresh(t, r.host, block, hosttest.Numbers(3, 2, nil))
	r.DeleteRows(t, "Data", 3, 3)
	s, v := r.open(t, checksum.Extent{Rows: 3, Columns: 2})
	if v.Marked {
		t.Error("the marker still marks something")
	}
	if _, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, hosttest.Numbers(3, 2, nil))); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	if v = r.read(t, checksum.Extent{Rows: 3, Columns: 2}); !v.Marked {
		t.Error("the block is not marked again")
	}
}

func TestBlockAtTheSheetsEnd(t *testing.T) {
	r := newRig(t)
	b := block
	b.Anchor = placements.Anchor{Row: placements.MaxRow - 1, Column: placements.MaxColumn - 1}
	s := hosttest.Open(t, r.host, doc)
	v, err := hosttest.Read(s, b, checksum.Extent{Rows: 3, Columns: 3})
	if err != nil || v.Cells.Rows() != 2 {
		t.Fatalf("read %d rows: %s", v.Cells.Rows(), hosttest.Detail(err))
	}
	r.Requests()
	_, err = hosttest.Write(s, hosttest.Whole(doc, "p1", v, hosttest.Numbers(3, 2, nil)))
	hosttest.WantFault(t, err, placements.Permanent)
	if seen := r.Requests(); len(seen) != 0 {
		t.Errorf("something was sent: %v", seen)
	}
}

func TestTooLongTextIsRefusedBeforehand(t *testing.T) {
	r := newRig(t)
	s, v := r.open(t, checksum.Extent{Rows: 1, Columns: 1})
	r.Requests()
	g := hosttest.Numbers(2, 2, map[host.Position]checksum.Cell{{Row: 1, Column: 1}: checksum.Str(strings.Repeat("x", 32_768))})
	_, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, g))
	if f := hosttest.WantFault(t, err, placements.Permanent); !strings.Contains(f.Message, "row 2, column 2") {
		t.Errorf("the message is %q", f.Message)
	}
	if seen := r.Requests(); len(seen) != 0 {
		t.Errorf("something was sent: %v", seen)
	}
}

func TestFaults(t *testing.T) {
	step := func(status int, code string) func(rig) {
		return func(r rig) { r.FailStep(2, status, code, "") }
	}
	for _, row := range []struct {
		fact  string
		harm  func(rig)
		class placements.Class
		after time.Duration
	}{
		{"429 is Quota with its Retry-After", func(r rig) { r.Fail(0, 1, 429, "17") }, placements.Quota, 17 * time.Second},
		{
			"429 within a batch too", func(r rig) { r.FailStep(2, 429, "tooManyRequestsUncategorized", "8") }, placements.Quota,
			8 * time.Second,
		},
		{"503 is Transient", func(r rig) { r.Fail(0, 1, 503, "") }, placements.Transient, 0},
		{"504 is Transient", step(504, "gatewayTimeoutUncategorized"), placements.Transient, 0},
		{"409 with accessConflict is Transient", step(409, "accessConflict"), placements.Transient, 0},
		{"a session that ended is Transient", step(404, "invalidSessionReCreatable"), placements.Transient, 0},
		{"a busy workbook is Transient", step(400, "editModeCannotAcquireLockUncategorized"), placements.Transient, 0},
		{"an unsupported workbook is Permanent", step(403, "unsupportedWorkbook"), placements.Permanent, 0},
		{"rows that cannot move are a Conflict", step(409, "insertDeleteConflict"), placements.Conflict, 0},
		{"400 is Permanent", step(400, "badRequestUncategorized"), placements.Permanent, 0},
		{"401 twice is Auth", func(r rig) { r.Fail(0, 2, 401, "") }, placements.Auth, 0},
		{"a workbook not open to us is Auth", func(r rig) { r.Deny(doc) }, placements.Auth, 0},
		{"a sheet that is gone is Structure", func(r rig) { r.DeleteSheet(t, "Data") }, placements.Structure, 0},
		{"a service that is down is Transient", func(r rig) { r.Close() }, placements.Transient, 0},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newRig(t)
			row.harm(r)
			_, err := hosttest.ReadBlock(r.host, block, checksum.Extent{Rows: 2, Columns: 2})
			if f := hosttest.WantFault(t, err, row.class); f.RetryAfter != row.after {
				t.Errorf("RetryAfter is %v, want %v", f.RetryAfter, row.after)
			}
		})
	}
}

func TestRevokedTokenIsReplacedOnce(t *testing.T) {
	r := newRig(t)
	r.read(t, checksum.Extent{Rows: 1, Columns: 1})
	r.RevokeTokens()
	r.read(t, checksum.Extent{Rows: 1, Columns: 1})
}

func TestWrongSecretIsAuth(t *testing.T) {
	r := newRig(t, func(o *graph.Options) { o.ClientSecret = "wrong" })
	hosttest.WantFault(t, r.host.Check(t.Context()), placements.Auth)
}

func TestWrongDriveIsStructure(t *testing.T) {
	r := newRig(t, func(o *graph.Options) { o.Drives = []string{"other"} })
	hosttest.WantFault(t, r.host.Check(t.Context()), placements.Structure)
}

func TestQuotaCountsEachRequestOfABatch(t *testing.T) {
	r := newRig(t, func(o *graph.Options) { o.PerMinute = 6 })
	r.read(t, checksum.Extent{Rows: 1, Columns: 1}) // four of the six
	_, err := hosttest.ReadBlock(r.host, block, checksum.Extent{Rows: 1, Columns: 1})
	f := hosttest.WantFault(t, err, placements.Quota)
	if f.RetryAfter != 20*time.Second {
		t.Errorf("the wait is %v, want 20s for two more", f.RetryAfter)
	}
	r.clock.Time = r.clock.Time.Add(f.RetryAfter)
	r.read(t, checksum.Extent{Rows: 1, Columns: 1})
}

func TestOptionsAreChecked(t *testing.T) {
	good := graph.Options{TenantID: "t", ClientID: "c", ClientSecret: "s", Drives: []string{"d"}}
	for _, row := range []struct {
		fact  string
		spoil func(*graph.Options)
		want  string
	}{
		{"no tenant", func(o *graph.Options) { o.TenantID = "" }, "tenantId: missing"},
		{"no client", func(o *graph.Options) { o.ClientID = "" }, "clientId: missing"},
		{"no secret", func(o *graph.Options) { o.ClientSecret = "" }, "clientSecret: missing"},
		{"neither a site nor a drive", func(o *graph.Options) { o.Drives = nil }, "sites: missing"},
		{"endpoint", func(o *graph.Options) { o.Endpoint = "ftp://x" }, "endpoint: not an http"},
		{"tokenEndpoint", func(o *graph.Options) { o.TokenEndpoint = "x" }, "tokenEndpoint: not an http"},
	} {
		t.Run(row.fact, func(t *testing.T) {
			o := good
			row.spoil(&o)
			if _, err := graph.New(o); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

func TestOpensFromTheConfiguration(t *testing.T) {
	fake := graphfake.Start()
	defer fake.Close()
	h, err := (&graph.Config{
		TenantID: graphfake.Tenant, ClientID: graphfake.ClientID, ClientSecret: graphfake.ClientSecret,
		Drives: []string{graphfake.Drive}, Endpoint: fake.URL, TokenEndpoint: fake.TokenURL,
	}).Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Check(t.Context()); err != nil {
		t.Error(hosttest.Detail(err))
	}
	if _, is := h.(*graph.Workbooks); !is {
		t.Errorf("Open made a %T", h)
	}
}

func TestAddressesSheetsByNamesThatURLsGiveAMeaning(t *testing.T) {
	for _, name := range []string{"A+B", "50% off", "It's #1 & more", "Übersicht 日本"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.RenameSheet(t, "Data", name)
			block := block
			block.Sheet = name
			g := hosttest.Numbers(4, 2, nil)
			hosttest.Refresh(t, r.host, block, g)
			hosttest.Refresh(t, r.host, block, hosttest.Numbers(6, 2, nil)) // deletes the name and adds it again
			v, err := hosttest.ReadBlock(r.host, block, checksum.Extent{})
			if err != nil || !v.Marked || v.Sheet != name || v.Cells.Rows() != 6 {
				t.Errorf("marked %t on %q, %d rows: %s", v.Marked, v.Sheet, v.Cells.Rows(), hosttest.Detail(err))
			}
		})
	}
}

func TestNamesAreAddressedInApostrophes(t *testing.T) {
	r := newRig(t)
	hosttest.Refresh(t, r.host, block, hosttest.Numbers(4, 2, nil))
	r.Requests()
	hosttest.Refresh(t, r.host, block, hosttest.Numbers(6, 2, nil))
	var deleted []string
	for _, seen := range r.Requests() {
		for _, step := range seen.Steps {
			if strings.HasPrefix(step, "DELETE ") {
				deleted = append(deleted, step[strings.LastIndex(step, "/"):])
			}
		}
	}
	if diff := cmp.Diff([]string{"/names('_mooring_p1')"}, deleted); diff != "" {
		t.Error(diff)
	}
}
