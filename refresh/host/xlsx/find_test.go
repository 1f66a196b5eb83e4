package xlsx_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/workbook"
	"mooring/refresh/host/xlsx"
)

// shelf makes a folder with files and the host of it.
func shelf(t testing.TB, files ...string) (*xlsx.Folder, string) {
	t.Helper()
	dir := t.TempDir()
	for _, file := range files {
		put(t, dir, file, "")
	}
	x, err := xlsx.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	return x, dir
}

func put(t testing.TB, dir, file, content string) {
	t.Helper()
	at := filepath.Join(dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func find(t testing.TB, x *xlsx.Folder, hint host.Hint, tried map[string]bool, b *host.Budget) (ids []string, err error) {
	t.Helper()
	found, err := x.Find(t.Context(), hint, tried, b)
	for _, c := range found {
		if c.Name != c.ID[strings.LastIndexByte(c.ID, '/')+1:] {
			t.Errorf("found %+v", c)
		}
		ids = append(ids, c.ID)
	}
	return ids, err
}

func TestFind(t *testing.T) {
	files := []string{
		"plan.xlsx", "2026/plan.xlsx", "2026/Sales/PLAN.xlsx", "2027/Sales/plan.xlsx", "~$plan.xlsx", ".~lock.plan.xlsx#", "old plan.xlsx", "plan.xls",
		"plan.csv", "macros.xlsm", "Bu\u0308ro.xlsx", "a%20b.xlsx", "2026/secret.txt", "nested/nested/deep.xlsx",
	}
	for _, row := range []struct {
		fact string
		hint host.Hint
		want []string
		err  error
	}{
		{"nothing is said", host.Hint{}, nil, nil},
		{"a name", host.Hint{Name: "plan.xlsx"}, []string{"plan.xlsx", "2026/plan.xlsx", "2026/Sales/PLAN.xlsx", "2027/Sales/plan.xlsx"}, nil},
		{"a path of Windows", host.Hint{URL: `S:\Sheets\nested\deep.xlsx`}, []string{"nested/nested/deep.xlsx"}, nil},
		{"a share", host.Hint{URL: `\\server\sheets\deep.xlsx`}, []string{"nested/nested/deep.xlsx"}, nil},
		{"a Mac", host.Hint{URL: "/Volumes/sheets/deep.xlsx"}, []string{"nested/nested/deep.xlsx"}, nil},
		{"a file's address", host.Hint{URL: "file:///S:/Sheets/old%20plan.xlsx"}, []string{"old plan.xlsx"}, nil},
		{"a path and a name", host.Hint{URL: `C:\x\deep.xlsx`, Name: "macros.xlsm"}, []string{"macros.xlsm", "nested/nested/deep.xlsx"}, nil},
		{
			"an address of the web, the likeliest first",
			host.Hint{URL: "https://contoso.sharepoint.com/sites/fin/2027/Sales/plan.xlsx"},
			[]string{"2027/Sales/plan.xlsx", "2026/Sales/PLAN.xlsx", "plan.xlsx", "2026/plan.xlsx"},
			host.ErrOutside,
		},
		{"letters put together otherwise", host.Hint{Name: "B\u00fcro.xlsx"}, []string{"Bu\u0308ro.xlsx"}, nil},
		{"a name that looks encoded", host.Hint{Name: "a%20b.xlsx"}, []string{"a%20b.xlsx"}, nil},
		{"a lock", host.Hint{Name: "~$plan.xlsx"}, nil, nil},
		{"no spreadsheet", host.Hint{Name: "secret.txt", URL: `C:\plan.csv`}, nil, nil},
		{"a path above", host.Hint{URL: "../../plan.xlsx/..", Name: ".."}, nil, nil},
		{"a path as a name", host.Hint{Name: "2026:plan.xlsx"}, nil, nil},
		{"a link that leads out", host.Hint{Name: "out.xlsx"}, nil, nil},
		{"what stands behind a link to a folder", host.Hint{Name: "outside.xlsx"}, nil, nil},
		{"a folder with a spreadsheet's name", host.Hint{Name: "folder.xlsx"}, nil, nil},
		{"a device", host.Hint{Name: "NUL.xlsx"}, nil, nil},
	} {
		t.Run(row.fact, func(t *testing.T) {
			x, dir := shelf(t, files...)
			outside := t.TempDir()
			put(t, outside, "outside.xlsx", "")
			put(t, dir, "folder.xlsx/readme.txt", "")
			for link, to := range map[string]string{"out.xlsx": filepath.Join(outside, "outside.xlsx"), "linked": outside} {
				if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
					t.Skip(err)
				}
			}
			got, err := find(t, x, row.hint, nil, &host.Budget{Candidates: 20, Requests: 1})
			if strings.HasPrefix(row.fact, "a path and") {
				slices.Sort(got)
			}
			if !slices.Equal(got, row.want) || !errors.Is(err, row.err) {
				t.Errorf("found %q (%v), want %q (%v)", got, err, row.want, row.err)
			}
		})
	}
}

func TestFindSpendsItsBudget(t *testing.T) {
	x, _ := shelf(t, "plan.xlsx", "1/plan.xlsx", "2/plan.xlsx")
	hint := host.Hint{Name: "plan.xlsx"}
	if got, err := find(t, x, hint, nil, &host.Budget{Candidates: 20}); len(got) > 0 || !errors.Is(err, host.ErrSpent) {
		t.Errorf("with nothing to spend found %q (%v)", got, err)
	}
	got, err := find(t, x, hint, nil, &host.Budget{Candidates: 2, Requests: 30})
	if want := []string{"plan.xlsx", "1/plan.xlsx"}; !slices.Equal(got, want) || !errors.Is(err, host.ErrSpent) {
		t.Errorf("found %q (%v), want %q and that there are more", got, err, want)
	}
	got, err = find(t, x, hint, map[string]bool{"plan.xlsx": true, "1/plan.xlsx": true}, &host.Budget{Candidates: 2, Requests: 30})
	if want := []string{"2/plan.xlsx"}; !slices.Equal(got, want) || err != nil {
		t.Errorf("then found %q (%v), want %q", got, err, want)
	}
}

func TestFindSeesWhatHasJustBeenSaved(t *testing.T) {
	x, dir := shelf(t, "other.xlsx")
	hint := host.Hint{Name: "plan.xlsx"}
	if got, err := find(t, x, hint, nil, nil); len(got) > 0 || err != nil {
		t.Errorf("found %q (%v)", got, err)
	}
	put(t, dir, "plan.xlsx", "")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got, err := find(t, x, hint, nil, nil); len(got) != 1 || err != nil {
				t.Errorf("found %q (%v)", got, err)
			}
		})
	}
	all.Wait()
	if err := os.Rename(filepath.Join(dir, "plan.xlsx"), filepath.Join(dir, "renamed.xlsx")); err != nil {
		t.Fatal(err)
	}
	if got, _ := find(t, x, hint, nil, nil); len(got) > 0 {
		t.Errorf("found %q after it was renamed", got)
	}
}

