package google_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/google"
	"mooring/refresh/host/google/googlefake"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
)

// rig is a host, the fake it talks to, and a document there of two sheets of 100 × 20.
type rig struct {
	*googlefake.Server
	hosttest.BookEditor
	host  *google.Sheets
	clock *hosttest.Clock
}

const doc = "1AbC-document_id"

var placedBlock = host.Block{Document: doc, PlacementID: "p1", Sheet: "Data", Anchor: placements.Anchor{Row: 2, Column: 1}}

func newRig(t testing.TB, options ...func(*google.Settings)) rig {
	t.Helper()
	fake, err := googlefake.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	fake.Add(doc, book.New(100, 20, "Data", "Other"))
	c := hosttest.NewClock()
	o := google.Settings{Credentials: fake.ServiceAccount(), Endpoint: fake.URL, PerUser: -1, PerProject: -1, Now: c.Now}
	for _, option := range options {
		option(&o)
	}
	h, err := google.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return rig{
		Server: fake, host: h, clock: c,
		BookEditor: hosttest.BookEditor{Change: func(edit func(*book.Book)) { fake.Edit(doc, edit) }},
	}
}

func TestUnchangedBlockTakesOneRead(t *testing.T) {
	r := newRig(t)
	g := hosttest.Numbers(50, 5, nil)
	hosttest.Refresh(t, r.host, placedBlock, g)
	r.Requests()
	v, err := hosttest.ReadBlock(r.host, placedBlock, g.Extent())
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	if seen := r.Requests(); len(seen) != 1 || v.Calls != 1 {
		t.Errorf("the read took %d requests and says %d, want 1", len(seen), v.Calls)
	}
	if diff := cmp.Diff(g.Checksum(), v.Cells.Checksum()); diff != "" {
		t.Error(diff)
	}
	want := host.View{Marked: true, SheetID: "0", Sheet: "Data", Anchor: placedBlock.Anchor, Extent: g.Extent(), Calls: 1}
	v.Cells = nil
	if diff := cmp.Diff(want, v); diff != "" {
		t.Error(diff)
	}
}

func TestChangedBlockTakesOneReadAndOneWrite(t *testing.T) {
	r := newRig(t)
	hosttest.Refresh(t, r.host, placedBlock, hosttest.Numbers(50, 5, nil))
	r.Requests()
	changed := hosttest.Numbers(50, 5, map[host.Position]checksum.Cell{{Row: 7, Column: 2}: checksum.Str("new")})
	s := hosttest.Open(t, r.host, doc)
	v, err := hosttest.Read(s, placedBlock, changed.Extent())
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	p := hosttest.Whole(doc, "p1", v, changed)
	p.Rows = []checksum.Span{{From: 7, To: 8}}
	w, err := hosttest.Write(s, p)
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	if diff := cmp.Diff(host.Written{Rows: 1, Cells: 5, Calls: 1}, w); diff != "" {
		t.Error(diff)
	}
	seen := r.Requests()
	if len(seen) != 2 || seen[0].Method != http.MethodGet || seen[1].Method != http.MethodPost {
		t.Errorf("the requests were %+v, want one GET and one POST", seen)
	}
	if c, _ := r.Get(t, "Data", "D10"); c != checksum.Str("new") {
		t.Errorf("the cell became %+v", c)
	}
}

func TestSheetGrowsForTheBlock(t *testing.T) {
	r := newRig(t)
	v, w := hosttest.Refresh(t, r.host, placedBlock, hosttest.Numbers(150, 30, nil))
	if v.Calls != 3 || w.Calls != 1 {
		t.Errorf("the read took %d requests, the write %d; want 3, one of which looks at all sheets, and 1", v.Calls, w.Calls)
	}
	r.Edit(doc, func(b *book.Book) {
		if s := b.Sheet("Data"); s.Rows != 152 || s.Columns != 31 {
			t.Errorf("the sheet is now %d × %d, want 152 × 31", s.Rows, s.Columns)
		}
	})
}

