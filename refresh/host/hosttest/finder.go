package hosttest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/refresh/host"
)

// Shelf is a host with spreadsheets for one test, and what people do to them. Paths have slashes; those that begin with Outside lie where the
// configuration of the host does not reach.
type Shelf interface {
	host.Finder
	// Add puts a spreadsheet at a path, which says which document it is, and returns its id.
	Add(t testing.TB, path string, i host.Identity) (id string)
	// Say has a spreadsheet say another identity.
	Say(t testing.TB, id string, i host.Identity)
	// Copy copies a spreadsheet and returns the id of the copy.
	Copy(t testing.TB, id, path string) (copied string)
	// Move moves or renames a spreadsheet and returns the id that it has then.
	Move(t testing.TB, id, path string) (moved string)
	// Remove removes a spreadsheet.
	Remove(t testing.TB, id string)
	// Addresses are forms in which programs show where a spreadsheet is.
	Addresses(t testing.TB, id string) []string
}

// Outside is the folder that a host is not to look in.
const Outside = "Outside"

// FindIn has hosts find spreadsheets in random trees, whose files have the same names, are copied, renamed and moved, say nothing or an old
// nonce, by hints that are right, out of date or hostile. What a proof says must be so, and what can be reached must be found.
func FindIn(t *testing.T, trees int, newShelf func(t testing.TB) Shelf) {
	wanted, found := 0, 0
	for n := range trees {
		tree := &tree{Shelf: newShelf(t), t: t, random: rand.New(rand.NewPCG(27, uint64(n))), files: map[string]*file{}}
		tree.grow()
		w, f := tree.search()
		wanted, found = wanted+w, found+f
		if t.Failed() {
			t.Fatalf("in tree %d: %v", n, tree.files)
		}
	}
	t.Logf("%d trees: %d of %d documents found", trees, found, wanted)
	if found*100 < wanted*99 || wanted == 0 {
		t.Errorf("found %d of %d documents that can be reached, want 99 in 100", found, wanted)
	}
}

// file is a file of a tree.
type file struct {
	path     string
	identity host.Identity
	stale    []string // addresses that it had
}

func (f *file) reached() bool { return !strings.HasPrefix(f.path, Outside) }

// tree is a Shelf and what is on it.
type tree struct {
	Shelf
	t      testing.TB
	random *rand.Rand
	files  map[string]*file // by id
}

var (
	treeFolders = []string{"Documents", "Documents/2026", "Archive", "Archive/2026/Q 1", Outside}
	treeNames   = []string{"plan.xlsx", "Plan 2.xlsx", "büro.xlsx", "It's 100% + co #1.xlsx"}
)

// free is a path that no file has.
func (tr *tree) free() string {
	for {
		p := path.Join(treeFolders[tr.random.IntN(len(treeFolders))], treeNames[tr.random.IntN(len(treeNames))])
		taken := false
		for _, f := range tr.files {
			taken = taken || strings.EqualFold(f.path, p)
		}
		if !taken {
			return p
		}
	}
}

// ids are those of all files, in an order that a tree's number alone decides.
func (tr *tree) ids() (ids []string) {
	for id := range tr.files {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(tr.files[a].path, tr.files[b].path) })
	return ids
}

func (tr *tree) any() string {
	ids := tr.ids()
	return ids[tr.random.IntN(len(ids))]
}

// grow puts files on the shelf and has people act on them.
func (tr *tree) grow() {
	for range 3 + tr.random.IntN(5) {
		f := &file{path: tr.free()}
		if tr.random.IntN(4) > 0 {
			f.identity = host.NewIdentity()
		}
		tr.files[tr.Add(tr.t, f.path, f.identity)] = f
	}
	for range tr.random.IntN(7) {
		id := tr.any()
		f := tr.files[id]
		switch tr.random.IntN(4) {
		case 0:
			copied := &file{path: tr.free(), identity: f.identity}
			tr.files[tr.Copy(tr.t, id, copied.path)] = copied
		case 1:
			f.stale = append(f.stale, tr.Addresses(tr.t, id)...)
			p := tr.free()
			delete(tr.files, id)
			id = tr.Move(tr.t, id, p)
			f.path, tr.files[id] = p, f
		case 2: // a copy that was given a nonce of its own
			f.identity.Nonce = host.NewIdentity().Nonce
			if f.identity.Document == "" {
				f.identity = host.NewIdentity()
			}
			tr.Say(tr.t, id, f.identity)
		case 3:
			if len(tr.files) > 1 {
				tr.Remove(tr.t, id)
				delete(tr.files, id)
			}
		}
	}
}