func TestFindTellsOfTooManyFiles(t *testing.T) {
	x, dir := shelf(t, "plan.xlsx")
	for n := range 20_010 {
		put(t, dir, fmt.Sprintf("many/%d.txt", n), "")
	}
	got, err := find(t, x, host.Hint{Name: "plan.xlsx"}, nil, nil)
	if !slices.Equal(got, []string{"plan.xlsx"}) || !errors.Is(err, host.ErrMany) {
		t.Errorf("found %q (%v), want what lies at the top, and that there are more", got, err)
	}
}

func TestFindEndsWithItsContext(t *testing.T) {
	x, _ := shelf(t, "plan.xlsx")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found, err := x.Find(ctx, host.Hint{Name: "plan.xlsx"}, nil, nil); len(found) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("found %v (%v)", found, err)
	}
	if found, err := find(t, x, host.Hint{Name: "plan.xlsx"}, nil, nil); len(found) != 1 || err != nil {
		t.Errorf("the next call found %v (%v)", found, err)
	}
}

func TestFindTellsThatTheFolderIsAway(t *testing.T) {
	x, dir := shelf(t)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	_, err := find(t, x, host.Hint{Name: "plan.xlsx"}, nil, nil)
	hosttest.WantFault(t, err, placements.Transient)
}

