package source

import (
	"testing"
	"time"

	"mooring/checksum"
)

func TestParseMoment(t *testing.T) {
	utc := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	midnight := time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		text string
		want time.Time // in UTC
		form momentForm
	}{
		{"2024-05-06", midnight, dateOnly},
		{"2024-05-06 07:08", utc.Truncate(time.Minute), wallTime},
		{"2024-05-06T07:08:09", utc, wallTime},
		{"2024-05-06 07:08:09.123456", utc.Add(123456 * time.Microsecond), wallTime},
		{"2024-05-06T07:08:09.000", utc, wallTime},
		{"2024-05-06T07:08:09Z", utc, instant},
		{"2024-05-06T07:08:09.5Z", utc.Add(500 * time.Millisecond), instant},
		{"2024-05-06 09:08:09+02", utc, instant},
		{"2024-05-06 12:38:09+05:30", utc, instant},
		{"2024-05-06 01:08:09-0600", utc, instant},
		{"2024-05-06 07:09:09+00:01:00", utc, instant},
		{"2024-05-06 09:08+02:00", utc.Truncate(time.Minute), instant},
	} {
		m, ok := parseMoment(c.text)
		if !ok || !m.at.Equal(c.want) || m.form != c.form {
			t.Errorf("%s: got %v, form %d, %v; want %v, form %d", c.text, m.at, m.form, ok, c.want, c.form)
		}
	}
}

func TestParseMomentLeavesOtherTextAlone(t *testing.T) {
	for _, text := range []string{
		"", "soon", "infinity", "-infinity", "2024", "20240506", "2024-5-6", "2024-13-01", "2024-02-30", "2024-05-06 ", "2024-05-06x07:08",
		"2024-05-06 25:00", "2024-05-06 07:08:09 BC", "0044-03-15 BC", "10000-01-01", "2024-05-06 07:08:09+2", "2024-05-06 07",
		"06.05.2024 07:08",
	} {
		if m, ok := parseMoment(text); ok {
			t.Errorf("%q is taken for %v", text, m.at)
		}
	}
}

func TestParseClock(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Duration
		ok   bool
	}{
		{"07:08", 7*time.Hour + 8*time.Minute, true},
		{"07:08:09", 7*time.Hour + 8*time.Minute + 9*time.Second, true},
		{"07:08:09.5", 7*time.Hour + 8*time.Minute + 9*time.Second + 500*time.Millisecond, true},
		{"00:00", 0, true},
		{"24:00:00", 24 * time.Hour, true},
		{"", 0, false},
		{"7:08", 0, false},
		{"18:00:00+02", 0, false},
		{"noon", 0, false},
	} {
		if got, ok := parseClock(c.text); ok != c.ok || ok && got != c.want {
			t.Errorf("%q: got %v, %v; want %v, %v", c.text, got, ok, c.want, c.ok)
		}
	}
}

func TestMomentIsWallTimeOfTheLocation(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	const day = 45418 // 2024-05-06
	for _, c := range []struct {
		text string
		want float64
	}{
		{"2024-05-06", day},
		{"2024-05-06 06:00", day + .25}, // of no zone: it stays what it shows
		{"2024-05-06 04:00Z", day + .25},
		{"2024-05-06 22:00Z", day + 1},
		{"2024-12-06 22:00Z", 45632 + 23./24}, // winter
	} {
		var b checksum.Builder
		AppendMomentText(&b, []byte(c.text), berlin)
		if got := b.Grid().Cells(0, nil)[0]; got != checksum.Num(c.want) {
			t.Errorf("%s: got %v, want %v", c.text, got, c.want)
		}
	}
}
