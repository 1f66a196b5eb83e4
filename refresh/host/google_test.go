package host_test

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
	"mooring/refresh/host/hosttest/book"
	"mooring/refresh/host/hosttest/googlefake"
)

// googleRig is a host, the fake it talks to, and a document there of two sheets of 100 × 20.
type googleRig struct {
	*googlefake.Server
	bookEditor
	host  *host.Google
	clock *clock
}

const googleDoc = "1AbC-document_id"

var googleBlock = host.Block{Document: googleDoc, PlacementID: "p1", Sheet: "Data", Anchor: placements.Anchor{Row: 2, Column: 1}}

func newGoogleRig(t testing.TB, options ...func(*host.GoogleOptions)) googleRig {
	t.Helper()
	fake, err := googlefake.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	fake.Add(googleDoc, book.New(100, 20, "Data", "Other"))
	c := newClock()
	o := host.GoogleOptions{Credentials: fake.ServiceAccount(), Endpoint: fake.URL, PerUser: -1, PerProject: -1, Now: c.Now}
	for _, option := range options {
		option(&o)
	}
	h, err := host.NewGoogle(o)
	if err != nil {
		t.Fatal(err)
	}
	return googleRig{
		Server: fake, host: h, clock: c,
		bookEditor: bookEditor{func(edit func(*book.Book)) { fake.Edit(googleDoc, edit) }},
	}
}

func TestGoogleUnchangedBlockTakesOneRead(t *testing.T) {
	r := newGoogleRig(t)
	g := grid(50, 5, nil)
	refresh(t, r.host, googleBlock, g)
	r.Requests()
	v, err := readBlock(r.host, googleBlock, g.Extent())
	if err != nil {
		t.Fatal(detail(err))
	}
	if seen := r.Requests(); len(seen) != 1 || v.Calls != 1 {
		t.Errorf("the read took %d requests and says %d, want 1", len(seen), v.Calls)
	}
	if diff := cmp.Diff(g.Checksum(), v.Cells.Checksum()); diff != "" {
		t.Error(diff)
	}
	want := host.View{Marked: true, SheetID: "0", Sheet: "Data", Anchor: googleBlock.Anchor, Extent: g.Extent(), Calls: 1}
	v.Cells = nil
	if diff := cmp.Diff(want, v); diff != "" {
		t.Error(diff)
	}
}