// proven makes a file that says which document it is.
func proven(t testing.TB, path string, i host.Identity) {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	if err := f.SetDefinedName(&excelize.DefinedName{Name: host.DocumentName, RefersTo: i.Formula()}); err != nil {
		t.Fatal(err)
	}
	if err := f.SaveAs(path); err != nil {
		t.Fatal(err)
	}
}

func TestProve(t *testing.T) {
	x, dir := shelf(t, "empty.xlsx")
	i := host.NewIdentity()
	path := filepath.Join(dir, "plan.xlsx")
	proven(t, path, i)
	for _, row := range []struct {
		fact, document string
		set            func(t *testing.T)
		class          placements.Class // empty: it is read
	}{
		{"a file", "plan.xlsx", func(*testing.T) {}, ""},
		{"a file that is open in a spreadsheet program", "plan.xlsx", func(t *testing.T) { put(t, dir, "~$plan.xlsx", "") }, ""},
		{
			"a file whose sheets are damaged", "plan.xlsx", func(t *testing.T) {
				workbook.Rewrite(t, path, "xl/worksheets/sheet1.xml", func(string) string { return "no XML" })
			}, "",
		},
		{"no file", "none.xlsx", func(*testing.T) {}, placements.Structure},
		{"a path that leads out", "../plan.xlsx", func(*testing.T) {}, placements.Structure},
		{"a link that leads out", "out.xlsx", func(t *testing.T) {
			proven(t, filepath.Join(filepath.Dir(dir), "out.xlsx"), i)
			if err := os.Symlink("../out.xlsx", filepath.Join(dir, "out.xlsx")); err != nil {
				t.Skip(err)
			}
		}, placements.Structure},
	} {
		t.Run(row.fact, func(t *testing.T) {
			row.set(t)
			got, err := x.Prove(t.Context(), row.document, &host.Budget{Requests: 1})
			if row.class != "" {
				hosttest.WantFault(t, err, row.class)
			} else if err != nil || got != i {
				t.Errorf("it says %q (%v), want %q", got, hosttest.Detail(err), i)
			}
		})
	}
	if _, err := x.Prove(t.Context(), "plan.xlsx", &host.Budget{}); !errors.Is(err, host.ErrSpent) {
		t.Errorf("with nothing to spend: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "~$plan.xlsx")); err != nil {
		t.Fatal(err)
	}
}

// TestFilesOpenElsewhereWait holds that a lock beside a file is a reason to wait for all but proofs.
func TestFilesOpenElsewhereWait(t *testing.T) {
	x, dir := shelf(t)
	proven(t, filepath.Join(dir, "plan.xlsx"), host.NewIdentity())
	put(t, dir, "~$plan.xlsx", "")
	_, err := x.Open(t.Context(), "plan.xlsx")
	if f := hosttest.WantFault(t, err, placements.Transient); f.Reason != placements.ReasonLocked {
		t.Errorf("the reason is %q", f.Reason)
	}
}

// TestIdentityLeavesTheFile holds that a file which says already what it is told is written no otherwise than without being told.
func TestIdentityLeavesTheFile(t *testing.T) {
	x, dir := shelf(t)
	path := filepath.Join(dir, "plan.xlsx")
	i := host.NewIdentity()
	proven(t, path, i)
	block := host.Block{Document: "plan.xlsx", PlacementID: "p1", Sheet: "Sheet1"}
	hosttest.Refresh(t, x, block, hosttest.Numbers(3, 2, nil))
	before := fileHash(t, path)
	s := hosttest.Open(t, x, "plan.xlsx")
	v, err := hosttest.Read(s, block, checksum.Extent{})
	if err != nil {
		t.Fatal(err)
	}
	s.(host.Identified).Identify(i)
	p := hosttest.Whole("plan.xlsx", "p1", v, hosttest.Numbers(3, 2, nil))
	p.Rows = nil
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(err)
	}
	if fileHash(t, path) != before {
		t.Error("the file was written")
	}
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, n := range f.GetDefinedName() {
		if n.Name == host.DocumentName && n.RefersTo != i.Formula() {
			t.Errorf("the name refers to %s", n.RefersTo)
		}
	}
}

