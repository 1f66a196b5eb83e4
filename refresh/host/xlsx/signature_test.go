package xlsx_test

import (
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
)

func TestRefusesToWriteASignedWorkbookAndNamesTheOption(t *testing.T) {
	b := newBook(t, signed(t)...)
	before := fileHash(t, b.path())
	b.read(t, 1, 1)
	fault := hosttest.WantFault(t, b.put(t, line(checksum.Num(1))), placements.Conflict)
	for _, want := range []string{"is signed", `"breakSignature": true`} {
		if !strings.Contains(fault.Message, want) {
			t.Errorf("message %q, want %q in it", fault.Message, want)
		}
	}
	if fileHash(t, b.path()) != before {
		t.Error("the file changed")
	}
}

func TestBreaksASignatureWhereThatIsAllowed(t *testing.T) {
	for _, test := range []struct {
		name string
		book func(testing.TB) []zipPart
	}{
		{"as Office writes it", signed},
		{"as .NET writes it", otherLayout},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBook(t, test.book(t)...)
			before := docs(readParts(t, b.path()))
			if err := b.putBreaking(t, line(checksum.Str("total")), line(checksum.Num(7))); err != nil {
				t.Fatalf("Write: %v (%v)", err, unwrap(err))
			}
			after := docs(readParts(t, b.path()))
			for name, doc := range after {
				if trace(name) || strings.Contains(strings.ToLower(doc), "digital-signature") || strings.Contains(doc, "_xmlsignatures") {
					t.Errorf("%s is or holds a trace of the signature: %s", name, doc)
				}
				written := name == "xl/workbook.xml" || name == "xl/worksheets/sheet1.xml"
				unsigned := name == "[Content_Types].xml" || name == "_rels/.rels"
				if !written && !unsigned && doc != before[name] {
					t.Errorf("%s changed to %s", name, doc)
				}
				if unsigned && !cutFrom(doc, before[name]) {
					t.Errorf("%s is not what it was without some elements: %s", name, doc)
				}
			}
			for name := range before {
				if _, kept := after[name]; !kept && !trace(name) {
					t.Errorf("%s is gone", name)
				}
			}
			if after["xl/vbaProjectSignature.bin"] == "" {
				t.Error("the signature of the macros is gone")
			}
			b.mustPut(t, line(checksum.Str("total")), line(checksum.Num(8))) // it is a file as any other now
			if o := newOffice(t); o.csv(t, b.path()) != "approved,\n,total\n,8\n" {
				t.Errorf("LibreOffice shows %q", o.csv(t, b.path()))
			}
		})
	}
}

// putBreaking is put for who allows to break the signature.
func (b *bookPart) putBreaking(t testing.TB, rows ...[]checksum.Cell) error {
	t.Helper()
	g := table(rows...)
	_, err := hosttest.WritePatch(b.host, host.Patch{
		Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: g.Rows()}}, Extent: g.Extent(), BreakSignature: true,
	})
	return err
}

// docs are the contents of parts by their names.
func docs(parts []zipPart) map[string]string {
	m := map[string]string{}
	for _, p := range parts {
		m[p.name] = p.doc
	}
	return m
}

// trace reports whether a part is of the signature by its name.
func trace(name string) bool {
	return strings.HasPrefix(name, "_xmlsignatures/") || strings.HasPrefix(name, "package/services/digital-signature/")
}

// cutFrom reports whether doc is what is left of whole when some of its elements are cut out.
func cutFrom(doc, whole string) bool {
	for whole != "" {
		element := whole[:strings.IndexByte(whole, '>')+1]
		if rest, ok := strings.CutPrefix(doc, element); ok {
			doc = rest
		}
		if whole = whole[len(element):]; element == "" {
			return doc == whole
		}
	}
	return doc == ""
}

func TestBreaksASignatureOnlyForThePatchesThatAllowIt(t *testing.T) {
	b := newBook(t, signed(t)...)
	s := hosttest.Open(t, b.host, b.block.Document)
	g := table(line(checksum.Num(1)))
	patch := func(id, cell string, breaks bool) host.Patch {
		at, err := placements.ParseAnchor(cell)
		if err != nil {
			t.Fatal(err)
		}
		block := host.Block{Document: b.block.Document, PlacementID: id, Sheet: "Sheet1", Anchor: at}
		return host.Patch{Block: block, Grid: g, Rows: []checksum.Span{{From: 0, To: 1}}, Extent: g.Extent(), BreakSignature: breaks}
	}
	before := fileHash(t, b.path())
	_, err := s.Write(t.Context(), []host.Patch{patch("allows", "B2", true), patch("does not", "D2", false)})
	hosttest.WantFault(t, err, placements.Conflict)
	if fileHash(t, b.path()) != before {
		t.Fatal("a write that one of its patches does not allow changed the file")
	}
	if _, err := hosttest.Write(s, patch("allows", "B2", true)); err != nil {
		t.Fatalf("alone: %v", err)
	}
	_, err = hosttest.Write(s, patch("does not", "D2", false))
	hosttest.WantFault(t, err, placements.Conflict)
	if rows := b.rowsOf(t); !strings.Contains(rows, `r="B2"`) || strings.Contains(rows, `r="D2"`) {
		t.Errorf("the rows are %s", rows)
	}
}

func TestOfAWorkbookThatIsListedAsASignatureIsDamaged(t *testing.T) {
	parts := signed(t)
	const worksheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
	parts[0].doc = strings.Replace(parts[0].doc, worksheet, signatures+"xmlsignature+xml", 1)
	b := newBook(t, parts...)
	before := fileHash(t, b.path())
	hosttest.WantFault(t, b.putBreaking(t, line(checksum.Num(1))), placements.Structure)
	if fileHash(t, b.path()) != before {
		t.Error("the file changed")
	}
}