func TestGoogleChangedBlockTakesOneReadAndOneWrite(t *testing.T) {
	r := newGoogleRig(t)
	refresh(t, r.host, googleBlock, grid(50, 5, nil))
	r.Requests()
	changed := grid(50, 5, map[host.Position]checksum.Cell{{Row: 7, Column: 2}: checksum.Str("new")})
	s := open(t, r.host, googleDoc)
	v, err := readIn(s, googleBlock, changed.Extent())
	if err != nil {
		t.Fatal(detail(err))
	}
	p := whole(googleDoc, "p1", v, changed)
	p.Rows = []checksum.Span{{From: 7, To: 8}}
	w, err := writeIn(s, p)
	if err != nil {
		t.Fatal(detail(err))
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

func TestGoogleSheetGrowsForTheBlock(t *testing.T) {
	r := newGoogleRig(t)
	v, w := refresh(t, r.host, googleBlock, grid(150, 30, nil))
	if v.Calls != 3 || w.Calls != 1 {
		t.Errorf("the read took %d requests, the write %d; want 3, one of which looks at all sheets, and 1", v.Calls, w.Calls)
	}
	r.Edit(googleDoc, func(b *book.Book) {
		if s := b.Sheet("Data"); s.Rows != 152 || s.Columns != 31 {
			t.Errorf("the sheet is now %d × %d, want 152 × 31", s.Rows, s.Columns)
		}
	})
}

func TestGoogleRefusesMoreThanTenMillionCells(t *testing.T) {
	r := newGoogleRig(t)
	r.Edit(googleDoc, func(b *book.Book) { b.Sheet("Other").Rows = 499_900 })
	v, err := readBlock(r.host, googleBlock, checksum.Extent{Rows: 1, Columns: 1})
	if err != nil {
		t.Fatal(detail(err))
	}
	_, err = writePatch(r.host, whole(googleDoc, "p1", v, grid(200, 20, nil)))
	f := wantFault(t, err, placements.Permanent)
	if !strings.Contains(f.Message, "10000000") {
		t.Errorf("the message is %q", f.Message)
	}
	for _, seen := range r.Requests() {
		if seen.Method != http.MethodGet {
			t.Errorf("something was sent: %+v", seen)
		}
	}
}

func TestGoogleSplitsLargeWrites(t *testing.T) {
	r := newGoogleRig(t)
	long := strings.Repeat("x", 40_000)
	changed := map[host.Position]checksum.Cell{}
	for row := range 90 {
		changed[host.Position{Row: row, Column: 0}] = checksum.Str(long)
	}
	g := grid(90, 2, changed)
	_, w := refresh(t, r.host, googleBlock, g)
	if w.Calls != 2 {
		t.Errorf("3.6 MB took %d requests, want 2", w.Calls)
	}
	for _, seen := range r.Requests() {
		if seen.Body > 2_100_000 {
			t.Errorf("a request has %d bytes", seen.Body)
		}
	}
	v, err := readBlock(r.host, googleBlock, g.Extent())
	if err != nil || !v.Marked || v.Extent != g.Extent() {
		t.Errorf("the block reads as %+v, %v", v.Extent, err)
	}
}

func TestGoogleHalfWrittenBlockKeepsItsOldMarker(t *testing.T) {
	r := newGoogleRig(t)
	refresh(t, r.host, googleBlock, grid(5, 2, nil))
	long := strings.Repeat("x", 40_000)
	changed := map[host.Position]checksum.Cell{}
	for row := range 90 {
		changed[host.Position{Row: row, Column: 0}] = checksum.Str(long)
	}
	g := grid(90, 2, changed)
	s := open(t, r.host, googleDoc)
	v, err := readIn(s, googleBlock, g.Extent())
	if err != nil {
		t.Fatal(detail(err))
	}
	r.FailAfter(1, 503, "")
	_, err = writeIn(s, whole(googleDoc, "p1", v, g))
	wantFault(t, err, placements.Transient)
	v, err = readBlock(r.host, googleBlock, g.Extent())
	if want := (checksum.Extent{Rows: 5, Columns: 2}); err != nil || v.Extent != want {
		t.Errorf("the marker covers %+v, want %+v; %v", v.Extent, want, err)
	}
}

func TestGoogleBlockIsFoundWhereItMoved(t *testing.T) {
	for _, row := range []struct {
		fact  string
		edit  func(r googleRig)
		sheet string
		calls int
	}{
		{"rows inserted above: a second read", func(r googleRig) { r.InsertRows(t, "Data", 1, 3) }, "Data", 2},
		{"its sheet renamed: names first", func(r googleRig) { r.RenameSheet(t, "Data", "Sales '26") }, "Sales '26", 3},
		{"moved to another sheet: names first", func(r googleRig) {
			r.Edit(googleDoc, func(b *book.Book) { b.Names[0].Sheet = b.Sheet("Other") })
		}, "Other", 3},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newGoogleRig(t)
			g := grid(10, 3, nil)
			refresh(t, r.host, googleBlock, g)
			row.edit(r)
			v, err := readBlock(r.host, googleBlock, g.Extent())
			if err != nil {
				t.Fatal(detail(err))
			}
			if !v.Marked || v.Sheet != row.sheet || v.Calls != row.calls {
				t.Errorf("found on %q, marked %v, in %d calls; want %q, true, %d", v.Sheet, v.Marked, v.Calls, row.sheet, row.calls)
			}
		})
	}
}