// hostile are addresses of clients that want to be led elsewhere.
var hostile = []string{
	"https://evil.example/sites/fin/Documents/plan.xlsx", "https://contoso.sharepoint.com@evil.example/x.xlsx", "../../../etc/passwd",
	"https://contoso.sharepoint.com/sites/fin/Documents/..%2f..%2fOutside/plan.xlsx", `\\evil\share\..\plan.xlsx`, "file:///etc/passwd",
	"https://contoso.sharepoint.com/sites/fin/Documents/%2e%2e/plan.xlsx", "NUL.xlsx", "https://contoso.sharepoint.com/sites/fin/a:/b.xlsx",
}

// hint is what a client may say that has a file open.
func (tr *tree) hint(id string) host.Hint {
	f := tr.files[id]
	name := path.Base(f.path)
	addresses := tr.Addresses(tr.t, id)
	switch tr.random.IntN(5) {
	case 0:
		return host.Hint{URL: addresses[tr.random.IntN(len(addresses))]}
	case 1:
		if len(f.stale) > 0 {
			return host.Hint{URL: f.stale[tr.random.IntN(len(f.stale))], Name: name}
		}
	case 2:
		return host.Hint{URL: []string{`C:\Users\ada\` + name, "/Users/ada/" + name, `\\server\share\` + name}[tr.random.IntN(3)]}
	case 3:
		return host.Hint{URL: hostile[tr.random.IntN(len(hostile))], Name: name}
	}
	return host.Hint{Name: name}
}

// search looks for each document that says which one it is, and returns how many can be reached, and how many of them were found.
func (tr *tree) search() (wanted, found int) {
	for _, id := range tr.ids() {
		f := tr.files[id]
		if f.identity == (host.Identity{}) {
			continue
		}
		hint := tr.hint(id)
		proven := tr.look(hint, f.identity)
		for _, one := range proven {
			if other := tr.files[one]; other == nil || !other.reached() || other.identity != f.identity {
				tr.t.Errorf("%+v of %s led to %s", hint, f.path, one)
			}
		}
		if f.reached() {
			if wanted++; slices.Contains(proven, id) {
				found++
			} else {
				tr.t.Logf("%+v of %s led to %v", hint, f.path, proven)
			}
		}
	}
	return wanted, found
}

// maxLooks is how often a client asks again.
const maxLooks = 4

// look looks as an engine does: a few times, within a budget, and returns the ids of what says the identity.
func (tr *tree) look(hint host.Hint, i host.Identity) (proven []string) {
	tried := map[string]bool{}
	for range maxLooks {
		budget := &host.Budget{Candidates: 20, Requests: 30}
		candidates, err := tr.Find(tr.t.Context(), hint, tried, budget)
		again := errors.Is(err, host.ErrSpent)
		for _, c := range candidates {
			got, err := tr.Prove(tr.t.Context(), c.ID, budget)
			if errors.Is(err, host.ErrSpent) {
				again = true
				break
			}
			tried[c.ID] = true
			if err != nil {
				tr.t.Errorf("%s cannot be proved: %s", c.ID, Detail(err))
			}
			if truth := tr.files[c.ID]; truth == nil || truth.identity != got {
				tr.t.Errorf("%s says %q, which is not so: %v", c.ID, got, truth)
			}
			if got == i {
				proven = append(proven, c.ID)
			}
		}
		if fault, ok := errors.AsType[*placements.Fault](err); ok {
			tr.t.Errorf("%+v: %s", hint, Detail(fault))
		}
		if !again {
			return proven
		}
	}
	return proven
}

func (f *file) String() string { return fmt.Sprintf("%s (%s)", f.path, f.identity) }