func TestRefusesMoreThanTenMillionCells(t *testing.T) {
	r := newRig(t)
	r.Edit(doc, func(b *book.Book) { b.Sheet("Other").Rows = 499_900 })
	v, err := hosttest.ReadBlock(r.host, placedBlock, checksum.Extent{Rows: 1, Columns: 1})
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	_, err = hosttest.WritePatch(r.host, hosttest.Whole(doc, "p1", v, hosttest.Numbers(200, 20, nil)))
	f := hosttest.WantFault(t, err, placements.Permanent)
	if !strings.Contains(f.Message, "10000000") {
		t.Errorf("the message is %q", f.Message)
	}
	for _, seen := range r.Requests() {
		if seen.Method != http.MethodGet {
			t.Errorf("something was sent: %+v", seen)
		}
	}
}

func TestSplitsLargeWrites(t *testing.T) {
	r := newRig(t)
	long := strings.Repeat("x", 40_000)
	changed := map[host.Position]checksum.Cell{}
	for row := range 90 {
		changed[host.Position{Row: row, Column: 0}] = checksum.Str(long)
	}
	g := hosttest.Numbers(90, 2, changed)
	_, w := hosttest.Refresh(t, r.host, placedBlock, g)
	if w.Calls != 2 {
		t.Errorf("3.6 MB took %d requests, want 2", w.Calls)
	}
	for _, seen := range r.Requests() {
		if seen.Body > 2_100_000 {
			t.Errorf("a request has %d bytes", seen.Body)
		}
	}
	v, err := hosttest.ReadBlock(r.host, placedBlock, g.Extent())
	if err != nil || !v.Marked || v.Extent != g.Extent() {
		t.Errorf("the block reads as %+v, %v", v.Extent, err)
	}
}

func TestHalfWrittenBlockKeepsItsOldMarker(t *testing.T) {
	r := newRig(t)
	hosttest.Refresh(t, r.host, placedBlock, hosttest.Numbers(5, 2, nil))
	long := strings.Repeat("x", 40_000)
	changed := map[host.Position]checksum.Cell{}
	for row := range 90 {
		changed[host.Position{Row: row, Column: 0}] = checksum.Str(long)
	}
	g := hosttest.Numbers(90, 2, changed)
	s := hosttest.Open(t, r.host, doc)
	v, err := hosttest.Read(s, placedBlock, g.Extent())
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	r.FailAfter(1, 503, "")
	_, err = hosttest.Write(s, hosttest.Whole(doc, "p1", v, g))
	hosttest.WantFault(t, err, placements.Transient)
	v, err = hosttest.ReadBlock(r.host, placedBlock, g.Extent())
	if want := (checksum.Extent{Rows: 5, Columns: 2}); err != nil || v.Extent != want {
		t.Errorf("the marker covers %+v, want %+v; %v", v.Extent, want, err)
	}
}

func TestBlockIsFoundWhereItMoved(t *testing.T) {
	for _, row := range []struct {
		fact  string
		edit  func(r rig)
		sheet string
		calls int
	}{
		{"rows inserted above: a second read", func(r rig) { r.InsertRows(t, "Data", 1, 3) }, "Data", 2},
		{"its sheet renamed: names first", func(r rig) { r.RenameSheet(t, "Data", "Sales '26") }, "Sales '26", 3},
		{"moved to another sheet: names first", func(r rig) {
			r.Edit(doc, func(b *book.Book) { b.Names[0].Sheet = b.Sheet("Other") })
		}, "Other", 3},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newRig(t)
			g := hosttest.Numbers(10, 3, nil)
			hosttest.Refresh(t, r.host, placedBlock, g)
			row.edit(r)
			v, err := hosttest.ReadBlock(r.host, placedBlock, g.Extent())
			if err != nil {
				t.Fatal(hosttest.Detail(err))
			}
			if !v.Marked || v.Sheet != row.sheet || v.Calls != row.calls {
				t.Errorf("found on %q, marked %v, in %d calls; want %q, true, %d", v.Sheet, v.Marked, v.Calls, row.sheet, row.calls)
			}
		})
	}
}

