package source

import (
	"testing"
	"time"
)

func TestParsePeriod(t *testing.T) {
	for _, c := range []struct {
		text string
		want period
	}{
		{"PT0S", period{}},
		{"P1Y2M3DT4H5M6.5S", period{14, 3, 4*time.Hour + 5*time.Minute + 6500*time.Millisecond}},
		{"P-1Y-2M3DT-4H-5M-6S", period{-14, 3, -(4*time.Hour + 5*time.Minute + 6*time.Second)}},
		{"P2W", period{0, 14, 0}},
		{"PT36H", period{0, 0, 36 * time.Hour}},
		{"PT-0.000001S", period{0, 0, -time.Microsecond}},
		{"P10D", period{0, 10, 0}},
	} {
		if got, ok := ParsePeriod(c.text); !ok || got != c.want {
			t.Errorf("%s: got %v, %v; want %v", c.text, got, ok, c.want)
		}
	}
	for _, text := range []string{"", "P", "1 day", "PX", "P1H", "PT1D", "P1", "PTNaNS", "P9999999999D", "-P1D"} {
		if got, ok := ParsePeriod(text); ok {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}
