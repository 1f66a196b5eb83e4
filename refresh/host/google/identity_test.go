package google_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
)

// write has the document say which one it is, along with a block.
func (r rig) write(t *testing.T, s host.Session, i host.Identity) host.Written {
	t.Helper()
	v, err := hosttest.Read(s, placedBlock, checksum.Extent{})
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	s.(host.Identified).Identify(i)
	w, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, hosttest.Numbers(3, 2, nil)))
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	return w
}

func TestIdentityCostsNoFurtherRequest(t *testing.T) {
	r, i := newRig(t), host.NewIdentity()
	s := hosttest.Open(t, r.host, doc)
	if w := r.write(t, s, i); w.Calls != 1 {
		t.Errorf("%d calls to write, want 1", w.Calls)
	}
	s = hosttest.Open(t, r.host, doc)
	if _, err := hosttest.Read(s, placedBlock, checksum.Extent{}); err != nil {
		t.Fatal(err)
	}
	r.Requests()
	if got, err := s.(host.Identified).Identity(t.Context()); err != nil || got != i {
		t.Errorf("the document says %q (%v), want %q", got, err, i)
	}
	if n := len(r.Requests()); n != 0 {
		t.Errorf("%d requests after a read, want none", n)
	}
	if got, err := hosttest.Open(t, r.host, doc).(host.Identified).Identity(t.Context()); err != nil || got != i {
		t.Errorf("the document says %q (%v), want %q", got, err, i)
	}
	if n := len(r.Requests()); n != 1 {
		t.Errorf("%d requests before a read, want 1", n)
	}
}

func TestIdentityIsSeenByTheAddOn(t *testing.T) {
	r, i := newRig(t), host.NewIdentity()
	r.write(t, hosttest.Open(t, r.host, doc), i)
	r.Edit(doc, func(b *book.Book) {
		if m := b.Metadata[0]; m.Key != "mooring_document" || m.Value != i.Document+" "+i.Nonce {
			t.Errorf("the document has %+v", m)
		}
	})
}

func TestWritesDoWithoutIdentity(t *testing.T) {
	for _, row := range []struct {
		fact string
		set  func(*book.Book)
		want func(host.Identity) bool // of what it says then
	}{
		{
			"the document has no room", func(b *book.Book) {
				for n := range 30 {
					b.Metadata = append(b.Metadata, book.Metadata{ID: int64(n + 1), Key: fmt.Sprint("key", n), Value: strings.Repeat("x", 900)})
				}
			}, func(i host.Identity) bool { return i == host.Identity{} },
		},
		{
			"another one has added one too: the first counts", func(b *book.Book) {
				first := host.Identity{Document: strings.Repeat("0", 8) + "-0000-4000-8000-000000000000", Nonce: strings.Repeat("n", 22)}
				b.Metadata = append(b.Metadata, book.Metadata{ID: 2, Key: host.DocumentKey, Value: host.NewIdentity().String()},
					book.Metadata{ID: 1, Key: host.DocumentKey, Value: first.String()})
			}, func(i host.Identity) bool { return i.Nonce != strings.Repeat("n", 22) && i != host.Identity{} },
		},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newRig(t)
			r.Edit(doc, row.set)
			r.write(t, hosttest.Open(t, r.host, doc), host.NewIdentity())
			got, err := hosttest.Open(t, r.host, doc).(host.Identified).Identity(t.Context())
			if err != nil || !row.want(got) {
				t.Errorf("the document says %q (%v)", got, err)
			}
			v, err := hosttest.ReadBlock(r.host, placedBlock, checksum.Extent{})
			if err != nil || v.Extent.Rows != 3 {
				t.Errorf("the block has %d rows (%v)", v.Extent.Rows, err)
			}
		})
	}
}

func TestAWriteRefusedForItsIdentityGoesWithoutIt(t *testing.T) {
	r := newRig(t)
	s := hosttest.Open(t, r.host, doc)
	v, err := hosttest.Read(s, placedBlock, checksum.Extent{})
	if err != nil {
		t.Fatal(err)
	}
	s.(host.Identified).Identify(host.NewIdentity())
	r.Edit(doc, func(b *book.Book) { // after the read
		for n := range 30 {
			b.Metadata = append(b.Metadata, book.Metadata{ID: int64(n + 1), Key: fmt.Sprint("key", n), Value: strings.Repeat("x", 994)})
		}
	})
	r.Requests()
	if _, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, hosttest.Numbers(3, 2, nil))); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	writes := 0
	for _, seen := range r.Requests() {
		if seen.Method == http.MethodPost {
			writes++
		}
	}
	if writes != 2 {
		t.Errorf("%d writes, want one that is refused and one that is not", writes)
	}
	if v, err = hosttest.ReadBlock(r.host, placedBlock, checksum.Extent{}); err != nil || !v.Marked || v.Extent.Rows != 3 {
		t.Errorf("marked %t, %d rows (%v)", v.Marked, v.Extent.Rows, err)
	}
}
