package part

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mooring/refresh/host/xlsx/xml"
)

// readBack reads a text as it was written into an inline string.
func readBack(t *testing.T, written []byte) string {
	t.Helper()
	s := xml.NewScanner(strings.NewReader("<is><t>" + string(written) + "</t></is>"))
	if err := s.Next(); err != nil {
		t.Fatal(err)
	}
	text, err := ReadText(s, nil)
	if err != nil {
		t.Fatalf("%q: %v", written, err)
	}
	return string(text)
}

func TestTextEscapes(t *testing.T) {
	for text, want := range map[string]string{
		"a<b>&\"c\"":             `a&lt;b&gt;&amp;"c"`,
		"\x00\x01\x1f":           "_x0000__x0001__x001F_",
		"tab\tline\n":            "tab\tline\n",
		"_x0041_":                "_x005F_x0041_",
		"_x005F_x0041_":          "_x005F_x005F_x005F_x0041_",
		"_x004_ _X0041_ _xZZZZ_": "_x004_ _X0041_ _xZZZZ_",
		"\uFFFE\uFFFF\uFFFD":     "_xFFFE__xFFFF_\uFFFD",
		"_x0041\x06":             "_x005F_x0041_x0006_",
		"日本 👍":                   "日本 👍",
	} {
		got := AppendText(nil, text)
		if string(got) != want {
			t.Errorf("%q is written as %q, want %q", text, got, want)
		}
		if back := readBack(t, got); back != text {
			t.Errorf("%q came back as %q", text, back)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "_x0041_", "_x005F_", "__x0041_x0041_", "_x0000\x060", "a\x00b", "\uFFFE", "_xD83D__xDE00_", "<&>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || strings.Contains(text, "\r") {
			t.Skip("no text of a Grid")
		}
		if back := readBack(t, AppendText(nil, text)); back != text {
			t.Errorf("%q came back as %q", text, back)
		}
	})
}

func TestSetXMLAttr(t *testing.T) {
	for _, test := range []struct{ attrs, name, value, want string }{
		{` a="1" b='2'`, "b", "3", ` a="1" b='3'`},
		{` a="1" `, "b", `x"<&>y`, ` a="1" b="x&quot;&lt;&amp;&gt;y"`},
		{``, "b", "1", ` b="1"`},
		{` ab="1"`, "b", "2", ` ab="1" b="2"`},
	} {
		if got := string(xml.SetAttr([]byte(test.attrs), test.name, test.value)); got != test.want {
			t.Errorf("%q with %s=%q is %q, want %q", test.attrs, test.name, test.value, got, test.want)
		}
	}
}

func TestXMLUnescape(t *testing.T) {
	for in, want := range map[string]string{
		"&lt;&gt;&amp;&quot;&apos;": `<>&"'`, "&#65;&#x42;&#X43;": "ABC", "a\r\nb\rc": "a\nb\nc", "&none; & &#; &": "&none; & &#; &",
	} {
		if got := string(xml.Unescape(nil, []byte(in))); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
