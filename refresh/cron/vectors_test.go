package cron

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The vectors pin the fire times for Go and for the console's JavaScript alike; web/console's test reads the same file.
const vectorsFile = "testdata/vectors.json"

var update = flag.Bool("update", false, "write "+vectorsFile+" anew")

// vector is what fires in [From, To), the first few of it.
type vector struct {
	Cron  []string `json:"cron"`
	Zone  string   `json:"zone"`
	From  string   `json:"from"`
	To    string   `json:"to"`
	Count int      `json:"count"`
	Fires []string `json:"fires"`
}

// maxVectorFires bounds what is written of one vector: its count says how many there are.
const maxVectorFires = 24

func TestVectors(t *testing.T) {
	if *update {
		writeVectors(t)
	}
	data, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	var pinned []vector
	if err := json.Unmarshal(data, &pinned); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(vectorsToPin(t), pinned); diff != "" {
		t.Errorf("%s (-now +pinned); if that is meant, go test -update:\n%s", vectorsFile, diff)
	}
}

func writeVectors(t *testing.T) {
	var out bytes.Buffer
	for i, v := range vectorsToPin(t) {
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString([]string{"[\n", ",\n"}[min(i, 1)])
		out.Write(line)
	}
	out.WriteString("\n]\n")
	if err := os.WriteFile(vectorsFile, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// vectorsToPin is every expression in every zone, for the weeks in which the zone's clocks change.
func vectorsToPin(t *testing.T) []vector {
	var all []vector
	for _, week := range []struct{ zone, from string }{
		{"UTC", "2026-11-23T00:00:00Z"},
		{"Europe/Berlin", "2026-03-22T23:00:00Z"},
		{"Europe/Berlin", "2026-10-18T22:00:00Z"},
		{"America/New_York", "2026-03-02T05:00:00Z"},
		{"America/New_York", "2026-10-26T04:00:00Z"},
		{"Africa/Cairo", "2026-04-19T22:00:00Z"},        // a gap at midnight
		{"Australia/Lord_Howe", "2026-09-27T13:30:00Z"}, // a gap of half an hour
		{"Australia/Lord_Howe", "2026-03-29T13:00:00Z"},
		{"Pacific/Apia", "2011-12-26T10:00:00Z"}, // a day that did not exist
		{"Asia/Kathmandu", "2026-01-04T18:15:00Z"},
	} {
		for _, specs := range [][]string{
			{"30 2 * * *"},
			{"*/20 * * * *"},
			{"0 0 * * *"},
			{"0 7 * * mon-fri"},
			{"15,45 1-3 * * SUN"},
			{"5/25 0-23/6 * * *"},
			{"0 12 1,31 * 3"},
			{"0 12 */2 * 3"},
			{"0 12 1-31 oct-dec ?"},
			{"0 9 29-30 * *", "@weekly"},
			{"@monthly", "@daily", "@hourly"},
			{"@every 1h30m"},
			{"@every 25h"},
		} {
			all = append(all, pin(t, specs, week.zone, week.from))
		}
	}
	return all
}

func pin(t *testing.T, specs []string, zone, from string) vector {
	c, err := Parse(specs, zone)
	if err != nil {
		t.Fatal(err)
	}
	to := mustTime(t, from).AddDate(0, 0, 7)
	v := vector{Cron: specs, Zone: zone, From: from, To: to.Format(time.RFC3339), Fires: []string{}}
	for at := c.Next(mustTime(t, from).Add(-time.Nanosecond)); at.Before(to) && !at.IsZero(); at = c.Next(at) {
		if v.Count++; v.Count <= maxVectorFires {
			v.Fires = append(v.Fires, at.Format(time.RFC3339))
		}
	}
	return v
}