func TestSeveralBlocksAreLookedForTogether(t *testing.T) {
	blocks := []host.Block{placedBlock, placedBlock, placedBlock}
	blocks[1].PlacementID, blocks[1].Anchor.Column = "p2", 8
	blocks[2].PlacementID, blocks[2].Sheet = "p3", "Other"
	for _, row := range []struct {
		fact  string
		edit  func(r rig)
		calls int
	}{
		{"all where they were", func(rig) {}, 1},
		{"rows inserted above two: one more request", func(r rig) { r.InsertRows(t, "Data", 1, 3) }, 2},
		{"a sheet renamed: names first", func(r rig) { r.RenameSheet(t, "Data", "New") }, 3},
		{"one moved to a sheet that another is on", func(r rig) {
			r.Edit(doc, func(b *book.Book) { b.Names[1].Sheet = b.Sheet("Other") })
		}, 2},
		{"one moved to another sheet: names first", func(r rig) {
			r.Edit(doc, func(b *book.Book) { b.Names[2].Sheet = b.AddSheet("Third", 50, 20) })
		}, 3},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newRig(t)
			g := hosttest.Numbers(10, 3, nil)
			var wanted []host.Wanted
			for _, b := range blocks {
				hosttest.Refresh(t, r.host, b, g)
				wanted = append(wanted, host.Wanted{Block: b, Extent: g.Extent()})
			}
			row.edit(r)
			r.Requests()
			found, err := hosttest.Open(t, r.host, doc).Read(t.Context(), wanted)
			if err != nil {
				t.Fatal(hosttest.Detail(err))
			}
			if seen := r.Requests(); len(seen) != row.calls || found[0].View.Calls != row.calls {
				t.Errorf("%d requests, and the read says %d; want %d", len(seen), found[0].View.Calls, row.calls)
			}
			for i, f := range found {
				if f.Err != nil || !f.View.Marked || i > 0 && f.View.Calls != 0 {
					t.Errorf("block %d: marked %t, %d calls, %s", i, f.View.Marked, f.View.Calls, hosttest.Detail(f.Err))
				}
			}
		})
	}
}

func TestSeesTheMarkerOfACopiedSheet(t *testing.T) {
	r := newRig(t)
	g := hosttest.Numbers(3, 2, nil)
	hosttest.Refresh(t, r.host, placedBlock, g)
	r.Edit(doc, func(b *book.Book) {
		b.AddName(book.Name{ID: "copy", Name: "'Copy of Data'!_mooring_p1", Sheet: b.Sheet("Other"), Rect: b.Names[0].Rect})
	})
	v, err := hosttest.ReadBlock(r.host, placedBlock, g.Extent())
	if err != nil || !v.Marked || !v.Doubled || v.Sheet != "Data" {
		t.Errorf("found on %q, marked %t, doubled %t, %s; want Data, true, true", v.Sheet, v.Marked, v.Doubled, hosttest.Detail(err))
	}
	r.DeleteSheet(t, "Data")
	if _, err = hosttest.ReadBlock(r.host, placedBlock, g.Extent()); err == nil {
		t.Error("the copy's marker was followed")
	}
}

func TestMoveAtTheSheetsEndMakesRoom(t *testing.T) {
	r := newRig(t)
	block := placedBlock
	block.Anchor.Row = 95
	hosttest.Refresh(t, r.host, block, hosttest.Numbers(5, 2, nil))
	s := hosttest.Open(t, r.host, doc)
	v, err := hosttest.Read(s, block, checksum.Extent{})
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	var b checksum.Builder
	for _, n := range []float64{0, 6, 8, 2, 4} {
		b.Append(checksum.Num(n), checksum.Num(n+1))
	}
	p := hosttest.Whole(doc, "p1", v, b.Grid())
	p.Rows, p.Moves = nil, []checksum.RowMove{{From: 1, Rows: 2, To: 5}}
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	v, err = hosttest.ReadBlock(r.host, block, checksum.Extent{})
	if err != nil || v.Extent != p.Extent {
		t.Fatalf("the marker covers %+v, %s", v.Extent, hosttest.Detail(err))
	}
	if diff := cmp.Diff(p.Grid.Checksum(), v.Cells.Checksum()); diff != "" {
		t.Error(diff)
	}
}