func TestGoogleSeveralBlocksAreLookedForTogether(t *testing.T) {
	blocks := []host.Block{googleBlock, googleBlock, googleBlock}
	blocks[1].PlacementID, blocks[1].Anchor.Column = "p2", 8
	blocks[2].PlacementID, blocks[2].Sheet = "p3", "Other"
	for _, row := range []struct {
		fact  string
		edit  func(r googleRig)
		calls int
	}{
		{"all where they were", func(googleRig) {}, 1},
		{"rows inserted above two: one more request", func(r googleRig) { r.InsertRows(t, "Data", 1, 3) }, 2},
		{"a sheet renamed: names first", func(r googleRig) { r.RenameSheet(t, "Data", "New") }, 3},
		{"one moved to a sheet that another is on", func(r googleRig) {
			r.Edit(googleDoc, func(b *book.Book) { b.Names[1].Sheet = b.Sheet("Other") })
		}, 2},
		{"one moved to another sheet: names first", func(r googleRig) {
			r.Edit(googleDoc, func(b *book.Book) { b.Names[2].Sheet = b.AddSheet("Third", 50, 20) })
		}, 3},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newGoogleRig(t)
			g := grid(10, 3, nil)
			var wanted []host.Wanted
			for _, b := range blocks {
				refresh(t, r.host, b, g)
				wanted = append(wanted, host.Wanted{Block: b, Extent: g.Extent()})
			}
			row.edit(r)
			r.Requests()
			found, err := open(t, r.host, googleDoc).Read(t.Context(), wanted)
			if err != nil {
				t.Fatal(detail(err))
			}
			if seen := r.Requests(); len(seen) != row.calls || found[0].View.Calls != row.calls {
				t.Errorf("%d requests, and the read says %d; want %d", len(seen), found[0].View.Calls, row.calls)
			}
			for i, f := range found {
				if f.Err != nil || !f.View.Marked || i > 0 && f.View.Calls != 0 {
					t.Errorf("block %d: marked %t, %d calls, %s", i, f.View.Marked, f.View.Calls, detail(f.Err))
				}
			}
		})
	}
}

func TestGoogleSeesTheMarkerOfACopiedSheet(t *testing.T) {
	r := newGoogleRig(t)
	g := grid(3, 2, nil)
	refresh(t, r.host, googleBlock, g)
	r.Edit(googleDoc, func(b *book.Book) {
		b.AddName(book.Name{ID: "copy", Name: "'Copy of Data'!_mooring_p1", Sheet: b.Sheet("Other"), Rect: b.Names[0].Rect})
	})
	v, err := readBlock(r.host, googleBlock, g.Extent())
	if err != nil || !v.Marked || !v.Doubled || v.Sheet != "Data" {
		t.Errorf("found on %q, marked %t, doubled %t, %s; want Data, true, true", v.Sheet, v.Marked, v.Doubled, detail(err))
	}
	r.DeleteSheet(t, "Data")
	if _, err = readBlock(r.host, googleBlock, g.Extent()); err == nil {
		t.Error("the copy's marker was followed")
	}
}

func TestGoogleMoveAtTheSheetsEndMakesRoom(t *testing.T) {
	r := newGoogleRig(t)
	block := googleBlock
	block.Anchor.Row = 95
	refresh(t, r.host, block, grid(5, 2, nil))
	s := open(t, r.host, googleDoc)
	v, err := readIn(s, block, checksum.Extent{})
	if err != nil {
		t.Fatal(detail(err))
	}
	var b checksum.Builder
	for _, n := range []float64{0, 6, 8, 2, 4} {
		b.Append(checksum.Num(n), checksum.Num(n+1))
	}
	p := whole(googleDoc, "p1", v, b.Grid())
	p.Rows, p.Moves = nil, []checksum.Move{{From: 1, Rows: 2, To: 5}}
	if _, err := writeIn(s, p); err != nil {
		t.Fatal(detail(err))
	}
	v, err = readBlock(r.host, block, checksum.Extent{})
	if err != nil || v.Extent != p.Extent {
		t.Fatalf("the marker covers %+v, %s", v.Extent, detail(err))
	}
	if diff := cmp.Diff(p.Grid.Checksum(), v.Cells.Checksum()); diff != "" {
		t.Error(diff)
	}
}

func TestGoogleBlockBeyondTheSheetsEndReadsAsEmpty(t *testing.T) {
	r := newGoogleRig(t)
	for _, anchor := range []placements.Anchor{{Row: 95, Column: 18}, {Row: 300, Column: 40}} {
		b := googleBlock
		b.Anchor = anchor
		v, err := readBlock(r.host, b, checksum.Extent{Rows: 20, Columns: 5})
		if err != nil {
			t.Fatal(detail(err))
		}
		if v.Cells.Rows() != 20 || v.Cells.Columns() != 0 || v.Anchor != anchor {
			t.Errorf("%v reads as %d × %d at %v", anchor, v.Cells.Rows(), v.Cells.Columns(), v.Anchor)
		}
	}
}

