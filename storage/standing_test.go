package storage_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage/record"
)

// index is what is kept of the placements of all deployments: the members of each list, by its key, and the counts of spreadsheets; and which
// schedules their reports have.
type index map[string][]string

// keptIndex is the index as it is stored.
func keptIndex(dump map[string]map[string]string) index {
	kept := index{}
	for key, content := range dump {
		parts := deploymentKey(key)
		switch {
		case strings.HasPrefix(parts.name, "placed:"), strings.HasPrefix(parts.name, "documents:"):
			for member := range content {
				kept[key] = append(kept[key], member)
			}
		case parts.name == "documents", parts.name == "standing",
			strings.HasPrefix(parts.name, "report:") && strings.HasSuffix(parts.name, ":schedules"):
			for member, value := range content {
				kept[key] = append(kept[key], member+" = "+value)
			}
		}
		slices.Sort(kept[key])
	}
	for key, members := range kept {
		if len(members) == 0 {
			delete(kept, key)
		}
	}
	return kept
}

// keyParts are the prefix of a deployment's keys and the rest of one.
type keyParts struct{ prefix, name string }

func deploymentKey(key string) keyParts {
	tenant, rest, found := strings.Cut(key, ":d:")
	id, name, _ := strings.Cut(rest, ":")
	if _, err := strconv.Atoi(id); !found || err != nil {
		return keyParts{}
	}
	return keyParts{tenant + ":d:" + id + ":", name}
}

// wantIndex is the index computed of all reports, placements, last runs and schedules.
func wantIndex(t testing.TB, dump map[string]map[string]string) index {
	t.Helper()
	want, counts := index{}, map[string]int{}
	for key, content := range dump {
		parts := deploymentKey(key)
		want.addSchedule(t, parts, content)
		report, is := strings.CutPrefix(parts.name, "report:")
		report, placed := strings.CutSuffix(report, ":placements")
		if !is || !placed {
			continue
		}
		var d struct{ CurrentQueryChecksum string }
		if err := json.Unmarshal([]byte(dump[parts.prefix+"report:"+report]["definition"]), &d); err != nil {
			t.Fatalf("report %s: %v", report, err)
		}
		for field, text := range content {
			slot, is := strings.CutPrefix(field, "p:")
			if !is {
				continue
			}
			p, _, _, err := record.DecodePlacement(slot, text)
			if err != nil {
				t.Fatal(err)
			}
			run, err := record.DecodeLastRun(slot, content["r:"+slot])
			if err != nil {
				t.Fatal(err)
			}
			want.add(parts.prefix, report, slot, p, placements.SyncStatus(p, d.CurrentQueryChecksum, run), counts)
		}
	}
	for name, n := range counts {
		prefix, field, _ := strings.Cut(name, "\t")
		want[prefix+"documents"] = append(want[prefix+"documents"], fmt.Sprint(field, " = ", n))
	}
	for _, members := range want {
		slices.Sort(members)
	}
	return want
}

func (want index) add(prefix, report, slot string, p placements.Placement, status placements.Status, counts map[string]int) {
	lists, edited := []string{"all", "status:" + string(status), "host:" + string(p.Host), "document:" + p.WorkbookID, "report:" + report}, "0"
	if p.Edits != nil {
		lists, edited = append(lists, "edited"), "1"
	}
	if p.Behalf().UID != 0 {
		lists = append(lists, fmt.Sprint("owner:", p.Behalf().UID))
	}
	at := strings.Repeat("0", 13)
	if placed, err := time.Parse(time.RFC3339, p.PlacedAt); err == nil {
		at = strconv.FormatInt(placed.UnixMilli(), 10)
	}
	for _, list := range lists {
		key := prefix + "placed:" + list
		want[key] = append(want[key], at+":"+report+":"+slot)
		if list == "all" || list == "edited" || strings.HasPrefix(list, "status:") {
			count := prefix + "\t" + list + "\n" + p.WorkbookID
			if counts[count]++; counts[count] == 1 {
				want[prefix+"documents:"+list] = append(want[prefix+"documents:"+list], p.WorkbookID)
			}
		}
	}
	facts := strings.Join([]string{string(status), at, edited, strconv.FormatInt(p.Behalf().UID, 10), string(p.Host), p.WorkbookID}, "\t")
	want[prefix+"standing"] = append(want[prefix+"standing"], report+":"+slot+" = "+facts)
}

// addSchedule adds the schedule of a key, if it is one, to those of its report.
func (want index) addSchedule(t testing.TB, key keyParts, content map[string]string) {
	id, is := strings.CutPrefix(key.name, "schedule:")
	if _, err := strconv.Atoi(id); !is || err != nil {
		return
	}
	c, err := record.ReadSchedule(content["definition"])
	if err != nil {
		t.Fatalf("schedule %s: %v", id, err)
	}
	list := fmt.Sprint(key.prefix, "report:", c.Target.ReportID, ":schedules")
	want[list] = append(want[list], id+" = "+id)
}

// checkIndex compares the index that is kept with the one that everything stored results in.
func checkIndex(t testing.TB, dump map[string]map[string]string) {
	t.Helper()
	if diff := cmp.Diff(wantIndex(t, dump), keptIndex(dump)); diff != "" {
		t.Errorf("lists of placements and schedules (-from scratch +kept):\n%s", diff)
	}
}
