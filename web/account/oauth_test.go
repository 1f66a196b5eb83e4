package account

import (
	"strings"
	"testing"
)

// What a device calls itself is text of one line for the person who decides.
func TestNamesOfDevices(t *testing.T) {
	for sent, want := range map[string]string{
		"Sales.xlsx, Excel":            "Sales.xlsx, Excel",
		"":                             "A device without a name",
		"\u202e \n\x00":                "A device without a name",
		"a\u202eb\u200bc\r\nd\x1b[31m": "abcd[31m",
		"<b>é\u0301</b>":               "<b>é\u0301</b>",
		strings.Repeat("ü", 101):       strings.Repeat("ü", 99) + "…",
	} {
		if got := shownName(sent); got != want {
			t.Errorf("%q is shown as %q, want %q", sent, got, want)
		}
	}
}