func TestBlockBeyondTheSheetsEndReadsAsEmpty(t *testing.T) {
	r := newRig(t)
	for _, anchor := range []placements.Anchor{{Row: 95, Column: 18}, {Row: 300, Column: 40}} {
		b := placedBlock
		b.Anchor = anchor
		v, err := hosttest.ReadBlock(r.host, b, checksum.Extent{Rows: 20, Columns: 5})
		if err != nil {
			t.Fatal(hosttest.Detail(err))
		}
		if v.Cells.Rows() != 20 || v.Cells.Columns() != 0 || v.Anchor != anchor {
			t.Errorf("%v reads as %d × %d at %v", anchor, v.Cells.Rows(), v.Cells.Columns(), v.Anchor)
		}
	}
}

func TestLostMarkerLeavesTheStoredAddress(t *testing.T) {
	r := newRig(t)
	hosttest.Refresh(t, r.host, placedBlock, hosttest.Numbers(10, 3, nil))
	r.Edit(doc, func(b *book.Book) { b.Names[0].Sheet = nil })
	v, err := hosttest.ReadBlock(r.host, placedBlock, checksum.Extent{Rows: 10, Columns: 3})
	if err != nil || v.Marked || v.Anchor != placedBlock.Anchor {
		t.Errorf("found at %v, marked %v, %v", v.Anchor, v.Marked, err)
	}
}

func TestWriteOfADocumentThatChanged(t *testing.T) {
	for _, row := range []struct {
		fact  string
		edit  func(*book.Book)
		class placements.Class
	}{
		{"the marker was deleted", func(b *book.Book) { b.DeleteName(b.Names[0].Name) }, placements.Transient},
		{"the sheet was deleted", func(b *book.Book) { b.DeleteSheet("Data") }, placements.Structure},
		{"the sheet became too small", func(b *book.Book) { b.Sheet("Data").DeleteRows(5, 95) }, placements.Transient},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newRig(t)
			g := hosttest.Numbers(10, 3, nil)
			hosttest.Refresh(t, r.host, placedBlock, g)
			s := hosttest.Open(t, r.host, doc)
			v, err := hosttest.Read(s, placedBlock, g.Extent())
			if err != nil {
				t.Fatal(hosttest.Detail(err))
			}
			r.BeforeWrite(row.edit)
			_, err = hosttest.Write(s, hosttest.Whole(doc, "p1", v, hosttest.Numbers(11, 3, map[host.Position]checksum.Cell{{}: checksum.Str("no")})))
			hosttest.WantFault(t, err, row.class)
			r.Edit(doc, func(b *book.Book) {
				if s := b.Sheet("Data"); s != nil && s.Cell(2, 1).Value == "no" {
					t.Error("something was written")
				}
			})
		})
	}
}

func TestWriteWithoutAReadAsksFirst(t *testing.T) {
	r := newRig(t)
	g := hosttest.Numbers(4, 3, nil)
	v, _ := hosttest.Refresh(t, r.host, placedBlock, g)
	w, err := hosttest.WritePatch(r.host, hosttest.Whole(doc, "p1", v, g))
	if err != nil || w.Calls != 2 {
		t.Errorf("a second write took %d calls, want 2: %v", w.Calls, err)
	}
	r.InsertRows(t, "Data", 1, 1)
	_, err = hosttest.WritePatch(r.host, hosttest.Whole(doc, "p1", v, g))
	hosttest.WantFault(t, err, placements.Transient)
}

