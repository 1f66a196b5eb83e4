package placements

import (
	"strings"
	"testing"
)

func TestParseColumns(t *testing.T) {
	for text, want := range map[string]string{
		"F:H": "F:H", "f:h": "F:H", "$F:$H": "F:H", "F:F": "F:F", "XFD:XFD": "XFD:XFD", "A:IV": "A:IV",
		"H:F": "end before they begin", "A:IW": "are more than 256", "A:XFD": "are more than 256", "XFD:XFE": "XFE",
		"": "are no columns", "F": "are no columns", "F1": "are no columns", "1:2": "are no columns", "F:G:H": "are no columns",
		"F1:G2": "are no columns", " F:H": "are no columns", "F : H": "are no columns", "F:": "are no columns",
	} {
		c, err := ParseColumns(text)
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && c.String() != want {
			t.Errorf("%q: %v, %v; want %s", text, c, err, want)
		}
	}
}
