package sheet_test

import (
	"encoding/json"
	"testing"

	"mooring/web/sheet"
)

func TestTextsAreWrittenAsJSON(t *testing.T) {
	for _, s := range []string{"", "plain", `a "b" \c`, "\x00\x01\x1f\x7f", "a\nb\tc\rd", "é🦭\u2028<&>", `"`, `\`} {
		var got string
		if err := json.Unmarshal(sheet.AppendText(nil, s), &got); err != nil || got != s {
			t.Errorf("%q is read back as %q (%v)", s, got, err)
		}
	}
}