func TestShifts(t *testing.T) {
	r := newRig(t)
	hosttest.Refresh(t, r.host, placedBlock, hosttest.Numbers(4, 2, nil))
	r.Set(t, "Data", "E4", checksum.Str("neighbour"))
	v, err := hosttest.ReadBlock(r.host, placedBlock, checksum.Extent{Rows: 5, Columns: 2})
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	var b checksum.Builder
	for _, n := range []float64{0, 100, 2, 6} {
		b.Append(checksum.Num(n), checksum.Num(n+1))
	}
	p := hosttest.Whole(doc, "p1", v, b.Grid())
	p.Shifts = []checksum.Shift{{At: 1, Rows: 1}, {At: 3, Rows: -1}}
	p.Rows = []checksum.Span{{From: 1, To: 2}}
	if _, err := hosttest.WritePatch(r.host, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	v, err = hosttest.ReadBlock(r.host, placedBlock, p.Extent)
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	if diff := cmp.Diff(p.Grid.Checksum(), v.Cells.Checksum()); diff != "" {
		t.Error(diff)
	}
	if c, _ := r.Get(t, "Data", "E4"); c != checksum.Str("neighbour") {
		t.Errorf("the neighbour became %+v", c)
	}
}

func TestFaults(t *testing.T) {
	for _, row := range []struct {
		fact  string
		harm  func(rig)
		class placements.Class
		after time.Duration
	}{
		{"429 is Quota with its Retry-After", func(r rig) { r.Fail(1, 429, "17") }, placements.Quota, 17 * time.Second},
		{"503 is Transient with its Retry-After", func(r rig) { r.Fail(1, 503, "2") }, placements.Transient, 2 * time.Second},
		{"500 is Transient", func(r rig) { r.Fail(1, 500, "") }, placements.Transient, 0},
		{"401 twice is Auth", func(r rig) { r.Fail(2, 401, "") }, placements.Auth, 0},
		{"a document not shared is Auth", func(r rig) { r.Deny(doc) }, placements.Auth, 0},
		{"a sheet that is gone is Structure", func(r rig) { r.DeleteSheet(t, "Data") }, placements.Structure, 0},
		{"a service that is down is Transient", func(r rig) { r.Close() }, placements.Transient, 0},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newRig(t)
			row.harm(r)
			_, err := hosttest.ReadBlock(r.host, placedBlock, checksum.Extent{Rows: 2, Columns: 2})
			if f := hosttest.WantFault(t, err, row.class); f.RetryAfter != row.after {
				t.Errorf("RetryAfter is %v, want %v", f.RetryAfter, row.after)
			}
		})
	}
}

func TestRevokedTokenIsReplacedOnce(t *testing.T) {
	r := newRig(t)
	hosttest.Refresh(t, r.host, placedBlock, hosttest.Numbers(2, 2, nil))
	r.RevokeTokens()
	if _, err := hosttest.ReadBlock(r.host, placedBlock, checksum.Extent{Rows: 2, Columns: 2}); err != nil {
		t.Error(hosttest.Detail(err))
	}
}

func TestRefreshToken(t *testing.T) {
	r := newRig(t, func(o *google.Settings) {
		o.Credentials = []byte(`{"type":"authorized_user","client_id":"1234-fake.apps.googleusercontent.com",
			"client_secret":"fake-secret","refresh_token":"fake-refresh-token","token_uri":"` + o.Endpoint + `/token"}`)
	})
	if err := r.host.Check(t.Context()); err != nil {
		t.Error(hosttest.Detail(err))
	}
}

func TestWrongCredentialsAreAuth(t *testing.T) {
	r := newRig(t, func(o *google.Settings) {
		o.Credentials = []byte(strings.Replace(string(o.Credentials), googlefake.Email, "other@fake", 1))
	})
	hosttest.WantFault(t, r.host.Check(t.Context()), placements.Auth)
}

func TestQuota(t *testing.T) {
	r := newRig(t, func(o *google.Settings) { o.PerUser, o.PerProject = 2, 100 })
	r.Edit(doc, func(b *book.Book) { // a marker, so that a read is one request
		b.AddName(book.Name{ID: "n", Name: "_mooring_p1", Sheet: b.Sheet("Data"), Rect: book.Region{Row: 2, Column: 1, Rows: 1, Columns: 1}})
	})
	read := func() error {
		_, err := hosttest.ReadBlock(r.host, placedBlock, checksum.Extent{Rows: 1, Columns: 1})
		return err
	}
	for range 2 {
		if err := read(); err != nil {
			t.Fatal(hosttest.Detail(err))
		}
	}
	r.Requests()
	f := hosttest.WantFault(t, read(), placements.Quota)
	if f.RetryAfter != 30*time.Second {
		t.Errorf("the wait is %v, want 30s: two a minute", f.RetryAfter)
	}
	if seen := r.Requests(); len(seen) != 0 {
		t.Errorf("%d requests went out over the quota", len(seen))
	}
	r.clock.Time = r.clock.Time.Add(f.RetryAfter)
	if err := read(); err != nil {
		t.Errorf("after the wait: %s", hosttest.Detail(err))
	}
}