func TestGoogleLostMarkerLeavesTheStoredAddress(t *testing.T) {
	r := newGoogleRig(t)
	refresh(t, r.host, googleBlock, grid(10, 3, nil))
	r.Edit(googleDoc, func(b *book.Book) { b.Names[0].Sheet = nil })
	v, err := readBlock(r.host, googleBlock, checksum.Extent{Rows: 10, Columns: 3})
	if err != nil || v.Marked || v.Anchor != googleBlock.Anchor {
		t.Errorf("found at %v, marked %v, %v", v.Anchor, v.Marked, err)
	}
}

func TestGoogleWriteOfADocumentThatChanged(t *testing.T) {
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
			r := newGoogleRig(t)
			g := grid(10, 3, nil)
			refresh(t, r.host, googleBlock, g)
			s := open(t, r.host, googleDoc)
			v, err := readIn(s, googleBlock, g.Extent())
			if err != nil {
				t.Fatal(detail(err))
			}
			r.BeforeWrite(row.edit)
			_, err = writeIn(s, whole(googleDoc, "p1", v, grid(11, 3, map[host.Position]checksum.Cell{{}: checksum.Str("no")})))
			wantFault(t, err, row.class)
			r.Edit(googleDoc, func(b *book.Book) {
				if s := b.Sheet("Data"); s != nil && s.Cell(2, 1).Value == "no" {
					t.Error("something was written")
				}
			})
		})
	}
}

func TestGoogleWriteWithoutAReadAsksFirst(t *testing.T) {
	r := newGoogleRig(t)
	g := grid(4, 3, nil)
	v, _ := refresh(t, r.host, googleBlock, g)
	w, err := writePatch(r.host, whole(googleDoc, "p1", v, g))
	if err != nil || w.Calls != 2 {
		t.Errorf("a second write took %d calls, want 2: %v", w.Calls, err)
	}
	r.InsertRows(t, "Data", 1, 1)
	_, err = writePatch(r.host, whole(googleDoc, "p1", v, g))
	wantFault(t, err, placements.Transient)
}

func TestGoogleShifts(t *testing.T) {
	r := newGoogleRig(t)
	refresh(t, r.host, googleBlock, grid(4, 2, nil))
	r.Set(t, "Data", "E4", checksum.Str("neighbour"))
	v, err := readBlock(r.host, googleBlock, checksum.Extent{Rows: 5, Columns: 2})
	if err != nil {
		t.Fatal(detail(err))
	}
	var b checksum.Builder
	for _, n := range []float64{0, 100, 2, 6} {
		b.Append(checksum.Num(n), checksum.Num(n+1))
	}
	p := whole(googleDoc, "p1", v, b.Grid())
	p.Shifts = []checksum.Shift{{At: 1, Rows: 1}, {At: 3, Rows: -1}}
	p.Rows = []checksum.Span{{From: 1, To: 2}}
	if _, err := writePatch(r.host, p); err != nil {
		t.Fatal(detail(err))
	}
	v, err = readBlock(r.host, googleBlock, p.Extent)
	if err != nil {
		t.Fatal(detail(err))
	}
	if diff := cmp.Diff(p.Grid.Checksum(), v.Cells.Checksum()); diff != "" {
		t.Error(diff)
	}
	if c, _ := r.Get(t, "Data", "E4"); c != checksum.Str("neighbour") {
		t.Errorf("the neighbour became %+v", c)
	}
}

func TestGoogleFaults(t *testing.T) {
	for _, row := range []struct {
		fact  string
		harm  func(googleRig)
		class placements.Class
		after time.Duration
	}{
		{"429 is Quota with its Retry-After", func(r googleRig) { r.Fail(1, 429, "17") }, placements.Quota, 17 * time.Second},
		{"503 is Transient with its Retry-After", func(r googleRig) { r.Fail(1, 503, "2") }, placements.Transient, 2 * time.Second},
		{"500 is Transient", func(r googleRig) { r.Fail(1, 500, "") }, placements.Transient, 0},
		{"401 twice is Auth", func(r googleRig) { r.Fail(2, 401, "") }, placements.Auth, 0},
		{"a document not shared is Auth", func(r googleRig) { r.Deny(googleDoc) }, placements.Auth, 0},
		{"a sheet that is gone is Structure", func(r googleRig) { r.DeleteSheet(t, "Data") }, placements.Structure, 0},
		{"a service that is down is Transient", func(r googleRig) { r.Close() }, placements.Transient, 0},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newGoogleRig(t)
			row.harm(r)
			_, err := readBlock(r.host, googleBlock, checksum.Extent{Rows: 2, Columns: 2})
			if f := wantFault(t, err, row.class); f.RetryAfter != row.after {
				t.Errorf("RetryAfter is %v, want %v", f.RetryAfter, row.after)
			}
		})
	}
}

