package xml

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// scanAll scans doc, read in pieces as r returns them, and puts the tokens together again.
func scanAll(t *testing.T, r io.Reader) (joined string, kinds []Kind, err error) {
	t.Helper()
	s := NewScanner(r)
	var out bytes.Buffer
	for err = s.Next(); err == nil; err = s.Next() {
		if int(s.From) != out.Len() {
			t.Fatalf("token %q begins at %d, want %d", s.Raw, s.From, out.Len())
		}
		out.Write(s.Raw)
		kinds = append(kinds, s.Kind)
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
		"a token beyond all measure":   "<a>" + strings.Repeat(" ", maxToken+1) + "</a>",
		"elements nested without end":  strings.Repeat("<a>", maxDepth+1),
		"a comment that is never done": "<a/><!-- ",
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := scanAll(t, strings.NewReader(doc)); !errors.Is(err, ErrXML) {
				t.Errorf("got %v, want %v", err, ErrXML)
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

func asBytes(kinds []Kind) (b []byte) {
	for _, k := range kinds {
		b = append(b, byte(k))
	}
	return b
}
