package xml_test

import (
	"strings"
	"testing"

	"mooring/refresh/host/xlsx/xml"
)

func TestEditAttr(t *testing.T) {
	const doc = `<a><x:b  r = 'B2' s="1&amp;2"/></a>`
	s := xml.NewScanner(strings.NewReader(doc))
	for string(s.Local()) != "b" {
		if err := s.Next(); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, value, want string }{
		{name: "r", value: "B4", want: `<a><x:b  r = 'B4' s="1&amp;2"/></a>`},
		{name: "r", value: "'My Sheet'!B4", want: `<a><x:b  r = '&apos;My Sheet&apos;!B4' s="1&amp;2"/></a>`},
		{name: "s", value: "'My Sheet'!B4", want: `<a><x:b  r = 'B2' s="'My Sheet'!B4"/></a>`},
		{name: "s", value: `<"3">`, want: `<a><x:b  r = 'B2' s="&lt;&quot;3&quot;&gt;"/></a>`},
		{name: "t", value: "none"},
	} {
		edit, ok := s.EditAttr(tt.name, tt.value)
		set := string(xml.SetAttr(s.Attrs, tt.name, tt.value))
		if ok && "<a><x:b"+set+"/></a>" != tt.want {
			t.Errorf("%s: set as %s, want %s", tt.name, set, tt.want)
		}
		if ok != (tt.want != "") {
			t.Errorf("%s: %v", tt.name, ok)
		}
		if !ok {
			continue
		}
		if got := string(xml.Apply([]byte(doc), []xml.Edit{edit})); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