func TestGoogleRevokedTokenIsReplacedOnce(t *testing.T) {
	r := newGoogleRig(t)
	refresh(t, r.host, googleBlock, grid(2, 2, nil))
	r.RevokeTokens()
	if _, err := readBlock(r.host, googleBlock, checksum.Extent{Rows: 2, Columns: 2}); err != nil {
		t.Error(detail(err))
	}
}

func TestGoogleRefreshToken(t *testing.T) {
	r := newGoogleRig(t, func(o *host.GoogleOptions) {
		o.Credentials = []byte(`{"type":"authorized_user","client_id":"1234-fake.apps.googleusercontent.com",
			"client_secret":"fake-secret","refresh_token":"fake-refresh-token","token_uri":"` + o.Endpoint + `/token"}`)
	})
	if err := r.host.Check(t.Context()); err != nil {
		t.Error(detail(err))
	}
}

func TestGoogleWrongCredentialsAreAuth(t *testing.T) {
	r := newGoogleRig(t, func(o *host.GoogleOptions) {
		o.Credentials = []byte(strings.Replace(string(o.Credentials), googlefake.Email, "other@fake", 1))
	})
	wantFault(t, r.host.Check(t.Context()), placements.Auth)
}

func TestGoogleQuota(t *testing.T) {
	r := newGoogleRig(t, func(o *host.GoogleOptions) { o.PerUser, o.PerProject = 2, 100 })
	r.Edit(googleDoc, func(b *book.Book) { // a marker, so that a read is one request
		b.AddName(book.Name{ID: "n", Name: "_mooring_p1", Sheet: b.Sheet("Data"), Rect: book.Rect{Row: 2, Column: 1, Rows: 1, Columns: 1}})
	})
	read := func() error {
		_, err := readBlock(r.host, googleBlock, checksum.Extent{Rows: 1, Columns: 1})
		return err
	}
	for range 2 {
		if err := read(); err != nil {
			t.Fatal(detail(err))
		}
	}
	r.Requests()
	f := wantFault(t, read(), placements.Quota)
	if f.RetryAfter != 30*time.Second {
		t.Errorf("the wait is %v, want 30s: two a minute", f.RetryAfter)
	}
	if seen := r.Requests(); len(seen) != 0 {
		t.Errorf("%d requests went out over the quota", len(seen))
	}
	r.clock.now = r.clock.now.Add(f.RetryAfter)
	if err := read(); err != nil {
		t.Errorf("after the wait: %s", detail(err))
	}
}

func TestGoogleOptionsAreChecked(t *testing.T) {
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
			_, err := host.NewGoogle(host.GoogleOptions{Credentials: []byte(row.credentials), Endpoint: row.endpoint})
			if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "secret\"") {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

func TestGoogleOpensFromTheConfiguration(t *testing.T) {
	fake, err := googlefake.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer fake.Close()
	file := filepath.Join(t.TempDir(), "sa.json")
	if err := os.WriteFile(file, fake.ServiceAccount(), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := (&host.GoogleConfig{CredentialsFile: file, Endpoint: fake.URL}).Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Check(t.Context()); err != nil {
		t.Error(detail(err))
	}
	_, err = (&host.GoogleConfig{CredentialsFile: file + ".missing"}).Open(t.Context(), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "credentialsFile: ") {
		t.Errorf("a missing file gives %v", err)
	}
}

func TestGoogleMarkerWhoseCellsWereDeletedIsReplacedByItsNextGeneration(t *testing.T) {
	for _, row := range []struct {
		fact string
		lose func(r googleRig)
	}{
		{"its rows were deleted", func(r googleRig) { r.DeleteRows(t, "Data", 1, 20) }},
		{"its sheet was deleted and made again", func(r googleRig) {
			r.DeleteSheet(t, "Data")
			r.Edit(googleDoc, func(b *book.Book) { b.AddSheet("Data", 100, 20) })
		}},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newGoogleRig(t)
			g := grid(10, 3, nil)
			for lost := range 4 {
				_, w := refresh(t, r.host, googleBlock, g)
				if most := min(lost, 2) + 1; w.Calls > most {
					t.Errorf("with %d markers lost the write took %d calls, want %d at most", lost, w.Calls, most)
				}
				v, err := readBlock(r.host, googleBlock, g.Extent())
				if err != nil || !v.Marked || v.Extent != g.Extent() {
					t.Fatalf("with %d markers lost the block is marked %t, %+v: %s", lost, v.Marked, v.Extent, detail(err))
				}
				row.lose(r)
				r.clock.now = r.clock.now.Add(time.Hour)
			}
		})
	}
}

