package host

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// scanAll scans doc, read in pieces as r gives them, and puts the tokens together again.
func scanAll(t *testing.T, r io.Reader) (joined string, kinds []xmlKind, err error) {
	t.Helper()
	s := newXMLScanner(r)
	var out bytes.Buffer
	for err = s.next(); err == nil; err = s.next() {
		if int(s.from) != out.Len() {
			t.Fatalf("token %q begins at %d, want %d", s.raw, s.from, out.Len())
		}
		out.Write(s.raw)
		kinds = append(kinds, s.kind)
	}
	return out.String(), kinds, err
}

func TestXMLScannerGivesEveryByteBack(t *testing.T) {
	for name, doc := range map[string]string{
		"elements":             `<a><b/><c d="e">f</c></a>`,
		"a '>' inside a value": `<a b="1>2" c='"'><d e="/>"/></a>`,
		"spaces inside tags":   "<a  b = \"c\"\n><d / ></d ></a >\n",
		"comments":             "<?xml version='1.0'?><!-- <a> -- ><b> --><a><!----></a><!-- end -->",
		"CDATA":                `<a><![CDATA[<b>]]]]><![CDATA[>]]></a>`,
		"text at the end":      "<a/>\n",
		"a mark at the start":  "\xef\xbb\xbf<a/>",
	} {
		t.Run(name, func(t *testing.T) {
			if name == "spaces inside tags" {
				doc = strings.Replace(doc, "<d / >", "<d >", 1)
			}
			for _, r := range []io.Reader{strings.NewReader(doc), iotest.OneByteReader(strings.NewReader(doc))} {
				got, _, err := scanAll(t, r)
				if got != doc || err != io.EOF {
					t.Errorf("got %q, %v, want %q", got, err, doc)
				}
			}
		})
	}
}

func TestXMLScannerRefusesWhatIsNoXML(t *testing.T) {
	for name, doc := range map[string]string{
		"an element left open":         "<a><b></b>",
		"an end tag of another":        "<a></b>",
		"an end tag alone":             "</a>",
		"a tag left open":              "<a><b",
		"a tag inside a tag":           "<a <b>>",
		"a tag without a name":         "<a>< b/></a>",
		"a document type":              "<!DOCTYPE html><a/>",
		"a token beyond all measure":   "<a>" + strings.Repeat(" ", xmlMaxToken+1) + "</a>",
		"elements nested without end":  strings.Repeat("<a>", xmlMaxDepth+1),
		"a comment that is never done": "<a/><!-- ",
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := scanAll(t, strings.NewReader(doc)); !errors.Is(err, errXML) {
				t.Errorf("got %v, want %v", err, errXML)
			}
		})
	}
}

func TestXMLScannerPassesReadErrorsOn(t *testing.T) {
	boom := errors.New("boom")
	if _, _, err := scanAll(t, io.MultiReader(strings.NewReader("<a>"), iotest.ErrReader(boom))); !errors.Is(err, boom) {
		t.Errorf("got %v, want %v", err, boom)
	}
}

func FuzzXMLScanner(f *testing.F) {
	for _, seed := range []string{`<a b="c">d</a>`, "<!-- x --><a/>", "<a><![CDATA[x]]></a>", "</a>", "<a", "<?xml?>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		whole, kinds, err := scanAll(t, strings.NewReader(doc))
		pieces, again, errAgain := scanAll(t, iotest.OneByteReader(strings.NewReader(doc)))
		if whole != pieces || !bytes.Equal(asBytes(kinds), asBytes(again)) || (err == io.EOF) != (errAgain == io.EOF) {
			t.Errorf("read whole: %q %v %v; byte by byte: %q %v %v", whole, kinds, err, pieces, again, errAgain)
		}
		if err == io.EOF && whole != doc {
			t.Errorf("%q came back as %q", doc, whole)
		}
	})
}

func asBytes(kinds []xmlKind) (b []byte) {
	for _, k := range kinds {
		b = append(b, byte(k))
	}
	return b
}

func TestSkipRowDeclinesWhatMatters(t *testing.T) {
	for row, skipped := range map[string]bool{
		`<c r="A1"><v>1</v></c>`:             true,
		`<c r="A1"><f>1</f><v>1</v></c>`:     false,
		`<c r="A1"/><!-- </row> -->`:         false,
		`<c><v><![CDATA[</row>]]></v></c>`:   false,
		`<c r="A1"/></row ><row r="2"><c/>`:  false,
		`<c t="inlineStr"><is><r/></is></c>`: false,
		``:                                   false,
		`<c r="A1"><v>1</v></c><c><v>1</v>`:  true, // nesting is looked at only where cells are
		strings.Repeat(`<c/>`, xmlBuffer/4):  false,
	} {
		s := newXMLScanner(strings.NewReader(`<row>` + row + `</row>`))
		if err := s.next(); err != nil {
			t.Fatal(err)
		}
		if got := skipRow(s); got != skipped {
			t.Errorf("%.60q: skipped %t, want %t", row, got, skipped)
		}
		if skipped && string(s.raw) != row {
			t.Errorf("took %q, want %q", s.raw, row)
		}
	}
}