func TestOptionsAreChecked(t *testing.T) {
	user := `{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"c"}`
	for _, row := range []struct{ fact, credentials, endpoint, want string }{
		{"not JSON", "secret", "", "not a JSON object"},
		{"another type", `{"type":"external_account"}`, "", `type is "external_account"`},
		{"no key", `{"type":"service_account","client_email":"a@b"}`, "", "private_key is missing"},
		{"no refresh token", `{"type":"authorized_user","client_id":"a","client_secret":"b"}`, "", "refresh_token is missing"},
		{"a key that is none", `{"type":"service_account","client_email":"a@b","private_key":"secret"}`, "", "private_key is no RSA key"},
		{"endpoint without a scheme", user, "sheets.example.com", "endpoint: not an http"},
	} {
		t.Run(row.fact, func(t *testing.T) {
			_, err := google.New(google.Settings{Credentials: []byte(row.credentials), Endpoint: row.endpoint})
			if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "secret\"") {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

func TestOpensFromTheConfiguration(t *testing.T) {
	fake, err := googlefake.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer fake.Close()
	file := filepath.Join(t.TempDir(), "sa.json")
	if err := os.WriteFile(file, fake.ServiceAccount(), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := (&google.Config{CredentialsFile: file, Endpoint: fake.URL}).Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Check(t.Context()); err != nil {
		t.Error(hosttest.Detail(err))
	}
	_, err = (&google.Config{CredentialsFile: file + ".missing"}).Open(t.Context(), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "credentialsFile: ") {
		t.Errorf("a missing file gives %v", err)
	}
}

func TestMarkerWhoseCellsWereDeletedIsReplacedByItsNextGeneration(t *testing.T) {
	for _, row := range []struct {
		fact string
		lose func(r rig)
	}{
		{"its rows were deleted", func(r rig) { r.DeleteRows(t, "Data", 1, 20) }},
		{"its sheet was deleted and made again", func(r rig) {
			r.DeleteSheet(t, "Data")
			r.Edit(doc, func(b *book.Book) { b.AddSheet("Data", 100, 20) })
		}},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newRig(t)
			g := hosttest.Numbers(10, 3, nil)
			for lost := range 4 {
				_, w := hosttest.Refresh(t, r.host, placedBlock, g)
				if most := min(lost, 2) + 1; w.Calls > most {
					t.Errorf("with %d markers lost the write took %d calls, want %d at most", lost, w.Calls, most)
				}
				v, err := hosttest.ReadBlock(r.host, placedBlock, g.Extent())
				if err != nil || !v.Marked || v.Extent != g.Extent() {
					t.Fatalf("with %d markers lost the block is marked %t, %+v: %s", lost, v.Marked, v.Extent, hosttest.Detail(err))
				}
				row.lose(r)
				r.clock.Time = r.clock.Time.Add(time.Hour)
			}
		})
	}
}

func TestHighestGenerationOfAMarkerCounts(t *testing.T) {
	r := newRig(t)
	g := hosttest.Numbers(4, 2, nil)
	hosttest.Refresh(t, r.host, placedBlock, g)
	r.Edit(doc, func(b *book.Book) {
		for i, name := range []string{"_mooring_p1_g2", "_mooring_p1_g10", "_mooring_p1_gx", "_mooring_p1_g010x"} {
			b.AddName(book.Name{ID: name, Name: name, Sheet: b.Sheet("Data"), Rect: book.Region{Row: 20 + 10*i, Rows: 4, Columns: 2}})
		}
	})
	v, err := hosttest.ReadBlock(r.host, placedBlock, g.Extent())
	if err != nil || !v.Marked || v.Anchor.Row != 30 {
		t.Errorf("found at %s, marked %t: %s", v.Anchor, v.Marked, hosttest.Detail(err))
	}
}

func TestQuotaProjectOfAUserIsSaid(t *testing.T) {
	for project, class := range map[string]placements.Class{"billing": "", "": placements.Auth} {
		r := newRig(t, func(o *google.Settings) {
			o.Credentials = []byte(`{"type":"authorized_user","client_id":"1234-fake.apps.googleusercontent.com","client_secret":"fake-secret",
				"refresh_token":"fake-refresh-token","token_uri":"` + o.Endpoint + `/token","quota_project_id":"` + project + `"}`)
		})
		r.WantQuotaProject("billing")
		_, err := hosttest.ReadBlock(r.host, placedBlock, checksum.Extent{Rows: 1, Columns: 1})
		if class != "" {
			hosttest.WantFault(t, err, class)
		} else if err != nil {
			t.Error(hosttest.Detail(err))
		}
	}
}

func TestSheetWithoutCellsIsAStructureFault(t *testing.T) {
	r := newRig(t)
	r.Edit(doc, func(b *book.Book) { b.AddSheet("Chart1", 0, 0) })
	block := placedBlock
	block.Sheet = "Chart1"
	_, err := hosttest.ReadBlock(r.host, block, checksum.Extent{Rows: 2, Columns: 2})
	if f := hosttest.WantFault(t, err, placements.Structure); !strings.Contains(f.Message, `"Chart1"`) || !strings.Contains(f.Message, "no cells") {
		t.Errorf("the message is %q", f.Message)
	}
	_, err = hosttest.WritePatch(r.host, hosttest.Whole(doc, "p1", host.View{Sheet: "Chart1"}, hosttest.Numbers(2, 2, nil)))
	hosttest.WantFault(t, err, placements.Structure)
	hosttest.Refresh(t, r.host, placedBlock, hosttest.Numbers(2, 2, nil)) // beside it
}

func TestMarkersThatAReadOfRangesDoesNotListAreFound(t *testing.T) {
	other := placedBlock
	other.PlacementID, other.Sheet = "p2", "Other"
	r := newRig(t)
	r.Quirk(googlefake.Quirks{RangesFilterNames: true})
	g := hosttest.Numbers(4, 3, nil)
	hosttest.Refresh(t, r.host, placedBlock, g)
	hosttest.Refresh(t, r.host, other, g)
	r.InsertRows(t, "Data", 1, 40) // away from where the block is looked for
	s := hosttest.Open(t, r.host, doc)
	found, err := s.Read(t.Context(), []host.Wanted{{Block: placedBlock, Extent: g.Extent()}, {Block: other, Extent: g.Extent()}})
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	var patches []host.Patch
	for i, f := range found {
		if f.Err != nil || !f.View.Marked || f.View.Anchor.Row != 42-40*i {
			t.Errorf("block %d: marked %t at %s: %s", i, f.View.Marked, f.View.Anchor, hosttest.Detail(f.Err))
		}
		patches = append(patches, hosttest.Whole(doc, fmt.Sprintf("p%d", i+1), f.View, hosttest.Numbers(5, 3, nil)))
	}
	if _, err := s.Write(t.Context(), patches); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	r.Edit(doc, func(b *book.Book) {
		if len(b.Names) != 2 {
			t.Errorf("%d markers, want 2", len(b.Names))
		}
	})
}

func TestUnmarkedBlockTakesOneLookAtAllNames(t *testing.T) {
	r := newRig(t)
	v, err := hosttest.ReadBlock(r.host, placedBlock, checksum.Extent{Rows: 4, Columns: 3})
	if err != nil || v.Calls != 2 || v.Marked {
		t.Errorf("%d calls, marked %t: %s; want 2, false", v.Calls, v.Marked, hosttest.Detail(err))
	}
}

func TestInsertsNearTheSheetsEndGetRoomFirst(t *testing.T) {
	r := newRig(t)
	hosttest.Refresh(t, r.host, placedBlock, hosttest.Numbers(4, 2, nil))
	r.Set(t, "Data", "B100", checksum.Str("last"))
	r.Quirk(googlefake.Quirks{InsertNeedsRoom: true})
	s := hosttest.Open(t, r.host, doc)
	v, err := hosttest.Read(s, placedBlock, checksum.Extent{Rows: 7, Columns: 2})
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	p := hosttest.Whole(doc, "p1", v, hosttest.Numbers(7, 2, nil))
	p.Shifts = []checksum.Shift{{At: 4, Rows: 3}}
	w, err := hosttest.Write(s, p)
	if err != nil || w.Calls > 4 {
		t.Fatalf("%d calls: %s", w.Calls, hosttest.Detail(err))
	}
	if c, _ := r.Get(t, "Data", "B103"); c != checksum.Str("last") {
		t.Errorf("B103 holds %+v", c)
	}
}

func TestNumbersInCellsOfTextFormatStayNumbers(t *testing.T) {
	r := newRig(t)
	r.Quirk(googlefake.Quirks{TextKeepsNumbers: true})
	for cell, format := range map[string]string{"B4": "@", "C4": "@", "D4": "@", "E4": "0.0"} {
		r.At(t, "Data", cell, func(s *book.Sheet, row, column int) { s.SetFormat(row, column, format) })
	}
	var b checksum.Builder
	b.Append(checksum.Str("n"), checksum.Str("text"), checksum.Str("day"), checksum.Str("own"))
	b.Append(checksum.Num(1.5), checksum.Str("0042"), checksum.Num(45000), checksum.Num(7))
	g := b.Grid()
	s := hosttest.Open(t, r.host, doc)
	v, err := hosttest.Read(s, placedBlock, g.Extent())
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	p := hosttest.Whole(doc, "p1", v, g)
	p.Formats = []string{"", "", "yyyy-mm-dd", ""}
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	for cell, want := range map[string]checksum.Cell{
		"B4": checksum.Num(1.5), "C4": checksum.Str("0042"), "D4": checksum.Num(45000), "E4": checksum.Num(7),
	} {
		if c, _ := r.Get(t, "Data", cell); c != want {
			t.Errorf("%s holds %+v, want %+v", cell, c, want)
		}
	}
	for cell, want := range map[string]string{"B4": "", "C4": "@", "D4": "yyyy-mm-dd", "E4": "0.0"} {
		if format := r.NumberFormat(t, "Data", cell); format != want {
			t.Errorf("%s has the format %q, want %q", cell, format, want)
		}
	}
}

func TestTextsThatMayBeAlteredAreToldWithoutAFurtherCall(t *testing.T) {
	for name, test := range map[string]struct {
		quirks googlefake.Quirks
		held   []host.Held
	}{
		"held as written": {},
		"altered": {everyQuirk, []host.Held{
			{Position: host.Position{Row: 1, Column: 0}, Cell: checksum.Str("s-Hertogenbosch")},
			{Position: host.Position{Row: 3, Column: 1}, Cell: checksum.Str("#N/A")},
			{Position: host.Position{Row: 4, Column: 0}, Cell: checksum.Cell{}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.Quirk(test.quirks)
			var b checksum.Builder
			b.Append(checksum.Str("name"), checksum.Str("n"))
			b.Append(checksum.Str("'s-Hertogenbosch"), checksum.Num(1))
			b.Append(checksum.Str("plain"), checksum.Num(2))
			b.Append(checksum.Str("error"), checksum.Err("#N/A"))
			b.Append(checksum.Str("\u200b"), checksum.Num(4))
			g := b.Grid()
			s := hosttest.Open(t, r.host, doc)
			v, err := hosttest.Read(s, placedBlock, g.Extent())
			if err != nil {
				t.Fatal(hosttest.Detail(err))
			}
			w, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, g))
			if diff := cmp.Diff(test.held, w.Held); err != nil || diff != "" {
				t.Errorf("%s; held (-want +got):\n%s", hosttest.Detail(err), diff)
			}
			if w.Calls != 1 {
				t.Errorf("%d calls, want 1", w.Calls)
			}
		})
	}
}