func TestGoogleHighestGenerationOfAMarkerCounts(t *testing.T) {
	r := newGoogleRig(t)
	g := grid(4, 2, nil)
	refresh(t, r.host, googleBlock, g)
	r.Edit(googleDoc, func(b *book.Book) {
		for i, name := range []string{"_mooring_p1_g2", "_mooring_p1_g10", "_mooring_p1_gx", "_mooring_p1_g010x"} {
			b.AddName(book.Name{ID: name, Name: name, Sheet: b.Sheet("Data"), Rect: book.Rect{Row: 20 + 10*i, Rows: 4, Columns: 2}})
		}
	})
	v, err := readBlock(r.host, googleBlock, g.Extent())
	if err != nil || !v.Marked || v.Anchor.Row != 30 {
		t.Errorf("found at %s, marked %t: %s", v.Anchor, v.Marked, detail(err))
	}
}

func TestGoogleQuotaProjectOfAUserIsSaid(t *testing.T) {
	for project, class := range map[string]placements.Class{"billing": "", "": placements.Auth} {
		r := newGoogleRig(t, func(o *host.GoogleOptions) {
			o.Credentials = []byte(`{"type":"authorized_user","client_id":"1234-fake.apps.googleusercontent.com","client_secret":"fake-secret",
				"refresh_token":"fake-refresh-token","token_uri":"` + o.Endpoint + `/token","quota_project_id":"` + project + `"}`)
		})
		r.WantQuotaProject("billing")
		_, err := readBlock(r.host, googleBlock, checksum.Extent{Rows: 1, Columns: 1})
		if class != "" {
			wantFault(t, err, class)
		} else if err != nil {
			t.Error(detail(err))
		}
	}
}

func TestGoogleSheetWithoutCellsIsAStructureFault(t *testing.T) {
	r := newGoogleRig(t)
	r.Edit(googleDoc, func(b *book.Book) { b.AddSheet("Chart1", 0, 0) })
	block := googleBlock
	block.Sheet = "Chart1"
	_, err := readBlock(r.host, block, checksum.Extent{Rows: 2, Columns: 2})
	if f := wantFault(t, err, placements.Structure); !strings.Contains(f.Message, `"Chart1"`) || !strings.Contains(f.Message, "no cells") {
		t.Errorf("the message is %q", f.Message)
	}
	_, err = writePatch(r.host, whole(googleDoc, "p1", host.View{Sheet: "Chart1"}, grid(2, 2, nil)))
	wantFault(t, err, placements.Structure)
	refresh(t, r.host, googleBlock, grid(2, 2, nil)) // beside it
}

func TestGoogleMarkersThatAReadOfRangesDoesNotListAreFound(t *testing.T) {
	other := googleBlock
	other.PlacementID, other.Sheet = "p2", "Other"
	r := newGoogleRig(t)
	r.Quirk(googlefake.Quirks{RangesFilterNames: true})
	g := grid(4, 3, nil)
	refresh(t, r.host, googleBlock, g)
	refresh(t, r.host, other, g)
	r.InsertRows(t, "Data", 1, 40) // away from where the block is looked for
	s := open(t, r.host, googleDoc)
	found, err := s.Read(t.Context(), []host.Wanted{{Block: googleBlock, Extent: g.Extent()}, {Block: other, Extent: g.Extent()}})
	if err != nil {
		t.Fatal(detail(err))
	}
	var patches []host.Patch
	for i, f := range found {
		if f.Err != nil || !f.View.Marked || f.View.Anchor.Row != 42-40*i {
			t.Errorf("block %d: marked %t at %s: %s", i, f.View.Marked, f.View.Anchor, detail(f.Err))
		}
		patches = append(patches, whole(googleDoc, fmt.Sprintf("p%d", i+1), f.View, grid(5, 3, nil)))
	}
	if _, err := s.Write(t.Context(), patches); err != nil {
		t.Fatal(detail(err))
	}
	r.Edit(googleDoc, func(b *book.Book) {
		if len(b.Names) != 2 {
			t.Errorf("%d markers, want 2", len(b.Names))
		}
	})
}

