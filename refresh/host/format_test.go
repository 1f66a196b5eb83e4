package host

import "testing"

func TestIsDateFormat(t *testing.T) {
	for format, want := range map[string]bool{
		"yyyy-mm-dd": true, "hh:mm": true, "[h]:mm": true, "[$-409]d/m/yy": true, "General": false, "0.00": false,
		`0 "days"`: false, `0\d`: false, "[Red]0": false, "#,##0 _d": false, "": false,
	} {
		if got := IsDateFormat(format); got != want {
			t.Errorf("isDateFormat(%q) = %t", format, got)
		}
	}
}