// TestIdentityIsHidden looks at what a write leaves in the file.
func TestIdentityIsHidden(t *testing.T) {
	x, dir := shelf(t)
	path, i := filepath.Join(dir, "plan.xlsx"), host.NewIdentity()
	f := excelize.NewFile()
	if err := errors.Join(f.SaveAs(path), f.Close()); err != nil {
		t.Fatal(err)
	}
	s := hosttest.Open(t, x, "plan.xlsx")
	s.(host.Identified).Identify(i)
	v, err := hosttest.Read(s, host.Block{Document: "plan.xlsx", PlacementID: "p1", Sheet: "Sheet1"}, checksum.Extent{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hosttest.Write(s, hosttest.Whole("plan.xlsx", "p1", v, hosttest.Numbers(3, 2, nil))); err != nil {
		t.Fatal(err)
	}
	want := `<definedName name="_mooring_document" hidden="1">"` + i.String() + `"</definedName>`
	for _, p := range readParts(t, path) {
		if p.name == "xl/workbook.xml" && !strings.Contains(p.doc, want) {
			t.Errorf("the workbook has no %s: %s", want, p.doc)
		}
	}
}

// TestIdentityInLibreOffice holds that a file goes on saying which document it is when LibreOffice has saved it.
func TestIdentityInLibreOffice(t *testing.T) {
	o := newOffice(t)
	x, dir := shelf(t)
	path, i := filepath.Join(dir, "plan.xlsx"), host.NewIdentity()
	proven(t, path, i)
	block := host.Block{Document: "plan.xlsx", PlacementID: "p1", Sheet: "Sheet1"}
	hosttest.Refresh(t, x, block, hosttest.Numbers(3, 2, nil))
	o.csv(t, path) // makes the profile
	o.insertRows(t, path, 1, 2)
	got, err := x.Prove(t.Context(), "plan.xlsx", nil)
	if err != nil || got != i {
		t.Errorf("it says %q (%v), want %q", got, hosttest.Detail(err), i)
	}
	hosttest.Refresh(t, x, block, hosttest.Numbers(4, 2, nil))
	if got, err = x.Prove(t.Context(), "plan.xlsx", nil); err != nil || got != i {
		t.Errorf("after another write it says %q (%v), want %q", got, hosttest.Detail(err), i)
	}
}

// BenchmarkProve shows that a large file costs no more than a small one.
func BenchmarkProve(b *testing.B) {
	for _, rows := range []int{10, 100_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			dir := b.TempDir()
			x, err := xlsx.New(dir)
			if err != nil {
				b.Fatal(err)
			}
			proven(b, filepath.Join(dir, "plan.xlsx"), host.NewIdentity())
			hosttest.Refresh(b, x, host.Block{Document: "plan.xlsx", PlacementID: "p1", Sheet: "Sheet1"}, hosttest.Numbers(rows, 10, nil))
			for b.Loop() {
				if _, err := x.Prove(b.Context(), "plan.xlsx", nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