func TestGoogleUnmarkedBlockTakesOneLookAtAllNames(t *testing.T) {
	r := newGoogleRig(t)
	v, err := readBlock(r.host, googleBlock, checksum.Extent{Rows: 4, Columns: 3})
	if err != nil || v.Calls != 2 || v.Marked {
		t.Errorf("%d calls, marked %t: %s; want 2, false", v.Calls, v.Marked, detail(err))
	}
}

func TestGoogleInsertsNearTheSheetsEndGetRoomFirst(t *testing.T) {
	r := newGoogleRig(t)
	refresh(t, r.host, googleBlock, grid(4, 2, nil))
	r.Set(t, "Data", "B100", checksum.Str("last"))
	r.Quirk(googlefake.Quirks{InsertNeedsRoom: true})
	s := open(t, r.host, googleDoc)
	v, err := readIn(s, googleBlock, checksum.Extent{Rows: 7, Columns: 2})
	if err != nil {
		t.Fatal(detail(err))
	}
	p := whole(googleDoc, "p1", v, grid(7, 2, nil))
	p.Shifts = []checksum.Shift{{At: 4, Rows: 3}}
	w, err := writeIn(s, p)
	if err != nil || w.Calls > 3 {
		t.Fatalf("%d calls: %s", w.Calls, detail(err))
	}
	if c, _ := r.Get(t, "Data", "B103"); c != checksum.Str("last") {
		t.Errorf("B103 holds %+v", c)
	}
}

func TestGoogleNumbersInCellsOfTextFormatStayNumbers(t *testing.T) {
	r := newGoogleRig(t)
	r.Quirk(googlefake.Quirks{TextKeepsNumbers: true})
	for cell, format := range map[string]string{"B4": "@", "C4": "@", "D4": "@", "E4": "0.0"} {
		r.at(t, "Data", cell, func(s *book.Sheet, row, column int) { s.SetFormat(row, column, format) })
	}
	var b checksum.Builder
	b.Append(checksum.Str("n"), checksum.Str("text"), checksum.Str("day"), checksum.Str("own"))
	b.Append(checksum.Num(1.5), checksum.Str("0042"), checksum.Num(45000), checksum.Num(7))
	g := b.Grid()
	s := open(t, r.host, googleDoc)
	v, err := readIn(s, googleBlock, g.Extent())
	if err != nil {
		t.Fatal(detail(err))
	}
	p := whole(googleDoc, "p1", v, g)
	p.Formats = []string{"", "", "yyyy-mm-dd", ""}
	if _, err := writeIn(s, p); err != nil {
		t.Fatal(detail(err))
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

func TestGoogleTextsThatMayBeAlteredAreToldWithoutAFurtherCall(t *testing.T) {
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
			r := newGoogleRig(t)
			r.Quirk(test.quirks)
			var b checksum.Builder
			b.Append(checksum.Str("name"), checksum.Str("n"))
			b.Append(checksum.Str("'s-Hertogenbosch"), checksum.Num(1))
			b.Append(checksum.Str("plain"), checksum.Num(2))
			b.Append(checksum.Str("error"), checksum.Err("#N/A"))
			b.Append(checksum.Str("\u200b"), checksum.Num(4))
			g := b.Grid()
			s := open(t, r.host, googleDoc)
			v, err := readIn(s, googleBlock, g.Extent())
			if err != nil {
				t.Fatal(detail(err))
			}
			w, err := writeIn(s, whole(googleDoc, "p1", v, g))
			if diff := cmp.Diff(test.held, w.Held); err != nil || diff != "" {
				t.Errorf("%s; held (-want +got):\n%s", detail(err), diff)
			}
			if w.Calls != 1 {
				t.Errorf("%d calls, want 1", w.Calls)
			}
		})
	}
}
