package placements

import (
	"strings"
	"testing"
)

func TestParseColumns(t *testing.T) {
	for text, want := range map[string]string{
		"F:H": "F:H", "f:h": "F:H", "$F:$H": "F:H", "F:F": "F:F", "XFD:XFD": "XFD:XFD", "A:IV": "A:IV",
		"H:F": "end before they begin", "A:IW": "are more than 256", "A:XFD": "are more than 256", "XFD:XFE": "XFE",
		"": "for a single one", "F": "for a single one", "F1": "for a single one", "1:2": "for a single one", "F:G:H": "for a single one",
		"F1:G2": "for a single one", " F:H": "for a single one", "F : H": "for a single one", "F:": "for a single one",
	} {
		c, err := ParseColumns(text)
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && c.String() != want {
			t.Errorf("%q: %v, %v; want %s", text, c, err, want)
		}
	}
}
