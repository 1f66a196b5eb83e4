package storage_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/placements/placementstest"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
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
		var d struct {
			CurrentQueryChecksum string
			Parameters           []placements.Parameter
		}
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
			shown := p
			shown.QueryChecksum = p.ValueKeys().Written(p.QueryChecksum, d.Parameters)
			want.add(parts.prefix, report, slot, p, placements.SyncStatus(shown, d.CurrentQueryChecksum, run), waitsFor(p, run), counts)
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

// waitsFor returns what a placement waits for by the last run on it; empty: nothing. An add-in that wrote since that run had ended waits no more.
func waitsFor(p placements.Placement, run *placements.LastRun) placements.Reason {
	if run == nil || run.State != placements.RunQueued || run.EndedAt != "" && p.RefreshedAt > run.EndedAt {
		return ""
	}
	return run.Reason
}

func (want index) add(
	prefix, report, slot string, p placements.Placement, status placements.Status, waits placements.Reason, counts map[string]int,
) {
	lists, edited := []string{"all", "status:" + string(status), "host:" + string(p.Host), "document:" + p.WorkbookID, "report:" + report}, "0"
	if p.Edits != nil {
		lists, edited = append(lists, "edited"), "1"
	}
	counted, stands := []string{"all", "edited", "status:" + string(status)}, string(status)
	if waits != "" {
		waiting := []string{"waiting", "waiting:" + string(waits)}
		lists, counted, stands = append(lists, waiting...), append(counted, waiting...), stands+" "+string(waits)
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
		if slices.Contains(counted, list) {
			count := prefix + "\t" + list + "\n" + p.WorkbookID
			if counts[count]++; counts[count] == 1 {
				want[prefix+"documents:"+list] = append(want[prefix+"documents:"+list], p.WorkbookID)
			}
		}
	}
	facts := strings.Join([]string{stands, at, edited, strconv.FormatInt(p.Behalf().UID, 10), string(p.Host), p.WorkbookID}, "\t")
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

//go:embed testdata/layout_2.json
var layout2 []byte

// A storage of layout 2 gets its lists of placements at the next start.
func TestLayout2(t *testing.T) {
	server, _ := ofLayout(t, layout2)
	s, err := storage.Open(t.Context(), storage.Config{Address: server})
	must(t, err)
	defer s.Close()
	dump := s.Dump(t)
	checkIndex(t, dump)
	if n := len(dump[s.StandingKey(shop)]); n != 11 {
		t.Errorf("%d placements are listed, want 11", n)
	}
}

// The rule of syncStatus stands twice: in Go, where it is shown, and in Lua, where placements are listed.
func TestListsFollowTheRulesOfSyncStatus(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		for i, tc := range placementstest.Transitions() {
			r := create(t, s, shop, named(tc.Fact, "select "+tc.Queries[0]))
			checksums := map[string]string{tc.Queries[0]: r.CurrentChecksum, "": ""}
			p := tc.Placement()
			p.ID, p.Edits = "p"+strconv.Itoa(i), nil
			if p.QueryChecksum = checksums[tc.Written]; p.QueryChecksum == "" && tc.Written != "" {
				p.QueryChecksum = tc.Written
			}
			must(t, storagetest.Import(t.Context(), s, shop, r.ID, []storage.Placed{{Placement: p, LastRun: tc.Run}}))
			for _, query := range tc.Queries[1:] {
				in := record.ReportInput{SQLQuery: placements.Sent("select " + query)}
				_, err := s.Reports().Update(t.Context(), shop, r.ID, in, ada, anyone)
				must(t, err)
			}
			stands := s.Client().HGet(t.Context(), s.StandingKey(shop), strconv.FormatInt(r.ID, 10)+":"+p.ID).Val()
			if got, _, _ := strings.Cut(stands, "\t"); got != string(tc.Want) {
				t.Errorf("%s: listed as %q, want %q", tc.Fact, got, tc.Want)
			}
		}
	})
}

// What a parameter says by default is no part of its report's checksum, and decides what its placements show.
func TestListsFollowTheDefaultsOfParameters(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		region := func(value string) placements.Optional[[]placements.Parameter] {
			by := placements.OneValue(placements.TextScalar(value))
			return placements.Sent([]placements.Parameter{{Name: "region", Type: placements.ParameterText, Default: &by}})
		}
		in := named("Asking", "select @region")
		in.Parameters = region("North")
		r := create(t, s, shop, in)
		p := placementstest.Transitions()[0].Placement()
		p.ID, p.Edits, p.QueryChecksum = "p1", nil, r.CurrentChecksum
		p.Used = map[string]string{"region": placements.OneValue(placements.TextScalar("North")).Key()}
		must(t, storagetest.Import(t.Context(), s, shop, r.ID, []storage.Placed{{Placement: p}}))
		for _, tc := range []struct {
			value string
			want  placements.Status
		}{{"North", placements.UpToDate}, {"South", placements.Changed}, {"North", placements.UpToDate}} {
			_, err := s.Reports().Update(t.Context(), shop, r.ID, record.ReportInput{Parameters: region(tc.value)}, ada, anyone)
			must(t, err)
			stands := s.Client().HGet(t.Context(), s.StandingKey(shop), strconv.FormatInt(r.ID, 10)+":"+p.ID).Val()
			if got, _, _ := strings.Cut(stands, "\t"); got != string(tc.want) {
				t.Errorf("with %s it is listed as %q, want %q", tc.value, got, tc.want)
			}
			checkIndex(t, s.Dump(t))
		}
	})
}
