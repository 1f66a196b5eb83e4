package source

import "testing"

func TestSizes(t *testing.T) {
	for _, row := range []struct {
		fact, text string
		want       Size
		fails      bool
	}{
		{"mebibytes", "512MiB", 512 << 20, false},
		{"a space before the unit", "1 GiB", 1 << 30, false},
		{"bytes", "1048576", 1 << 20, false},
		{"kibibytes", "16KiB", 16 << 10, false},
		{"a unit alone", "MiB", 0, true},
		{"a decimal unit", "512MB", 0, true},
		{"a fraction", "1.5GiB", 0, true},
		{"more than a number holds", "9999999999GiB", 0, true},
		{"nothing", "", 0, true},
	} {
		got, err := ParseSize(row.text)
		if got != row.want || (err != nil) != row.fails {
			t.Errorf("%s: %q gives %d, %v", row.fact, row.text, got, err)
		}
	}
}

func TestSizesReadWell(t *testing.T) {
	for size, want := range map[Size]string{0: "0 bytes", 1000: "1000 bytes", 256 << 20: "256 MiB", 3 << 30: "3 GiB", 16 << 10: "16 KiB"} {
		if got := size.String(); got != want {
			t.Errorf("%d reads %q, want %q", int64(size), got, want)
		}
	}
}
