package graph_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
)

var placedBlock = host.Block{Document: doc, PlacementID: "p1", Sheet: "Data"}

// names are the names of the workbook that are hidden, and those that are seen.
func (r rig) names(t *testing.T) (hidden, seen []string) {
	t.Helper()
	r.Edit(doc, func(b *book.Book) {
		for _, n := range b.Names {
			if n.Hidden {
				hidden = append(hidden, n.Name)
			} else {
				seen = append(seen, n.Name)
			}
		}
	})
	return hidden, seen
}

// write writes a block of three rows, and has the workbook say which one it is.
func (r rig) write(t *testing.T, placement string, i host.Identity) {
	t.Helper()
	s := hosttest.Open(t, r.host, doc)
	s.(host.Identified).Identify(i)
	block := host.Block{Document: doc, PlacementID: placement, Sheet: "Data"}
	v, err := hosttest.Read(s, block, checksum.Extent{})
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	if _, err := hosttest.Write(s, hosttest.Whole(doc, placement, v, hosttest.Numbers(3, 2, nil))); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func (r rig) says(t *testing.T) host.Identity {
	t.Helper()
	i, err := hosttest.Open(t, r.host, doc).(host.Identified).Identity(t.Context())
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	return i
}

func TestNamesAreHidden(t *testing.T) {
	r, i := newRig(t), host.NewIdentity()
	r.write(t, "p1", i)
	if hidden, seen := r.names(t); len(seen) > 0 || len(hidden) != 2 {
		t.Errorf("hidden %v, seen %v", hidden, seen)
	}
	r.Edit(doc, func(b *book.Book) {
		b.AddName(book.Name{Name: "Total", Sheet: b.Sheet("Data"), Rect: book.Region{Rows: 1, Columns: 1}})
		b.AddName(book.Name{Name: host.MarkerName("old"), Sheet: b.Sheet("Other"), Rect: book.Region{Rows: 1, Columns: 1}})
	})
	r.Set(t, "Data", "A1", checksum.Str("changed"))
	r.write(t, "p1", host.Identity{})
	if hidden, seen := r.names(t); !slices.Equal(seen, []string{"Total"}) {
		t.Errorf("after a write by today's rules hidden %v, seen %v", hidden, seen)
	}
}

// TestWritesWhileOpenOnADesktop holds that a refresh replaces no content as a whole, which the service would refuse.
func TestWritesWhileOpenOnADesktop(t *testing.T) {
	r, i := newRig(t), host.NewIdentity()
	r.OpenOnDesktop(doc, true)
	r.write(t, "p1", i)
	if got := r.says(t); got != i {
		t.Errorf("the workbook says %q, want %q", got, i)
	}
}

func TestWritesDoWithoutHiding(t *testing.T) {
	r, i := newRig(t), host.NewIdentity()
	r.RefuseHiding()
	r.write(t, "p1", i)
	if hidden, seen := r.names(t); len(hidden) > 0 || len(seen) != 2 {
		t.Errorf("hidden %v, seen %v", hidden, seen)
	}
	if got := r.says(t); got != i {
		t.Errorf("the workbook says %q, want %q", got, i)
	}
	if n := r.Sessions(); n != 0 {
		t.Errorf("%d sessions are still open", n)
	}
}

// TestWritesDoWithoutIdentity fails each request in turn that makes the workbook say which one it is: the block is written all the same.
func TestWritesDoWithoutIdentity(t *testing.T) {
	for after, what := range []string{"the name is not added", "the name is not hidden", "the marker is not hidden"} {
		t.Run(what, func(t *testing.T) {
			r := newRig(t)
			s := hosttest.Open(t, r.host, doc)
			s.(host.Identified).Identify(host.NewIdentity())
			v, err := hosttest.Read(s, placedBlock, checksum.Extent{})
			if err != nil {
				t.Fatal(hosttest.Detail(err))
			}
			// One request opens the session, three look, two write.
			r.FailStep(6+after, http.StatusBadRequest, "invalidArgument", "")
			if _, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, hosttest.Numbers(3, 2, nil))); err != nil {
				t.Fatal(hosttest.Detail(err))
			}
			if n := r.Sessions(); n != 0 {
				t.Errorf("%d sessions are still open", n)
			}
			v, err = hosttest.ReadBlock(r.host, placedBlock, checksum.Extent{})
			if err != nil || !v.Marked || v.Extent.Rows != 3 {
				t.Errorf("marked %t, %+v (%v)", v.Marked, v.Extent, err)
			}
			if hidden, seen := r.names(t); len(hidden) == 2 {
				t.Errorf("nothing failed: hidden %v, seen %v", hidden, seen)
			}
		})
	}
}

func TestIdentityCostsNoFurtherRequest(t *testing.T) {
	r, i := newRig(t), host.NewIdentity()
	r.write(t, "p1", i)
	s := hosttest.Open(t, r.host, doc)
	r.Requests()
	if got, err := s.(host.Identified).Identity(t.Context()); err != nil || got != i {
		t.Errorf("the workbook says %q (%v), want %q", got, err, i)
	}
	if n := len(r.Requests()); n != 1 {
		t.Errorf("%d requests before anything was read, want 1", n)
	}
	if _, err := hosttest.Read(s, placedBlock, checksum.Extent{}); err != nil {
		t.Fatal(err)
	}
	r.Requests()
	if got, err := s.(host.Identified).Identity(t.Context()); err != nil || got != i {
		t.Errorf("the workbook says %q (%v), want %q", got, err, i)
	}
	if seen := r.Requests(); len(seen) != 0 {
		t.Errorf("%d requests after a read: %s", len(seen), strings.Join(seen[0].Steps, " "))
	}
}
