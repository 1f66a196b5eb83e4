package archive_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mooring/refresh/host/xlsx/archive"
)

// write writes a file of one part and opens it.
func write(t testing.TB, fill func(*archive.Part)) (*archive.Archive, *zip.File) {
	t.Helper()
	a := openBytes(t, fileOf(t, fill))
	return a, a.Files()[0]
}

// fileOf is a file of one part.
func fileOf(t testing.TB, fill func(*archive.Part)) []byte {
	t.Helper()
	var out bytes.Buffer
	z, err := archive.NewZip(&out)
	if err != nil {
		t.Fatal(err)
	}
	p, err := z.Create(&zip.FileHeader{Name: "a.xml"})
	if err != nil {
		t.Fatal(err)
	}
	fill(p)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := archive.NewDraft(t.Context(), openBytes(t, emptyZip(t))).Finish(z); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func emptyZip(t testing.TB) []byte {
	var out bytes.Buffer
	if err := zip.NewWriter(&out).Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func openBytes(t testing.TB, content []byte) *archive.Archive {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "book.xlsx"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	folder, err := archive.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	name, seen, err := folder.Locate("book.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	a, err := folder.OpenArchive("book.xlsx", name, seen)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// whole unpacks a part as every program does.
func whole(t testing.TB, f *zip.File) string {
	t.Helper()
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func unpacked(t testing.TB, a *archive.Archive, f *zip.File, list []archive.Segment) string {
	t.Helper()
	r, err := a.UnpackSegments(t.Context(), f, list, archive.MaxSheet)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// pieces are texts that repeat, of which some are longer than what is packed at once.
func pieces(r *rand.Rand) (list []string) {
	for range 2 + r.IntN(8) {
		list = append(list, strings.Repeat(fmt.Sprintf("<v>%d</v>", r.IntN(1000)), 1+r.IntN(20_000)>>r.IntN(15)))
	}
	return list
}

func TestSegmentsUnpackAndCopyAlone(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		texts := pieces(r)
		a, f := write(t, func(p *archive.Part) {
			for i, text := range texts {
				p.WriteString(text)
				p.Cut(10*i, 10*i+9, []uint64{uint64(i + 1)})
			}
			p.Index([]archive.Band{{Left: 2, Right: 4}})
		})
		all := strings.Join(texts, "")
		if whole(t, f) != all {
			rt.Fatal("the part is not what was written")
		}
		index := a.Segments(f)
		if index == nil || len(index.List) != len(texts) {
			rt.Fatalf("index %+v of %d segments", index, len(texts))
		}
		var some []archive.Segment
		var want, edited string
		for i, s := range index.List {
			if s.From != 10*i || s.To != 10*i+9 || !slices.Equal(s.Cells, []uint64{uint64(i + 1)}) {
				rt.Fatalf("segment %d: %+v", i, s)
			}
			if r.IntN(2) == 0 {
				some, want, edited = append(some, s), want+texts[i], edited+texts[i]
			} else {
				edited += "<new/>"
			}
		}
		if unpacked(t, a, f, some) != want {
			rt.Fatal("some segments unpack to something else")
		}
		b, g := write(t, func(p *archive.Part) {
			for _, s := range index.List {
				if slices.ContainsFunc(some, func(o archive.Segment) bool { return o.From == s.From }) {
					p.CopySegment(a, f, s)
					continue
				}
				p.WriteString("<new/>")
				p.Cut(s.From, s.To, s.Cells)
			}
			p.Index(index.Areas)
		})
		if whole(t, g) != edited || g.CRC32 != crc32.ChecksumIEEE([]byte(edited)) {
			rt.Fatal("the part with segments copied is not what was written")
		}
		if index := b.Segments(g); index == nil || len(index.List) != len(texts) {
			rt.Fatalf("index %+v of the copy", index)
		}
	})
}

// threeSegments is a file of one part, as bytes, and where its index stands in them.
func threeSegments(t testing.TB) (content []byte, index int) {
	t.Helper()
	content = fileOf(t, func(p *archive.Part) {
		for i := range 3 {
			p.WriteString(strings.Repeat("<v>1</v>", 200))
			p.Cut(i, i+1, []uint64{7})
		}
		p.Index([]archive.Band{{Left: 0, Right: 1}})
	})
	a := openBytes(t, content)
	f := a.Files()[0]
	if a.Segments(f) == nil {
		t.Fatal("no index")
	}
	return content, bytes.LastIndex(content, f.Extra)
}

func TestAnIndexOfOtherBytesIsNotBelieved(t *testing.T) {
	content, index := threeSegments(t)
	at := bytes.Index(content, []byte("a.xml")) + len("a.xml")
	for _, i := range []int{at, at + 5, at + 30, index + 8, index + 10, index + 12, index + 20} {
		damaged := bytes.Clone(content)
		damaged[i] ^= 1
		a := openBytes(t, damaged)
		if s := a.Segments(a.Files()[0]); s != nil {
			t.Errorf("byte %d of %d is another: %+v", i, len(content), s)
		}
	}
}

func TestAnIndexDoesNotOutliveAnotherProgramsSave(t *testing.T) {
	content, _ := threeSegments(t)
	a := openBytes(t, content)
	old := a.Files()[0]
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	w, err := zw.CreateHeader(&zip.FileHeader{Name: old.Name, Method: zip.Deflate, Extra: old.Extra})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, whole(t, old)); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	a = openBytes(t, out.Bytes())
	if s := a.Segments(a.Files()[0]); s != nil {
		t.Errorf("the same text packed otherwise still has %+v", s)
	}
}

func TestACopiedPartKeepsItsIndexOnce(t *testing.T) {
	content, _ := threeSegments(t)
	a := openBytes(t, content)
	var out bytes.Buffer
	z, err := archive.NewZip(&out)
	if err != nil {
		t.Fatal(err)
	}
	d := archive.NewDraft(t.Context(), a)
	if err := d.Write(z, a.Files()[0]); err != nil {
		t.Fatal(err)
	}
	if err := d.Finish(z); err != nil {
		t.Fatal(err)
	}
	b := openBytes(t, out.Bytes())
	if f := b.Files()[0]; b.Segments(f) == nil || bytes.Count(out.Bytes(), f.Extra) != 1 {
		t.Errorf("the index stands %d times", bytes.Count(out.Bytes(), f.Extra))
	}
}

// FuzzSegments opens parts with anything as an index. What is believed unpacks to the part.
func FuzzSegments(f *testing.F) {
	content, at := threeSegments(f)
	a := openBytes(f, content)
	entry := a.Files()[0]
	text := whole(f, entry)
	f.Add(entry.Extra[9:])
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > 60_000 {
			return
		}
		index := append(binary.LittleEndian.AppendUint32([]byte{1}, crc32.ChecksumIEEE(body)), body...)
		extra := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, 0x726d), uint16(len(index)))
		changed := slices.Concat(content[:at], extra, index, content[at+len(entry.Extra):])
		grown := uint32(len(extra) + len(index) - len(entry.Extra))
		header := at - len(entry.Name) - 46
		binary.LittleEndian.PutUint16(changed[header+30:], uint16(len(extra)+len(index)))
		end := changed[len(changed)-22:]
		binary.LittleEndian.PutUint32(end[12:], binary.LittleEndian.Uint32(end[12:])+grown)
		a := openBytes(t, changed)
		f := a.Files()[0]
		if whole(t, f) != text {
			t.Fatal("the part is another")
		}
		if s := a.Segments(f); s != nil && unpacked(t, a, f, s.List) != text {
			t.Fatalf("%+v unpack to something else", s)
		}
	})
}
